"""`python -m deploy.image FOLDER`: makes the image's root in a folder that is empty or does not exist yet."""

import argparse
import sys
from pathlib import Path

from deploy.image import bill, debian, finish, interpreter, libraries, packages, system

_SOURCE = Path(__file__).parents[2]


def main() -> None:
    """Makes the root; the order of the steps is the order of what they need from each other."""
    parser = argparse.ArgumentParser(prog="python -m deploy.image", description="Make the image's root in a folder.")
    parser.add_argument("folder", type=Path)
    root: Path = parser.parse_args().folder.resolve()
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        sys.exit(f"{root} is not empty: name an empty folder, or one that does not exist yet")
    interpreter.copy(root)
    wheels = packages.install(root, _SOURCE)
    packages.prune(root)
    system.write(root)
    linked = libraries.copy(root)
    owners = debian.record(root, linked)
    bill.write(root, wheels, owners)
    finish.prove(root)
    finish.compile_all(root)
    finish.settle(root)


if __name__ == "__main__":
    main()
