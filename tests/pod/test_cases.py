"""Every sample under tests/cases reads as its own `# expect:` lines say."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from webhook.pod.facts import Engine, PodFacts
from webhook.pod.read import read_pod
from webhook.pod.settings import PodSettings
from webhook.pod.template import find_templates
from webhook.pod.view import Pod

CASES = Path(__file__).parent.parent / "cases"
FILES = sorted(CASES.rglob("*.yaml"))


def expectations(text: str) -> dict[str, Any]:
    """The `#   key: value` lines of a sample's head; prose is left out."""
    found: dict[str, Any] = {}
    for line in text.splitlines():
        key, colon, value = line.removeprefix("#   ").partition(": ")
        if line.startswith("#   ") and colon and key.isidentifier() and key not in ("reason", "nodes"):
            found[key] = yaml.safe_load(value)
    return found


def read(document: dict[str, Any], which: int = 0) -> PodFacts:
    found = find_templates(document)[which]
    pod = msgspec.convert(found.template, Pod)
    return read_pod(pod, namespace=found.namespace or "default", settings=PodSettings(), ambient=found.ambient)


def said(facts: PodFacts) -> dict[str, Any]:
    """The facts under the names that the samples use."""
    launch, container = facts.launch, facts.container
    return {
        "engine": launch.engine if launch else Engine.NONE,
        "container": container.name if container else None,
        "model": launch.model if launch else None,
        "load_format": launch.load_format if launch else None,
        "tp": launch.tensor_parallel_size if launch else None,
        "pp": launch.pipeline_parallel_size if launch else None,
        "dp": launch.data_parallel_size if launch else None,
        "gpus": container.gpus if container else facts.placement.gpus,
        "eager": launch.eager if launch else False,
        "accelerator": "dra" if container and container.gpus is None else None,
        "skip": facts.skips[0].code if facts.skips else None,
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_a_sample_reads_as_it_says(path: Path) -> None:
    text = path.read_text()
    expected, facts = expectations(text), read(yaml.safe_load(text))
    actual = said(facts)
    assert {key: actual[key] for key in expected if key in actual} == {k: v for k, v in expected.items() if k in actual}
    kept = set(facts.container.env.values) if facts.container else set()
    assert set(expected.get("keep_env", ())) <= kept


ACTED_ON = [path for path in FILES if "/more/" in str(path) and "#   skip:" not in path.read_text()]


@pytest.mark.parametrize("path", ACTED_ON, ids=lambda path: path.stem)
def test_a_sample_without_an_expected_skip_has_none(path: Path) -> None:
    assert read(yaml.safe_load(path.read_text())).skips == ()


ODDITIES = sorted((CASES / "oddities").glob("*.yaml"))


@pytest.mark.parametrize("path", ODDITIES, ids=lambda path: path.stem)
def test_the_oddities_share_one_launch(path: Path) -> None:
    facts = read(yaml.safe_load(path.read_text()))
    assert said(facts) | {"skip": None} == {
        "engine": Engine.VLLM,
        "container": "vllm",
        "model": "s3://acme-weights/llm-70b",
        "load_format": "runai_streamer",
        "tp": 8,
        "pp": 1,
        "dp": 1,
        "gpus": 8,
        "eager": False,
        "accelerator": None,
        "skip": None,
    }


def test_both_templates_of_a_leader_worker_set_are_read() -> None:
    document = yaml.safe_load((CASES / "pods/08-lws-sglang-k8s-var-expansion.yaml").read_text())
    leader, worker = read(document, 0), read(document, 1)
    assert leader.launch is not None
    assert worker.launch is not None
    assert (leader.launch.nodes, leader.launch.node_rank) == (2, 0)
    assert (worker.launch.nodes, worker.launch.node_rank) == (2, None)
    assert worker.launch.model == "s3://acme-weights/llm-70b"


def test_there_are_samples_of_each_kind() -> None:
    assert len(FILES) >= 70
