"""What to do: a pure function of the pod's facts, the look-ups' facts and the settings."""
