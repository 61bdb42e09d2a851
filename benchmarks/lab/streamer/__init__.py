"""The streamer lab: released streamers load models from a throttled S3, untouched and with what the plan sets."""
