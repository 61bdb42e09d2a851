"""The command line: `fastload serve`, `fastload preview`."""
