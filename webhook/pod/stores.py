"""Object stores that the streamer reads from, as a model's URI names them."""

import re

STORES = ("s3", "gs", "az")
_STORE = re.compile(rf"({'|'.join(STORES)})://", re.IGNORECASE)


def store_of(uri: str) -> str | None:
    """Returns the object store that a URI names, in lower case: s3, gs, az; None for anything else."""
    found = _STORE.match(uri)
    return found[1].lower() if found else None
