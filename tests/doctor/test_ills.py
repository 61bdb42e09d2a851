"""A table of what may be wrong with an installation, each in one way, and of what only looks so."""

import datetime as dt

import msgspec
import pytest

from tests.doctor import patient
from tests.doctor.patient import AWAY, CALLED, FORBIDDEN, GOOD, Json, healthy, issue, mutating, told
from webhook.doctor.examine import examine
from webhook.doctor.facts import Asked, AskedPod, Listed, Probe, Said
from webhook.doctor.finding import Check, Level
from webhook.doctor.own_views import Service
from webhook.doctor.views import Version
from webhook.reasons import Code, sentence

OK, WARNING, PROBLEM, UNREAD, SKIPPED = Level


def with_service(**changes: object) -> Json:
    return {"clientConfig": {"caBundle": GOOD.bundle, "service": {**CALLED, **changes}}}


# What is ill, by what is changed of the healthy facts: the check, the level, and a part of the sentence.
ILL: list[tuple[Json, Check, Level, str]] = [
    ({"kubernetes": Version(git_version="v1.29.9")}, Check.KUBERNETES, PROBLEM, "take 1.30 or later"),
    ({"kubernetes": Version(git_version="unknown")}, Check.KUBERNETES, UNREAD, "'unknown'"),
    ({"mutating": ()}, Check.WEBHOOKS, PROBLEM, "no mutating webhook of fastload's is registered"),
    (
        {"mutating": patient.configuration(patient.webhook("pods.fastload.dev", "/mutate"))},
        Check.WEBHOOKS,
        PROBLEM,
        "namespaces.fastload.dev is missing",
    ),
    ({"validating": ()}, Check.WEBHOOKS, SKIPPED, "nobody is warned"),
    ({"mutating": mutating(**with_service(path="/other"))}, Check.WEBHOOKS, PROBLEM, "calls the path /other"),
    (
        {"mutating": mutating(clientConfig={"service": CALLED})},
        Check.WEBHOOKS,
        PROBLEM,
        "no caBundle for pods.fastload.dev, so",
    ),
    (
        {"mutating": mutating(clientConfig={"caBundle": GOOD.bundle, "url": "https://elsewhere/mutate"})},
        Check.WEBHOOKS,
        PROBLEM,
        "calls https://elsewhere/mutate instead",
    ),
    ({"mutating": mutating(failurePolicy="Fail")}, Check.WEBHOOKS, WARNING, "pods are refused while fastload is down"),
    ({"mutating": mutating(timeoutSeconds=2)}, Check.WEBHOOKS, WARNING, "gives up after 2 s"),
    (
        {"deployment": patient.deployment(FASTLOAD_DEADLINE_SECONDS="8")},
        Check.WEBHOOKS,
        WARNING,
        "before a review's own 9 s are over",
    ),
    (
        {"mutating": mutating(namespaceSelector=None)},
        Check.WEBHOOKS,
        WARNING,
        "is called for the namespaces kube-system, kube-node-lease, fastload",
    ),
    (
        {"deployment": patient.deployment(FASTLOAD_ANNOTATION_PREFIX="tune.example")},
        Check.WEBHOOKS,
        PROBLEM,
        "does not look for tune.example/inject",
    ),
    ({"certificate": None}, Check.CERTIFICATE, PROBLEM, "does not exist or has no tls.crt"),
    ({"certificate": b"nothing"}, Check.CERTIFICATE, PROBLEM, "is no certificate"),
    (
        {"certificate": None, "next_certificate": issue().certificate},
        Check.CERTIFICATE,
        WARNING,
        "renewal under way, and the caBundle of namespaces.fastload.dev",
    ),
    ({"certificate": None, "next_certificate": b"nothing"}, Check.CERTIFICATE, PROBLEM, "has no tls.crt"),
    ({"now": patient.NOW + dt.timedelta(days=80)}, Check.CERTIFICATE, WARNING, "ends in 10 days, on 2027-04-01"),
    ({"now": patient.NOW + dt.timedelta(days=91)}, Check.CERTIFICATE, PROBLEM, "ended on 2027-04-01 00:00 UTC"),
    (
        {"certificate": issue().certificate},
        Check.CERTIFICATE,
        PROBLEM,
        "namespaces.fastload.dev, pods.fastload.dev, workloads.fastload.dev does not have the authority",
    ),
    ({"deployment": None}, Check.DEPLOYMENT, PROBLEM, "there is no Deployment fastload"),
    ({"deployment": patient.deployment(ready=0)}, Check.DEPLOYMENT, PROBLEM, "0 of 2 replicas ready"),
    ({"deployment": patient.deployment(ready=1)}, Check.DEPLOYMENT, WARNING, "1 of 2 replicas ready"),
    ({"deployment": patient.deployment(replicas=0, ready=0)}, Check.DEPLOYMENT, PROBLEM, "0 of 0 replicas ready"),
    ({"deployment": patient.deployment(replicas=1, ready=1)}, Check.DEPLOYMENT, WARNING, "with one replica"),
    (
        {"deployment": patient.deployment(image="registry.example/fastload:0.1.0")},
        Check.DEPLOYMENT,
        PROBLEM,
        "is the placeholder",
    ),
    ({"service": None}, Check.SERVICE, PROBLEM, "there is no Service fastload"),
    ({"service": Service()}, Check.SERVICE, PROBLEM, "call port 443, which the Service does not have"),
    ({"slices": ()}, Check.SERVICE, PROBLEM, "has no ready endpoint"),
    ({"probe": Probe("default")}, Check.REVIEW, PROBLEM, "came back untouched"),
    ({"probe": Probe("default", status="skipped")}, Check.REVIEW, WARNING, "left as it was (skipped)"),
    (
        {"probe": Probe("default", refusal='failed calling webhook "pods.fastload.dev": x509: unknown authority')},
        Check.REVIEW,
        PROBLEM,
        "was refused, as fastload did not answer: failed calling",
    ),
    (
        {"probe": Probe("default", refusal='admission webhook "kyverno" denied the request')},
        Check.REVIEW,
        WARNING,
        "by something else than fastload",
    ),
    (
        {"asked": Asked((AskedPod(model="s3://m/x", reasons=(Said("s3-access-denied", "S3 refused"),)),))},
        Check.S3,
        PROBLEM,
        "s3://m/x is not listed, s3-access-denied: S3 refused",
    ),
    ({"asked": None}, Check.S3, SKIPPED, "no pod with a model in S3"),
    ({"asked": AWAY}, Check.S3, SKIPPED, "was not reached through the API server"),
    (
        {"namespaces": (patient.namespace("a", inject="true"),)},
        Check.NAMESPACES,
        PROBLEM,
        "namespace a has the label fastload.dev/inject=true, which opts nothing in",
    ),
    (
        {"namespaces": (patient.namespace("a", injection="enabled"),)},
        Check.NAMESPACES,
        PROBLEM,
        "the label is fastload.dev/inject",
    ),
    (
        {"namespaces": (patient.namespace("a", {"fastload.dev/inject": "enabled"}),)},
        Check.NAMESPACES,
        PROBLEM,
        "it has to be a label",
    ),
    (
        {"namespaces": (patient.namespace("kube-system", inject="enabled"),)},
        Check.NAMESPACES,
        WARNING,
        "kube-system opted in, and the webhook is not called for it",
    ),
    (
        {"workloads": {"Deployment": (patient.workload({"fastload.dev/inject": "true"}),)}},
        Check.WORKLOADS,
        PROBLEM,
        (
            "Deployment serving/qwen: fastload.dev/inject on the Deployment itself steers nothing: "
            "fastload reads spec.template.metadata.annotations"
        ),
    ),
    (
        {"pods": (patient.pod("a", status="skipped", reasons="no-engine"),)},
        Check.PODS,
        WARNING,
        f"1 pod skipped, no-engine: {sentence(Code.NO_ENGINE)} (serving/a)",
    ),
    (
        {"pods": tuple(patient.pod(f"p{n}", status="partial", reasons="eager,lookup-slow") for n in range(5))},
        Check.PODS,
        WARNING,
        f"5 pods partial, lookup-slow: {sentence(Code.LOOKUP_SLOW)} (serving/p0, serving/p1, serving/p2 and 2 more)",
    ),
    (
        {"pods": (patient.pod("a", status="injected", reasons="bad-annotation,eager"),)},
        Check.PODS,
        WARNING,
        f"1 pod injected, bad-annotation: {sentence(Code.BAD_ANNOTATION)} (serving/a)",
    ),
    ({"pods": (patient.pod("a", inject="true"),)}, Check.PODS, WARNING, "1 pod asked and went untuned (serving/a)"),
    ({"pods": (patient.pod("a", inject="yes"),)}, Check.PODS, PROBLEM, "'yes' is neither 'true' nor 'false'"),
]


