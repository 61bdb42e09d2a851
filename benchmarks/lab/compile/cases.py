"""The cases in which all goes as it should: first and next pods, tenants, other templates, other users."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final

from benchmarks.lab.compile.ended import Ended
from benchmarks.lab.compile.files import changed, snapshot
from benchmarks.lab.compile.findings import Findings, Shows
from benchmarks.lab.compile.machine import Machine
from benchmarks.lab.compile.pods import Planned, Pod, plan, untouched

FIRST: Final = Pod("llm-5c9f7d-x2k4p")
NEXT: Final = Pod("llm-5c9f7d-8wq7n", ip="10.0.3.9")
TENANT: Final = Pod("llm-5c9f7d-x2k4p", namespace="team-b")
ARGUMENTS: Final = Pod("llm-68b4c9-x2k4p", arguments=("--max-model-len", "4096"))
OTHER_IMAGE: Final = Pod("llm-7d9d5b-x2k4p", image="vllm/vllm-openai:v0.11.1")
NON_ROOT: Final = Pod("llm-84f6f4-x2k4p", uid=2000)
READ_ONLY: Final = Pod("llm-9b7c6d-x2k4p", uid=2000, read_only_root=True)
TORCHS_OWN: Final = Pod("llm-b5d8f9-x2k4p", torchs_own=True)
PODS: Final = (FIRST, NEXT, TENANT, ARGUMENTS, OTHER_IMAGE, NON_ROOT, READ_ONLY, TORCHS_OWN)

_NO_STRACE = "strace is not installed, so paths that a pod opens, and files that it removes again, were not looked at"
_POD_LOCAL = ("/tmp/", "/dev/", "/proc/", "/lab/")  # noqa: S108 (in the container)


@dataclass
class Lab:
    """What the cases share: the machine, the pods as planned, and a node on which the first pod has run.

    `repeats` is how often a next pod is started.
    """

    machine: Machine
    repeats: int
    planned: dict[Pod, Planned] = field(default_factory=lambda: plan(PODS))
    _warm: Path | None = None
    first: Ended | None = None
    _lock: Lock = field(default_factory=Lock)

    def warm(self) -> Path:
        """Returns the disk of a node on which the first pod has run.

        Raises:
            RuntimeError: the first pod failed, so that no case means anything.
        """
        with self._lock:
            if self._warm is None:
                disk = self.machine.node("warm")
                self.first = self.machine.run(self.planned[FIRST], disk)
                if not self.first.well:
                    raise RuntimeError(f"the first pod {self.first.brief()}")
                self._warm = disk
            return self._warm


Case = Callable[[Lab, Findings], None]


def first_and_next(lab: Lab, found: Findings) -> None:
    """The first pod, and others of its template."""
    disk = lab.warm()
    if lab.first is None:
        return
    found.first_seconds.append(lab.first.seconds)
    _places(found, "first pod", lab.planned[FIRST], lab.first)
    for _ in range(lab.repeats):
        ended = lab.machine.run(lab.planned[NEXT], disk)
        found.check(Shows.NEXT, f"next pod: {ended.brief()}", holds=ended.compiled_nothing)
        if ended.well:
            found.next_seconds.append(ended.seconds)
        _places(found, "next pod", lab.planned[NEXT], ended)
    traced = lab.machine.run(lab.planned[NEXT], disk, traced=True)
    _places(found, "next pod under strace", lab.planned[NEXT], traced)
    if traced.touched is None:
        found.unmeasured.append((Shows.PLACE.name, _NO_STRACE))
        found.limits.append(_NO_STRACE)
    found.rows.append(("first pod", lab.first.brief(), "fills the folder"))
    found.rows.append(("next pod of the template", traced.brief(), "compiles nothing"))


def without(lab: Lab, found: Findings) -> None:
    """Two pods of the template as they are without fastload."""
    disk = lab.machine.node("untouched")
    for pod in (FIRST, NEXT):
        ended = lab.machine.run(untouched(pod), disk)
        again = ended.well and ended.count("graph_misses") > 0 and ended.compilations > 0
        if pod is NEXT:
            found.check(Shows.AGAIN, f"next pod: {ended.brief()}", holds=again)
            found.rows.append(("next pod, untouched", ended.brief(), "compiles again"))
        elif ended.well:
            found.first_seconds.append(ended.seconds)


def tenants(lab: Lab, found: Findings) -> None:
    """A pod of the same template in another namespace, on the same node."""
    disk, planned = lab.warm(), lab.planned[TENANT]
    theirs = _cache(disk, lab.planned[FIRST])
    before = snapshot(theirs)
    first, after = (lab.machine.run(planned, disk, traced=True) for _ in range(2))
    own = _cache(disk, planned)
    found.check(
        Shows.TENANTS,
        f"same template in another namespace: {first.brief()}, in {planned.cache}",
        holds=first.well and first.count("graph_hits") == 0 and own != theirs and bool(snapshot(own)),
    )
    touched = changed(before, snapshot(theirs))
    found.check(Shows.TENANTS, f"{len(touched)} of the other's {len(before)} files changed", holds=not touched)
    shared = _inodes(own) & _inodes(theirs)
    found.check(Shows.TENANTS, f"{len(shared)} files in common", holds=not shared)
    root = planned.cache.rsplit("/", 2)[0]
    for what, ended in (("first", first), ("next", after)):
        _places(found, f"{what} pod in another namespace, under strace", planned, ended)
        if ended.touched is not None:
            seen = [path for path in ended.touched.opened if path.startswith((root, str(disk)))]
            found.check(Shows.TENANTS, f"{what} pod: opened {len(seen)} paths of the node's folders", holds=not seen)
    if after.touched is None:
        found.unmeasured.append((Shows.TENANTS.name, _NO_STRACE))
    found.rows.append(("another namespace", first.brief(), "a folder of its own"))


def other_templates(lab: Lab, found: Findings) -> None:
    """Pods that differ in their arguments, image or user: folders of their own, beside one another."""
    disk = lab.warm()
    folders = {lab.planned[pod].cache for pod in (FIRST, ARGUMENTS, OTHER_IMAGE, NON_ROOT, READ_ONLY)}
    # The read-only root changes nothing that is compiled, so that pod shares with the other of its user.
    found.check(Shows.KEYS, f"{len(folders)} folders for 4 kinds of pods", holds=len(folders) == 4)  # noqa: PLR2004
    same = lab.planned[FIRST].cache == lab.planned[NEXT].cache
    found.check(Shows.KEYS, "one folder for two pods of a template", holds=same)
    before = snapshot(_cache(disk, lab.planned[FIRST]))
    ended = lab.machine.run(lab.planned[ARGUMENTS], disk)
    kept = snapshot(_cache(disk, lab.planned[FIRST])) == before
    alone = ended.well and ended.count("graph_hits") == 0 and kept
    found.check(Shows.KEYS, f"other arguments: {ended.brief()}", holds=alone)
    found.rows.append(("other arguments", ended.brief(), "a folder of its own"))
    if ended.well:
        found.first_seconds.append(ended.seconds)


def non_root(lab: Lab, found: Findings) -> None:
    """A user that is not root: without the init step the folder is not writable, with it it is."""
    _restricted(lab, found, NON_ROOT, Shows.NON_ROOT)


def read_only(lab: Lab, found: Findings) -> None:
    """The same with a root that cannot be written: the cache and the pod's own /tmp are all there is."""
    _restricted(lab, found, READ_ONLY, Shows.READ_ONLY)


