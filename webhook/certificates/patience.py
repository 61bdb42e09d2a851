"""For how long things have been as they are: by this replica's own clock, from when it first saw them so."""

from collections.abc import Callable

from cryptography import x509

from webhook.certificates.cluster import Look
from webhook.certificates.kept import Kept
from webhook.certificates.rotation import Seen

# Before anything is taken away every replica has to have changed, and each looks at its own time.
_SETTLES_TO_BE_QUIET = 2
_LOOKS_TO_BE_QUIET = 3


class Patience:
    """Remembers when it first saw what it sees.

    Nothing of it is stored, so that clocks of several machines are never compared: a replica that takes over from
    another waits its own time again.

    Args:
        settle_seconds: how long an API server may take to hear of a change.
        look_seconds: how often a replica looks.
        clock: seconds, from any start, never set back.
    """

    def __init__(self, settle_seconds: float, look_seconds: float, clock: Callable[[], float]) -> None:
        self._settle = settle_seconds
        self._quiet = _SETTLES_TO_BE_QUIET * settle_seconds + _LOOKS_TO_BE_QUIET * look_seconds
        self._clock = clock
        self._kept: Kept | None = None
        self._unchanged_since = 0.0
        self._told_since: dict[x509.Certificate, float] = {}

    def see(self, look: Look) -> Seen:
        """Takes a look in, and returns it with what has lasted long enough."""
        now = self._clock()
        told = [each for each in look.kept.authorities if all(each in bundle for bundle in look.bundles)]
        self._told_since = {each: self._told_since.get(each, now) for each in told}
        if look.kept != self._kept or len(told) < len(look.kept.authorities):
            self._kept, self._unchanged_since = look.kept, now
        heard = frozenset(each for each, since in self._told_since.items() if now - since >= self._settle)
        return Seen(look.bundles, look.now, heard, now - self._unchanged_since >= self._quiet)
