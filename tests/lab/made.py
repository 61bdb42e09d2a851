"""Trials that nobody made, for tests of what is said of them."""

import msgspec

from benchmarks.lab.streamer.case import Case, Shows
from benchmarks.lab.streamer.gets import Flow
from benchmarks.lab.streamer.measured import Measured, Run
from benchmarks.lab.streamer.pods import Pod
from benchmarks.lab.streamer.sides import TUNED, UNTOUCHED, Side
from benchmarks.lab.streamer.stock import File, Pace
from benchmarks.lab.streamer.trial import Rank, Trial
from webhook.plan.inflight import MIB

CASE = Case(
    name="a case",
    about="a model of 17 files",
    pod=Pod(shards=17, model_size="67Gi"),
    files=tuple(File(f"m/{number}.safetensors", (128 * MIB,)) for number in range(17)),
    pace=Pace(connection=1e6),
    shows=frozenset(Shows),
)


def trial(seconds: float = 10.0, fault: str | None = None, in_flight: int = 176) -> Trial:
    rank = Rank(seconds=seconds, bytes=1, fault=fault, base_mib=600, peak_mib=2000)
    flow = Flow(
        gets=272, most_in_flight=in_flight, mean_in_flight=100, connections=176, aborted=0, refused=0, repeated=0
    )
    return Trial((rank,), flow)


def run(side: str, *trials: Trial, settings: dict[str, str] | None = None) -> Run:
    return Run(Side(side, settings or {}), trials)


def measured(untouched: Trial, tuned: Trial, *shows: Shows, version: str = "0.17.1") -> Measured:
    case = msgspec.structs.replace(CASE, shows=frozenset(shows))
    return Measured(case, version, (run(UNTOUCHED, untouched), run(TUNED, tuned)))
