"""Whether the engine's user can write the cache folder, and the init step that sees to it.

The kubelet makes the folder as root's, mode 0755, and fsGroup acts on claims but not on folders of the node. An engine
that cannot write its cache folder fails to start, so where nothing makes it writable there is no volume at all.
"""

from fnmatch import fnmatchcase

from webhook.lookup.facts import PodSecurity, Unknown
from webhook.plan.cache_names import MOUNT_PATH
from webhook.plan.subject import Subject
from webhook.plan.types import ClaimVolume, HostPathVolume, InitStep
from webhook.pod.facts import User
from webhook.reasons import Code, Reason, because


def make_writable(subject: Subject, source: HostPathVolume | ClaimVolume) -> InitStep | Reason | None:
    """Returns the init step that makes the folder writable, None where none is needed, or why there can be none."""
    user, image = subject.container.user, subject.container.image
    on_claim = isinstance(source, ClaimVolume)
    if _is_root(user, image, subject.settings.root_images) or (on_claim and user.fs_group is not None):
        return None
    if image is None:
        return because(Code.NON_ROOT, problem="the container names no image to run an init container from")
    if not subject.settings.cache_init_container:
        return because(Code.NON_ROOT, problem="the operator's settings allow no init container")
    namespace = subject.world.namespace
    if isinstance(namespace, Unknown):
        return because(
            Code.NON_ROOT, problem="the namespace, which may refuse an init container of root's, is not known"
        )
    if namespace.pod_security is PodSecurity.RESTRICTED:
        return because(Code.NON_ROOT, problem="the namespace refuses an init container of root's; set fsGroup")
    return InitStep(image, ("sh", "-c", f"{_change(user)} {MOUNT_PATH} || true"))


def _change(user: User) -> str:
    """The command that opens the folder itself, not what is in it: quick, and safe to run many times at once.

    It never fails the pod: on a claim whose server owns all files, changing the owner fails and writing works.
    """
    if user.uid is None:
        return "chmod 0777"
    return f"chown {user.uid}" if user.gid is None else f"chown {user.uid}:{user.gid}"


def _is_root(user: User, image: str | None, root_images: tuple[str, ...]) -> bool:
    if user.uid is not None or user.non_root:
        return user.uid == 0
    return image is not None and any(fnmatchcase(image, pattern) for pattern in root_images)
