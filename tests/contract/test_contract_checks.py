"""The checks on made-up releases: each says what is wrong with one, and nothing about one that is right."""

from pathlib import Path

import pytest

from benchmarks.contract.checks import check_defaults, check_flags, check_hash, check_log_lines, check_names
from benchmarks.contract.findings import Findings, Part
from benchmarks.contract.knowledge import acted_on, injected, known_names
from benchmarks.contract.log_lines import log_lines
from benchmarks.contract.page import page
from benchmarks.contract.releases import Project
from benchmarks.contract.sources import Sources
from tests.contract.trees import VLLM_ARGUMENTS, VLLM_CONFIG, VLLM_ENVS, release


def against(part: Part) -> list[str]:
    return [each for claim in part.claims for each in claim.against]


def naming(folder: Path, names: list[str]) -> Sources:
    return release(folder, {"engine/envs.py": "".join(f"read('{name}')\n" for name in names)})


def names_of(project: Project) -> list[str]:
    return [each.name for each in known_names(project)]


def test_fastload_knows_what_it_injects_and_heeds() -> None:
    assert {"RUNAI_STREAMER_S3_TARGET_GBPS", "RUNAI_STREAMER_DIST"} <= set(names_of(Project.STREAMER))
    assert {"VLLM_DISABLE_COMPILE_CACHE", "VLLM_CACHE_ROOT"} <= set(names_of(Project.VLLM))
    assert {"SGLANG_CACHE_DIR", "SGL_CACHE_DIR"} <= set(names_of(Project.SGLANG))
    assert "VLLM_ASSETS_CACHE" in injected(Project.VLLM)
    assert "--load-format" in acted_on(Project.VLLM)
    assert "--enable-dp-attention" in acted_on(Project.SGLANG)
    assert "--enable-dp-attention" not in acted_on(Project.VLLM)


@pytest.mark.parametrize("project", Project)
def test_a_release_with_every_name_is_right(tmp_path: Path, project: Project) -> None:
    newest = naming(tmp_path, names_of(project))
    assert against(check_names(project, {"0.17.0.post1": newest}, [])) == []


def test_a_name_that_is_gone_from_the_newest_release_is_said(tmp_path: Path) -> None:
    names = names_of(Project.VLLM)
    old = naming(tmp_path / "old", names)
    new = naming(tmp_path / "new", [name for name in names if name != "VLLM_CACHE_ROOT"])
    part = check_names(Project.VLLM, {"2.0.0": new, "1.0.0": old}, [])
    assert against(part) == ["VLLM_CACHE_ROOT is not in 2.0.0"]


def test_a_heeded_name_may_stand_in_another_project(tmp_path: Path) -> None:
    heeded = "RUNAI_STREAMER_S3_ENDPOINT"
    streamer = naming(tmp_path / "streamer", [name for name in names_of(Project.STREAMER) if name != heeded])
    engine = naming(tmp_path / "engine", [heeded])
    versions = {"0.17.0": streamer}
    assert against(check_names(Project.STREAMER, versions, [])) == [f"{heeded} is in no release that was looked at"]
    assert against(check_names(Project.STREAMER, versions, [engine])) == []


def test_a_name_that_came_with_another_version_than_the_plan_says_is_said(tmp_path: Path) -> None:
    sources = naming(tmp_path, names_of(Project.STREAMER))
    assert "0.16.1 has RUNAI_STREAMER_S3_TIMEOUT" in against(check_names(Project.STREAMER, {"0.16.1": sources}, []))


def test_a_cache_folder_that_fastload_does_not_know_is_noted(tmp_path: Path) -> None:
    sources = naming(tmp_path, [*names_of(Project.SGLANG), "SGLANG_NEW_CACHE_DIR", "SGLANG_PORT"])
    (note,) = check_names(Project.SGLANG, {"1": sources}, []).notes
    assert "`SGLANG_NEW_CACHE_DIR`" in note
    assert "SGLANG_PORT" not in note


