"""What the world says: the model's shards, the instance types a pod may land on, its namespace."""
