"""Absolute POSIX paths as text: no file system is ever asked."""

from collections.abc import Iterable

from webhook.pod.facts import Mount


def parts_of(path: str) -> tuple[str, ...]:
    """Returns the folders of an absolute path, from the root down; doubled and trailing slashes do not count."""
    return tuple(part for part in path.split("/") if part not in {"", "."})


def lies_in(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it."""
    inner, outer = parts_of(path), parts_of(folder)
    return inner[: len(outer)] == outer


def mount_over(path: str, mounts: Iterable[Mount]) -> Mount | None:
    """Returns the mount that `path` lies on, the deepest one; None where it lies on the container's own file system."""
    return max(
        (mount for mount in mounts if lies_in(path, mount.path)),
        key=lambda each: len(parts_of(each.path)),
        default=None,
    )
