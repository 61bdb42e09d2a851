"""How long the weights take to read: requests in flight, by what one of them brings, as far as rank and network go.

A model of few constants, fitted to the published loads (docs/tuning.md, 'Estimate'). What is not known is tried at its
best and at its worst, both sides of the comparison under the same assumptions.
"""

from collections.abc import Iterator
from itertools import product

import msgspec

from webhook.lookup.facts import InstanceType, Shards
from webhook.plan.endpoint import unknown_speed
from webhook.plan.estimate_slow import kills_slow_requests, slowdown
from webhook.plan.estimate_types import Note, Range
from webhook.plan.inflight import GIB, Files, Knobs, sustained_in_flight
from webhook.plan.memory import buffer_of
from webhook.plan.network import network_of
from webhook.plan.reading import Reading
from webhook.plan.subject import Subject
from webhook.plan.types import Plan
from webhook.plan.untouched import untouched_knobs
from webhook.plan.versions import Family, Version, families
from webhook.pod.facts import UserEnv

# What a broadcast over NCCL brings where no NVLink joins the GPUs, bytes/s (published: 61 GiB in 35 s).
_BROADCAST = 1.73 * GIB
# The loads published: bytes of the model; half the least and twice the most still count as like them.
_LIKE_PUBLISHED = (32e9, 406e9)


class Weights(msgspec.Struct, frozen=True):
    """Seconds of the weights untouched and tuned, and what is saved; each None where it cannot be told."""

    before: Range | None = None
    after: Range | None = None
    saved: Range | None = None
    notes: tuple[Note, ...] = ()


class _Pace(msgspec.Struct, frozen=True):
    """One end of what is possible: bytes/s of a request and of a rank, and the part of the network that can be used."""

    request: float
    rank: float
    network: float
    is_best: bool


# Fitted to the published loads. The network: 33 to 39 of 40 Gbit/s were reached (published).
_NEAR = (_Pace(19.5e6, 10e9, 0.97, is_best=True), _Pace(11.5e6, 7e9, 0.83, is_best=False))
# Elsewhere: up to the least that Amazon S3's guidelines name for a connection, and down to half the published pace.
_FAR = (_Pace(40e6, 10e9, 0.97, is_best=True), _Pace(5.75e6, 3.5e9, 0.83, is_best=False))


class _Side(msgspec.Struct, frozen=True):
    """A rank's knobs, and whether requests that crawl are killed."""

    knobs: Knobs
    kills: bool


class _Load(msgspec.Struct, frozen=True):
    """What is read, however fast: each rank's files, and the whole model's bytes."""

    reading: Reading
    files: Files
    total_bytes: int


class _Corner(msgspec.Struct, frozen=True):
    """One set of assumptions; the network is one rank's, bytes/s."""

    family: Family
    network: float
    nvlink: bool
    pace: _Pace


def estimate_weights(subject: Subject, reading: Reading, plan: Plan, version: Version | None) -> Weights:
    """Estimates the weights' seconds without the plan's settings and with them."""
    shards, files = subject.world.shards, reading.files
    unknown = _unknown(subject, reading)
    if unknown is not None or files is None or not isinstance(shards, Shards):
        return Weights(notes=(unknown or Note.SHARDS_UNKNOWN,))
    networks = [_network(subject, reading, each) for each in subject.world.candidates.types]
    if not networks or not all(share for share, _ in networks):
        return Weights(notes=(Note.NETWORK_UNKNOWN,))
    load = _Load(reading, files, shards.total_bytes)
    sides = (_side(subject, reading, subject.env), _side(subject, reading, _tuned(subject.env, plan)))
    paces = _NEAR if _is_near(subject, load) else _FAR
    corners = (
        _Corner(family, *network, pace) for family, network, pace in product(families(version), set(networks), paces)
    )
    pairs = [tuple(_seconds(load, side, corner) for side in sides) for corner in corners]
    after, notes = _over([after for _, after in pairs]), tuple(_notes(subject, load, sides[0], version))
    if _is_short_of_memory(*sides):
        return Weights(after=after, notes=(Note.MEMORY_SHORT, *notes))
    return Weights(
        before=_over([before for before, _ in pairs]),
        after=after,
        saved=_over([before - after for before, after in pairs]),
        notes=notes,
    )


def _unknown(subject: Subject, reading: Reading) -> Note | None:
    if reading.scheme != "s3" or unknown_speed(subject.env) is not None:
        return Note.STORE_UNKNOWN
    values = subject.env.values.items()
    hidden = any(value is None for name, value in values if name.startswith("RUNAI_STREAMER_"))
    return Note.SETTINGS_UNKNOWN if hidden or not subject.launch.loader.readable else None


def _network(subject: Subject, reading: Reading, instance_type: InstanceType) -> tuple[float, bool]:
    """One rank's network on this type in bytes/s, 0 where it is not known; and whether NVLink joins its GPUs."""
    candidates = msgspec.structs.replace(subject.world.candidates, types=(instance_type,))
    world = msgspec.structs.replace(subject.world, candidates=candidates)
    network = network_of(msgspec.structs.replace(subject, world=world), reading.ranks)
    return (network.share / reading.ranks if network else 0.0), instance_type.nvlink


def _tuned(env: UserEnv, plan: Plan) -> UserEnv:
    ours = {setting.name: setting.value for setting in plan.settings}
    return msgspec.structs.replace(env, values={**ours, **env.values})


def _side(subject: Subject, reading: Reading, env: UserEnv) -> _Side:
    container = msgspec.structs.replace(subject.container, env=env)
    knobs = untouched_knobs(msgspec.structs.replace(subject, container=container))
    buffer = buffer_of(reading, knobs.memory_limit)
    return _Side(msgspec.structs.replace(knobs, memory_limit=buffer), kills_slow_requests(env))


def _seconds(load: _Load, side: _Side, corner: _Corner) -> float:
    slow = slowdown(load.reading, load.files, side.knobs.workers(corner.family), kills=side.kills)
    requests = sustained_in_flight(corner.family, side.knobs, load.files)
    pace = corner.pace
    connections = requests * pace.request / (slow.low if pace.is_best else slow.high)
    rate = min(connections, pace.rank, corner.network * pace.network)
    broadcast = load.total_bytes / _BROADCAST if load.reading.distributed and not corner.nvlink else 0
    return load.files.total_bytes / rate + broadcast


def _is_short_of_memory(before: _Side, after: _Side) -> bool:
    """Whether the plan takes workers or buffer away: it does so only where they do not fit the container."""
    fewer = after.knobs.concurrency < before.knobs.concurrency
    return fewer or after.knobs.memory_limit < before.knobs.memory_limit


def _is_near(subject: Subject, load: _Load) -> bool:
    least, most = _LIKE_PUBLISHED
    on_p5 = all(each.name.startswith("p5") for each in subject.world.candidates.types)
    return on_p5 and least <= load.total_bytes <= most


def _notes(subject: Subject, load: _Load, before: _Side, version: Version | None) -> Iterator[Note]:
    if version is None:
        yield Note.VERSION_UNKNOWN
    if len(subject.world.candidates.types) > 1:
        yield Note.SEVERAL_TYPES
    if not _is_near(subject, load):
        yield Note.FAR_FROM_PUBLISHED
    slow = slowdown(load.reading, load.files, before.knobs.concurrency, kills=before.kills)
    if slow.high > 2 * slow.low:
        yield Note.SLOW_REQUESTS
    if subject.env.hidden or subject.env.forgotten:
        yield Note.ENV_HIDDEN


def _over(seconds: list[float]) -> Range:
    return Range(min(seconds), max(seconds))
