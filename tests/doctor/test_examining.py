"""Each thing that may be wrong with an installation is found, and said in words; nothing else is."""

import msgspec
import pytest

from tests.doctor import patient
from tests.doctor.patient import CALLED, FORBIDDEN, healthy, issue, told
from webhook.doctor.examine import examine, status_of
from webhook.doctor.facts import Facts, Right
from webhook.doctor.finding import Check, Finding, Level
from webhook.doctor.views import Pod

OK, WARNING, PROBLEM, UNREAD, SKIPPED = Level


def test_a_healthy_installation_is_well() -> None:
    findings = examine(healthy())

    assert {each.level for each in findings} == {OK, SKIPPED}
    assert status_of(findings) == 0
    assert list(dict.fromkeys(each.check for each in findings)) == [
        each for each in Check if each is not Check.WORKLOADS
    ]


def test_a_certificate_for_another_name_says_for_which() -> None:
    other = issue("other.fastload.svc")
    bundle = {"caBundle": other.bundle, "service": CALLED}
    configuration = patient.configuration(
        patient.webhook("pods.fastload.dev", "/mutate", clientConfig=bundle),
        patient.webhook("namespaces.fastload.dev", "/mutate", clientConfig=bundle),
    )
    facts = healthy(certificate=other.certificate, mutating=configuration, validating=())

    assert told(examine(facts), Check.CERTIFICATE) == [
        (
            PROBLEM,
            (
                "the certificate is for other.fastload.svc, and the API server calls fastload.fastload.svc: "
                "pods are made untuned"
            ),
        )
    ]


def test_pod_security_says_what_it_means_for_the_cache() -> None:
    strict = msgspec.convert(
        {
            "metadata": {
                "name": "a",
                "labels": {"fastload.dev/inject": "enabled", "pod-security.kubernetes.io/enforce": "baseline"},
            }
        },
        type(patient.namespace("a")),
    )
    (warning,) = told(examine(healthy(namespaces=(strict,))), Check.NAMESPACES)
    assert warning == (
        WARNING,
        (
            "Pod Security refuses a hostPath in a (baseline), so pods there get no compile cache; "
            "streamer and retries are set"
        ),
    )
    claimed = healthy(namespaces=(strict,), deployment=patient.deployment(FASTLOAD_CACHE_CLAIM="shared"))
    assert told(examine(claimed), Check.NAMESPACES) == []


def test_rights_that_are_missing_and_rights_that_are_too_many() -> None:
    changed = [
        msgspec.structs.replace(each, allowed=each.right.resource not in ("nodes", "configmaps", "secrets"))
        if each.needed
        else msgspec.structs.replace(each, allowed=each.right.resource == "secrets")
        for each in patient.access(healthy())
    ]

    assert told(examine(healthy(access=tuple(changed))), Check.RIGHTS) == [
        (
            PROBLEM,
            (
                "the service account may not list nodes, watch nodes: "
                "instance types are taken from NodePools, else from the pod alone"
            ),
        ),
        (WARNING, "the service account may list secrets, which fastload never does"),
    ]


def test_a_certificate_that_fastload_keeps_takes_rights_of_its_own() -> None:
    kept = healthy(deployment=patient.deployment(FASTLOAD_CERTIFICATES="self-managed"))
    plain = {each.right for each in patient.access(healthy())}
    more = {str(each.right) for each in patient.access(kept) if each.right not in plain}
    assert str(Right(verb="update", resource="secrets", namespace="fastload", name="fastload-tls")) in more
    assert "patch mutatingwebhookconfigurations.admissionregistration.k8s.io/fastload" in more


@pytest.mark.parametrize(
    ("ready", "certificates", "fix"),
    [
        (0, "self-managed", "fastload's pods write it once they run; kubectl describe pods -n fastload"),
        (2, "self-managed", "its log says what stands in the way"),
        (0, "files", "see that its injector runs and the annotation is right; else: install fastload again"),
    ],
)
def test_who_has_to_write_the_ca_bundles_is_told_once(ready: int, certificates: str, fix: str) -> None:
    empty = {"clientConfig": {"service": CALLED}}
    webhooks = [patient.webhook(f"{name}.fastload.dev", "/mutate", **empty) for name in ("pods", "namespaces")]
    validating = patient.configuration(
        *(
            patient.webhook(
                f"{name}.fastload.dev", "/validate", clientConfig={"service": {**CALLED, "path": "/validate"}}
            )
            for name in ("workloads", "others")
        )
    )
    findings = examine(
        healthy(
            mutating=patient.configuration(*webhooks),
            validating=validating,
            deployment=patient.deployment(ready=ready, FASTLOAD_CERTIFICATES=certificates),
        )
    )
    (problem,) = (each for each in findings if each.check is Check.WEBHOOKS)
    assert problem.level is PROBLEM
    assert (
        "no caBundle for pods.fastload.dev, namespaces.fastload.dev, workloads.fastload.dev and 1 more" in problem.text
    )
    assert fix in problem.fix


def test_a_secret_that_was_made_anew_is_a_renewal_under_way() -> None:
    findings = examine(healthy(certificate=None, next_certificate=patient.GOOD.certificate))
    (found,) = (each for each in findings if each.check is Check.CERTIFICATE)
    assert "renewal under way: pods serve the previous certificate until every API server" in found.text
    assert found.text.endswith("the next one ends on 2027-04-01")
    assert status_of(findings) == 0


def test_why_its_pods_do_not_run_is_told() -> None:
    waiting = {"name": "fastload", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    pods = (
        msgspec.convert({"status": {"phase": "Pending", "containerStatuses": [waiting]}}, Pod),
        msgspec.convert({"status": {"phase": "Pending"}}, Pod),
    )
    facts = healthy(deployment=patient.deployment(ready=0), own_pods=pods)
    assert told(examine(facts), Check.DEPLOYMENT) == [
        (PROBLEM, "0 of 2 replicas ready (ImagePullBackOff, 1 pod without a node)")
    ]


READS = ("mutating", "validating", "deployment", "service", "slices", "certificate", "namespaces", "pods", "access")


@pytest.mark.parametrize("field", [*READS, "kubernetes", "probe", "asked"])
def test_what_may_not_be_read_is_named_and_the_rest_is_checked(field: str) -> None:
    findings = examine(healthy(**{field: FORBIDDEN}))

    unread = [each for each in findings if each.level is UNREAD]
    assert [each.text for each in unread] == ["not looked at: you have no right to list things"]
    assert status_of(findings) == 2
    assert {each.check for each in findings} >= {each for each in Check if each is not Check.WORKLOADS}


def test_a_problem_counts_more_than_what_could_not_be_looked_at() -> None:
    assert status_of(examine(healthy(pods=FORBIDDEN, slices=()))) == 1
    assert status_of([Finding(Check.PODS, WARNING, "")]) == 0


def test_where_nothing_is_installed_one_sentence_says_so() -> None:
    facts: Facts = healthy(mutating=(), validating=(), deployment=None, service=None)
    findings = examine(facts)
    assert [each.check for each in findings] == [Check.KUBERNETES, Check.DEPLOYMENT]
    assert "fastload is not installed" in findings[1].text
