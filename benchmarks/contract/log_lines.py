"""The lines of an engine's log that tell how long a start took: what a measurement in a cluster can read.

A line is known by a part of it that has no figures. What the figures are of is said in the engines' source.
"""

from dataclasses import dataclass
from enum import StrEnum

from benchmarks.contract.releases import Project


class Tells(StrEnum):
    """What a line tells."""

    WEIGHTS = "seconds of loading weights"
    COMPILE = "seconds of compiling"
    HIT = "a hit of the compile cache"
    MISS = "a miss of the compile cache"
    GRAPHS = "seconds of capturing CUDA graphs"
    START = "seconds of initialising the engine"


@dataclass(frozen=True)
class LogLine:
    """A line of the log: a part that names it, and what it tells."""

    part: str
    tells: Tells


def log_lines(project: Project) -> tuple[LogLine, ...]:
    """Returns the lines of a project that a measurement can read."""
    return _LINES[project]


# vLLM's "Loading weights took" is not here: its loader for the streamer does not say it.
_LINES = {
    Project.VLLM: (
        LogLine("Model loading took %s GiB memory and %.6f seconds", Tells.WEIGHTS),
        LogLine("torch.compile took %.2f s in total", Tells.COMPILE),
        LogLine("torch.compile and initial profiling/warmup ", Tells.COMPILE),
        LogLine("Directly load the compiled graph(s) for compile ", Tells.HIT),
        LogLine("Directly load AOT compilation from path %s", Tells.HIT),
        LogLine("Compiling a graph for compile range %s takes %.2f s", Tells.MISS),
        LogLine("saved AOT compiled function to %s", Tells.MISS),
        LogLine("Graph capturing finished in %.0f secs", Tells.GRAPHS),
        LogLine("init engine (profile, create kv cache, warmup model) took ", Tells.START),
    ),
    Project.SGLANG: (
        LogLine("Load weight end. ", Tells.WEIGHTS),
        LogLine("Compiling a graph for dynamic shape takes %.2f s", Tells.MISS),
        LogLine("Directly load the %s-th graph for dynamic shape from %s", Tells.HIT),
        LogLine("elapsed={capture_time:.2f} s", Tells.GRAPHS),
    ),
    Project.STREAMER: (LogLine("[RunAI Streamer] Overall time to stream ", Tells.WEIGHTS),),
}
