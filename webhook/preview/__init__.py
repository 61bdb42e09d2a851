"""See the patch before it happens: the same path as a review, from a manifest."""
