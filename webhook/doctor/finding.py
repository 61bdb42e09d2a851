"""What a check says."""

from enum import StrEnum

import msgspec


class Check(StrEnum):
    """What is checked, in the order in which it is told."""

    KUBERNETES = "kubernetes"
    WEBHOOKS = "webhooks"
    CERTIFICATE = "certificate"
    DEPLOYMENT = "deployment"
    SERVICE = "service"
    REVIEW = "review"
    RIGHTS = "rights"
    S3 = "s3"
    NAMESPACES = "namespaces"
    WORKLOADS = "workloads"
    PODS = "pods"


class Level(StrEnum):
    """How well things stand."""

    OK = "ok"
    # Nothing fails, and somebody should know.
    WARNING = "warning"
    PROBLEM = "problem"
    # It could not be looked at, for want of a right or of an answer.
    UNREAD = "unread"
    # There is nothing to look at yet, or it stands and falls with something else that was found.
    SKIPPED = "skipped"


class Finding(msgspec.Struct, frozen=True):
    """One thing that was found, in a sentence, and what to do about it; "" where nothing is to be done."""

    check: Check
    level: Level
    text: str
    fix: str = ""


class Unread(msgspec.Struct, frozen=True):
    """What stands for something that could not be read: the right that it takes, and why it failed.

    `status` is the HTTP status, None where no answer came.
    """

    right: str
    problem: str
    status: int | None = None


_FORBIDDEN = 403


def unread(check: Check, fact: Unread) -> Finding:
    """Tells that something could not be looked at, and which right is missing if that is why."""
    if fact.status == _FORBIDDEN:
        text = f"not looked at: you have no right to {fact.right}"
        return Finding(check, Level.UNREAD, text, f"ask an administrator for the right to {fact.right}, or to run this")
    return Finding(check, Level.UNREAD, f"not looked at: to {fact.right} failed ({fact.problem})")


def named(names: list[str], most: int = 3) -> str:
    """Returns the first few of some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def counted(count: int, singular: str) -> str:
    """Returns a number and what it counts, in the plural where it is not one."""
    return f"{count} {singular}{'' if count == 1 else 's'}"
