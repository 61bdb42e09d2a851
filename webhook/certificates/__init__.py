"""Certificates that fastload makes, renews and has trusted by itself, for years."""
