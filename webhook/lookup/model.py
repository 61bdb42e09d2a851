"""Lists a model's shards in S3, through boto3's core, which finds credentials and configuration for boto3."""

import time
from collections.abc import Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from cachetools import LRUCache

from webhook.lookup.answers import BoundedSession
from webhook.lookup.facts import Shards, Unknown
from webhook.lookup.listing import Listing, Route
from webhook.lookup.s3_errors import explain
from webhook.lookup.shards import ShardCount
from webhook.lookup.threads import Threads
from webhook.lookup.uri import is_aws

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ListObjectsV2OutputTypeDef

# How long a listing of many pages may take in all, in seconds; a review stops waiting long before.
LISTING_SECONDS = 30.0

_WORKERS = 8
_CLIENTS = 32
# Short, and with one try more: a thread that is free is worth more than a page that is late.
_CONNECT_SECONDS = 2.0
_READ_SECONDS = 4.0
_ATTEMPTS = 2


class Models:
    """Lists models in S3, in threads of its own: boto3 blocks."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._threads = Threads(_WORKERS, "s3-listing")
        self._session: botocore.session.Session | None = None
        self._clients: LRUCache[Route, S3Client] = LRUCache(_CLIENTS)
        self._making = Lock()

    async def fetch(self, listing: Listing) -> Shards | Unknown:
        """Lists a model without holding up the event loop; see `list_shards`."""
        return await self._threads.call(lambda: self.list_shards(listing))

    def list_shards(self, listing: Listing) -> Shards | Unknown:
        """Lists a model's files as the streamer would, and adds them up; every failure is a value."""
        try:
            client = self._client(listing.route)
            count, region = self._count(client, listing)
        except (BotoCoreError, ClientError, KeyError, TimeoutError, TypeError, ValueError) as fault:
            return explain(fault, listing)
        if not is_aws(client.meta.endpoint_url):
            return count.result(None)
        return count.result(region or _region_of(client, listing.location.bucket))

    def warm(self, route: Route) -> None:
        """Makes a client ahead of the first listing: loading boto3's models takes a while."""
        self._client(route)

    def close(self) -> None:
        """Drops idle connections; a listing under way ends by its own time-outs, or with the process."""
        self._threads.close()
        with self._making:
            for client in self._clients.values():
                client.close()

    def _count(self, client: "S3Client", listing: Listing) -> tuple[ShardCount, str | None]:
        """Adds up the direct children of the prefix, and returns the bucket's region where S3 tells it."""
        until = self._clock() + LISTING_SECONDS
        location = listing.location
        count = ShardCount(listing)
        region = None
        pages = client.get_paginator("list_objects_v2").paginate(
            Bucket=location.bucket, Prefix=location.prefix, Delimiter="/"
        )
        for page in pages:
            for name, size_bytes in _children(page, location.prefix):
                count.add(name, size_bytes)
            region = page["ResponseMetadata"]["HTTPHeaders"].get("x-amz-bucket-region", region)
            if self._clock() > until:
                raise TimeoutError
        return count, region

    def _client(self, route: Route) -> "S3Client":
        """Returns the route's client, made once; all share a session, and so its credentials."""
        with self._making:
            client = self._clients.get(route)
            if client is None:
                self._session = self._session or botocore.session.get_session()
                client = self._clients[route] = make_client(self._session, route)
            return client


def _children(page: "ListObjectsV2OutputTypeDef", prefix: str) -> Iterator[tuple[str, int]]:
    """Returns a page's names and their sizes in bytes.

    Without the folder's own marker, and without what a store lists that ignores the delimiter.
    """
    found = ((each["Key"].removeprefix(prefix), each["Size"]) for each in page.get("Contents", []))
    return ((name, size) for name, size in found if name and "/" not in name)


def make_client(session: botocore.session.Session, route: Route) -> "S3Client":
    """Makes a client as boto3's users expect one: credentials, endpoint and style from environment and profile.

    A store that is not AWS is addressed by path, since few resolve a bucket's name in front of their own, unless the
    profile says otherwise.
    """
    client = _client_of(session, route, path_style=route.path_style is True)
    configured = session.get_scoped_config().get("s3")
    styled = isinstance(configured, dict) and "addressing_style" in configured
    if route.path_style is None and not styled and not is_aws(client.meta.endpoint_url):
        return _client_of(session, route, path_style=True)
    return client


def _client_of(session: botocore.session.Session, route: Route, *, path_style: bool) -> "S3Client":
    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        max_pool_connections=_WORKERS,
        s3={"addressing_style": "path"} if path_style else None,
        signature_version=UNSIGNED if route.unsigned else None,
    )
    client: Any = session.create_client("s3", endpoint_url=route.endpoint, region_name=route.region, config=config)
    endpoint = client._endpoint  # noqa: SLF001 (botocore has no other way to a client's session)
    endpoint.http_session = BoundedSession(endpoint.http_session)
    return cast("S3Client", client)


def _region_of(client: "S3Client", bucket: str) -> str | None:
    """Asks for a bucket's region by itself, where its listing did not tell; None where that is refused."""
    try:
        answer = client.head_bucket(Bucket=bucket)
    except (BotoCoreError, ClientError):
        return None
    region = answer["ResponseMetadata"]["HTTPHeaders"].get("x-amz-bucket-region")
    return str(region) if region else None
