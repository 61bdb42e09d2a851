"""Settings of the look-ups: what may be contacted, and for how long an answer holds."""

from typing import Annotated

import msgspec

_Seconds = Annotated[float, msgspec.Meta(gt=0)]


class LookupSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What may be contacted, and for how long an answer holds. Times are in seconds."""

    allowed_buckets: Annotated[
        tuple[str, ...],
        msgspec.Meta(description="Buckets that may be listed; shell-style patterns. `*` allows all that IAM allows."),
    ] = ("*",)
    namespace_buckets: Annotated[
        tuple[Annotated[str, msgspec.Meta(pattern=r"^[^=]+=[^=]+$", title="NAMESPACE=BUCKET")], ...],
        msgspec.Meta(
            description="Which of the allowed buckets may be listed for pods of which namespace: NAMESPACE=BUCKET, "
            "shell-style patterns both. Without an entry, all for all; with any, what no entry names is not listed."
        ),
    ] = ()
    allowed_endpoints: Annotated[
        tuple[str, ...],
        msgspec.Meta(description="S3 endpoint URLs besides AWS's own that a pod's AWS_ENDPOINT_URL may lead us to."),
    ] = ()
    s3_endpoint: Annotated[
        str | None,
        msgspec.Meta(description="Endpoint URL for every listing, for a store that is not AWS S3."),
    ] = None
    deadline_seconds: Annotated[
        _Seconds, msgspec.Meta(description="How long a review waits for its look-ups, all together.")
    ] = 2.0
    listing_fresh_seconds: Annotated[_Seconds, msgspec.Meta(description="How long a model's listing is fresh.")] = 300.0
    listing_stale_seconds: Annotated[
        _Seconds, msgspec.Meta(description="How long a listing is served while a new one is fetched behind it.")
    ] = 3600.0
    failure_seconds: Annotated[_Seconds, msgspec.Meta(description="How long a failed look-up is remembered.")] = 15.0
    cache_entries: Annotated[int, msgspec.Meta(description="How many models are remembered at the most.", gt=0)] = (
        10_000
    )
    pod_security_default: Annotated[
        str,
        msgspec.Meta(
            description="Pod Security level of a namespace without the enforce label: the default of the cluster's own "
            "PodSecurity admission, or what a policy engine (Kyverno, Gatekeeper) enforces everywhere. From `baseline` "
            "up no pod gets a hostPath.",
            pattern="^(privileged|baseline|restricted)$",
        ),
    ] = "privileged"
