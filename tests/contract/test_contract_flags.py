from pathlib import Path

import pytest

from benchmarks.contract.flags import declared_flags
from benchmarks.contract.releases import Project
from tests.contract.trees import SGLANG_FIELDS, VLLM_ARGUMENTS, VLLM_CONFIG, VLLM_FRONT_END, release

VLLM: dict[str, str | bytes] = {
    "vllm/engine/arg_utils.py": VLLM_ARGUMENTS,
    "vllm/config/model.py": VLLM_CONFIG,
    "vllm/entrypoints/common/cli_args.py": VLLM_FRONT_END,
    "vllm/utils/argparse_utils.py": 'if arg == "-O":\n    pass\n',
}
SGLANG: dict[str, str | bytes] = {"sglang/srt/arg_groups/fields/model.py": SGLANG_FIELDS}

# True: takes no value; None: cannot be told, or the value is optional.
FLAGS = [
    (Project.VLLM, VLLM, "--model", False),
    (Project.VLLM, VLLM, "--enforce-eager", True),
    (Project.VLLM, VLLM, "--enable-prefix-caching", None),
    (Project.VLLM, VLLM, "-tp", False),
    (Project.VLLM, VLLM, "--headless", True),
    (Project.VLLM, VLLM, "--chat-template", False),
    (Project.VLLM, VLLM, "--disable-fastapi-docs", True),
    (Project.VLLM, VLLM, "-O", None),
    (Project.SGLANG, SGLANG, "--model-path", False),
    (Project.SGLANG, SGLANG, "--model", False),
    (Project.SGLANG, SGLANG, "--tensor-parallel-size", False),
    (Project.SGLANG, SGLANG, "--tp", False),
    (Project.SGLANG, SGLANG, "--enable-torch-compile", True),
]


@pytest.mark.parametrize(("project", "files", "name", "switch"), FLAGS, ids=[row[2] for row in FLAGS])
def test_a_flag_is_found_and_what_it_takes(
    tmp_path: Path, project: Project, files: dict[str, str | bytes], name: str, *, switch: bool | None
) -> None:
    assert declared_flags(project, release(tmp_path, files))[name].switch is switch


def test_a_place_is_a_file_and_a_line(tmp_path: Path) -> None:
    assert declared_flags(Project.VLLM, release(tmp_path, VLLM))["--model"].where == "vllm/engine/arg_utils.py:4"


@pytest.mark.parametrize(
    ("project", "files", "name"),
    [
        (Project.VLLM, VLLM, "--not-a-flag"),
        (Project.SGLANG, SGLANG, "--hidden"),
        (Project.SGLANG, SGLANG, "--plain"),
        (Project.SGLANG, SGLANG, "--tp-size-"),
    ],
)
def test_a_field_that_is_no_flag_is_none(
    tmp_path: Path, project: Project, files: dict[str, str | bytes], name: str
) -> None:
    assert name not in declared_flags(project, release(tmp_path, files))
