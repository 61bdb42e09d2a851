"""The annotations that steer fastload, parsed.

Each has one parser, which says in words what is wrong with a value that it does not take; such a value counts as
absent, and the features that it would have steered are left alone.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from webhook.pod.facts import Annotations, CacheChoice, CacheKind, Engine, Feature
from webhook.pod.quantity import parse_quantity
from webhook.reasons import Advice, Code, Reason, because

_ALL = frozenset(Feature)
_STREAMER = frozenset({Feature.STREAMER})
_RETRY = frozenset({Feature.RETRY})
_READS = frozenset({Feature.STREAMER, Feature.RETRY})
_CACHE = frozenset({Feature.CACHE})
_NOTHING: frozenset[Feature] = frozenset()

_MODEL = re.compile(r"(?i:s3|gs|az)://[^/\s]+(/\S*)?")
_VERSION = re.compile(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?:\.?(?:post|rc|dev)\d*)?")
_DNS_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_INSTANCE_TYPE = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")
_SMALLEST_CHUNK = 5 * 1024**2  # the streamer raises a smaller one without a word (its source)
_LARGEST_COUNT = 1_000_000
_MOST_WORKERS = 1024  # of one rank; each keeps some 20 connections open
_LONGEST_PATH = 1024
_LONGEST_QUOTE = 60


def _quoted(value: str) -> str:
    """A value within a sentence, cut short so that what is wrong with it still fits."""
    return repr(value if len(value) <= _LONGEST_QUOTE else f"{value[: _LONGEST_QUOTE - 1]}…")


def _inject(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError(f"{_quoted(value)} is neither 'true' nor 'false'")
    return value == "true"


def _model(value: str) -> str:
    if not _MODEL.fullmatch(value):
        raise ValueError(f"{_quoted(value)} is no object-store URI such as s3://bucket/prefix")
    return value


def _engine(value: str) -> Engine:
    if value not in (Engine.VLLM, Engine.SGLANG):
        raise ValueError(f"{_quoted(value)} is neither vllm nor sglang")
    return Engine(value)


def _name(value: str) -> str:
    if not _DNS_NAME.fullmatch(value):
        raise ValueError(f"{_quoted(value)} is no Kubernetes name")
    return value


def _instance_types(value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in value.lower().split(",")))
    wrong = next((name for name in names if not _INSTANCE_TYPE.fullmatch(name)), None)
    if wrong is not None:
        raise ValueError(f"{_quoted(wrong)} is no instance type such as p5.48xlarge")
    return names


def _count(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) <= len(str(_LARGEST_COUNT))):
        raise ValueError(f"{_quoted(value)} is no positive integer")
    if not 0 < int(value) <= _LARGEST_COUNT:
        raise ValueError(f"{_quoted(value)} is not between 1 and {_LARGEST_COUNT}")
    return int(value)


def _workers(value: str) -> int:
    if _count(value) > _MOST_WORKERS:
        raise ValueError(f"{_quoted(value)} is more workers than the {_MOST_WORKERS} that fastload sets")
    return int(value)


def _version(value: str) -> tuple[int, int, int]:
    match = _VERSION.fullmatch(value)
    if match is None:
        raise ValueError(f"{_quoted(value)} is no version such as 0.15.9")
    return int(match[1]), int(match[2]), int(match[3] or 0)


def _features(value: str) -> frozenset[Feature]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    wrong = next((name for name in names if name not in list(Feature)), None)
    if wrong is not None:
        raise ValueError(f"{_quoted(wrong)} is none of {', '.join(Feature)}")
    return frozenset(map(Feature, names))


def _bytes(value: str) -> int:
    amount = parse_quantity(value)
    if amount <= 0:
        raise ValueError(f"{_quoted(value)} is not more than nothing")
    return amount


def _chunk(value: str) -> int:
    amount = _bytes(value)
    if amount < _SMALLEST_CHUNK:
        raise ValueError(f"{_quoted(value)} is under 5Mi, the least that the streamer takes")
    return amount


def _cache(value: str) -> CacheChoice:
    kind, colon, claim = value.partition(":")
    if kind == CacheKind.PVC and _DNS_NAME.fullmatch(claim):
        return CacheChoice(CacheKind.PVC, claim)
    if colon or kind not in (CacheKind.HOST_PATH, CacheKind.OFF):
        raise ValueError(f"{_quoted(value)} is none of hostpath, pvc:CLAIM, off")
    return CacheChoice(CacheKind(kind))


def _path(value: str) -> str:
    """An absolute path that says what it means: nothing that another reader may resolve to another folder."""
    parts = value.split("/")[1:]
    if not value.startswith("/") or len(value) > _LONGEST_PATH or not all(parts):
        raise ValueError(f"{_quoted(value)} is no absolute path without empty parts or a slash at its end")
    if any(part in (".", "..") or part != part.strip() or not part.isprintable() or "\\" in part for part in parts):
        raise ValueError(f"{_quoted(value)} has a part that may lead elsewhere")
    return value


def _advice(value: str) -> frozenset[str]:
    names = frozenset(name.strip() for name in value.split(",") if name.strip())
    wrong = next((name for name in sorted(names) if name not in list(Advice)), None)
    if wrong is not None:
        raise ValueError(f"{_quoted(wrong)} is no advice of fastload's")
    return names


class _Kind(msgspec.Struct, frozen=True):
    """One annotation: the field it fills, how it is read, and what is left alone where it cannot be."""

    field: str
    parse: Callable[[str], Any]
    steers: frozenset[Feature]


_KINDS: dict[str, _Kind] = {
    # Read to the letter, as the webhook's match conditions read it in the API server.
    "inject": _Kind("inject", _inject, _ALL),
    "model": _Kind("model", _model, _ALL),
    "engine": _Kind("engine", _engine, _ALL),
    "container": _Kind("container", _name, _ALL),
    "instance-type": _Kind("instance_types", _instance_types, _ALL),
    "tensor-parallel-size": _Kind("tensor_parallel_size", _count, _ALL),
    "streamer-version": _Kind("streamer_version", _version, _RETRY),
    "features": _Kind("features", _features, _ALL),
    "concurrency": _Kind("concurrency", _workers, _STREAMER),
    "chunk-size": _Kind("chunk_bytes", _chunk, _STREAMER),
    "memory-limit": _Kind("memory_limit_bytes", _bytes, _STREAMER),
    "cache": _Kind("cache", _cache, _CACHE),
    "cache-path": _Kind("cache_path", _path, _CACHE),
    "shards": _Kind("shards", _count, _READS),
    "model-size": _Kind("model_bytes", _bytes, _READS),
    "apply-advice": _Kind("apply_advice", _advice, _NOTHING),
}
_INJECT = "inject"
# The two that stand for a listing.
_DECLARING = ("shards", "model-size")
# What fastload itself writes.
_STATUS = "status"
_WRITTEN = frozenset({_STATUS, "reasons", "plan"})


def read_inject(annotations: Mapping[str, str | None] | None, prefix: str) -> bool | Reason | None:
    """What a pod says of being injected: yes, no, the reason why its word counts for nothing, or None."""
    key = f"{prefix}/{_INJECT}"
    value = (annotations or {}).get(key)
    try:
        return None if value is None else _inject(value)
    except ValueError as error:
        return because(Code.BAD_ANNOTATION, annotation=key, problem=str(error))


def parse_annotations(annotations: Mapping[str, str | None] | None, prefix: str) -> Annotations:
    """Parses the annotations under a prefix; never raises, for a bad value becomes a reason."""
    start = prefix + "/"
    fields: dict[str, Any] = {}
    disabled: frozenset[Feature] = frozenset()
    problems: list[Reason] = []
    for key, value in (annotations or {}).items():
        if not key.startswith(start) or value is None:
            continue
        name = key[len(start) :]
        if name in _WRITTEN:
            fields["status_present"] = fields.get("status_present", False) or name == _STATUS
            continue
        kind = _KINDS.get(name)
        try:
            if kind is None:
                raise ValueError("fastload has no such annotation")  # noqa: TRY301 - said like any other problem
            fields[kind.field] = kind.parse(value.strip() if name != _INJECT else value)
        except ValueError as error:
            disabled |= kind.steers if kind is not None else _NOTHING
            problems.append(because(Code.BAD_ANNOTATION, annotation=key, problem=str(error)))
    problems += _halves(fields, prefix)
    return Annotations(prefix=prefix, disabled=disabled, problems=tuple(problems), **fields)


def _halves(fields: Mapping[str, Any], prefix: str) -> list[Reason]:
    """Says of one of the annotations that declare a model that it takes the other."""
    given = [name for name in _DECLARING if _KINDS[name].field in fields]
    if len(given) != 1:
        return []
    (other,) = set(_DECLARING) - set(given)
    problem = f"it counts only together with {prefix}/{other}"
    return [because(Code.BAD_ANNOTATION, annotation=f"{prefix}/{given[0]}", problem=problem)]
