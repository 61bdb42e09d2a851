from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.cache import exclusive
from tests.image.making import copy_context, make

Once = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Once:
    """Fills a folder once for all workers. It is for reading."""
    base = tmp_path_factory.getbasetemp()
    # A worker's own folder lies in the one that all share.
    shared = base.parent if hasattr(request.config, "workerinput") else base

    def fill(name: str, maker: Callable[[Path], None]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with exclusive(folder, print):
            if not done.exists():
                maker(folder)
                done.touch()
        return folder

    return fill


@pytest.fixture(scope="session")
def context(once: Once) -> Path:
    """The source as a build gets it; nobody changes it meanwhile."""
    return once("image-context", copy_context)


@pytest.fixture(scope="session")
def root(once: Once, context: Path) -> Path:
    """The image's root."""
    return once("image", lambda folder: make(context, folder))
