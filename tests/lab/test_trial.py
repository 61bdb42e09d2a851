import tempfile
from pathlib import Path

import pytest

from benchmarks.lab.streamer.trial import nursery


def test_a_folder_that_no_socket_fits_in_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("temporary-" * 10)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))

    with pytest.raises(RuntimeError, match="set TMPDIR to a shorter one"), nursery(print):
        pass
