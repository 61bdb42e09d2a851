from pathlib import Path

import pytest

from benchmarks.lab.environment import InstallError, streamer_folder


def test_a_streamer_that_cannot_be_had_is_named_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")

    with pytest.raises(InstallError, match=r"runai-model-streamer==0\.17\.1"):
        streamer_folder("0.17.1", print)

    assert [path.name for path in (tmp_path / "fastload" / "lab").iterdir()] == ["streamer-0.17.1.lock"]
