"""Pytest fixtures for tests that need a cluster; a conftest.py imports what its tests use."""

from collections.abc import Iterator

import pytest

from tests.cluster.binaries import ensure_binaries
from tests.cluster.control_plane import ControlPlane


@pytest.fixture(scope="session")
def control_plane(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    """One control plane for all tests of a session (of a worker, with pytest-xdist).

    Tests share it, so each makes a namespace of its own, and cluster-wide objects under names of its own.
    """
    capture = request.config.pluginmanager.getplugin("capturemanager")
    if capture is None:
        binaries = ensure_binaries()
    else:
        # A first build takes minutes, and its progress is of use only while it lasts.
        with capture.global_and_fixture_disabled():
            binaries = ensure_binaries()
    with ControlPlane(binaries) as cluster:
        yield cluster
