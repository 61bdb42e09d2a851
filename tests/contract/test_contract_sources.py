from pathlib import Path
from zipfile import ZipFile

import pytest

from benchmarks.contract.fetch import fetch
from benchmarks.contract.releases import Project, Release, ReleaseError, releases
from benchmarks.contract.sources import holds
from tests.contract.trees import release

# What a compiler leaves of a name that it builds in place: blocks of 16 bytes, and the rest within instructions.
IN_PLACE = b"RUNAI_STREAMER_S\x90\x903_LOW_SPEED_LIMI\x90\xc6T\x903_MAX_RE\x903_TARGET\x90"
HELD = [
    ("whole", b"\0RUNAI_STREAMER_CHUNK_BYTESIZE\0", "RUNAI_STREAMER_CHUNK_BYTESIZE", True),
    ("in a message", b" (RUNAI_STREAMER_S3_TRACE=", "RUNAI_STREAMER_S3_TRACE", True),
    ("part of a longer name", b"\0RUNAI_STREAMER_CHUNK_BYTESIZES\0", "RUNAI_STREAMER_CHUNK_BYTES", False),
    ("in place, two blocks", IN_PLACE, "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT", True),
    ("in place, one block", IN_PLACE, "RUNAI_STREAMER_S3_MAX_RETRIES", True),
    ("another end", IN_PLACE, "RUNAI_STREAMER_S3_TIMEOUT", False),
    ("another second block", IN_PLACE, "RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS", False),
]


@pytest.mark.parametrize(("library", "name", "held"), [row[1:] for row in HELD], ids=[row[0] for row in HELD])
def test_a_name_in_a_library(library: bytes, name: str, *, held: bool) -> None:
    assert holds(library, name) is held


def test_a_name_is_found_in_sources_before_libraries_and_not_in_tests(tmp_path: Path) -> None:
    sources = release(
        tmp_path,
        {
            "engine/a.py": "\nx = os.getenv('SOME_NAME')\n",
            "engine/fields.py": "class Envs:\n    DECLARED_NAME = EnvStr('')\n",
            "engine/tests/test_a.py": "'ONLY_TESTED'",
            "engine/lib/b.so": b"\0SOME_NAME\0LIBRARY_NAME\0",
        },
    )
    names = ("SOME_NAME", "DECLARED_NAME", "LIBRARY_NAME", "ONLY_TESTED", "NO_NAME")
    assert [sources.where(name) for name in names] == [
        "engine/a.py:2",
        "engine/fields.py:2",
        "engine/lib/b.so",
        None,
        None,
    ]


LISTED = {
    "vllm": ["0.33.1", "0.33.0", "0.32.0", "0.32.0rc1", "0.31.2", "0.30.0"],
    "sglang": ["0.5.15.post1", "0.5.15", "0.5.14", "0.5.13.post1", "0.5.12"],
    "runai-model-streamer": ["0.18.0", "0.17.1", "0.15.9"],
}


def test_the_newest_of_each_line_is_chosen_and_the_streamers_that_differ() -> None:
    chosen = [str(each) for each in releases(LISTED.__getitem__)]
    assert chosen == [
        *("vLLM 0.33.1", "vLLM 0.32.0", "vLLM 0.31.2"),
        *("SGLang 0.5.15.post1", "SGLang 0.5.14", "SGLang 0.5.13.post1"),
        *(f"Run:ai Model Streamer {version}" for version in ("0.18.0", "0.17.1", "0.16.1", "0.15.9", "0.13.4")),
    ]


class Index:
    """Stands for pip: makes a wheel of every package that is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def download(self, package: str, version: str, into: Path) -> Path:
        self.asked.append(f"{package} {version}")
        if version == "0":
            raise ReleaseError(f"{package} {version} could not be had")
        wheel = into / f"{package.replace('-', '_')}-{version}.whl"
        with ZipFile(wheel, "w") as archive:
            for name in ("a/x.py", f"{wheel.stem}.data/purelib/a/y.py", "a/lib.so", "a/big.cubin"):
                archive.writestr(name, package)
        return wheel


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    index = Index()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("benchmarks.contract.fetch._download", index.download)
    return index


def kept(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_only_what_is_read_is_kept(index: Index) -> None:
    vllm, streamer = Release(Project.VLLM, "1.0.0"), Release(Project.STREAMER, "2.0.0")
    folders = fetch((vllm, streamer), print)
    assert kept(folders[vllm]) == ["a/x.py", "a/y.py"]
    assert kept(folders[streamer]) == ["a/lib.so", "a/x.py", "a/y.py"]
    assert index.asked == ["vllm 1.0.0", "runai-model-streamer 2.0.0", "runai-model-streamer-s3 2.0.0"]


def test_a_second_run_gets_nothing_and_what_is_not_checked_any_more_goes(index: Index) -> None:
    old, new = Release(Project.VLLM, "1.0.0"), Release(Project.VLLM, "1.1.0")
    (gone,) = fetch((old,), print).values()
    (folder,) = fetch((new,), print).values()
    fetch((new,), print)
    assert index.asked == ["vllm 1.0.0", "vllm 1.1.0"]
    assert [path for path in folder.parent.iterdir() if path.is_dir()] == [folder]
    assert not gone.exists()


def test_a_release_that_cannot_be_had_leaves_no_half_of_it(index: Index) -> None:
    with pytest.raises(ReleaseError, match=r"vllm 0 could not be had"):
        fetch((Release(Project.VLLM, "0"),), print)
    good = Release(Project.VLLM, "1.0.0")
    folders = fetch((good,), print)
    assert list(folders[good].parent.iterdir()) == [folders[good]]
    assert index.asked == ["vllm 0", "vllm 1.0.0"]
