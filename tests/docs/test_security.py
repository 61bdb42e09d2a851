"""Every test that docs/security.md names as a proof exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.findall(r"`(tests/[^`]+)`", (ROOT / "docs/security.md").read_text())


@pytest.mark.parametrize("named", NAMED)
def test_a_proof_that_is_named_exists(named: str) -> None:
    file, *path = named.split("::")
    scope: list[ast.stmt] = ast.parse((ROOT / file).read_text()).body
    for name in path:
        found = [each for each in scope if isinstance(each, ast.FunctionDef | ast.ClassDef) and each.name == name]
        assert found, f"{file} has no {name}"
        scope = found[0].body
    assert path[-1].startswith("test_")


def test_every_threat_names_a_proof() -> None:
    threats = (ROOT / "docs/security.md").read_text().partition("## Threats")[2].partition("## Fuzzing")[0]
    sections = threats.split("\n### ")[1:]
    assert len(sections) > 10
    assert [section.partition("\n")[0] for section in sections if "\n- `tests/" not in section] == []
