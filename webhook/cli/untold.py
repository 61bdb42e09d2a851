"""What a cluster did not tell, and what follows from it, in words."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from webhook.cli.failure import Failure
from webhook.lookup.snapshot import Snapshot
from webhook.lookup.watching import KubeError

_FORBIDDEN = 403
_PREFIX = "namespaces/"
# Of namespaces in one sentence.
_MOST = 3
_OBJECTS = {
    "nodes": ("list nodes", "instance types are taken from NodePools, else from the pod alone"),
    "nodepools": ("list nodepools.karpenter.sh", "types that Karpenter would start are not considered"),
}
_OF_NAMESPACES = "opt-in and Pod Security are not known there; --namespace-labels tells"


def untold(snapshot: Snapshot) -> list[str]:
    """Returns a sentence for each kind of object that could not be read.

    Raises:
        Failure: the cluster told nothing at all, for want of rights.
    """
    namespaces = sorted(what.removeprefix(_PREFIX) for what in snapshot.faults if what.startswith(_PREFIX))
    if namespaces and not snapshot.namespaces_read and _all_forbidden(snapshot):
        rights = ", to ".join((*(right for right, _ in _OBJECTS.values()), f"get {_named(namespaces)}"))
        raise Failure(
            f"--cluster: nothing may be read; it takes the rights to {rights}. Without --cluster, --instance-type and "
            "--namespace-labels say what it would have told"
        )
    return list(_sentences(snapshot, namespaces))


def _all_forbidden(snapshot: Snapshot) -> bool:
    statuses = {fault.status for fault in snapshot.faults.values()}
    return statuses == {_FORBIDDEN} and _OBJECTS.keys() <= snapshot.faults.keys()


def _sentences(snapshot: Snapshot, namespaces: Sequence[str]) -> Iterator[str]:
    for what, (right, consequence) in _OBJECTS.items():
        if what in snapshot.faults:
            yield f"{_problem(snapshot.faults[what], what, right)}: {consequence}"
    alike: dict[int | None, list[str]] = defaultdict(list)
    for name in namespaces:
        alike[snapshot.faults[_PREFIX + name].status].append(name)
    for names in alike.values():
        what = _named(names)
        yield f"{_problem(snapshot.faults[_PREFIX + names[0]], what, f'get {what}')}: {_OF_NAMESPACES}"


def _problem(fault: KubeError, what: str, right: str) -> str:
    match fault.status:
        case 403:
            return f"no right to {right}"
        case 404:
            return f"the cluster has no {what}"
    return f"{what} could not be read ({fault})"


def _named(namespaces: Sequence[str]) -> str:
    more = len(namespaces) - _MOST
    shown = ", ".join(namespaces[:_MOST])
    return f"namespace{'' if len(namespaces) == 1 else 's'} {shown}{f' and {more} more' if more > 0 else ''}"
