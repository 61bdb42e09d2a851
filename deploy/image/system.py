"""The few files that a C library and a person expect of any root."""

from pathlib import Path

from deploy.image.place import within

# As the Dockerfile says, and the manifest.
USER = 65532
_FILES = {
    "/etc/passwd": f"root:x:0:0:root:/:/sbin/nologin\nfastload:x:{USER}:{USER}:fastload:/:/sbin/nologin\n",
    "/etc/group": f"root:x:0:\nfastload:x:{USER}:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def write(root: Path) -> None:
    """Writes them, and a /tmp."""
    for name, text in _FILES.items():
        path = within(root, Path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "tmp").mkdir()
