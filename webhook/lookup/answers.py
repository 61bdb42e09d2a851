"""What an S3 endpoint answers, read within limits: botocore reads as much as is sent, for as long as it is."""

import time
from collections.abc import Iterator
from typing import Any

from botocore import exceptions as boto
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session
from urllib3 import exceptions as http

# A page lists a thousand keys at the most (S3 API reference, ListObjectsV2), each of 1,024 bytes at the most, which may
# be six times as many in XML.
_LARGEST_BYTES = 8 * 1024**2
_PIECE_BYTES = 64 * 1024
# How long one answer may take to arrive. botocore's own limit is for each piece of it.
_ANSWER_SECONDS = 10.0


class TooLargeError(ValueError):
    """The answer is larger than any listing's page."""


class BoundedSession:
    """Sends a client's requests by its own session, and reads the answers itself."""

    def __init__(self, session: URLLib3Session) -> None:
        self._session = session

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """Sends a request, and returns the answer with its whole body.

        Raises:
            TooLargeError: the body is larger than any page.
            TimeoutError: it takes too long.
            BotoCoreError: as the session's own.
        """
        request.stream_output = True  # the session leaves the body unread
        answer = self._session.send(request)
        try:
            body = _read(answer.raw)
        except http.TimeoutError as error:
            raise boto.ReadTimeoutError(endpoint_url=request.url, error=error) from error
        except http.HTTPError as error:
            raise boto.ConnectionClosedError(endpoint_url=request.url, error=error) from error
        return AWSResponse(answer.url, answer.status_code, answer.raw.headers, _Read(body))

    def close(self) -> None:
        """Closes the connections."""
        self._session.close()


class _Read:
    """A body that was read, for botocore to read once more."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self) -> Iterator[bytes]:
        yield self._body


def _read(raw: Any) -> bytes:  # noqa: ANN401 (urllib3's answer, which botocore's stubs do not tell)
    until = time.monotonic() + _ANSWER_SECONDS
    body = bytearray()
    try:
        for piece in raw.stream(_PIECE_BYTES):
            body += piece
            _check(len(body), until)
    except BaseException:
        raw.close()  # what is left of the body must not be read by the next request
        raise
    return bytes(body)


def _check(size_bytes: int, until: float) -> None:
    if size_bytes > _LARGEST_BYTES:
        raise TooLargeError
    if time.monotonic() > until:
        raise TimeoutError
