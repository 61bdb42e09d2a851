"""What an installation of fastload looks like from outside, and what to do where something is wrong with it."""
