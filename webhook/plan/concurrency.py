"""How many workers a rank reads with: one for each shard file, within what network and open files can use.

More workers were a gain in every version of the streamer measured (docs/tuning.md), so the bounds are generous: the
network never lowers the streamer's own default. Only a small model that the buffer does not hold is no gain in 0.16.1.
"""

from math import ceil

import msgspec

from webhook.plan.inflight import ANY_FILES, DEFAULT_CONCURRENCY, Knobs, most_in_flight
from webhook.plan.names import CONCURRENCY, OBJECT_CONCURRENCY
from webhook.plan.network import Network
from webhook.plan.reading import Reading
from webhook.plan.subject import Subject
from webhook.plan.units import counted, each_of, gib
from webhook.plan.untouched import MOST_WORKERS, unreadable_loader
from webhook.plan.versions import ALL_FAMILIES
from webhook.reasons import Code, Reason, because

# A connection to S3 brings 40 to 90 MB/s (Amazon S3 performance guidelines); half of the least, so that a slow day does
# not starve the network.
_BYTES_PER_CONNECTION = 20e6
# Requests that a worker keeps in flight in newer streamers (the streamer's source; older ones keep 25).
_REQUESTS_PER_WORKER = 22
# How many times as large as what the default workers have in flight a model has to be, where the buffer does not hold
# it: more workers then lost 9 % in 0.16.1 at 6 times, and gained 11 % at 13 times (measured, docs/tuning.md).
_LEAST_TIMES = 12
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
    unreadable = unreadable_loader(subject)
    if unreadable is not None:
        return Workers(users, unreadable)
    if loader.concurrency is not None:
        return Workers(users, because(Code.LOADER_CONFIG_WINS, keys="concurrency", names=CONCURRENCY))
    names = [name for name in (CONCURRENCY, OBJECT_CONCURRENCY) if name in subject.env]
    if names:
        return Workers(users, because(Code.USER_SET, names=", ".join(names)))
    annotated = subject.facts.annotations.concurrency
    if annotated is not None:
        return _annotated(subject, annotated, users)
    workers = Workers(DEFAULT_CONCURRENCY, None, ours=True)
    if reading.shards is not None:
        workers = _for_shards(reading, reading.shards, network, untouched)
    open_files = _open_files(subject)
    bears = max(1, open_files // _OPEN_FILES_PER_WORKER)
    bearing = {"open_files": open_files, "workers": counted(bears, "worker")}
    return workers.lowered_to(bears, because(Code.CONCURRENCY_OPEN_FILES, **bearing))


def _annotated(subject: Subject, annotated: int, users: int) -> Workers:
    annotation, open_files = subject.annotation("concurrency"), _open_files(subject)
    if annotated * _OPEN_FILES_PER_WORKER <= open_files:
        return Workers(annotated, because(Code.CHOSEN_BY_ANNOTATION, annotation=annotation), named=True)
    problem = f"{annotated} workers take more than the limit of {open_files} open files, which fails the load"
    return Workers(users, because(Code.ANNOTATION_REFUSED, annotation=annotation, problem=problem))


def _open_files(subject: Subject) -> int:
    return min(subject.settings.open_files, subject.container.open_files or subject.settings.open_files)


def _for_shards(reading: Reading, shards: int, network: Network | None, untouched: Knobs) -> Workers:
    value, files = min(shards, MOST_WORKERS, _busy(reading, untouched)), counted(shards, "shard file")
    why = because(Code.CONCURRENCY_SHARDS, files=files)
    if network is not None and (fills := _fills(network, reading.ranks)) < value:
        value, gbps = fills, f"{network.gbps:g}"
        filling = {"workers": counted(value, "worker"), "ranks": each_of(reading.ranks, "rank"), "gbps": gbps}
        why = because(Code.CONCURRENCY_NETWORK, files=files, **filling)
    elif value < shards:
        why = because(Code.CONCURRENCY_MOST, files=files, workers=counted(value, "worker"))
    if value > DEFAULT_CONCURRENCY:
        return Workers(value, why, ours=True, named=True)
    few = f"a rank reads {files}, so more would stand idle" if value == shards else why.text
    default = because(Code.CONCURRENCY_DEFAULT, value=DEFAULT_CONCURRENCY, why=few)
    return Workers(DEFAULT_CONCURRENCY, default, ours=True)


def _busy(reading: Reading, untouched: Knobs) -> int:
    """Returns the workers that have something to do while all of a small model is on its way, at least the default.

    A worker takes time to start, too: 50 of them half a second on two cores (docs/tuning.md).
    """
    if reading.files is None:
        return MOST_WORKERS
    return max(DEFAULT_CONCURRENCY, ceil(reading.files.total_bytes / _bytes_of_worker(untouched)))


def _bytes_of_worker(untouched: Knobs) -> int:
    """Returns what one worker has in flight, in bytes, in the version where that is least."""
    alone = msgspec.structs.replace(untouched, concurrency=1, object_concurrency=None, memory_limit=0)
    return untouched.part_bytes * min(most_in_flight(family, alone, ANY_FILES) for family in ALL_FAMILIES)


def for_small_buffer(workers: Workers, reading: Reading, untouched: Knobs) -> Workers:
    """Returns the workers to have where the buffer does not hold the model: none is added for a small one."""
    least = _LEAST_TIMES * DEFAULT_CONCURRENCY * _bytes_of_worker(untouched)
    if not workers.ours or reading.files is None or reading.files.total_bytes >= least:
        return workers
    why = f"the buffer does not hold the model, and more gain nothing then for one under {gib(least)} GiB"
    return workers.lowered_to(
        DEFAULT_CONCURRENCY, because(Code.CONCURRENCY_DEFAULT, value=DEFAULT_CONCURRENCY, why=why)
    )


def _fills(network: Network, ranks: int) -> int:
    """Returns the workers of a rank that fill the pod's network, never under the streamer's default."""
    connections = network.share / _BYTES_PER_CONNECTION
    return max(DEFAULT_CONCURRENCY, ceil(connections / (ranks * _REQUESTS_PER_WORKER)))
