"""Counting, as the metrics' families declare it."""

import math
import platform
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate

from prometheus_client import CollectorRegistry, Gauge, Histogram
from prometheus_client.gc_collector import GCCollector
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from webhook import __version__
from webhook.admission.decision import Outcome
from webhook.certificates.outcomes import Step, Writing
from webhook.lookup import observer
from webhook.reasons import Code
from webhook.server import preview_request
from webhook.server.connections import Dropped
from webhook.server.families import (
    BUILD,
    CERTIFICATE_BUNDLES,
    CERTIFICATE_EXPIRY,
    CERTIFICATE_RENEWALS,
    CLUSTER_HEARD,
    CONNECTIONS_DROPPED,
    HANDSHAKES,
    LOG_LINES_LOST,
    LOOKUP_CACHE,
    LOOKUP_SECONDS,
    LOOKUP_STALE,
    PREVIEWS,
    READY,
    REASONS,
    REVIEW_SECONDS,
    REVIEWS,
    WORKLOADS,
    Family,
)
from webhook.server.health import Health
from webhook.server.log_stream import LogStream
from webhook.server.tls import Handshake


class _Counts(Collector):
    """A counter that takes no lock, as the review path must not: reviews and scrapes share one event loop."""

    def __init__(self, family: Family, registry: CollectorRegistry) -> None:
        self._family = family
        self._counts: dict[tuple[str, ...], float] = {}
        registry.register(self)

    def add(self, *labels: str, count: float = 1) -> None:
        """Counts in the series of these labels."""
        self._counts[labels] = self._counts.get(labels, 0) + count

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yields the series, for a scrape."""
        yield _counter(self._family, self._counts.items())


def _counter(family: Family, counts: Iterable[tuple[tuple[str, ...], float]]) -> CounterMetricFamily:
    """Returns a counter's series, each of its labels."""
    metric = CounterMetricFamily(family.name, family.help, labels=family.labels)
    for labels, count in counts:
        metric.add_metric(labels, count)
    return metric


class _LostLines(Collector):
    """The lines of log that were lost, as the log itself counts them."""

    def __init__(self, log: LogStream) -> None:
        self._log = log

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yields the one series, for a scrape."""
        yield CounterMetricFamily(LOG_LINES_LOST.name, LOG_LINES_LOST.help, value=self._log.lost)


class _Read(Collector):
    """A gauge that is read where it stands, when it is scraped."""

    def __init__(self, family: Family, read: Callable[[], Mapping[str, float]], registry: CollectorRegistry) -> None:
        self._family = family
        self._read = read
        registry.register(self)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yields a series for each value of the one label, or the one series where there is no label."""
        metric = GaugeMetricFamily(self._family.name, self._family.help, labels=self._family.labels)
        for label, value in self._read().items():
            metric.add_metric([label] if self._family.labels else [], value)
        yield metric


class ReviewCounts(Collector):
    """Reviews by outcome, reason and seconds, as their endpoint's observer.

    They are counted as they come, without a lock, and told apart only when they are scraped.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._counts: dict[tuple[Outcome, tuple[Code, ...]], int] = {}
        self._durations = [0] * (len(REVIEW_SECONDS.buckets) + 1)
        self._seconds = 0.0
        registry.register(self)

    def observe(self, outcome: Outcome, reasons: tuple[Code, ...], seconds: float) -> None:
        """Counts one answered review."""
        key = outcome, reasons
        self._counts[key] = self._counts.get(key, 0) + 1
        self._durations[bisect_left(REVIEW_SECONDS.buckets, seconds)] += 1
        self._seconds += seconds

    def collect(self) -> Iterator[CounterMetricFamily | HistogramMetricFamily]:
        """Yields the series, every outcome among them from the start, so that a rate sees the first of its kind.

        A bucket has all reviews that took no longer than its bound.
        """
        outcomes, codes = Counter(dict.fromkeys(Outcome, 0)), Counter[Code]()
        for (outcome, reasons), count in self._counts.items():
            outcomes[outcome] += count
            codes.update(dict.fromkeys(reasons, count))
        yield _counter(REVIEWS, (((outcome,), count) for outcome, count in outcomes.items()))
        yield _counter(REASONS, (((code,), count) for code, count in codes.items()))
        bounds = (*map(str, REVIEW_SECONDS.buckets), "+Inf")
        buckets = list(zip(bounds, accumulate(self._durations), strict=True))
        yield HistogramMetricFamily(REVIEW_SECONDS.name, REVIEW_SECONDS.help, buckets=buckets, sum_value=self._seconds)


class WorkloadCounts:
    """Counts reviews of workloads, as their endpoint's observer: reasons and time are told of pods alone."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._reviews = _Counts(WORKLOADS, registry)
        for outcome in Outcome:
            self._reviews.add(outcome, count=0)

    def observe(self, outcome: Outcome, _reasons: tuple[Code, ...], _seconds: float) -> None:
        """Counts one answered review."""
        self._reviews.add(outcome)


