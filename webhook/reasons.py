"""Every word that fastload gives as a reason, and the sentence that goes with it.

The same word stands in the pod's annotation, the audit annotation, the warning, the metric label and the docs, so it is
declared once, here. A sentence is written for a platform engineer who has not read our code: what was decided, and on
what ground. Placeholders are filled by `because` and `advise`.
"""

from enum import StrEnum

import msgspec


class Code(StrEnum):
    """Why something was set, left alone or skipped."""

    # The gate: whether the pod is ours to touch at all.
    NOT_OPTED_IN = "not-opted-in"
    OPTED_OUT = "opted-out"
    BAD_ANNOTATION = "bad-annotation"
    WINDOWS = "windows"
    # The launch line.
    NO_ENGINE = "no-engine"
    SEVERAL_ENGINES = "several-engines"
    NO_SUCH_CONTAINER = "no-such-container"
    UNDECIDABLE_SCRIPT = "undecidable-script"
    UNREADABLE_CONFIG_FILE = "unreadable-config-file"
    UNKNOWN_MODEL = "unknown-model"
    # The look-ups.
    BUCKET_NOT_ALLOWED = "bucket-not-allowed"
    ENDPOINT_NOT_ALLOWED = "endpoint-not-allowed"
    ENDPOINT_UNKNOWN = "endpoint-unknown"
    STORE_NOT_S3 = "store-not-s3"
    BAD_MODEL_URI = "bad-model-uri"
    NO_SUCH_BUCKET = "no-such-bucket"
    NO_SAFETENSORS = "no-safetensors"
    S3_ACCESS_DENIED = "s3-access-denied"
    S3_NO_CREDENTIALS = "s3-no-credentials"
    S3_THROTTLED = "s3-throttled"
    S3_UNREACHABLE = "s3-unreachable"
    S3_WRONG_REGION = "s3-wrong-region"
    S3_BAD_ANSWER = "s3-bad-answer"
    NAMESPACE_UNKNOWN = "namespace-unknown"
    LOOKUP_SLOW = "lookup-slow"
    LOOKUP_FAILED = "lookup-failed"
    OFFLINE = "offline"
    # The review itself.
    NOT_A_POD_CREATION = "not-a-pod-creation"
    UNREADABLE_POD = "unreadable-pod"
    DEADLINE = "deadline"
    INTERNAL_ERROR = "internal-error"


class Advice(StrEnum):
    """What would help further, and is the user's to decide: never applied by itself."""

    ENFORCE_EAGER = "enforce-eager"


class Reason(msgspec.Struct, frozen=True):
    """One reason: the enumerated word and its sentence."""

    code: Code
    text: str


class Counsel(msgspec.Struct, frozen=True):
    """One piece of advice: the enumerated word and its sentence."""

    code: Advice
    text: str


_SENTENCES: dict[Code, str] = {
    Code.NOT_OPTED_IN: "neither the pod nor its namespace asks for fastload",
    Code.OPTED_OUT: "the pod says {annotation}: false",
    Code.BAD_ANNOTATION: "annotation {annotation} was ignored: {problem}",
    Code.WINDOWS: "the pod runs on Windows, where the engines and the streamer do not",
    Code.NO_ENGINE: "no container starts vLLM or SGLang in a way fastload can read",
    Code.SEVERAL_ENGINES: "containers {containers} each start an engine; name one with {annotation}",
    Code.NO_SUCH_CONTAINER: "annotation {annotation} names container {container}, which the pod does not have",
    Code.UNDECIDABLE_SCRIPT: "container {container}: {problem}, so what it launches cannot be told before it runs",
    Code.UNREADABLE_CONFIG_FILE: "container {container} reads {path}, which fastload cannot see before the pod runs",
    Code.UNKNOWN_MODEL: "container {container} launches {engine}, but which model cannot be told: {problem}",
    Code.BUCKET_NOT_ALLOWED: "bucket {bucket} is not on the operator's list of buckets that may be listed",
    Code.ENDPOINT_NOT_ALLOWED: "the pod's S3 endpoint {endpoint} is not on the operator's list of allowed endpoints",
    Code.ENDPOINT_UNKNOWN: "the pod takes its S3 endpoint ({name}) from outside its manifest, so {uri} was not listed",
    Code.STORE_NOT_S3: "{uri} is not in an S3 store, the only kind that fastload can list",
    Code.BAD_MODEL_URI: "{uri} is no S3 location that can be listed: {problem}",
    Code.NO_SUCH_BUCKET: "bucket {bucket} does not exist",
    Code.NO_SAFETENSORS: "no file matching {pattern} lies directly under {uri}",
    Code.S3_ACCESS_DENIED: "S3 refused fastload's credentials the listing of {uri}; it takes s3:ListBucket",
    Code.S3_NO_CREDENTIALS: "fastload has no AWS credentials to list {uri} with",
    Code.S3_THROTTLED: "S3 asked to slow down while {uri} was being listed",
    Code.S3_UNREACHABLE: "the S3 endpoint did not answer while {uri} was being listed",
    Code.S3_WRONG_REGION: "bucket {bucket} is in another region than its endpoint or access point says",
    Code.S3_BAD_ANSWER: "the S3 endpoint's answer to the listing of {uri} could not be used ({problem})",
    Code.NAMESPACE_UNKNOWN: "namespace {namespace} could not be read from the API server ({problem})",
    Code.LOOKUP_SLOW: "looking up {subject} took longer than a review may wait; the next pod will have it",
    Code.LOOKUP_FAILED: "looking up {subject} failed inside fastload ({problem}); its log has the details",
    Code.OFFLINE: "offline: {subject} was not looked up",
    Code.NOT_A_POD_CREATION: "only the creation of a pod is acted on",
    Code.UNREADABLE_POD: "the pod has a field of a type that its API does not allow, so it was left as it was",
    Code.DEADLINE: "deciding took longer than a review may, so the pod was left as it was; the next one may be tuned",
    Code.INTERNAL_ERROR: "fastload failed on this pod and left it as it was; its log has the details",
}

_COUNSEL: dict[Advice, str] = {
    Advice.ENFORCE_EAGER: "the engine runs eagerly, so it compiles nothing and there is no compile cache to keep",
}


def because(code: Code, **values: object) -> Reason:
    """Builds a reason from its word and the values its sentence names."""
    return Reason(code, _SENTENCES[code].format(**values))


def advise(code: Advice, **values: object) -> Counsel:
    """Builds a piece of advice from its word and the values its sentence names."""
    return Counsel(code, _COUNSEL[code].format(**values))
