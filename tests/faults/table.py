"""Every fault that is tried: what a pod gets meanwhile, and what tells of it. `docs/faults.md` is made from it."""

from enum import StrEnum

import msgspec

from webhook.reasons import Code


class Pod(StrEnum):
    """What becomes of a pod that is made during a fault. None is ever refused."""

    TUNED = "tuned"
    CERTAIN = "tuned by what is certain"
    UNTUNED = "as it was"


class Fault(msgspec.Struct, frozen=True):
    """One fault, and what it comes to. `test` is where it is tried: FILE or FILE::FUNCTION, below `tests`."""

    name: str
    pod: Pod
    tells: str
    test: str
    reason: Code | None = None


_LATE = 'fastload_lookup_seconds{outcome="late"}'
_UNKNOWN = 'fastload_lookup_seconds{outcome="unknown"}'
_FOUND = 'fastload_lookup_seconds{outcome="found"}'
_REFUSED = 'fastload_reviews_total{outcome="refused"}'
_HEARD = "fastload_cluster_heard_timestamp_seconds"
_DROPPED = 'fastload_connections_dropped_total{{cause="{}"}}'
_HANDSHAKES = "fastload_tls_handshakes_total"
_FAIL_OPEN = "apiserver_admission_webhook_fail_open_count"

_S3 = "faults/test_faulty_store.py"
_API = "faults/test_faulty_cluster.py"
_REVIEWS = "faults/test_faulty_reviews.py"
_FLOODS = "faults/test_floods.py"
_PROCESS = "faults/test_faulty_host.py"


def _certain(name: str, reason: Code, tells: str = _UNKNOWN, test: str = _S3) -> Fault:
    return Fault(name, Pod.CERTAIN, tells, test, reason)


