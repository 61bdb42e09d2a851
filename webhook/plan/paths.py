"""Absolute POSIX paths as text: no file system is ever asked."""

from collections.abc import Iterable

from webhook.pod.facts import Mount


def parts_of(path: str) -> tuple[str, ...]:
    """Returns the folders of an absolute path, from the root down, as it resolves where no link stands in it."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return tuple(parts)


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
