"""The trials of a case, side by side, and what of them counts."""

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from statistics import median

import msgspec

from benchmarks.lab.records import Records, key_of
from benchmarks.lab.side_by_side import side_by_side
from benchmarks.lab.streamer.case import Case, Shows
from benchmarks.lab.streamer.containers import why_no_memory_limit
from benchmarks.lab.streamer.sides import UNTOUCHED, Side, Sides, family_of
from benchmarks.lab.streamer.stock import Stock
from benchmarks.lab.streamer.trial import Bench, Nursery, Trial
from tests.cluster.cache import Report

# Rounds of all sides. More are made where the first ones make fastload look slower: they tell a loss from noise.
ROUNDS, MORE_ROUNDS = 3, 2
# Slower by no more than this is noise.
NOISE = 0.05


@cache
def _trial_code() -> list[str]:
    """The code that every trial's outcome depends on."""
    return [
        Path(__file__).with_name(f"{name}.py").read_text() for name in ("trial", "nursery", "rank", "store", "gets")
    ]


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

    def share(self, run: Run) -> float:
        """Returns how long a side took of what the untouched load took in the same round; the median over the rounds.

        A round's loads go on at the same time or one behind the other, and meet the same disturbances.
        """
        pairs = zip(run.trials, self.untouched.trials, strict=True)
        return median(ours.seconds / untouched.seconds for ours, untouched in pairs)


class Trials:
    """Makes trials, or takes those that are kept."""

    def __init__(self, nursery: Nursery, records: Records, report: Report, sides: Sides) -> None:
        self._nursery, self._records, self._report = nursery, records, report
        self.sides = sides

    def give_up(self) -> None:
        """Ends the trials that are under way; they are not kept."""
        self._nursery.close()

    def trial(self, case: Case, version: str, side: Side, number: int) -> Trial:
        """Returns one trial; each round has another seed, the same for all sides."""
        bench = Bench(
            stock=Stock(case.files, msgspec.structs.replace(case.pace, seed=number)),
            version=version,
            patterns=case.patterns,
            memory_bytes=case.memory_bytes,
            open_files=case.open_files,
        )
        key = key_of(msgspec.to_builtins(bench), side.settings, number, _trial_code())
        kept = self._records.get(key)
        if kept is not None:
            return msgspec.convert(kept, Trial)
        trial = self._nursery.trial(bench, side.settings)
        about = f"{case.name}, {version}, {side.name}"
        self._records.add(key, about, msgspec.to_builtins(trial))
        outcome = trial.fault or f"{trial.seconds:.1f} s, {trial.flow.most_in_flight} GETs at once"
        self._report(f"  {about}: {outcome}")
        return trial


def measure(case: Case, versions: Sequence[str], trials: Trials) -> tuple[Measured, ...]:
    """Returns a case's trials with each version that it says anything of."""
    versions = [version for version in versions if family_of(version) in case.families]
    at_once = case.rounds_at_once
    with (
        ThreadPoolExecutor(len(versions) if at_once > 1 else 1) as waiting,
        side_by_side(at_once, trials.give_up) as pool,
    ):
        return tuple(waiting.map(lambda version: _measured(case, version, trials, pool), versions))


def _measured(case: Case, version: str, trials: Trials, pool: Executor) -> Measured:
    """Makes the trials with one version: of our sides and untouched several where time counts, of the others one."""
    if case.memory_bytes is not None and (why := why_no_memory_limit()):
        return Measured(case, version, skipped=why)
    timed = bool(case.shows & {Shows.NOT_SLOWER, Shows.CURED})
    measured = _in_rounds(case, version, trials, pool, ROUNDS if timed else 1)
    if Shows.NOT_SLOWER in case.shows and any(slower(measured, run) for run in measured.ours):
        measured = _in_rounds(case, version, trials, pool, ROUNDS + MORE_ROUNDS)
    return measured


def slower(measured: Measured, run: Run) -> bool:
    """Whether a side is slower than untouched by more than noise."""
    return measured.share(run) > 1 + NOISE


def _in_rounds(case: Case, version: str, trials: Trials, pool: Executor, rounds: int) -> Measured:
    """Round by round, so that a busy moment hits all sides that a claim rests on; the others once, behind them."""
    compared = trials.sides.of(case, version)
    counting = [side for side in compared if side.ours or side.name == UNTOUCHED]

    def made(sides: Sequence[Side], number: int) -> list[Trial]:
        with ThreadPoolExecutor(len(sides) if case.together else 1) as loads:
            return list(loads.map(lambda side: trials.trial(case, version, side, number), sides))

    by_side = zip(*pool.map(lambda number: made(counting, number), range(rounds)), strict=True)
    runs = [Run(side, each) for side, each in zip(counting, by_side, strict=True)]
    runs += [Run(side, tuple(made([side], 0))) for side in compared if side not in counting]
    return Measured(case, version, tuple(runs))
