"""The context of a kubeconfig, found as kubectl finds it."""

import os
from pathlib import Path

import pytest

from webhook.lookup.kubeconfig import KubeContext, find_context
from webhook.lookup.watching import KubeError

ONE = """
current-context: prod
contexts:
  - name: prod
    context: {cluster: a, user: u, namespace: serving}
  - name: test
    context: {cluster: b, user: sso}
  - {name: serverless, context: {cluster: gone, user: u}}
  - {name: userless, context: {cluster: a, user: gone}}
clusters:
  - {name: a, cluster: {server: "https://a"}}
  - {name: b, cluster: {server: "https://b"}}
users:
  - {name: u, user: {token: secret}}
  - {name: sso, user: {exec: {command: aws, args: [eks, get-token]}}}
"""
OTHER = """
current-context: laptop
contexts:
  - {name: laptop, context: {cluster: c}}
  - {name: prod, context: {cluster: c, namespace: another}}
clusters: [{name: c, cluster: {server: "https://c"}}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".kube").mkdir()
    for name, content in {"one": ONE, "other": OTHER, "empty": "", "contextless": "contexts: []"}.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def kubeconfig(folder: Path, *names: str) -> dict[str, str]:
    return {"KUBECONFIG": os.pathsep.join(str(folder / name) for name in names)}


def test_the_current_context_and_its_namespace(folder: Path) -> None:
    assert find_context(kubeconfig(folder, "one")) == KubeContext(
        name="prod", namespace="serving", files=(str(folder / "one"),)
    )


def test_a_context_by_its_name(folder: Path) -> None:
    found = find_context(kubeconfig(folder, "one"), name="test")
    assert (found.name, found.namespace, found.login) == ("test", None, "aws")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("one", "other"), ("prod", "serving")),
        (("other", "one"), ("laptop", None)),
        (("absent", "other", "one"), ("laptop", None)),
        (("empty", "one"), ("prod", "serving")),
    ],
)
def test_of_several_files_the_first_that_says_it_counts(
    folder: Path, names: tuple[str, ...], expected: tuple[str, str | None]
) -> None:
    found = find_context(kubeconfig(folder, *names))
    assert (found.name, found.namespace) == expected


def test_a_file_that_is_named_stands_alone(folder: Path) -> None:
    found = find_context(kubeconfig(folder, "other"), file=str(folder / "one"))
    assert found.files == (str(folder / "one"),)


@pytest.mark.parametrize("environ", [{}, {"KUBECONFIG": ""}])
def test_without_a_variable_it_lies_in_the_home_folder(folder: Path, environ: dict[str, str]) -> None:
    (folder / ".kube/config").write_text(ONE)
    assert find_context(environ).files == (str(folder / ".kube/config"),)


@pytest.mark.parametrize(
    ("content", "name", "problem"),
    [
        pytest.param(None, None, "config: no such file or directory", id="no file"),
        pytest.param(ONE, "prd", "has no context 'prd'; it has prod, test, serverless, userless", id="no such context"),
        pytest.param("contexts: []", None, "has no current context; it has none", id="no current context"),
        pytest.param(ONE, "serverless", "leads to cluster 'gone', which has no server", id="no server"),
        pytest.param(ONE, "userless", "names user 'gone', whom the kubeconfig does not have", id="no such user"),
        pytest.param("{", None, "is none: ", id="no YAML"),
        pytest.param("- token: secret", None, "is none: ValidationError", id="a list"),
        pytest.param(b"\xff", None, "is none: ", id="no text"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_quoted(
    folder: Path, content: str | bytes | None, name: str | None, problem: str
) -> None:
    if content is not None:
        (folder / ".kube/config").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(KubeError) as fault:
        find_context({}, name=name)
    assert problem in str(fault.value)
    assert "secret" not in str(fault.value)
