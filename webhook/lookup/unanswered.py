"""The reasons for which something that was asked of the world stays unknown."""

from webhook.reasons import Code

UNANSWERED = frozenset(
    {
        Code.BUCKET_NOT_ALLOWED,
        Code.ENDPOINT_NOT_ALLOWED,
        Code.ENDPOINT_UNKNOWN,
        Code.BAD_MODEL_URI,
        Code.NO_SUCH_BUCKET,
        Code.NO_SAFETENSORS,
        Code.S3_ACCESS_DENIED,
        Code.S3_NO_CREDENTIALS,
        Code.S3_THROTTLED,
        Code.S3_UNREACHABLE,
        Code.S3_WRONG_REGION,
        Code.S3_BAD_ANSWER,
        Code.NAMESPACE_UNKNOWN,
        Code.LOOKUP_SLOW,
        Code.LOOKUP_FAILED,
        Code.UNKNOWN_INSTANCE_TYPE,
    }
)