@pytest.mark.parametrize(("changes", "check", "level", "part"), ILL, ids=lambda each: str(each)[:40])
def test_what_is_ill_is_found_and_nothing_else_by_its_check(
    changes: Json, check: Check, level: Level, part: str
) -> None:
    findings = examine(healthy(**changes))

    said = told(findings, check)
    assert (level, True) in [(each, part in text) for each, text in said], said
    before = told(examine(healthy()), check)
    assert len([each for each in said if each not in before]) <= (3 if check is Check.WEBHOOKS else 1)
    if level is PROBLEM:
        assert all(each.fix for each in findings if each.level is PROBLEM)


# What looks like a mistake, and is none.
WELL: list[tuple[Json, Check]] = [
    ({"namespaces": (patient.namespace("a", inject="disabled"),)}, Check.NAMESPACES),
    ({"namespaces": (patient.namespace("a", inject="enabled", team="true"),)}, Check.NAMESPACES),
    (
        {"workloads": {"Deployment": (patient.workload({"fastload.dev/inject": "1"}, {"fastload.dev/inject": "1"}),)}},
        Check.WORKLOADS,
    ),
    (
        {"workloads": {"Job": (patient.workload({"fastload.dev/x": "1"}, ownerReferences=[{"controller": True}]),)}},
        Check.WORKLOADS,
    ),
    ({"workloads": {"LeaderWorkerSet": msgspec.structs.replace(FORBIDDEN, status=404)}}, Check.WORKLOADS),
    (
        {"pods": (patient.pod("a", "Succeeded", inject="true"), patient.pod("b", status="injected", reasons="eager"))},
        Check.PODS,
    ),
    (
        {"pods": (patient.pod("a", namespace="kube-system", inject="true"), patient.pod("b", status="injected"))},
        Check.PODS,
    ),
    ({"asked": Asked((AskedPod(model="s3://m/x", shards=Listed(17)), AskedPod(model="/models/x")))}, Check.S3),
    ({"kubernetes": Version(git_version="v1.30.0")}, Check.KUBERNETES),
    ({"certificate": None, "next_certificate": GOOD.certificate}, Check.CERTIFICATE),
    ({"certificate": b"", "next_certificate": GOOD.certificate}, Check.CERTIFICATE),
    ({"next_certificate": issue().certificate}, Check.CERTIFICATE),
    ({"mutating": mutating(timeoutSeconds=3)}, Check.WEBHOOKS),
]


@pytest.mark.parametrize(("changes", "check"), WELL, ids=lambda each: str(each)[:40])
def test_what_only_looks_like_a_mistake_is_let_be(changes: Json, check: Check) -> None:
    assert told(examine(healthy(**changes)), check) == []
