"""The contract with the engines: what fastload knows of vLLM, SGLang and the streamer, checked in their releases.

Nothing of theirs is imported or run: Python sources are parsed, and libraries are searched for names. `make contract`
takes the newest releases, says what it finds, and writes docs/contract.md.
"""
