"""The plan's own nouns: what is to be set, which volume is added, and why."""

from enum import StrEnum

import msgspec

from webhook.reasons import Counsel, Reason


class Verdict(StrEnum):
    """What is done with one part of the pod.

    `tune`: the part's rule applies to this pod (though every name may turn out to be the user's own). `keep`: the user
    arranged it already. `skip`: the rule does not apply, and a reason says why.
    """

    TUNE = "tune"
    KEEP = "keep"
    SKIP = "skip"


class Status(StrEnum):
    """What became of the pod: everything that applies, a part because something was not known, or nothing."""

    INJECTED = "injected"
    PARTIAL = "partial"
    SKIPPED = "skipped"


class Setting(msgspec.Struct, frozen=True):
    """One environment variable to add, and why it has this value."""

    name: str
    value: str
    reason: Reason


class HostPathVolume(msgspec.Struct, frozen=True):
    """A folder of the node that outlives the pod; absolute path on the node."""

    path: str


class ClaimVolume(msgspec.Struct, frozen=True):
    """A persistent volume claim of the user's, and the folder in it."""

    claim: str
    sub_path: str


class InitStep(msgspec.Struct, frozen=True):
    """An init container that makes the cache folder writable for the engine's user."""

    image: str
    command: tuple[str, ...]


class CacheVolume(msgspec.Struct, frozen=True):
    """The compile-cache volume: what it is and where it is mounted in the engine's container."""

    source: HostPathVolume | ClaimVolume
    mount_path: str
    init: InitStep | None = None
    # Mount path of an emptyDir for the engine's own assets, where nothing else is writable; None where /tmp is.
    assets_mount_path: str | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The whole decision about one pod, in the order in which the patch applies it."""

    status: Status
    streamer: Verdict
    retry: Verdict
    cache: Verdict
    settings: tuple[Setting, ...] = ()
    volume: CacheVolume | None = None
    reasons: tuple[Reason, ...] = ()
    advice: tuple[Counsel, ...] = ()
    # One line of JSON for the `plan` annotation.
    summary: str = ""
