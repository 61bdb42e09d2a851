"""Errors over HTTP as problem details (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated

import msgspec
from fastapi import Response

PROBLEM_TYPE = "application/problem+json"
_Number = Annotated[int, msgspec.Meta(ge=1)]
# What is left of a body that was not read must not be taken for the next request.
CLOSE: Mapping[str, str] = {"connection": "close"}


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A problem in the words of RFC 9457, and where in the input it lies, as far as that is known."""

    title: Annotated[str, msgspec.Meta(description="The status in words.")]
    status: Annotated[int, msgspec.Meta(description="The HTTP status.", ge=400, le=599)]
    detail: Annotated[str, msgspec.Meta(description="What was wrong, and what to do.")]
    type: Annotated[str, msgspec.Meta(description="Always `about:blank`: the status says the kind.")]
    document: Annotated[_Number | None, msgspec.Meta(description="Which document of the input, from 1.")] = None
    line: Annotated[_Number | None, msgspec.Meta(description="Which line of the input, from 1.")] = None
    path: Annotated[
        str | None, msgspec.Meta(description="JSON pointer, within the document, to what cannot be read of a pod.")
    ] = None


class ProblemError(Exception):
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.detail)
        self.problem = problem
        self.headers = dict(headers or {})

    @classmethod
    def of(cls, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None) -> "ProblemError":
        """Returns the problem of a request as a whole."""
        return cls(problem(status, detail), headers)

    def response(self) -> Response:
        """Returns the answer."""
        return Response(
            msgspec.json.encode(self.problem),
            self.problem.status,
            headers=self.headers,
            media_type=PROBLEM_TYPE,
        )


def problem(
    status: HTTPStatus, detail: str, *, document: int | None = None, line: int | None = None, path: str | None = None
) -> Problem:
    """Builds a problem; the status gives the title."""
    return Problem(
        type="about:blank",
        title=status.phrase,
        status=int(status),
        detail=detail,
        document=document,
        line=line,
        path=path,
    )