class Metrics:
    """The process's metrics, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.reviews = ReviewCounts(self.registry)
        self.workloads = WorkloadCounts(self.registry)
        self._previews = _Counts(PREVIEWS, self.registry)
        for preview in preview_request.Outcome:
            self._previews.add(preview, count=0)
        self._lookup_seconds = self._histogram(LOOKUP_SECONDS)
        self._cache = _Counts(LOOKUP_CACHE, self.registry)
        self._stale = _Counts(LOOKUP_STALE, self.registry)
        for lookup in observer.Lookup:
            self._stale.add(lookup, count=0)
        self._expiry = Gauge(CERTIFICATE_EXPIRY.name, CERTIFICATE_EXPIRY.help, registry=self.registry)
        self._renewals = _Counts(CERTIFICATE_RENEWALS, self.registry)
        for step in Step:
            self._renewals.add(step, count=0)
        self._bundles = _Counts(CERTIFICATE_BUNDLES, self.registry)
        for writing in Writing:
            self._bundles.add(writing, count=0)
        self._handshakes = _Counts(HANDSHAKES, self.registry)
        for stage in Handshake:
            self._handshakes.add(stage, count=0)
        self._dropped = _Counts(CONNECTIONS_DROPPED, self.registry)
        for cause in Dropped:
            self._dropped.add(cause, count=0)
        build = Gauge(BUILD.name, BUILD.help, BUILD.labels, registry=self.registry)
        build.labels(__version__, platform.python_version()).set(1)

    def count_preview(self, outcome: preview_request.Outcome) -> None:
        """Counts one request for a preview."""
        self._previews.add(outcome)

    def count_lookup(self, lookup: observer.Lookup, outcome: observer.Outcome, seconds: float) -> None:
        """Counts one look-up that left memory."""
        self._lookup_seconds.labels(lookup, outcome).observe(seconds)

    def count_cache(self, lookup: observer.Lookup, result: observer.Memory) -> None:
        """Counts one question to a look-up's cache."""
        self._cache.add(lookup, result)

    def count_stale(self, lookup: observer.Lookup, age_seconds: float) -> None:
        """Counts how old an answer was that was served stale."""
        self._stale.add(lookup, count=age_seconds)

    def read(self, health: Health, heard: Callable[[], Mapping[str, float]]) -> None:
        """Tells, from now on, whether this replica takes reviews, and how long ago the cluster was heard of."""
        _Read(READY, lambda: {"": float(not health.missing())}, self.registry)
        _Read(CLUSTER_HEARD, heard, self.registry)

    def count_handshake(self, stage: Handshake) -> None:
        """Counts one TLS handshake that came to this stage."""
        self._handshakes.add(stage)

    def count_dropped(self, cause: Dropped) -> None:
        """Counts one connection that was closed for being of no use."""
        self._dropped.add(cause)

    def tell_of_log(self, log: LogStream) -> None:
        """Tells, from now on, how many lines of this log were lost."""
        self.registry.register(_LostLines(log))

    def count_renewal(self, step: Step) -> None:
        """Counts one step of keeping the certificate."""
        self._renewals.add(step)

    def count_bundle(self, outcome: Writing) -> None:
        """Counts one webhook configuration whose `caBundle` was to be written."""
        self._bundles.add(outcome)

    def certificate_expires(self, timestamp: float | None) -> None:
        """Sets when the serving certificate expires; not a number where there is none."""
        self._expiry.set(math.nan if timestamp is None else timestamp)

    def _histogram(self, family: Family) -> Histogram:
        return Histogram(family.name, family.help, family.labels, buckets=family.buckets, registry=self.registry)
