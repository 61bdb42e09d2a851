"""The two ends of a review: reading it, and the only place that builds an answer."""
