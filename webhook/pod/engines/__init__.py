"""The engines: how each spells its launch line."""
