from tests.cluster.fixtures import control_plane

__all__ = ["control_plane"]
