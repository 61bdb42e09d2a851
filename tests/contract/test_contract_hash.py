from pathlib import Path

import pytest

from benchmarks.contract.compile_hash import UnreadableError, read_compile_hash
from tests.contract.trees import VLLM_ENVS, VLLM_ENVS_TO_0_11, release

SAYS = [
    ("ignored", VLLM_ENVS, "VLLM_CACHE_ROOT", "off the hash"),
    ("known and not ignored", VLLM_ENVS, "VLLM_USE_FAST", "HASHED"),
    ("of another program, hashed besides", VLLM_ENVS, "RAY_NOSET", "HASHED"),
    ("not known", VLLM_ENVS, "TRITON_CACHE_DIR", "not known, so off the hash"),
    ("older: on the list", VLLM_ENVS_TO_0_11, "VLLM_USE_FAST", "HASHED"),
    ("older: not on the list", VLLM_ENVS_TO_0_11, "VLLM_CACHE_ROOT", "off the hash"),
]


@pytest.mark.parametrize(("source", "name", "said"), [row[1:] for row in SAYS], ids=[row[0] for row in SAYS])
def test_what_enters_the_hash(tmp_path: Path, source: str, name: str, said: str) -> None:
    assert read_compile_hash(release(tmp_path, {"vllm/envs.py": source})).says(name) == said


UNREADABLE: dict[str, dict[str, str | bytes]] = {
    "no such file": {"vllm/other.py": ""},
    "no variables": {"vllm/envs.py": "ignored_factors = {'A'}"},
    "no list": {"vllm/envs.py": "environment_variables = {'A': None}"},
    "a list that is computed": {"vllm/envs.py": "environment_variables = {'A': None}\nignored_factors = {*OTHERS}"},
}


@pytest.mark.parametrize("files", UNREADABLE.values(), ids=list(UNREADABLE))
def test_what_is_not_as_in_any_known_release_is_an_error(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    with pytest.raises(UnreadableError):
        read_compile_hash(release(tmp_path, files))
