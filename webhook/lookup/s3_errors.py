"""S3's and boto3's errors, as the reasons that a person can act on."""

import re
from typing import Any

from botocore import exceptions as boto
from botocore.exceptions import ClientError

from webhook.lookup.facts import Unknown
from webhook.lookup.listing import Listing
from webhook.reasons import Code, because

# Error codes that S3 gives (S3 API reference, 'Error responses'), and bare statuses, which a proxy or a plain server
# gives instead.
_CODES = {
    Code.NO_SUCH_BUCKET: ("NoSuchBucket", "NoSuchAccessPoint", "404"),
    Code.S3_ACCESS_DENIED: (
        "AccessDenied", "AccessDeniedException", "AllAccessDisabled", "ExpiredToken", "InvalidAccessKeyId",
        "InvalidToken", "RequestTimeTooSkewed", "SignatureDoesNotMatch", "401", "403",
    ),
    Code.S3_THROTTLED: ("SlowDown", "RequestLimitExceeded", "Throttling", "TooManyRequests", "429", "503"),
    Code.S3_WRONG_REGION: (
        "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "PermanentRedirect", "TemporaryRedirect",
        "301", "307", "308",
    ),
}  # fmt: skip
_BY_CODE = {word: code for code, words in _CODES.items() for word in words}

_NO_CREDENTIALS = (
    boto.NoCredentialsError, boto.PartialCredentialsError, boto.CredentialRetrievalError, boto.ProfileNotFound,
    boto.TokenRetrievalError, boto.SSOError,
)  # fmt: skip
_UNREACHABLE = (boto.ConnectionError, boto.HTTPClientError, boto.IncompleteReadError)
_BAD_LOCATION = (
    boto.InvalidEndpointDiscoveryConfigurationError, boto.ParamValidationError, boto.UnsupportedS3ArnError,
    boto.UnsupportedS3AccesspointConfigurationError, boto.EndpointProviderError, boto.MissingDependencyException,
)  # fmt: skip


def explain(fault: Exception, listing: Listing) -> Unknown:
    """Turns an error of a listing into its reason; of the server's text, no more than one short word is shown."""
    if isinstance(fault, ClientError):
        return _answered(fault.response, listing)
    code, problem = _failed(fault)
    return Unknown(because(code, bucket=listing.location.bucket, uri=listing, problem=problem))


def _answered(response: Any, listing: Listing) -> Unknown:  # noqa: ANN401 - as the server sent it
    word = str((response.get("Error") or {}).get("Code") or "")
    status = str((response.get("ResponseMetadata") or {}).get("HTTPStatusCode") or "")
    code = _BY_CODE.get(word) or _BY_CODE.get(status) or Code.S3_BAD_ANSWER
    problem = word if re.fullmatch(r"[A-Za-z0-9.]{1,40}", word) else f"status {status}"
    return Unknown(because(code, bucket=listing.location.bucket, uri=listing, problem=problem))


def _failed(fault: Exception) -> tuple[Code, str]:
    problem = type(fault).__name__
    if isinstance(fault, _NO_CREDENTIALS):
        return Code.S3_NO_CREDENTIALS, problem
    if isinstance(fault, (*_UNREACHABLE, TimeoutError)):
        return Code.S3_UNREACHABLE, problem
    if isinstance(fault, _BAD_LOCATION):
        return Code.BAD_MODEL_URI, problem
    return Code.S3_BAD_ANSWER, problem
