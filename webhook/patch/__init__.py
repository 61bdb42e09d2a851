"""From a plan to a minimal JSON patch."""
