"""What fastload adds, written into the user's own text: nothing else of it changes, and it reads as what is wanted."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.layouts import layouts
from webhook.patch.operation import Operation
from webhook.preview.documents import read_documents
from webhook.preview.manifest import apply
from webhook.preview.rendering.files import amended_files, as_diff, as_yaml

ENV = ({"name": "A", "value": "1"}, {"name": "B", "value": "/x"})


def wanted(value: dict[str, Any]) -> dict[str, Any]:
    """The pod with two entries of env, a volume and an annotation added, as a patch does it."""
    spec, metadata = value.get("spec") or {}, value.get("metadata") or {}
    container = spec["containers"][0]
    env, volumes = container.get("env"), spec.get("volumes")
    operations = [
        Operation("add", "/metadata/annotations/fastload.dev~1plan", '{"rules":1}')
        if metadata.get("annotations")
        else Operation("add", "/metadata/annotations", {"fastload.dev/plan": '{"rules":1}'}),
        *(
            [Operation("add", "/spec/volumes", [{"name": "v", "emptyDir": {}}])]
            if volumes is None
            else [Operation("add", "/spec/volumes/-", {"name": "v", "emptyDir": {}})]
        ),
        *(
            [Operation("add", "/spec/containers/0/env", list(ENV))]
            if env is None
            else [Operation("add", "/spec/containers/0/env/-", each) for each in ENV]
        ),
    ]
    if not value.get("metadata"):
        operations[0] = Operation("add", "/metadata", {"annotations": {"fastload.dev/plan": '{"rules":1}'}})
    return apply(value, tuple(operations))


def both(text: str) -> tuple[str, str]:
    """The text with what is added to every document, and the diff."""
    documents = read_documents("pod.yaml", text.encode())
    values = [wanted(document.value) for document in documents]
    files = list(amended_files(documents, values))
    written = as_yaml(files)
    assert [document.value for document in read_documents("pod.yaml", written.encode())] == values
    return written, as_diff(files)


def amended(text: str) -> str:
    return both(text)[0]


BLOCK = """\
# a pod
kind: Pod
metadata:
  annotations:
    team: a   # whose

spec:
  containers:
  - name: c
    env:
      - name: "OLD"
        value: |
          two

          lines

      # - name: COMMENTED
  # about volumes
  volumes:
  - {name: w, emptyDir: {}}
# the end
"""


def test_lines_are_added_where_they_belong_and_in_the_users_style() -> None:
    assert (
        amended(BLOCK)
        == """\
# a pod
kind: Pod
metadata:
  annotations:
    team: a   # whose
    fastload.dev/plan: '{"rules":1}'

spec:
  containers:
  - name: c
    env:
      - name: "OLD"
        value: |
          two

          lines
      - name: A
        value: "1"
      - name: B
        value: /x

      # - name: COMMENTED
  # about volumes
  volumes:
  - {name: w, emptyDir: {}}
  - name: v
    emptyDir: {}
