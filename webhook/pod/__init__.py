"""What the pod says: engine, model, parallelism, and everything of the user's that must stay."""
