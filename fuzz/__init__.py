"""Fuzz runs of what reads strangers' bytes: `python -m fuzz`, or `make fuzz`."""
