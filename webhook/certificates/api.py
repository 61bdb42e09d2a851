"""The calls to the API server that keeping certificates takes."""

import datetime as dt
from typing import Protocol

import msgspec

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"


class Answer(msgspec.Struct, frozen=True):
    """What the API server answered, and when by its own clock."""

    # None where there is no such object.
    body: bytes | None
    now: dt.datetime


class Api(Protocol):
    """The calls that keeping certificates takes."""

    async def read(self, path: str) -> Answer:
        """Returns an object, as it is stored.

        Raises:
            KubeError: the server is not reached, or refuses.
        """

    async def write(self, method: str, path: str, content: object, media: str = JSON) -> None:
        """Creates or changes an object, from a value of JSON's types.

        Raises:
            KubeError: the server is not reached, or refuses.
        """
