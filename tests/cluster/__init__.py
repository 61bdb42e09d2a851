"""A real Kubernetes control plane for the end-to-end tests: built from source, run on loopback, Linux only."""
