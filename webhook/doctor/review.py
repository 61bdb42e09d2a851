"""Whether a pod that asks comes back tuned: the whole path, tried with a pod that is never made."""

import re
from collections.abc import Iterator
from typing import Any

from webhook.doctor.facts import Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, unread

_TUNED = ("injected", "partial")
_CALL_FAILED = re.compile(r"failed (?:calling|to call) webhook \"[^\"]*\.fastload\.dev\"")


def sample_pod(prefix: str) -> dict[str, Any]:
    """Returns a pod that asks for fastload and that every level of Pod Security takes; nothing is looked up for it."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": "fastload-doctor-",
            "annotations": {
                f"{prefix}/inject": "true",
                f"{prefix}/shards": "17",
                f"{prefix}/model-size": "67Gi",
                f"{prefix}/instance-type": "p5.48xlarge",
            },
        },
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [
                {
                    "name": "vllm",
                    "image": "vllm/vllm-openai:v0.19.1",
                    "args": ["--model=s3://fastload-doctor/model", "--load-format=runai_streamer"],
                    "resources": {
                        "requests": {"cpu": "1m", "memory": "1Mi"},
                        "limits": {"cpu": "1m", "memory": "64Gi"},
                    },
                    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                }
            ],
        },
    }


def check_review(facts: Facts) -> Iterator[Finding]:
    """Tells what became of the sample pod."""
    probe = facts.probe
    if isinstance(probe, Unread):
        yield unread(Check.REVIEW, probe)
        return
    tried = f"a pod that asks, tried in namespace {probe.namespace} without making it,"
    if probe.refusal:
        yield _refused(tried, probe.refusal)
    elif probe.status in _TUNED:
        yield Finding(Check.REVIEW, Level.OK, f"{tried} came back tuned ({probe.status})")
    elif probe.status:
        text = f"{tried} was reviewed and left as it was ({probe.status})"
        fix = "the settings FASTLOAD_FEATURES and FASTLOAD_ALLOWED_BUCKETS may leave nothing to do; the log says more"
        yield Finding(Check.REVIEW, Level.WARNING, text, fix)
    else:
        text = f"{tried} came back untouched: the API server did not reach fastload, or does not take its answer"
        fix = (
            "mend the problems of webhooks, certificate, deployment and service first. Where there are none, the "
            "control plane does not reach the pods' port: check security groups and network policies. The API "
            'server\'s log says why, at "failed calling webhook"'
        )
        yield Finding(Check.REVIEW, Level.PROBLEM, text, fix)


def _refused(tried: str, refusal: str) -> Finding:
    if _CALL_FAILED.search(refusal):
        fix = "set failurePolicy to Ignore until the cause is mended, so that pods can be made"
        return Finding(Check.REVIEW, Level.PROBLEM, f"{tried} was refused, as fastload did not answer: {refusal}", fix)
    text = f"{tried} was refused, by something else than fastload: {refusal}"
    fix = "if a policy refuses what fastload adds, docs/operating.md (Other admission policies) says what to do without"
    return Finding(Check.REVIEW, Level.WARNING, text, fix)
