"""The page's files as they lie in the package, each with what a browser has to know of it."""

import hashlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

import msgspec

from webhook.lookup.catalogue import Catalogue, load_catalogue
from webhook.lookup.facts import InstanceType

_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".yaml": "text/plain; charset=utf-8",
    ".json": "application/json",
}
_INDEX = "index.html"
_INSTANCE_TYPES = "instance-types.json"


class Asset(msgspec.Struct, frozen=True):
    """One file: what is sent, as what, and a tag that changes with its content."""

    body: bytes
    media_type: str
    etag: str


class OfferedType(msgspec.Struct, frozen=True):
    """An instance type as the page offers it: its name, and what tells it from others."""

    name: str
    label: str


def load_assets() -> Mapping[str, Asset]:
    """Reads every file of the page, by its path on the admin port: `/` is the page, the rest lies below `/page/`."""
    return dict(_assets())


def _assets() -> Iterator[tuple[str, Asset]]:
    root = files("webhook.page").joinpath("assets")
    yield "/", _asset(_INDEX, root.joinpath(_INDEX).read_bytes())
    for name, body in _files(root):
        if name != _INDEX:
            yield f"/page/{name}", _asset(name, body)
    yield f"/page/{_INSTANCE_TYPES}", _asset(_INSTANCE_TYPES, _offered(load_catalogue()))


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            yield from _files(each, f"{prefix}{each.name}/")
        else:
            yield prefix + each.name, each.read_bytes()


def _asset(name: str, body: bytes) -> Asset:
    digest = hashlib.sha256(body).hexdigest()
    return Asset(body, _MEDIA_TYPES[PurePosixPath(name).suffix], f'"{digest[:32]}"')


def _offered(catalogue: Catalogue) -> bytes:
    """Lists the types with GPUs: others are seldom meant, and may be typed all the same."""
    offered = [OfferedType(each.name, _label(each)) for each in catalogue.types if each.gpus]
    return msgspec.json.encode(offered)


def _label(kind: InstanceType) -> str:
    return f"{kind.gpus} {kind.gpu_name or 'accelerators'}, {kind.network_baseline_gbps:g} Gbit/s"
