"""fastload: a Kubernetes admission webhook that shortens the cold start of LLM inference pods."""

__version__ = "0.1.0"
