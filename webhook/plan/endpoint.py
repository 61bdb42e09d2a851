"""Whether the weights come from AWS's own S3, whose speed is the node's network: any other store's is not known."""

from webhook.pod.facts import UserEnv
from webhook.reasons import Code, Reason, because

# What leads the streamer to another endpoint than AWS's own; the last is read by 0.10 and 0.11 (the streamer's source).
_NAMES = (
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
    "RUNAI_STREAMER_OVERRIDE_ENDPOINT_URL",
    "RUNAI_STREAMER_S3_ENDPOINT",
)
# The names that people use; a pod that says AWS in one of them says where it reads.
_TELLING = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
# What puts something unseen between pod and S3: a configuration file (AWS SDKs reference, 'endpoint_url') or a proxy.
_BETWEEN = ("AWS_CONFIG_FILE", "AWS_PROFILE", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
_DETOURS = (*_BETWEEN, *(name.lower() for name in _BETWEEN if name.endswith("_PROXY")))
_AWS_DOMAINS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws")


def unknown_speed(env: UserEnv) -> Reason | None:
    """Returns why the speed of the store is not known; None where the pod reads from AWS's own S3."""
    for name in _NAMES:
        if name in env and not _is_aws(env.values[name]):
            return because(Code.PRIVATE_ENDPOINT, name=name)
    where = _hiding_place(env)
    return because(Code.ENDPOINT_HIDDEN, where=where) if where else None


def _hiding_place(env: UserEnv) -> str | None:
    """What may name another endpoint, or a detour to AWS's, out of our sight."""
    detour = next((name for name in _DETOURS if env.values.get(name, "") != ""), None)
    if detour is not None or any(name in env for name in _TELLING):
        return detour
    if env.forgotten:
        return "something that the script runs"
    sources = [each for each in env.hidden if any(name.startswith(each.prefix) for name in _NAMES)]
    return " or ".join(f"{each.kind} {each.name}" for each in sources) or None


def _is_aws(url: str | None) -> bool:
    """Whether a URL leads to AWS; an empty one counts as not set, and one that is not known does not."""
    if url == "":
        return True
    host = (url or "").partition("://")[2].partition("/")[0].partition(":")[0]
    return host.lower().endswith(_AWS_DOMAINS)
