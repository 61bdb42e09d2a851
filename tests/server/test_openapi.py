"""What the admin port says of itself in OpenAPI holds: of requests made up from it, and of every sample."""

from pathlib import Path

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from demo.webhook import Running
from webhook.preview.contract import PodPreview

FILES = sorted((Path(__file__).parent.parent / "cases").rglob("*.yaml"))
# Left out: that whatever the schema allows is accepted. OpenAPI cannot say that two parameters belong together, what a
# quantity is, or that a pod must be one.
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.unsupported_method,
]
PATHS = {"/healthz": "GET", "/metrics": "GET", "/preview": "POST", "/readyz": "GET", "/version": "GET"}
# Only the preview takes anything that could be wrong.
ASKED = [*((path, GenerationMode.POSITIVE) for path in PATHS), ("/preview", GenerationMode.NEGATIVE)]


@pytest.fixture(scope="session")
def schema(running: Running) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{running.admin}/openapi.json")


def test_every_path_is_described(schema: schemathesis.BaseSchema) -> None:
    described = {path: [method.upper() for method in schema[path]] for path in schema}
    assert described == {path: [method] for path, method in PATHS.items()}


@pytest.mark.parametrize(("path", "mode"), ASKED, ids=lambda each: getattr(each, "value", each))
def test_requests_made_up_from_it_are_answered_as_it_says(
    schema: schemathesis.BaseSchema, path: str, mode: GenerationMode
) -> None:
    operation = schema[path][PATHS[path]]

    @given(data=st.data())
    @settings(
        max_examples=60 if path == "/preview" else 1,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(data: st.DataObject) -> None:
        case = data.draw(operation.as_strategy(generation_mode=mode))
        case.call_and_validate(checks=CHECKS)

    check()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_answer_to_a_sample_is_as_it_says(schema: schemathesis.BaseSchema, running: Running, path: Path) -> None:
    headers = {"content-type": "application/yaml"}
    reply = httpx.post(f"{running.admin}/preview?offline=true", content=path.read_bytes(), headers=headers)
    schema["/preview"]["POST"].validate_response(reply)
    assert reply.json()["pods"]


def test_the_schema_has_every_field_of_the_contract(running: Running) -> None:
    described = httpx.get(f"{running.admin}/openapi.json").json()["components"]["schemas"]["PodPreview"]
    assert tuple(described["properties"]) == PodPreview.__struct_fields__


def test_no_page_loads_scripts_from_elsewhere(running: Running) -> None:
    assert {httpx.get(f"{running.admin}{path}").status_code for path in ("/docs", "/redoc")} == {404}
