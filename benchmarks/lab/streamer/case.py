"""What a case of the lab is, and how its world is scaled down.

The plan is always asked about the pod as it is. Its settings in bytes are divided by the same numbers as the model's
size, those in bytes/s by the same as the network: a chunk as large as a shard stays one, and a limit at a fiftieth of a
connection's speed stays there. GETs of 8 MiB and seconds cannot be scaled, and stay as they are.
"""

from collections.abc import Mapping
from enum import Enum

import msgspec

from benchmarks.lab.streamer.pods import Pod
from benchmarks.lab.streamer.stock import File, Pace
from webhook.plan.names import CHUNK, LOW_SPEED_LIMIT, MEMORY_LIMIT
from webhook.plan.versions import ALL_FAMILIES, Family


class Shows(Enum):
    """What a case is there to show."""

    NOT_SLOWER = "tuned is not slower than untouched"
    PREDICTED = "GETs in flight are what the plan predicts"
    CURED = "slow GETs are killed and asked for again"
    SURVIVES = "tuned succeeds where untouched does"
    FITS = "tuned is not killed where untouched is"


class Scale(msgspec.Struct, frozen=True):
    """How many times smaller the model is than the pod's, and how many times slower the network."""

    size: float = 1.0
    rate: float = 1.0

    def applied(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Returns the settings as they are in the lab's world."""
        by = {CHUNK: self.size, MEMORY_LIMIT: self.size, LOW_SPEED_LIMIT: self.rate}
        return {name: str(round(int(value) / by[name])) if name in by else value for name, value in settings.items()}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A pod, the model that it reads in the lab, and the network that it reads it over."""

    name: str
    about: str
    pod: Pod
    files: tuple[File, ...]
    pace: Pace
    shows: frozenset[Shows]
    # Of the streamer, which the case says anything of.
    families: tuple[Family, ...] = ALL_FAMILIES
    scale: Scale = Scale()
    patterns: tuple[str, ...] = ("*",)
    memory_bytes: int | None = None
    open_files: int | None = None
    # What else is run for comparison, and under which name: settings that fastload would not choose.
    against: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    # Whether a round's loads go on side by side, as those may that mostly wait, so that what disturbs one disturbs all;
    # and how many rounds, of whichever versions.
    together: bool = False
    rounds_at_once: int = 1
    quick: bool = False