def _restricted(lab: Lab, found: Findings, pod: Pod, claim: Shows) -> None:
    if lab.machine.limits:
        found.unmeasured.append((claim.name, lab.machine.limits))
        return
    disk, planned = lab.machine.node(claim.name.lower()), lab.planned[pod]
    found.check(claim, f"init step: {' '.join(planned.init or ('none',))}", holds=planned.init is not None)
    first, after = lab.machine.run(planned, disk), lab.machine.run(planned, disk)
    found.check(claim, f"first pod: {first.brief()}", holds=first.well and first.count("graph_misses") > 0)
    found.check(claim, f"next pod: {after.brief()}", holds=after.compiled_nothing)
    for what, ended in (("first", first), ("next", after)):
        _places(found, f"{what} pod of user {pod.uid}", planned, ended)
    owners = {path.stat().st_uid for path in _cache(disk, planned).rglob("*")}
    found.check(claim, f"files of users {sorted(owners)}", holds=owners == {pod.uid})
    found.rows.append(
        (f"user {pod.uid}" + (", read-only root" if pod.read_only_root else ""), after.brief(), "as root's")
    )


def _places(found: Findings, what: str, planned: Planned, ended: Ended) -> None:
    """Notes where a pod's files lie: those left, and under strace those that it opened to write as well."""
    left = [path for path in ended.outside if not path.startswith(_POD_LOCAL)]
    found.check(Shows.PLACE, f"{what}: left {_named(ended.outside)} outside the cache", holds=not left)
    if ended.touched is not None:
        allowed = (f"{planned.mount}/", *_POD_LOCAL)
        wild = [path for path in ended.touched.written if not path.startswith(allowed)]
        own = [path for path in ended.touched.written if path.startswith("/tmp/")]  # noqa: S108 (in the container)
        said = f"{what}: wrote {_named(wild)} elsewhere, and {len(own)} passing files in /tmp"
        found.check(Shows.PLACE, said, holds=not wild)


def _named(paths: Sequence[str]) -> str:
    return ", ".join(sorted(paths)[:5]) or "nothing"


def _cache(disk: Path, planned: Planned) -> Path:
    return disk / planned.cache.lstrip("/")


def _inodes(folder: Path) -> set[int]:
    return {path.stat().st_ino for path in folder.rglob("*") if path.is_file()}
