"""Shell scripts: what a `sh -c` string launches, with which words and which environment."""
