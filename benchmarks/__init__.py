"""What a review costs: `make bench`."""
