"""Every word that fastload gives as a reason, and the sentence that goes with it.

The same word stands in the pod's annotation, the audit annotation, the warning, the metric label and the docs, so it is
declared once, here. A sentence is written for a platform engineer who has not read our code: what was decided, and on
what ground. Placeholders are filled by `because` and `advise`.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

# Of a value within a sentence, in characters: a list of all cache names fits, a script does not.
_LONGEST_VALUE = 400


class Code(StrEnum):
    """Why something was set, left alone or skipped."""

    # The gate: whether the pod is ours to touch at all.
    NOT_OPTED_IN = "not-opted-in"
    OPTED_OUT = "opted-out"
    BAD_ANNOTATION = "bad-annotation"
    MISPLACED_ANNOTATION = "misplaced-annotation"
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
    NOT_A_WORKLOAD = "not-a-workload"
    UNREADABLE_POD = "unreadable-pod"
    POD_TOO_LARGE = "pod-too-large"
    DEADLINE = "deadline"
    INTERNAL_ERROR = "internal-error"

    # The plan: parts that do not apply, or that the user arranged.
    FEATURE_NOT_OFFERED = "feature-not-offered"
    FEATURE_OFF = "feature-off"
    FEATURE_DISABLED = "feature-disabled"
    USER_SET = "user-set"
    CHOSEN_BY_ANNOTATION = "chosen-by-annotation"
    ANNOTATION_REFUSED = "annotation-refused"
    ADVICE_NOT_APPLIED = "advice-not-applied"
    ENV_FROM_GUARDED = "env-from-guarded"
    WORST_INSTANCE_TYPE = "worst-instance-type"
    UNKNOWN_INSTANCE_TYPE = "unknown-instance-type"
    # The plan: the streamer.
    NOT_OBJECT_STORAGE = "not-object-storage"
    MODEL_UNTOLD = "model-untold"
    OTHER_LOAD_FORMAT = "other-load-format"
    LOADER_CONFIG_WINS = "loader-config-wins"
    LOADER_CONFIG_UNREADABLE = "loader-config-unreadable"
    LAUNCH_UNREAD = "launch-unread"
    CHUNK_DEFAULT = "chunk-default"
    CHUNK_PUBLISHED = "chunk-published"
    CHUNK_NOT_S3 = "chunk-not-s3"
    CHUNK_SMALL_SHARDS = "chunk-small-shards"
    CHUNK_SMALL_BUFFER = "chunk-small-buffer"
    CONCURRENCY_SHARDS = "concurrency-shards"
    CONCURRENCY_MOST = "concurrency-most"
    CONCURRENCY_NETWORK = "concurrency-network"
    CONCURRENCY_OPEN_FILES = "concurrency-open-files"
    CONCURRENCY_MEMORY = "concurrency-memory"
    CONCURRENCY_DEFAULT = "concurrency-default"
    MEMORY_BUDGET = "memory-budget"
    MEMORY_UNLIMITED = "memory-unlimited"
    MEMORY_FITS = "memory-fits"
    MEMORY_SHORT = "memory-short"
    # The plan: retries.
    RETRY_NOT_S3 = "retry-not-s3"
    RETRY_PUBLISHED = "retry-published"
    RETRY_LOWERED = "retry-lowered"
    SLOW_NETWORK = "slow-network"
    NETWORK_UNKNOWN = "network-unknown"
    NETWORK_SHARED = "network-shared"
    PRIVATE_ENDPOINT = "private-endpoint"
    ENDPOINT_HIDDEN = "endpoint-hidden"
    RESUBMIT = "resubmit"
    RESUBMIT_OLDER_STREAMER = "resubmit-older-streamer"
    # The plan: the compile cache.
    EAGER = "eager"
    COMPILE_CACHE_DISABLED = "compile-cache-disabled"
    CACHE_OFF = "cache-off"
    CACHE_NO_GPU = "cache-no-gpu"
    CACHE_NAMES_USER = "cache-names-user"
    CACHE_VOLUME_USER = "cache-volume-user"
    CACHE_HOME_UNKNOWN = "cache-home-unknown"
    CACHE_MOUNT_TAKEN = "cache-mount-taken"
    CACHE_PATH_REFUSED = "cache-path-refused"
    CACHE_HOST_PATH = "cache-host-path"
    CACHE_CLAIM = "cache-claim"
    CACHE_INIT = "cache-init"
    CACHE_NAME = "cache-name"
    ASSETS_POD_LOCAL = "assets-pod-local"
    POD_SECURITY = "pod-security"
    FARGATE = "fargate"
    NO_INSTANCE_STORE = "no-instance-store"
    NON_ROOT = "non-root"
    GPU_NOT_FIXED = "gpu-not-fixed"


class Advice(StrEnum):
    """What would help further, and is the user's to decide: never applied by itself."""

    ENFORCE_EAGER = "enforce-eager"
    DISTRIBUTED = "distributed"
    STARTUP_PROBE = "startup-probe"
    BUCKET_REGION = "bucket-region"
    CONSOLIDATED_FILE = "consolidated-file"
    PER_POD_ENV = "per-pod-env"
    LOADER_CONFIG = "loader-config"
    STARTUP_PLAN = "startup-plan"
    MEMORY_HEADROOM = "memory-headroom"
    UNPINNED_IMAGE = "unpinned-image"
    CACHE_ON_EMPTY_DIR = "cache-on-empty-dir"
    SCALE_DOWN = "scale-down"


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
    Code.BAD_ANNOTATION: "annotation {annotation} is not valid: {problem}",
    Code.MISPLACED_ANNOTATION: "{annotations} on the {kind} itself steers nothing: fastload reads {path}",
    Code.WINDOWS: "the pod runs on Windows, where the engines and the streamer do not",
    Code.NO_ENGINE: "no container starts vLLM or SGLang in a way fastload can read; where one does, fastload's "
    "annotations engine, model and tensor-parallel-size tell what it starts",
    Code.SEVERAL_ENGINES: "containers {containers} each start an engine; name one with {annotation}",
    Code.NO_SUCH_CONTAINER: "annotation {annotation} names container {container}, which the pod does not have",
    Code.UNDECIDABLE_SCRIPT: "container {container}: {problem}, so what it launches cannot be told before it runs",
    Code.UNREADABLE_CONFIG_FILE: "container {container} reads {path}, which fastload cannot see before the pod runs",
    Code.UNKNOWN_MODEL: "container {container} launches {engine}, but which model cannot be told: {problem}",
    Code.BUCKET_NOT_ALLOWED: "bucket {bucket} is not one that the operator lets be listed for namespace {namespace}",
    Code.ENDPOINT_NOT_ALLOWED: "the pod's S3 endpoint {endpoint} is not on the operator's list of allowed endpoints",
    Code.ENDPOINT_UNKNOWN: "the pod takes its S3 endpoint ({name}) from outside its manifest, so {uri} was not listed",
    Code.STORE_NOT_S3: "{uri} is not in an S3 store, the only kind that fastload can list",
    Code.BAD_MODEL_URI: "{uri} is no S3 location that can be listed: {problem}",
    Code.NO_SUCH_BUCKET: "bucket {bucket} does not exist",
    Code.NO_SAFETENSORS: "no file matching {pattern} lies directly under {uri}",
    Code.S3_ACCESS_DENIED: "S3 refused fastload's credentials the listing of {uri}; it takes s3:ListBucket",
    Code.S3_NO_CREDENTIALS: "no AWS credentials were found to list {uri} with",
    Code.S3_THROTTLED: "S3 asked to slow down while {uri} was being listed",
    Code.S3_UNREACHABLE: "the S3 endpoint did not answer while {uri} was being listed",
    Code.S3_WRONG_REGION: "bucket {bucket} is in another region than its endpoint or access point says",
    Code.S3_BAD_ANSWER: "the S3 endpoint's answer to the listing of {uri} could not be used ({problem})",
    Code.NAMESPACE_UNKNOWN: "namespace {namespace} could not be read from the API server ({problem})",
    Code.LOOKUP_SLOW: "looking up {subject} took longer than a review may wait; a later pod may have it",
    Code.LOOKUP_FAILED: "looking up {subject} failed inside fastload ({problem}); its log has the details",
    Code.OFFLINE: "{subject} was not looked up: this is an offline preview",
    Code.FEATURE_NOT_OFFERED: "the operator's setting `features` leaves out {feature}",
    Code.FEATURE_OFF: "annotation {annotation} leaves out {feature}",
    Code.FEATURE_DISABLED: "{feature} is left alone, because an annotation that steers it was not understood",
    Code.USER_SET: "{names}: set by the user, and left alone",
    Code.CHOSEN_BY_ANNOTATION: "annotation {annotation} says so",
    Code.ENV_FROM_GUARDED: "{sources} may hold some of these names unseen; where one does, its value stays, because an "
    "optional reference to it follows each entry",
    Code.ANNOTATION_REFUSED: "annotation {annotation} was refused: {problem}",
    Code.ADVICE_NOT_APPLIED: "annotation {annotation} asks for {advice}: fastload gives advice, and applies none yet",
    Code.WORST_INSTANCE_TYPE: "the pod may land on any of {count} instance types (known by {source}), so the network "
    "is taken from the worst of them, {name}",
    Code.UNKNOWN_INSTANCE_TYPE: "the pod may land on {names} (known by {source}), which fastload's catalogue of EC2 "
    "types does not have",
    Code.NOT_OBJECT_STORAGE: "the weights come from {model}, not from object storage (s3://, gs://, az://), so the "
    "streamer does not read them",
    Code.MODEL_UNTOLD: "which model the engine loads cannot be told from the pod, so the streamer is left alone; "
    "annotations {model} and {size} tell it",
    Code.OTHER_LOAD_FORMAT: "load format {load_format} does not read through the Run:ai streamer",
    Code.LOADER_CONFIG_WINS: "--model-loader-extra-config sets {keys}, which the engine lets win over {names}",
    Code.LOADER_CONFIG_UNREADABLE: "--model-loader-extra-config cannot be read before the pod runs and may set "
    "concurrency and memory_limit, so neither is set here",
    Code.LAUNCH_UNREAD: "an annotation names the engine, but no line of container {container} that starts it could be "
    "read; it may set concurrency and memory_limit, so neither is set here",
    Code.CHUNK_DEFAULT: "the chunk size stays as it is: a larger one makes fewer requests at once, not larger ones "
    "(measured)",
    Code.CHUNK_PUBLISHED: "the published 4 GiB, as the operator's setting `chunk` says: {workers} has a whole chunk to "
    "read",
    Code.CHUNK_NOT_S3: "the chunk size stays as it is: the published one was found with S3, and this is {scheme}",
    Code.CHUNK_SMALL_SHARDS: "the chunk size stays as it is: {gib} GiB in {files} are less than a whole 4 GiB chunk "
    "for {workers}",
    Code.CHUNK_SMALL_BUFFER: "the chunk size stays as it is: a buffer of {gib} GiB holds so few 4 GiB chunks that "
    "fewer requests would be in flight than untouched",
    Code.CONCURRENCY_SHARDS: "a rank reads {files}, a worker for each",
    Code.CONCURRENCY_MOST: "a rank reads {files}; more than {workers} gain nothing",
    Code.CONCURRENCY_NETWORK: "a rank reads {files}, but {workers} on {ranks} already fill the pod's {gbps} Gbit/s of "
    "network",
    Code.CONCURRENCY_OPEN_FILES: "a limit of {open_files} open files bears {workers}",
    Code.CONCURRENCY_MEMORY: "the container's memory bears {workers} on {ranks}",
    Code.CONCURRENCY_DEFAULT: "the streamer's default of {value} workers stays: {why}",
    Code.MEMORY_BUDGET: "the container's {limit} GiB, less {engine} GiB for the engine, {volumes} GiB of memory-backed "
    "volumes and the requests in flight, leave this much for the buffer of {sharing}",
    Code.MEMORY_UNLIMITED: "the streamer's buffer stays as it is: the container has no memory limit",
    Code.MEMORY_FITS: "the streamer's buffer stays as it is: it fits the container's {limit} GiB",
    Code.MEMORY_SHORT: "the streamer's buffer stays as it is: the container's {limit} GiB do not hold {floor} GiB for "
    "{ranks}, and a smaller buffer may be under the largest tensor, which fails the load",
    Code.RETRY_NOT_S3: "the retry settings act on S3 alone, and the weights are in {scheme}",
    Code.RETRY_PUBLISHED: "the published values: with {gets} at once, each has {share} MiB/s, over four times the "
    "speed at which one is given up",
    Code.RETRY_LOWERED: "with {gets} at once, each has only {share} MiB/s, so one is given up at a lower speed than "
    "the published 1 MiB/s, which would kill a healthy load",
    Code.SLOW_NETWORK: "with {gets} at once, each has only {share} MiB/s: any useful speed limit would kill a healthy "
    "load, so none is set",
    Code.NETWORK_UNKNOWN: "no speed limit for requests is set: which instance type the pod gets is not known, and a "
    "limit over its fair share would kill a healthy load",
    Code.NETWORK_SHARED: "no speed limit for requests is set: the pod asks for {asked}, so its share of its node's "
    "network is not known",
    Code.PRIVATE_ENDPOINT: "no speed limit for requests is set: {name} leads to an endpoint that is not AWS's, whose "
    "speed is not known",
    Code.ENDPOINT_HIDDEN: "no speed limit for requests is set: {where} may lead to a store, or a way to it, whose "
    "speed is not known; AWS's own endpoint in AWS_ENDPOINT_URL of the container's env tells",
    Code.RESUBMIT: "a request that S3 turned away is tried again for this many seconds (streamers from 0.17.0; older "
    "ones ignore it)",
    Code.RESUBMIT_OLDER_STREAMER: "streamer {version} has no RUNAI_STREAMER_S3_TIMEOUT",
    Code.EAGER: "the engine runs eagerly and compiles nothing, so there is no compile cache to keep",
    Code.COMPILE_CACHE_DISABLED: "the user switched the compile cache off",
    Code.CACHE_OFF: "annotation {annotation} says off",
    Code.CACHE_NO_GPU: "the pod asks for no GPU that can be seen: what is compiled for a CPU is written in place, and "
    "a pod killed meanwhile would break those after it (measured); annotation {annotation} asks for one all the same",
    Code.CACHE_NAMES_USER: "{names}: the user keeps the compile cache, and it stays where it is",
    Code.CACHE_VOLUME_USER: "volume {volume} at {path} already keeps the engine's cache folder",
    Code.CACHE_HOME_UNKNOWN: "{name} is not known before the pod runs and may lead the engine's cache to volume "
    "{volume}, so it stays where it is",
    Code.CACHE_MOUNT_TAKEN: "the pod mounts volume {volume} at {path}, where the compile cache would go",
    Code.CACHE_PATH_REFUSED: "annotation {annotation} was refused: {path} {problem}",
    Code.CACHE_HOST_PATH: "the compile cache is kept on the node, in {path}",
    Code.CACHE_CLAIM: "the compile cache is kept on claim {claim}, in {path}",
    Code.CACHE_INIT: "an init container makes the cache folder writable for the engine's user",
    Code.CACHE_NAME: "lies on the compile-cache volume, so the next pod starts from it",
    Code.ASSETS_POD_LOCAL: "what vLLM downloads besides the weights (configuration, tokenizer) stays in the pod: "
    "shared, it races",
    Code.POD_SECURITY: "namespace {namespace} enforces Pod Security {level}, which refuses {what}",
    Code.FARGATE: "Fargate has no folder of the node to keep a compile cache in",
    Code.NO_INSTANCE_STORE: "the node may have no instance store, and the operator's settings keep the compile cache "
    "off its root volume",
    Code.NON_ROOT: "the engine may not run as root and could not write the cache folder: {problem}",
    Code.GPU_NOT_FIXED: "nothing in the pod fixes its GPU, and one claim must not serve two kinds: {consequence}",
    Code.NOT_A_POD_CREATION: "only the creation of a pod is acted on",
    Code.NOT_A_WORKLOAD: "only the creation or change of a workload that fastload knows is looked at",
    Code.UNREADABLE_POD: "the pod has a field of a type that its API does not allow, so it was left as it was",
    Code.POD_TOO_LARGE: "with what fastload adds, the pod might be too large for the API server to store, so it was "
    "left as it was",
    Code.DEADLINE: "deciding took longer than a review may, so the pod was left as it was; the next one may be tuned",
    Code.INTERNAL_ERROR: "fastload failed on this pod and left it as it was; its log has the details",
}

