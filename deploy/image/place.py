"""Where things lie, in the image as on the machine that makes it: at the same paths."""

import sys
from pathlib import Path

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
PREFIX = Path(sys.base_prefix).resolve()
PYTHON = PREFIX / "bin" / f"python{VERSION}"
STANDARD = PREFIX / "lib" / f"python{VERSION}"
PACKAGES = STANDARD / "site-packages"
LAUNCHER = Path("/usr/local/bin/fastload")
BILL = Path("/usr/share/fastload/sbom.cdx.json")


def within(root: Path, path: Path) -> Path:
    """Returns where an absolute path lies in the image's root."""
    return root / path.relative_to("/")
