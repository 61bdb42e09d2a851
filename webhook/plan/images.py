"""What is known of an image by its name: the operator's patterns, and whether it has a shell."""

from fnmatch import fnmatchcase

from webhook.plan.subject import Subject

_SHELLS = frozenset({"sh", "bash", "dash", "ash"})


def matches(image: str, patterns: tuple[str, ...]) -> bool:
    """Whether a pattern fits the image as it is written, or its repository, which has neither tag nor digest."""
    repository = repository_of(image)
    return any(fnmatchcase(image, pattern) or fnmatchcase(repository, pattern) for pattern in patterns)


def repository_of(image: str) -> str:
    """Returns an image's name without tag and digest; a registry keeps its port."""
    head, slash, last = image.partition("@")[0].rpartition("/")
    return head + slash + last.partition(":")[0]


def has_shell(subject: Subject, image: str) -> bool:
    """Whether a script can run in the image: the pod runs one there itself, or nobody says that it has no shell."""
    command = subject.view.command if subject.view else None
    if command and command[0].rpartition("/")[2] in _SHELLS:
        return True
    return not matches(image, subject.settings.shellless_images)
