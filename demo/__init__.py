"""`make run`: fastload at work on this machine, with an S3 of its own."""
