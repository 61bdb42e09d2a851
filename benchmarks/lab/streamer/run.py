"""Runs the streamer lab: every case with every version of the streamer, or a few of them."""

from collections.abc import Sequence

from benchmarks.contract.releases import streamers
from benchmarks.lab.records import Records
from benchmarks.lab.streamer.case import Case
from benchmarks.lab.streamer.measured import Measured, Trials, measure
from benchmarks.lab.streamer.sides import Sides
from benchmarks.lab.streamer.trial import nursery
from tests.cluster.cache import Report


def run(records: Records, report: Report, chosen: Sequence[Case], *, quick: bool) -> tuple[Measured, ...]:
    """Makes the trials of these cases that are not kept yet, and returns all of them, case by case."""
    versions = streamers()[:1] if quick else streamers()
    measured: list[Measured] = []
    with nursery(report) as ranks:
        trials = Trials(ranks, records, report, Sides(chosen, versions))
        for number, case in enumerate(chosen, start=1):
            report(f"[{number} of {len(chosen)}] {case.name}: {case.about}")
            measured += measure(case, versions, trials)
    return tuple(measured)
