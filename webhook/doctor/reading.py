"""Reads from the API server, whose failures are values: what cannot be read must not keep the rest from being read."""

from collections.abc import Mapping
from typing import Generic, TypeVar

import msgspec

from webhook.doctor.finding import Unread
from webhook.doctor.kube import Api
from webhook.doctor.views import View
from webhook.lookup.watching import KubeError, decode

_PAGE = 500
_ABSENT = 404

T = TypeVar("T", bound=View)


class _ListMetadata(View, frozen=True, kw_only=True):
    continue_: str = msgspec.field(name="continue", default="")


class _List(View, Generic[T], frozen=True, kw_only=True):
    metadata: _ListMetadata = _ListMetadata()
    items: list[T] | None = None


class Reader:
    """Reads objects as views. `right` is what a read takes, in the words of an RBAC rule."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def one(self, path: str, kind: type[T], right: str) -> T | Unread | None:
        """Returns an object, None where there is none."""
        try:
            return decode(msgspec.json.Decoder(kind), await self._api.get(path, {}))
        except KubeError as fault:
            return None if fault.status == _ABSENT else _unread(right, fault)

    async def every(
        self, path: str, kind: type[T], right: str, query: Mapping[str, str] | None = None
    ) -> tuple[T, ...] | Unread:
        """Returns all objects of a resource, page by page."""
        pages = msgspec.json.Decoder(_List[kind])  # type: ignore[valid-type]  # a type that is a value here
        found: list[T] = []
        asked = {**(query or {}), "limit": str(_PAGE)}
        try:
            while True:
                page = decode(pages, await self._api.get(path, asked))
                found += page.items or ()
                if not page.metadata.continue_:
                    return tuple(found)
                asked["continue"] = page.metadata.continue_
        except KubeError as fault:
            return _unread(right, fault)

    async def ask(
        self, path: str, content: object, right: str, query: Mapping[str, str] | None = None
    ) -> bytes | Unread:
        """Returns the answer to something that is sent and never stored."""
        try:
            return await self._api.post(path, query or {}, content)
        except KubeError as fault:
            return _unread(right, fault)


def _unread(right: str, fault: KubeError) -> Unread:
    return Unread(right, str(fault), fault.status)
