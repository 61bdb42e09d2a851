"""A preview as text: the user's own manifests with what fastload adds, and what is made of those."""