def test_a_set_name_that_enters_the_hash_is_said(tmp_path: Path) -> None:
    right = release(tmp_path / "right", {"vllm/envs.py": VLLM_ENVS})
    wrong = VLLM_ENVS.replace('"VLLM_CACHE_ROOT", "VLLM_ASSETS_CACHE"}', '"VLLM_CACHE_ROOT"}')
    hashing = release(tmp_path / "wrong", {"vllm/envs.py": wrong})
    assert against(check_hash({"1": right})) == []
    assert against(check_hash({"2": hashing, "1": right})) == ["2 hashes VLLM_ASSETS_CACHE (vllm/envs.py:10)"]


def test_a_hash_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert against(check_hash({"1": release(tmp_path, {"x.py": ""})})) == ["1: there is no vllm/envs.py"]


def test_flags_that_the_table_lacks_or_has_wrong_are_said(tmp_path: Path) -> None:
    arguments = VLLM_ARGUMENTS + (
        "    parser.add_argument('--brand-new', type=int)\n"
        "    parser.add_argument('--block-size', action='store_true')\n"
    )
    files: dict[str, str | bytes] = {"vllm/engine/arg_utils.py": arguments, "vllm/config/m.py": VLLM_CONFIG}
    said = against(check_flags(Project.VLLM, {"9": release(tmp_path, files)}))
    assert "--brand-new of 9 (vllm/engine/arg_utils.py:10)" in said
    assert "--block-size of 9 is a switch (vllm/engine/arg_utils.py:11)" in said
    assert "--load-format is not in 9" in said
    assert not [each for each in said if each.startswith(("--enforce-eager", "--tensor-parallel-size"))]


RING = "runai_model_streamer/file_streamer/requests_iterator.py"


@pytest.mark.parametrize(
    ("newest", "older", "wrong"),
    [
        ("40000000000", "40000000000", False),
        ("40000000000", "20000000000", False),
        ("80000000000", "40000000000", True),
    ],
)
def test_a_default_of_the_newest_release_must_be_the_plans(
    tmp_path: Path, newest: str, older: str, *, wrong: bool
) -> None:
    versions = {
        version: release(
            tmp_path / version, {RING: f'DEFAULT_MEMORY_LIMIT_STRING = "{limit}"\nDEFAULT_RING_BUFFERS = 18\n'}
        )
        for version, limit in (("2", newest), ("1", older))
    }
    said = against(check_defaults(Project.STREAMER, versions))
    assert said == ([f"2 says {newest}, the plan 40000000000"] if wrong else [])


def test_a_default_that_is_gone_is_said(tmp_path: Path) -> None:
    said = against(check_defaults(Project.VLLM, {"1": release(tmp_path, {"vllm/envs.py": VLLM_ENVS})}))
    assert "1 says nothing, the plan concurrency, distributed, memory_limit" in said
    assert not [each for each in said if "VLLM_CACHE_ROOT" in each]


def test_a_log_line_that_is_gone_is_said(tmp_path: Path) -> None:
    lines = [line.part for line in log_lines(Project.VLLM)]
    right = release(tmp_path / "right", {"vllm/x.py": "".join(f"log({line!r})\n" for line in lines)})
    wrong = release(tmp_path / "wrong", {"vllm/x.py": "".join(f"log({line!r})\n" for line in lines[1:])})
    assert against(check_log_lines(Project.VLLM, {"1": right})) == []
    assert against(check_log_lines(Project.VLLM, {"2": wrong, "1": right})) == [f"{lines[0]!r} is not in 2"]


def test_the_page_says_what_fails_and_where_things_are(tmp_path: Path) -> None:
    sources = naming(tmp_path, ["VLLM_CACHE_ROOT"])
    part = check_names(Project.VLLM, {"1.2.3": sources}, [])
    written = page([Findings(Project.VLLM, ("1.2.3",), (part,))])
    assert "## vLLM 1.2.3" in written
    assert "| `VLLM_CACHE_ROOT` | set | engine/envs.py:1 |" in written
    assert "| `VLLM_ASSETS_CACHE` | set | - |" in written
    assert "- **fails**: The newest release knows" in written
    assert "  - VLLM_ASSETS_CACHE is not in 1.2.3\n" in written
