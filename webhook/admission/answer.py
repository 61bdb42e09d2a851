"""The answer to a review. Nothing else builds one, and this has no way to say no.

The API server wants the review's own uid, apiVersion and kind, and `patch` together with `patchType` or neither; an
answer that breaks this fails the call.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from webhook.admission.decision import Decision, Outcome
from webhook.admission.review import API_VERSION, KIND
from webhook.reasons import Code

# The API server cuts a warning after 256 characters, and all warnings of a request after 4,096 together.
_WARNING_CHARACTERS = 256
_WARNINGS = 8
_NAME = "fastload: "
# What remains for one warning's own words, in characters.
LONGEST_WARNING = _WARNING_CHARACTERS - len(_NAME)
# Audit annotations are kept with every audited request, so they stay short; the pod carries the plan in any case.
_AUDIT_CHARACTERS = 2048
_MESSAGE_CHARACTERS = 1024


class _Status(msgspec.Struct, frozen=True):
    message: str


class _Response(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    uid: str
    allowed: Literal[True]
    # Bytes are encoded as base64, which is what the field wants.
    patch: bytes | None = None
    patch_type: Literal["JSONPatch"] | None = None
    status: _Status | None = None
    audit_annotations: dict[str, str] = {}
    warnings: list[str] = []


class _Answer(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    api_version: str
    kind: str
    response: _Response


_encoder = msgspec.json.Encoder()


class Answer(msgspec.Struct, frozen=True):
    """The answer that a decision gives to any review, encoded around the place of the review's uid."""

    outcome: Outcome
    codes: tuple[Code, ...]
    # The codes as one word, for lines of log.
    reasons: str
    before_uid: bytes
    after_uid: bytes
    # Of the patch before it was encoded as base64; 0 where there is none.
    patch_bytes: int

    @property
    def size_bytes(self) -> int:
        """The bytes of the answer without a uid."""
        return len(self.before_uid) + len(self.after_uid)

    def to(self, uid: str) -> bytes:
        """Returns the answer to the review with this uid."""
        return b"".join((self.before_uid, _encoder.encode(uid), self.after_uid))


def answer(decision: Decision) -> Answer:
    """Encodes the answer: always allowed, and patched where the decision has a patch."""
    response = _Response(
        uid="",
        allowed=True,
        patch=decision.patch,
        patch_type=None if decision.patch is None else "JSONPatch",
        status=_status(decision),
        audit_annotations=_audit_annotations(decision),
        warnings=list(_warnings(decision)),
    )
    encoded = _encoder.encode(_Answer(api_version=API_VERSION, kind=KIND, response=response))
    # The uid stands first in the response, and nothing before it is empty.
    before_uid, _, after_uid = encoded.partition(_encoder.encode(response.uid))
    return Answer(
        outcome=decision.outcome,
        codes=decision.codes,
        reasons=_reasons(decision),
        before_uid=before_uid,
        after_uid=after_uid,
        patch_bytes=len(decision.patch or b""),
    )


def _reasons(decision: Decision) -> str:
    return ",".join(decision.codes)


def _status(decision: Decision) -> _Status | None:
    """A sentence for who reads the answer itself; the API server drops it where the pod is allowed."""
    if not decision.reasons:
        return None
    return _Status(_one_line(decision.reasons[0].text, _MESSAGE_CHARACTERS))


def _audit_annotations(decision: Decision) -> dict[str, str]:
    """Keys without a prefix: the API server adds the webhook's name."""
    values = {"status": decision.outcome, "reasons": _reasons(decision), "plan": decision.plan}
    return {key: value for key, value in values.items() if 0 < len(value) <= _AUDIT_CHARACTERS}


def _warnings(decision: Decision) -> Iterator[str]:
    for warning in tuple(dict.fromkeys(decision.warnings))[:_WARNINGS]:
        yield _one_line(f"{_NAME}{warning}", _WARNING_CHARACTERS)


def _one_line(text: str, limit: int) -> str:
    """Makes text fit for a header: one line, printable, and no longer than `limit` characters."""
    cut = text if len(text) <= limit else f"{text[: limit - 1]}…"
    line = " ".join(cut.split())
    return line if line.isprintable() else "".join(filter(str.isprintable, line))
