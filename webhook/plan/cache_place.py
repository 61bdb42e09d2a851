"""Where the compile cache lies: a folder of the node, or a claim of the user's where that is impossible."""

import msgspec

from webhook.lookup.facts import PodSecurity, Unknown
from webhook.plan.cache_key import KEY_LENGTH, cache_key, fixed_gpu
from webhook.plan.network import asks_for_none
from webhook.plan.paths import lies_in, parts_of
from webhook.plan.subject import Subject
from webhook.plan.types import ClaimVolume, HostPathVolume
from webhook.pod.facts import CacheKind
from webhook.reasons import Code, Reason, because

_HEX = frozenset("0123456789abcdef")
# Of a DNS label, as every namespace's name is one.
_NAMESPACE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")


class Place(msgspec.Struct, frozen=True):
    """The volume, or None; and why. `unknown` is True where a look-up that has no answer is the ground."""

    source: HostPathVolume | ClaimVolume | None
    reason: Reason
    unknown: bool = False


def choose_place(subject: Subject) -> Place:
    """Chooses the cache's volume: as annotated, else the node's folder, else the operator's claim."""
    reason = _unwanted(subject)
    if reason is not None:
        return Place(None, reason)
    choice = subject.facts.annotations.cache
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


def _unwanted(subject: Subject) -> Reason | None:
    choice, annotation = subject.facts.annotations.cache, subject.annotation("cache")
    if choice is None:
        # A linker writes libraries in place (docs/tuning.md, "The lab"); kernels for GPUs get their names once whole.
        return because(Code.CACHE_NO_GPU, annotation=annotation) if asks_for_none(subject) else None
    return because(Code.CACHE_OFF, annotation=annotation) if choice.kind is CacheKind.OFF else None


def _on_claim(subject: Subject, claim: str) -> Place:
    path = f"fastload/{cache_key(subject, fixed_gpu(subject) or 'any')}"
    return Place(ClaimVolume(claim, path), because(Code.CACHE_CLAIM, claim=claim, path=path))


def _on_node(subject: Subject) -> Place:
    folder = _folder(subject)
    if isinstance(folder, Reason):
        return Place(None, folder)
    # All GPUs of a node are of one kind, so the node fixes what the pod leaves open.
    path = f"{folder}/{cache_key(subject, fixed_gpu(subject) or 'node')}"
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


def _folder(subject: Subject) -> str | Reason:
    """The folder that holds the cache's own: ROOT/NAMESPACE of the operator's first root, or as annotated.

    What an annotation names below a root is put below the namespace's folder there, and a path through a folder that is
    named like a cache's own, in which pods may make links, is refused. So none leads into another tenant's folder.
    """
    namespace, roots = subject.facts.namespace, subject.settings.cache_roots
    if not namespace or not _NAMESPACE.issuperset(namespace):
        return because(Code.NAMESPACE_UNKNOWN, namespace=namespace, problem="no namespace has such a name")
    path = subject.facts.annotations.cache_path
    if path is None:
        return f"{roots[0]}/{namespace}"
    root = next((root for root in roots if lies_in(path, root)), None)
    if root is None:
        return _refused(subject, path, f"does not lie below {' or '.join(roots)}")
    problem = _problem(path, root)
    if problem is not None:
        return _refused(subject, path, problem)
    return "/".join((root, namespace, *parts_of(path)[len(parts_of(root)) :]))


def _refused(subject: Subject, path: str, problem: str) -> Reason:
    annotation = subject.annotation("cache-path")
    return because(Code.CACHE_PATH_REFUSED, annotation=annotation, path=path, problem=problem)


def _problem(path: str, root: str) -> str | None:
    if not path.startswith("/"):
        return "is not absolute"
    below = parts_of(path)[len(parts_of(root)) :]
    if ".." in path.split("/") or not all(_PLAIN.issuperset(part) for part in below):
        return "has parts other than plain folder names"
    if any(len(part) == KEY_LENGTH and _HEX.issuperset(part) for part in below):
        return "leads into a cache folder"
    return None
