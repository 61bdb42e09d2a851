import base64
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.admission.answer import answer
from webhook.admission.decision import Decision, Outcome
from webhook.reasons import Code, Reason, because

NO_ENGINE = because(Code.NO_ENGINE)


def response(**fields: object) -> dict[str, Any]:
    decision = msgspec.structs.replace(Decision(outcome=Outcome.SKIPPED), **fields)
    decoded = json.loads(answer(decision).to("u"))
    found: dict[str, Any] = decoded["response"]
    return found


def test_the_least_answer() -> None:
    assert json.loads(answer(Decision(outcome=Outcome.IGNORED)).to("u")) == {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {"uid": "u", "allowed": True, "auditAnnotations": {"status": "ignored"}},
    }


@pytest.mark.parametrize("patch", [b"[]", b'[{"op":"add","path":"/x","value":"\xc3\xa9"}]'])
def test_a_patch_is_base64_and_goes_with_its_type(patch: bytes) -> None:
    found = response(patch=patch)
    assert base64.b64decode(found["patch"], validate=True) == patch
    assert found["patchType"] == "JSONPatch"


def test_audit_annotations_have_short_keys_and_each_reason_once() -> None:
    found = response(reasons=(NO_ENGINE, because(Code.NOT_OPTED_IN), NO_ENGINE), plan='{"rules":1}')
    assert found["auditAnnotations"] == {
        "status": "skipped",
        "reasons": "no-engine,not-opted-in",
        "plan": '{"rules":1}',
    }
    assert found["status"] == {"message": NO_ENGINE.text}


def test_a_plan_too_long_for_the_audit_log_is_left_to_the_pod() -> None:
    assert "plan" not in response(plan="x" * 5000)["auditAnnotations"]


def test_a_warning_given_twice_is_sent_once() -> None:
    assert response(warnings=("one", "two", "one"))["warnings"] == ["fastload: one", "fastload: two"]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=400), max_size=20))
def test_warnings_fit_into_headers(warnings: list[str]) -> None:
    sent = response(warnings=tuple(warnings)).get("warnings", [])
    assert len(sent) <= 8
    assert all(len(warning) <= 256 and warning.isprintable() for warning in sent)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=2000))
def test_a_message_is_one_line(text: str) -> None:
    message = response(reasons=(Reason(Code.NO_ENGINE, text),)).get("status", {}).get("message", "")
    assert message.isprintable()
    assert len(message) <= 1024
