"""Figures as people read them, for sentences."""

from webhook.plan.inflight import GIB, MIB


def gib(size: float) -> str:
    """Writes bytes in GiB, to one decimal where there is one: 67, 3.9."""
    return f"{size / GIB:.1f}".removesuffix(".0")


def mib(size: float) -> str:
    """Writes bytes in MiB to two significant digits: 118, 0.25."""
    return f"{size / MIB:.0f}" if size >= 10 * MIB else f"{size / MIB:.2g}"


def counted(number: int, noun: str) -> str:
    """Writes a number of things: 1 shard file, 17 shard files."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def each_of(number: int, noun: str) -> str:
    """Writes all of a number of things, one by one: the one rank, each of 8 ranks."""
    return f"the one {noun}" if number == 1 else f"each of {number} {noun}s"
