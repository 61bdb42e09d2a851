"""Whether the engine's user can write the cache folder, and the init step that sees to it.

The kubelet makes the folder as root's, mode 0755, and fsGroup acts on claims but not on folders of the node. An engine
that cannot write its cache folder fails to start, so where nothing makes it writable there is no volume at all.
"""

from webhook.lookup.facts import PodSecurity, Unknown
from webhook.plan.cache_names import MOUNT_PATH
from webhook.plan.images import has_shell, matches
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
    problem = _against(subject, image)
    if image is None or problem is not None:
        return because(Code.NON_ROOT, problem=problem)
    return InitStep(image, ("sh", "-c", f"{_change(user)} {MOUNT_PATH} || true"))


def _against(subject: Subject, image: str | None) -> str | None:
    """Why there can be no init container of root's, from this image; None where there can."""
    namespace = subject.world.namespace
    if image is None:
        return "the container names no image to run an init container from"
    if not subject.settings.cache_init_container:
        return "the operator's settings allow no init container"
    if not has_shell(subject, image):
        return f"image {image} has no shell for an init container to run"
    if isinstance(namespace, Unknown):
        return "the namespace, which may refuse an init container of root's, is not known"
    restricted = namespace.pod_security is PodSecurity.RESTRICTED
    return "the namespace refuses an init container of root's; set fsGroup" if restricted else None


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
    return image is not None and matches(image, root_images)
