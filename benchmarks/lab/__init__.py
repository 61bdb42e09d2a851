"""The lab: the real streamer and the real torch.compile, run with the settings that fastload injects (`make lab`)."""
