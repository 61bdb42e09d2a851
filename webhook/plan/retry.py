"""The retry settings: give up a request that crawls, and never one that is merely sharing a slow link.

The speed limit is what kills a crawling request; the time-out alone does nothing. Over the fair share of a request it
kills every one of them, six times each, and the load fails (measured, docs/tuning.md).
"""

import msgspec

from webhook.plan.endpoint import unknown_speed
from webhook.plan.inflight import ANY_FILES, MIB, Knobs, most_in_flight
from webhook.plan.names import CONCURRENCY, LOW_SPEED_LIMIT, OBJECT_CONCURRENCY, REQUEST_TIMEOUT, RESUBMIT_WINDOW
from webhook.plan.network import Network, part_of_a_node
from webhook.plan.reading import Reading
from webhook.plan.subject import Subject
from webhook.plan.types import Setting
from webhook.plan.units import counted, mib
from webhook.plan.untouched import MOST_WORKERS
from webhook.plan.versions import RESUBMITS_FROM, Version, families, spell
from webhook.pod.facts import UserEnv
from webhook.reasons import Code, Reason, because

_PUBLISHED_LIMIT = 1 * MIB  # bytes/s
_PUBLISHED_TIMEOUT_MS = 3000  # measured: less changes nothing
_RESUBMIT_SECONDS = 60
# The fair share of a request is this many times the limit; at 0.9 times every request is killed (measured).
_MARGIN = 4
# Limits go by steps, and under the first of them a limit is useless: the requests worth killing crawl at 10 to 50 KB/s.
_STEP = 64 * 1024
_RESUBMIT = because(Code.RESUBMIT)


class Retry(msgspec.Struct, frozen=True):
    """Settings for retries, and why the rest was left alone; `unknown` where the network should be known and is not."""

    settings: tuple[Setting, ...] = ()
    reasons: tuple[Reason, ...] = ()
    unknown: bool = False


class _Limit(msgspec.Struct, frozen=True):
    """The speed limit in bytes/s, None where none is set, and why."""

    value: int | None
    reason: Reason
    unknown: bool = False


def tune_retry(
    subject: Subject, reading: Reading, network: Network | None, version: Version | None, knobs: Knobs
) -> Retry:
    """Chooses speed limit, time-out and resubmission for the requests that `knobs` keep in flight."""
    limit = _speed_limit(subject, reading, network, version, knobs)
    window, reason = _resubmission(subject.env, version)
    settings, reasons = [], []
    if limit.value is None:
        reasons.append(limit.reason)
    else:
        settings.append(Setting(REQUEST_TIMEOUT, str(_PUBLISHED_TIMEOUT_MS), limit.reason))
        settings.append(Setting(LOW_SPEED_LIMIT, str(limit.value), limit.reason))
    if window is None:
        reasons.append(reason)
    else:
        settings.append(Setting(RESUBMIT_WINDOW, str(window), reason))
    return Retry(tuple(settings), tuple(reasons), limit.unknown)


def most_requests(env: UserEnv, reading: Reading, version: Version | None, knobs: Knobs) -> int:
    """Returns the most requests that all ranks together have in flight, for any version it may be.

    A number of workers that is set where nobody sees it counts at its worst, and no buffer is relied on to hold
    requests back.
    """
    hidden = any(_may_hide(env, name) for name in (CONCURRENCY, OBJECT_CONCURRENCY))
    workers = max(knobs.concurrency, MOST_WORKERS) if hidden else knobs.concurrency
    knobs = msgspec.structs.replace(knobs, concurrency=workers, memory_limit=0)
    files = reading.files or ANY_FILES
    return reading.ranks * max(most_in_flight(family, knobs, files) for family in families(version))


def _speed_limit(
    subject: Subject, reading: Reading, network: Network | None, version: Version | None, knobs: Knobs
) -> _Limit:
    users = [name for name in (REQUEST_TIMEOUT, LOW_SPEED_LIMIT) if name in subject.env]
    if users:
        return _Limit(None, because(Code.USER_SET, names=", ".join(users)))
    against = unknown_speed(subject.env)
    if against is not None:
        return _Limit(None, against)
    part = part_of_a_node(subject)
    if part is not None:
        return _Limit(None, because(Code.NETWORK_SHARED, asked=part))
    if network is None:
        return _Limit(None, because(Code.NETWORK_UNKNOWN), unknown=True)
    gets = most_requests(subject.env, reading, version, knobs)
    share = network.share / gets
    # One card may have to carry it all: the limit stays under the share of that as well.
    limit = int(min(_PUBLISHED_LIMIT, share / _MARGIN, network.card / gets)) // _STEP * _STEP
    sharing = {"gets": counted(gets, "request"), "share": mib(share)}
    if limit < _STEP:
        return _Limit(None, because(Code.SLOW_NETWORK, **sharing))
    code = Code.RETRY_PUBLISHED if limit == _PUBLISHED_LIMIT else Code.RETRY_LOWERED
    return _Limit(limit, because(code, **sharing))


def _resubmission(env: UserEnv, version: Version | None) -> tuple[int | None, Reason]:
    if RESUBMIT_WINDOW in env:
        return None, because(Code.USER_SET, names=RESUBMIT_WINDOW)
    if version is not None and version < RESUBMITS_FROM:
        return None, because(Code.RESUBMIT_OLDER_STREAMER, version=spell(version))
    return _RESUBMIT_SECONDS, _RESUBMIT


def _may_hide(env: UserEnv, name: str) -> bool:
    """Whether a ConfigMap, a Secret or what a script runs may set this name in place of ours."""
    return env.forgotten or any(name.startswith(source.prefix) for source in env.hidden)
