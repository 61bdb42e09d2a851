"""The server: its settings, its ports, its certificates, logs and metrics."""
