"""How many workers a rank reads with: one for each shard file, within what network and open files can use.

More workers were a gain in every version of the streamer measured and never a loss (docs/tuning.md), so the bounds are
generous: the network never lowers the streamer's own default.
"""

from math import ceil

import msgspec

from webhook.plan.inflight import DEFAULT_CONCURRENCY, Knobs
from webhook.plan.names import CONCURRENCY, OBJECT_CONCURRENCY
from webhook.plan.network import Network
from webhook.plan.reading import Reading
from webhook.plan.subject import Subject
from webhook.plan.untouched import MOST_WORKERS
from webhook.reasons import Code, Reason, because

# A connection to S3 brings 40 to 90 MB/s (Amazon S3 performance guidelines); half of the least, so that a slow day does
# not starve the network.
_BYTES_PER_CONNECTION = 20e6
# Requests that a worker keeps in flight in newer streamers (the streamer's source; older ones keep 25).
_REQUESTS_PER_WORKER = 22
# The streamer refuses to start with more workers than this allows (the streamer's source).
_OPEN_FILES_PER_WORKER = 64


class Workers(msgspec.Struct, frozen=True):
    """The workers of a rank that will be in force, and why.

    `ours` is False where the user decided. `named` is True where a variable has to say the number. `reason` is None
    where another decision's reason covers it.
    """

    value: int
    reason: Reason | None
    ours: bool = False
    named: bool = False

    def lowered_to(self, most: int, reason: Reason) -> "Workers":
        """Returns no more workers than `most`; the streamer's default needs no variable."""
        if self.value <= most:
            return self
        return Workers(most, reason, ours=self.ours, named=most != DEFAULT_CONCURRENCY)


def choose_workers(subject: Subject, reading: Reading, network: Network | None, untouched: Knobs) -> Workers:
    """Chooses a rank's workers, before memory has its say."""
    loader = subject.launch.loader
    users = max(untouched.concurrency, untouched.object_concurrency or 0)
    if not loader.readable:
        return Workers(users, because(Code.LOADER_CONFIG_UNREADABLE))
    if loader.concurrency is not None:
        return Workers(users, because(Code.LOADER_CONFIG_WINS, keys="concurrency", names=CONCURRENCY))
    names = [name for name in (CONCURRENCY, OBJECT_CONCURRENCY) if name in subject.env]
    if names:
        return Workers(users, because(Code.USER_SET, names=", ".join(names)))
    annotated = subject.facts.annotations.concurrency
    if annotated is not None:
        reason = because(Code.CHOSEN_BY_ANNOTATION, annotation=subject.annotation("concurrency"))
        return Workers(annotated, reason, named=True)
    if reading.shards is None:
        return Workers(DEFAULT_CONCURRENCY, None, ours=True)
    return _for_shards(reading.shards, reading.ranks, network, subject.settings.open_files)


def _for_shards(shards: int, ranks: int, network: Network | None, open_files: int) -> Workers:
    bears = open_files // _OPEN_FILES_PER_WORKER
    value = min(shards, MOST_WORKERS, bears)
    why = because(Code.CONCURRENCY_SHARDS, shards=shards)
    if network is not None and (fills := _fills(network, ranks)) < value:
        value = fills
        why = because(Code.CONCURRENCY_NETWORK, shards=shards, value=value, ranks=ranks, gbps=f"{network.gbps:g}")
    elif value == bears < shards:
        why = because(Code.CONCURRENCY_OPEN_FILES, shards=shards, value=value, open_files=open_files)
    elif value < shards:
        why = because(Code.CONCURRENCY_MOST, shards=shards, value=value)
    if value > DEFAULT_CONCURRENCY:
        return Workers(value, why, ours=True, named=True)
    default = because(Code.CONCURRENCY_DEFAULT, value=DEFAULT_CONCURRENCY, why=why.text)
    return Workers(DEFAULT_CONCURRENCY, default, ours=True)


def _fills(network: Network, ranks: int) -> int:
    """Returns the workers of a rank that fill the pod's network, never under the streamer's default."""
    connections = network.share / _BYTES_PER_CONNECTION
    return max(DEFAULT_CONCURRENCY, ceil(connections / (ranks * _REQUESTS_PER_WORKER)))
