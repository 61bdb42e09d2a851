"""Where the compile cache lies: a folder of the node, or a claim of the user's where that is impossible."""

import msgspec

from webhook.lookup.facts import PodSecurity, Unknown
from webhook.plan.cache_key import KEY_LENGTH, cache_key, fixed_gpu
from webhook.plan.paths import lies_in, parts_of
from webhook.plan.subject import Subject
from webhook.plan.types import ClaimVolume, HostPathVolume
from webhook.pod.facts import CacheKind
from webhook.reasons import Code, Reason, because

_HEX = frozenset("0123456789abcdef")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")


class Place(msgspec.Struct, frozen=True):
    """The volume, or None; and why. `unknown` is True where a look-up that has no answer is the ground."""

    source: HostPathVolume | ClaimVolume | None
    reason: Reason
    unknown: bool = False


def choose_place(subject: Subject) -> Place:
    """Chooses the cache's volume: as annotated, else the node's folder, else the operator's claim."""
    choice = subject.facts.annotations.cache
    if choice is not None and choice.kind is CacheKind.OFF:
        return Place(None, because(Code.CACHE_OFF, annotation=subject.annotation("cache")))
    if choice is not None and choice.kind is CacheKind.PVC and choice.claim:
        return _on_claim(subject, choice.claim)
    against = _against_host_path(subject)
    if against is None:
        return _on_node(subject)
    claim = subject.settings.cache_claim
    if claim is None:
        return against
    if fixed_gpu(subject) is None:
        # An operator's claim serves every pod of the namespace, so it takes more care than a claim the user names.
        return Place(None, because(Code.GPU_NOT_FIXED, consequence="no cache volume is added"))
    return _on_claim(subject, claim)


def _on_claim(subject: Subject, claim: str) -> Place:
    path = f"fastload/{cache_key(subject, fixed_gpu(subject) or 'any')}"
    return Place(ClaimVolume(claim, path), because(Code.CACHE_CLAIM, claim=claim, path=path))


def _on_node(subject: Subject) -> Place:
    root = _root(subject)
    if isinstance(root, Reason):
        return Place(None, root)
    # All GPUs of a node are of one kind, so the node fixes what the pod leaves open.
    path = f"{root}/{subject.facts.namespace}/{cache_key(subject, fixed_gpu(subject) or 'node')}"
    return Place(HostPathVolume(path), because(Code.CACHE_HOST_PATH, path=path))


def _against_host_path(subject: Subject) -> Place | None:
    """Why the pod cannot have a folder of the node; None where it can."""
    world, namespace = subject.world, subject.world.namespace
    if world.candidates.fargate or subject.facts.placement.fargate:
        return Place(None, because(Code.FARGATE))
    if isinstance(namespace, Unknown):
        return Place(None, namespace.reason, unknown=True)
    if namespace.pod_security is not PodSecurity.PRIVILEGED:
        what = "folders of the node"
        level = namespace.pod_security
        return Place(None, because(Code.POD_SECURITY, namespace=namespace.name, level=level, what=what))
    stored = world.candidates.types and all(each.local_nvme_gb > 0 for each in world.candidates.types)
    if not subject.settings.cache_on_root_volume and not stored:
        return Place(None, because(Code.NO_INSTANCE_STORE))
    return None


def _root(subject: Subject) -> str | Reason:
    """The folder below which the namespace's own lies: as annotated if that is allowed, else the operator's first.

    Namespace and key are always appended, and a path through a folder that is named like a key is refused, so that no
    annotation leads into another tenant's cache.
    """
    roots = subject.settings.cache_roots
    path = subject.facts.annotations.cache_path
    if path is None:
        return roots[0].rstrip("/")
    problem = _problem(path, roots)
    if problem is None:
        return "/" + "/".join(parts_of(path))
    return because(Code.CACHE_PATH_REFUSED, annotation=subject.annotation("cache-path"), path=path, problem=problem)


def _problem(path: str, roots: tuple[str, ...]) -> str | None:
    parts = parts_of(path)
    if not path.startswith("/"):
        return "is not absolute"
    if ".." in path.split("/") or not all(_PLAIN.issuperset(part) for part in parts):
        return "has parts other than plain folder names"
    root = next((root for root in roots if lies_in(path, root)), None)
    if root is None:
        return f"does not lie below {' or '.join(roots)}"
    if any(len(part) == KEY_LENGTH and _HEX.issuperset(part) for part in parts[len(parts_of(root)) :]):
        return "leads into a cache folder"
    return None
