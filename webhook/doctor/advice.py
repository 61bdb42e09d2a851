"""What to do about a model that was not looked up, by the reason that its pod or its preview gave."""

from webhook.reasons import Code

FIXES: dict[str, str] = {
    Code.S3_ACCESS_DENIED: "give fastload's role s3:ListBucket on the bucket (deploy/iam-policy.json); a bucket of "
    "another account has to allow the role too",
    Code.S3_NO_CREDENTIALS: "give fastload's service account a role by EKS Pod Identity or IRSA, and restart it",
    Code.S3_THROTTLED: "try again later",
    Code.S3_UNREACHABLE: "see that fastload's pods reach S3: a gateway endpoint, egress rules, a proxy",
    Code.S3_WRONG_REGION: "name the region that the bucket is in",
    Code.S3_BAD_ANSWER: "see what the endpoint is that answers so",
    Code.NO_SUCH_BUCKET: "see how the bucket is spelled in the pod's arguments",
    Code.NO_SAFETENSORS: "see how the prefix is spelled in the pod's arguments",
    Code.BUCKET_NOT_ALLOWED: "if the bucket is to be listed for this namespace, allow it: FASTLOAD_ALLOWED_BUCKETS, "
    "FASTLOAD_NAMESPACE_BUCKETS",
    Code.ENDPOINT_NOT_ALLOWED: "add the endpoint to FASTLOAD_ALLOWED_ENDPOINTS, if it is to be called",
    Code.LOOKUP_SLOW: "ask again, or make the pod anew: by then the answer is in memory",
    Code.LOOKUP_FAILED: "fastload's log has the details",
}