_COUNSEL: dict[Advice, str] = {
    Advice.ENFORCE_EAGER: "the engine runs eagerly, so it compiles nothing and there is no compile cache to keep",
    Advice.DISTRIBUTED: "each of {ranks} ranks reads the whole model, {gib} GiB through {gbps} Gbit/s; "
    "--model-loader-extra-config '{{\"distributed\": true}}' reads it once and hands it on between GPUs. Compare its "
    "output first: it is reported to be wrong for some models",
    Advice.STARTUP_PROBE: "the probe gives up after {budget} s, and a start without any cache may take {seconds} s; "
    "a startupProbe on /health with periodSeconds 10 and failureThreshold {failures} leaves room",
    Advice.BUCKET_REGION: "the bucket is in {bucket_region}, the nodes in {regions}: a copy in the nodes' region is "
    "faster and saves transfer cost",
    Advice.CONSOLIDATED_FILE: "a consolidated*.safetensors of {gib} GiB lies beside the shards and is read as well; "
    "move it into a folder of its own",
    Advice.PER_POD_ENV: "{names}: differs in every pod and is part of the compile cache's key in older vLLM, which "
    "then compiles on every start; leave it out where the engine can do without",
    Advice.LOADER_CONFIG: "--model-loader-extra-config sets {keys} and wins over the environment; without it "
    "fastload would choose",
    Advice.STARTUP_PLAN: "newer vLLM skips its memory profiling on a later start with VLLM_ENABLE_STARTUP_PLAN=1, kept "
    "in the same cache folder",
    Advice.MEMORY_HEADROOM: "give the container {gib} GiB of memory or more: reading the weights may run out of its "
    "{limit} GiB, which ends the engine without a traceback",
    Advice.UNPINNED_IMAGE: "image {image} is not pinned to a version, so its streamer and its compile cache change "
    "without notice; name a version or a digest",
    Advice.CACHE_ON_EMPTY_DIR: "{names} leads to an emptyDir, which does not outlive the pod, so every pod "
    "compiles anew",
    Advice.SCALE_DOWN: "cluster-autoscaler keeps a node while a pod on it has one of its folders, unless the pod's "
    "annotation {annotation} lists the volume; Karpenter does not mind",
}


def because(code: Code, **values: object) -> Reason:
    """Builds a reason from its word and the values its sentence names."""
    return Reason(code, _SENTENCES[code].format(**_clipped(values)))


def advise(code: Advice, **values: object) -> Counsel:
    """Builds a piece of advice from its word and the values its sentence names."""
    return Counsel(code, _COUNSEL[code].format(**_clipped(values)))


def _clipped(values: Mapping[str, object]) -> dict[str, object]:
    """Values of a readable length: a pod may hold names and texts of any."""
    return {name: _clip(value) if isinstance(value, str) else value for name, value in values.items()}


def _clip(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def sentence(code: Code | Advice) -> str:
    """Returns a word's sentence as it is declared, its placeholders in braces."""
    declared = _SENTENCES[code] if isinstance(code, Code) else _COUNSEL[code]
    return declared.replace("{{", "{").replace("}}", "}")
