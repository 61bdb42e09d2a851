"""What is compared in a case: the pod untouched, as fastload tunes it, and with settings that it does not choose."""

from collections.abc import Iterator, Sequence

import msgspec

from benchmarks.lab.streamer.case import Case
from benchmarks.lab.streamer.pods import Plans
from webhook.plan.names import CHUNK, CONCURRENCY, MEMORY_LIMIT, RESUBMIT_WINDOW
from webhook.plan.versions import RESUBMITS_FROM, Family, families

UNTOUCHED = "untouched"
TUNED = "tuned"
KNOWN = "tuned, version known"
# What can make a load with a known version another one. The speed limit may differ too; the lower is the safer.
_TELLING = (CHUNK, CONCURRENCY, MEMORY_LIMIT)


class Side(msgspec.Struct, frozen=True):
    """One side of a comparison: the streamer's settings, in the lab's scale."""

    name: str
    settings: dict[str, str]

    @property
    def ours(self) -> bool:
        """Whether fastload chose the settings."""
        return self.name in {TUNED, KNOWN}


class Sides:
    """The sides of cases, for versions of the streamer.

    The version is as little known to the plan as it is of most images. Where knowing it makes another plan, that is a
    side of its own.

    Raises:
        RuntimeError: the preview failed.
    """

    def __init__(self, cases: Sequence[Case], versions: Sequence[str]) -> None:
        self._plans = Plans((case.pod for case in cases), [{}, *map(_known, versions)])

    def of(self, case: Case, version: str) -> tuple[Side, ...]:
        """Returns the sides of a case for a version, untouched first."""
        tuned, known = (self._plans.settings_of(case.pod, each) for each in ({}, _known(version)))
        return tuple(
            Side(name, case.scale.applied(settings)) for name, settings in _settings(case, version, tuned, known)
        )


def _known(version: str) -> dict[str, str]:
    return {"streamer-version": version}


def _settings(
    case: Case, version: str, tuned: dict[str, str], known: dict[str, str]
) -> Iterator[tuple[str, dict[str, str]]]:
    yield UNTOUCHED, dict(case.pod.env)
    yield TUNED, _heeded(tuned, version)
    if any(tuned.get(name) != known.get(name) for name in _TELLING):
        yield KNOWN, known
    for name, others in case.against:
        yield name, {**_heeded(tuned, version), **dict(others)}


def _heeded(settings: dict[str, str], version: str) -> dict[str, str]:
    """Leaves out what this version does not read, so that equal trials are equal by their settings."""
    if numbers(version) >= RESUBMITS_FROM:
        return settings
    return {name: value for name, value in settings.items() if name != RESUBMIT_WINDOW}


def numbers(version: str) -> tuple[int, int, int]:
    """Returns a version's three numbers."""
    major, minor, patch = map(int, version.split("."))
    return major, minor, patch


def family_of(version: str) -> Family:
    """Returns the family that a version belongs to."""
    (family,) = families(numbers(version))
    return family
