"""What is to be listed for a pod. Pure."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

import msgspec

from webhook.lookup.facts import SHARDED_FORMAT, Shards, Unknown
from webhook.lookup.settings import LookupSettings
from webhook.lookup.uri import KEY_BYTES, Location, is_aws, locate, origin
from webhook.pod.facts import Launch, PodFacts
from webhook.pod.stores import store_of
from webhook.reasons import Code, because

# vLLM's default name of a file of the sharded format.
_RANK_PATTERN = "model-rank-{rank}-part-{part}.safetensors"
_FALSE = frozenset({"0", "false", "no", "off"})
_TRUE = frozenset({"1", "true", "yes", "on"})
# The names that lead a pod's streamer to an endpoint: boto3's own for S3, the oldest streamers' name, the common one.
_ENDPOINT_NAMES = ("AWS_ENDPOINT_URL_S3", "RUNAI_STREAMER_S3_ENDPOINT", "AWS_ENDPOINT_URL")
# boto3 takes no region that is longer: it has to fit into a host's name.
_REGION_CHARACTERS = 63


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """The way to a store: everything that makes one S3 client differ from another.

    Where `endpoint`, `region` or `path_style` is None, boto3 decides as it does for anybody.
    """

    endpoint: str | None = None
    region: str | None = None
    path_style: bool | None = None
    unsigned: bool = False


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """One listing to be made: where, by which way, and the name pattern of the sharded format, if it is in that."""

    location: Location
    route: Route = Route()
    rank_pattern: str | None = None

    def __str__(self) -> str:
        return str(self.location)


def wanted(facts: PodFacts, settings: LookupSettings) -> Listing | Shards | Unknown | None:
    """Tells what is to be listed for a pod.

    Returns the figures themselves where annotations declare them, an `Unknown` where nothing may or can be listed, and
    None where the pod is left alone or its model does not lie in an object store.
    """
    uri = _model(facts)
    store = store_of(uri) if uri else None
    if uri is None or store is None or facts.launch is None or facts.skips:
        return None
    if facts.annotations.shards and facts.annotations.model_bytes:
        return declared(facts.annotations.shards, facts.annotations.model_bytes)
    if store != "s3":
        return Unknown(because(Code.STORE_NOT_S3, uri=uri))
    try:
        location = locate(uri)
    except ValueError as problem:
        return Unknown(because(Code.BAD_MODEL_URI, uri=uri, problem=str(problem)))
    if not _allowed(location.bucket, facts.namespace, settings):
        return Unknown(because(Code.BUCKET_NOT_ALLOWED, bucket=location.bucket, namespace=facts.namespace))
    return _listing(location, facts.launch, facts.container.env.values if facts.container else {}, settings)


def lies_in_s3(facts: PodFacts) -> bool:
    """Tells whether the pod's model is named by an S3 URI."""
    uri = _model(facts)
    return uri is not None and store_of(uri) == "s3"


def _model(facts: PodFacts) -> str | None:
    return facts.annotations.model or (facts.launch.model if facts.launch else None)


def _allowed(bucket: str, namespace: str, settings: LookupSettings) -> bool:
    """Whether the operator lets a bucket be listed for a namespace's pods.

    It is asked for each pod, before any memory of listings: no namespace learns what was found for another.
    """
    if not any(fnmatchcase(bucket, pattern) for pattern in settings.allowed_buckets):
        return False
    rules = [rule.split("=") for rule in settings.namespace_buckets]
    return not rules or any(fnmatchcase(namespace, whose) and fnmatchcase(bucket, which) for whose, which in rules)


def _listing(
    location: Location, launch: Launch, env: Mapping[str, str | None], settings: LookupSettings
) -> Listing | Unknown:
    """Returns the listing to be made, if the operator allows the way to it."""
    route = _route(env, settings, location)
    if isinstance(route, Unknown):
        return route
    if (launch.load_format or "").lower() != SHARDED_FORMAT:
        return Listing(location=location, route=route)
    pattern = launch.loader.pattern or _RANK_PATTERN
    if len(pattern) > KEY_BYTES:  # nothing that it could match can be in S3
        return Unknown(because(Code.NO_SAFETENSORS, pattern=pattern, uri=location))
    return Listing(location=location, route=route, rank_pattern=pattern)


def declared(count: int, total_bytes: int) -> Shards:
    """Returns shards as an annotation or a flag declares them: of the same size each."""
    return Shards(count=count, total_bytes=total_bytes, largest_bytes=-(-total_bytes // count), declared=True)


def _route(env: Mapping[str, str | None], settings: LookupSettings, location: Location) -> Route | Unknown:
    """Returns the way to a pod's store: its own endpoint if the operator allows it, else the operator's or boto3's.

    An endpoint of AWS's own leads to the same buckets as no endpoint does, so it is not followed as such.
    """
    style = _path_style(env)
    unsigned = (env.get("RUNAI_STREAMER_S3_UNSIGNED") or "").lower() in _TRUE
    name = next((name for name in _ENDPOINT_NAMES if env.get(name, "") != ""), None)
    if name is None:
        return Route(endpoint=settings.s3_endpoint, path_style=style, unsigned=unsigned)
    url = env[name]
    if url is None:
        return Unknown(because(Code.ENDPOINT_UNKNOWN, name=name, uri=location))
    if is_aws(url):
        return Route(path_style=style, unsigned=unsigned)
    endpoint = origin(url)
    if endpoint is None or endpoint not in _allowed_origins(settings):
        return Unknown(because(Code.ENDPOINT_NOT_ALLOWED, endpoint=endpoint or f"in {name}"))
    region = env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION")
    if region is not None and len(region) > _REGION_CHARACTERS:
        region = None
    return Route(endpoint=endpoint, region=region, path_style=style, unsigned=unsigned)


def _path_style(env: Mapping[str, str | None]) -> bool | None:
    return True if (env.get("RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING") or "").lower() in _FALSE else None


def _allowed_origins(settings: LookupSettings) -> Iterable[str | None]:
    urls = (*settings.allowed_endpoints, settings.s3_endpoint)
    return (origin(url) for url in urls if url)
