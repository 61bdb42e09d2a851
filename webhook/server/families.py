"""Metrics as they are declared: every name, its labels and its help, once.

A label's values come from enumerations only, so the number of series is bounded whatever pods say.
"""

import msgspec


class Family(msgspec.Struct, frozen=True):
    """One metric as it is declared: its name as scraped, its help and its labels."""

    name: str
    help: str
    labels: tuple[str, ...] = ()
    # Upper bounds in seconds, of a histogram.
    buckets: tuple[float, ...] = ()


REVIEWS = Family("fastload_reviews_total", "Reviews answered, by what became of the pod.", ("outcome",))
REASONS = Family("fastload_reasons_total", "Reviews whose answer gave this reason.", ("reason",))
REVIEW_SECONDS = Family(
    "fastload_review_seconds",
    "Time from a review's first byte to its answer, look-ups included.",
    # Microseconds from memory, up to the look-ups' deadline without.
    buckets=(0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0),
)
WORKLOADS = Family(
    "fastload_workload_reviews_total",
    "Workloads reviewed, by what their pods will get as far as it can be told.",
    ("outcome",),
)
PREVIEWS = Family("fastload_previews_total", "Requests for a preview, by what became of them.", ("outcome",))
LOOKUP_SECONDS = Family(
    "fastload_lookup_seconds",
    "Time of one look-up that left memory, by what it asked and how it ended.",
    ("lookup", "outcome"),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0),
)
LOOKUP_CACHE = Family(
    "fastload_lookup_cache_total", "Look-ups, by whether memory had the answer.", ("lookup", "result")
)
LOOKUP_STALE = Family(
    "fastload_lookup_stale_seconds_total",
    "Ages of the answers that were served stale, while a new one was fetched, added up.",
    ("lookup",),
)
CLUSTER_HEARD = Family(
    "fastload_cluster_heard_timestamp_seconds",
    "When the API server last told how this resource is, in seconds since the epoch; 0 before it ever did.",
    ("resource",),
)
READY = Family("fastload_ready", "1 while this replica takes reviews, else 0.")
CERTIFICATE_EXPIRY = Family(
    "fastload_certificate_expiry_timestamp_seconds", "When the serving certificate expires, in seconds since the epoch."
)
CERTIFICATE_RENEWALS = Family(
    "fastload_certificate_renewals_total",
    "Steps of keeping a self-managed certificate that this replica took: adopted, prepared, served, tidied, or failed.",
    ("step",),
)
CERTIFICATE_BUNDLES = Family(
    "fastload_certificate_bundle_writes_total",
    "Webhook configurations whose caBundle was not as it should be, by whether this replica could write it.",
    ("outcome",),
)
HANDSHAKES = Family(
    "fastload_tls_handshakes_total",
    "TLS handshakes on the review port. One that begins and is not completed was broken off, as by an API server that "
    "does not trust the certificate.",
    ("stage",),
)
CONNECTIONS_DROPPED = Family(
    "fastload_connections_dropped_total",
    "Connections that were closed for being of no use: a request's head took too long (slow) or was too large "
    "(headers), or there were too many of them (full).",
    ("cause",),
)
LOG_LINES_LOST = Family(
    "fastload_log_lines_lost_total",
    "Lines of log that could not be written, because the disk is full or whoever reads them stalls.",
)
BUILD = Family("fastload_build_info", "Always 1; the labels say what runs.", ("version", "python"))

FAMILIES = (
    REVIEWS,
    REASONS,
    REVIEW_SECONDS,
    WORKLOADS,
    PREVIEWS,
    LOOKUP_SECONDS,
    LOOKUP_CACHE,
    LOOKUP_STALE,
    CLUSTER_HEARD,
    READY,
    CERTIFICATE_EXPIRY,
    CERTIFICATE_RENEWALS,
    CERTIFICATE_BUNDLES,
    HANDSHAKES,
    CONNECTIONS_DROPPED,
    LOG_LINES_LOST,
    BUILD,
)