STORE = {
    "slow": _certain("S3 answers after three seconds", Code.LOOKUP_SLOW, _LATE),
    "hanging": _certain("S3 takes the request and never answers", Code.LOOKUP_SLOW, _LATE),
    "drip": _certain("S3 sends its answer byte by byte", Code.LOOKUP_SLOW, _LATE),
    "endless": _certain("S3 sends an answer without an end", Code.S3_BAD_ANSWER),
    "huge": Fault("a prefix with 100,000 shards, in 100 pages", Pod.TUNED, _FOUND, _S3),
    "denied": _certain("S3 refuses the listing (403)", Code.S3_ACCESS_DENIED),
    "skewed": _certain("S3 finds the node's clock wrong (403)", Code.S3_ACCESS_DENIED),
    "absent": _certain("no such bucket (404)", Code.NO_SUCH_BUCKET),
    "empty": _certain("nothing below the prefix", Code.NO_SAFETENSORS),
    "throttled": _certain("S3 asks to slow down (503)", Code.S3_THROTTLED),
    "broken": _certain("S3 fails (500)", Code.S3_BAD_ANSWER),
    "elsewhere-301": _certain("the bucket is in another region (301)", Code.S3_WRONG_REGION),
    "elsewhere-400": _certain("the request is signed for another region (400)", Code.S3_WRONG_REGION),
    "garbage": _certain("an answer that is not XML", Code.S3_BAD_ANSWER),
    "truncated": _certain("an answer that ends within an element", Code.S3_BAD_ANSWER),
    "cut-off": _certain("a connection that ends within an answer", Code.S3_BAD_ANSWER),
    "other-xml": _certain("an answer that is XML of something else", Code.NO_SAFETENSORS),
    "bomb": _certain("XML whose entities would fill the memory", Code.S3_BAD_ANSWER),
    "reset": _certain("S3 resets the connection", Code.S3_UNREACHABLE),
}
WAYS = {
    "refused": _certain("nobody listens where S3 should be", Code.S3_UNREACHABLE, test=_PROCESS),
    "nameless": _certain("S3's name cannot be resolved", Code.S3_UNREACHABLE, test=_PROCESS),
}
CLUSTER = {
    "away": _certain("the API server cannot be reached about a new namespace", Code.NAMESPACE_UNKNOWN, _UNKNOWN, _API),
    "hanging": _certain("the API server never answers about one", Code.LOOKUP_SLOW, _LATE, _API),
    "forbidden": _certain("the permissions to read one are missing (403)", Code.NAMESPACE_UNKNOWN, _UNKNOWN, _API),
    "failing": _certain("the API server fails on one (500)", Code.NAMESPACE_UNKNOWN, _UNKNOWN, _API),
    "garbage": _certain("the API server answers nonsense about one", Code.NAMESPACE_UNKNOWN, _UNKNOWN, _API),
}
WATCHES = {
    "broken": Fault("a watch that breaks", Pod.TUNED, _HEARD, _API),
    "gone": Fault("a watch from a version too old (410)", Pod.TUNED, _HEARD, _API),
    "nonsense": Fault("a watch that sends nonsense", Pod.TUNED, _HEARD, _API),
}
_OUTAGES = "e2e/test_outages.py::"
_AT_START = (
    Fault(
        "the API server is away when fastload starts",
        Pod.TUNED,
        _HEARD,
        f"{_OUTAGES}test_the_webhook_starts_without_an_api_server_and_follows_it_once_it_is_there",
    ),
    Fault(
        "the API server restarts",
        Pod.TUNED,
        _HEARD,
        f"{_OUTAGES}test_the_webhook_goes_on_and_follows_again_when_the_api_server_restarts",
    ),
    Fault(
        "a watch that falls silent, closed by nobody",
        Pod.TUNED,
        _HEARD,
        "lookup/test_kube.py::test_a_watch_that_falls_silent_is_a_kube_error",
    ),
)
REVIEWS = {
    "empty": Fault("a review without a body", Pod.UNTUNED, _REFUSED, _REVIEWS),
    "malformed": Fault("a review that is not JSON", Pod.UNTUNED, _REFUSED, _REVIEWS),
    "truncated": Fault("a review that ends within a value", Pod.UNTUNED, _REFUSED, _REVIEWS),
    "large": Fault("a review of 10 MB", Pod.UNTUNED, _REFUSED, _REVIEWS),
    "deep": Fault("a review nested 100,000 deep", Pod.UNTUNED, _REFUSED, _REVIEWS),
    "version": Fault("a review of another version", Pod.UNTUNED, _REFUSED, _REVIEWS),
    "type": Fault("a review of another content type", Pod.UNTUNED, _REFUSED, _REVIEWS),
    "late": Fault("a review whose body does not arrive", Pod.UNTUNED, _REFUSED, _REVIEWS),
    "odd": Fault(
        "a pod with a field of a type that its API does not allow",
        Pod.UNTUNED,
        'fastload_reviews_total{outcome="failed-open"}',
        _REVIEWS,
        Code.UNREADABLE_POD,
    ),
}
FLOODS = {
    "silent": Fault("connections that never begin a handshake", Pod.TUNED, _HANDSHAKES, _FLOODS),
    "idle": Fault("connections that never send a request", Pod.TUNED, "process_open_fds", _FLOODS),
    "loris": Fault("headers that come byte by byte", Pod.TUNED, _DROPPED.format("slow"), _FLOODS),
    "heads": Fault("headers without an end", Pod.TUNED, _DROPPED.format("headers"), _FLOODS),
    "bodies": Fault("bodies that do not arrive", Pod.TUNED, _REFUSED, _FLOODS),
}
_HOST = (
    Fault("the disk is full, so no log can be written", Pod.TUNED, "fastload_log_lines_lost_total", _PROCESS),
    Fault("whoever reads the log stalls", Pod.TUNED, "fastload_log_lines_lost_total", _PROCESS),
    Fault("the clock jumps by ten years", Pod.TUNED, 'fastload_lookup_cache_total{result="hit"}', _PROCESS),
    Fault("EC2 refuses everything: nobody asks it", Pod.TUNED, "", f"{_PROCESS}::test_nobody_asks_ec2"),
    Fault("S3 hangs while fastload is told to end", Pod.CERTAIN, _LATE, _PROCESS),
)
_CERTIFICATES = "e2e/test_faults_certificate.py"
_TRUST = (
    Fault("the serving certificate has expired", Pod.UNTUNED, f"{_HANDSHAKES}, {_FAIL_OPEN}", _CERTIFICATES),
    Fault("the serving certificate is for another name", Pod.UNTUNED, f"{_HANDSHAKES}, {_FAIL_OPEN}", _CERTIFICATES),
    Fault(
        "the serving certificate's authority is not in the `caBundle`",
        Pod.UNTUNED,
        f"{_HANDSHAKES}, {_FAIL_OPEN}",
        _CERTIFICATES,
    ),
)
_LIFE = "e2e/test_lifecycle.py"
_UNINSTALL = "e2e/test_faults_uninstall.py"
_LIVES = (
    Fault("1,000 pods at once of models that nobody looked up", Pod.TUNED, _FOUND, "e2e/test_burst.py"),
    Fault("a replica is replaced, or there are more or fewer", Pod.TUNED, "fastload_ready", _LIFE),
    Fault("one of two replicas is killed: until the Service forgets it", Pod.UNTUNED, _FAIL_OPEN, _LIFE),
    Fault("every replica is down", Pod.UNTUNED, _FAIL_OPEN, "e2e/test_outages.py"),
    Fault("an upgrade of a certificate by hand, without helm: for seconds", Pod.UNTUNED, _FAIL_OPEN, _UNINSTALL),
    Fault("the namespace is deleted before the release", Pod.UNTUNED, _FAIL_OPEN, _UNINSTALL),
)

SECTIONS: dict[str, tuple[Fault, ...]] = {
    "S3": (*STORE.values(), *WAYS.values()),
    "The cluster": (*CLUSTER.values(), *WATCHES.values(), *_AT_START),
    "Reviews": tuple(REVIEWS.values()),
    "Connections": tuple(FLOODS.values()),
    "The node": _HOST,
    "The certificate": _TRUST,
    "The life of an installation": _LIVES,
}
