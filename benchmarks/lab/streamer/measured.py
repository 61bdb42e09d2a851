"""Trials made and kept: every side of a case, turn by turn, so that a busy moment hits all of them."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import msgspec

from benchmarks.lab.records import Records, key_of
from benchmarks.lab.streamer.cases import Case, Shows
from benchmarks.lab.streamer.containers import why_no_memory_limit
from benchmarks.lab.streamer.sides import UNTOUCHED, Side, sides
from benchmarks.lab.streamer.store import Stock
from benchmarks.lab.streamer.trial import Bench, Trial, run_trial
from tests.cluster.cache import Report

# Rounds of all sides. More are made where the first ones make fastload look slower: they tell a loss from noise.
ROUNDS, MORE_ROUNDS = 3, 2
# Slower by no more than this is noise.
NOISE = 0.05


class Run(msgspec.Struct, frozen=True):
    """All trials of one side of a case, with one version of the streamer."""

    side: Side
    trials: tuple[Trial, ...]

    @property
    def fault(self) -> str | None:
        """What went wrong in the first trial that failed."""
        return next((trial.fault for trial in self.trials if trial.fault is not None), None)

    @property
    def seconds(self) -> float:
        """The median over the trials."""
        return median(trial.seconds for trial in self.trials)

    @property
    def most_in_flight(self) -> float:
        """The median over the trials."""
        return median(trial.flow.most_in_flight for trial in self.trials)


class Measured(msgspec.Struct, frozen=True):
    """One case with one version of the streamer; `skipped` says why it could not be run here."""

    case: Case
    version: str
    runs: tuple[Run, ...] = ()
    skipped: str | None = None

    @property
    def untouched(self) -> Run:
        """What fastload's sides are compared with."""
        return next(run for run in self.runs if run.side.name == UNTOUCHED)

    @property
    def ours(self) -> tuple[Run, ...]:
        """The sides with settings of fastload's."""
        return tuple(run for run in self.runs if run.side.ours)


def measure(case: Case, version: str, records: Records, report: Report) -> Measured:
    """Makes the trials of a case that are not kept yet."""
    if case.memory_bytes is not None and (why := why_no_memory_limit()):
        return Measured(case, version, skipped=why)
    compared = sides(case, version)
    measured = _rounds(case, version, compared, _Kept(records, report), range(ROUNDS))
    if Shows.NOT_SLOWER in case.shows and any(slower(measured, run) for run in measured.ours):
        measured = _rounds(case, version, compared, _Kept(records, report), range(ROUNDS + MORE_ROUNDS))
    return measured


def slower(measured: Measured, run: Run) -> bool:
    """Whether a side is slower than untouched by more than noise."""
    return run.seconds > measured.untouched.seconds * (1 + NOISE)


class _Kept:
    def __init__(self, records: Records, report: Report) -> None:
        self._records, self._report = records, report

    def trial(self, case: Case, version: str, side: Side, number: int) -> Trial:
        bench = Bench(
            stock=Stock(case.files, case.pace),
            version=version,
            patterns=case.patterns,
            memory_bytes=case.memory_bytes,
            open_files=case.open_files,
        )
        key = key_of(msgspec.to_builtins(bench), side.settings, number)
        kept = self._records.get(key)
        if kept is not None:
            return msgspec.convert(kept, Trial)
        trial = run_trial(bench, side.settings, self._report)
        self._records.add(key, msgspec.to_builtins(trial))
        outcome = trial.fault or f"{trial.seconds:.1f} s, {trial.flow.most_in_flight} GETs at once"
        self._report(f"  {case.name}, {version}, {side.name}: {outcome}")
        return trial


def _rounds(case: Case, version: str, compared: tuple[Side, ...], kept: _Kept, numbers: Iterable[int]) -> Measured:
    turns = [(side, number) for number in numbers for side in compared]
    trials = list(_made(case, version, turns, kept))
    runs = (
        Run(side, tuple(trial for (other, _), trial in zip(turns, trials, strict=True) if other == side))
        for side in compared
    )
    return Measured(case, version, tuple(runs))


def _made(case: Case, version: str, turns: list[tuple[Side, int]], kept: _Kept) -> Iterator[Trial]:
    """The trials of each turn. Untouched ones that mostly wait go on at the same time, the others by themselves."""
    with ThreadPoolExecutor(max_workers=ROUNDS) as pool:
        waiting = {
            turn[1]: pool.submit(kept.trial, case, version, *turn)
            for turn in turns
            if case.idle and turn[0].name == UNTOUCHED
        }
        for future in waiting.values():
            future.result()
    for side, number in turns:
        yield kept.trial(case, version, side, number)
