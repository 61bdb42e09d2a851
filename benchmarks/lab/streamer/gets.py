"""What the store's log says of the GETs of one trial."""

from collections import Counter

import msgspec

from benchmarks.lab.streamer.stock import Get

# A streamer reads each file's header by GETs of its own, which are smaller than any part of a tensor in the lab.
_HEADER_BYTES = 1 << 16


class Flow(msgspec.Struct, frozen=True):
    """The GETs of all ranks together, those of headers left out."""

    gets: int
    most_in_flight: int
    mean_in_flight: float
    connections: int
    aborted: int
    refused: int
    repeated: int  # asked for once more, whatever the reason


def flow_of(log: list[Get]) -> Flow:
    """Returns the figures of a log; a GET without an end went on until the last one ended."""
    gets = [get for get in log if get.length > _HEADER_BYTES]
    if not gets:
        return Flow(0, 0, 0.0, 0, 0, 0, 0)
    began = min(get.began for get in gets)
    ended = max(get.ended or get.began for get in gets)
    outcomes = Counter(get.outcome for get in gets)
    return Flow(
        gets=len(gets),
        most_in_flight=_most(gets),
        mean_in_flight=sum((get.ended or ended) - get.began for get in gets) / max(ended - began, 1e-9),
        connections=len({get.connection for get in gets}),
        aborted=outcomes["aborted"],
        refused=outcomes["refused"],
        repeated=len(gets) - len({(get.key, get.start) for get in gets}),
    )


def _most(gets: list[Get]) -> int:
    """An end and a beginning at the same moment do not overlap."""
    changes = sorted([(get.began, 1) for get in gets] + [(get.ended, -1) for get in gets if get.ended is not None])
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most