# the end
"""
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("env:", "env:\n    - name: A\n      value: '1'", id="an empty value"),
        pytest.param("env: null # none", "env: # none\n    - name: A\n      value: '1'", id="null, with a comment"),
        pytest.param("env: []", "env:\n    - name: A\n      value: '1'", id="an empty list"),
        pytest.param(
            "env: [{name: X}]", "env: [{name: X}, {name: A, value: '1'}, {name: B, value: /x}]", id="brackets"
        ),
        pytest.param(
            "env: [\n      {name: X}, # x\n    ]",
            "env: [\n      {name: X},\n      {name: A, value: '1'},\n      {name: B, value: /x}, # x\n    ]",
            id="brackets over lines",
        ),
    ],
)
def test_a_list_is_added_to_in_its_own_form(given: str, expected: str) -> None:
    text = f"kind: Pod\nspec:\n  containers:\n  - name: 'c'\n    {given}\n"
    assert expected in amended(text).replace('"', "'")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BLOCK.replace("\n", "\r\n"), id="line ends of another system"),
        pytest.param(BLOCK.rstrip("\n"), id="no line end at the end"),
        pytest.param("\ufeff" + BLOCK, id="byte order mark"),
        pytest.param(f"%YAML 1.1\n--- # first\n{BLOCK}...\n---\n{BLOCK}", id="markers"),
        pytest.param("kind: Pod\nspec: {containers: [{name: c, command: [a]}]}", id="all in braces"),
        pytest.param("kind: Pod\nspec:\n  containers:\n  - args:\n    - |\n      a\n      b", id="ends in a script"),
        pytest.param("kind: Pod\nspec:\n  containers:\n  - args:\n    - |+\n      a\n\n---\n" + BLOCK, id="kept lines"),
        pytest.param("kind: Pod\nspec:\n    containers:\n    -   name: c\n        tty: true\n", id="wide"),
        pytest.param('{"kind":"Pod","spec":{"containers":[{"name":"c"}]}}', id="JSON on one line"),
        pytest.param(
            '{\n\t"kind": "Pod",\n\t"spec": {\n\t\t"containers": [\n\t\t\t{}\n\t\t]\n\t}\n}\n', id="JSON with tabs"
        ),
        pytest.param('{"kind": "Pod", "spec": {"containers": [{"name": "\\ud83d\\ude00"}]}}', id="JSON, no YAML"),
        pytest.param('{"kind": "Pod", "spec": {"containers": [{}]}}{"spec": {"containers": [{}]}}', id="JSON, twice"),
        pytest.param("kind: Pod\nspec: &s\n  containers: [&c {name: c}]\nold: *c\nolder: *s\n", id="anchors"),
        pytest.param("base: &b {env: [{name: X}]}\nspec:\n  containers:\n  - <<: *b\n    name: c\n", id="merge"),
        pytest.param("spec:\n  containers: &l\n  - name: c\nlist: *l\n", id="an alias that stays as it was"),
        pytest.param("list: &l\n- name: c\nspec:\n  containers: *l\n", id="an alias that changes"),
        pytest.param("? kind\n: Pod\n? spec\n: containers:\n  - name: c\n", id="question marks"),
    ],
)
def test_every_layout_reads_as_what_is_wanted(text: str, tmp_path: Path) -> None:
    written, diff = both(text)
    if not text.startswith('{"kind": "Pod", "spec": {"containers": [{}]}}{'):  # YAML wants markers between the two
        assert patched(text, diff, tmp_path) == written


def patched(text: str, diff: str, folder: Path) -> str:
    """What `patch` makes of a file."""
    (folder / "pod.yaml").write_bytes(text.encode())
    subprocess.run(["patch", "-p0", "--binary", "--fuzz=0"], input=diff.encode(), cwd=folder, check=True)
    return (folder / "pod.yaml").read_bytes().decode()


def test_git_takes_the_diff_too(tmp_path: Path) -> None:
    written, diff = both(BLOCK)
    (tmp_path / "pod.yaml").write_text(BLOCK)
    subprocess.run(["git", "apply", "-p0", "-"], input=diff.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "pod.yaml").read_text() == written


def test_nothing_changes_where_nothing_is_wanted() -> None:
    documents = read_documents("x", BLOCK.encode())
    files = list(amended_files(documents, [document.value for document in documents]))
    assert (as_yaml(files), as_diff(files)) == (BLOCK, "")


def test_several_files_are_one_stream() -> None:
    documents = [
        each for text in (BLOCK, BLOCK.rstrip(), f"---\n{BLOCK}") for each in read_documents("x", text.encode())
    ]
    stream = as_yaml(list(amended_files(documents, [document.value for document in documents])))
    assert stream == f"{BLOCK}---\n{BLOCK.rstrip()}\n---\n{BLOCK}"


def is_within(lines: list[str], longer: list[str]) -> bool:
    rest = iter(longer)
    return all(line in rest for line in lines)


@given(layouts())
@settings(deadline=None)
def test_of_any_layout_everything_stays_in_order(text: str) -> None:
    written = amended(text)
    # In brackets entries are added within a line, so what stays are characters.
    assert is_within(list(text), list(written))
    if "{" not in text and "[" not in text:
        assert is_within(text.splitlines(), written.splitlines())
