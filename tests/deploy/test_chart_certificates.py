"""The three sources of the certificate, as the chart's values choose between them."""

from typing import Any

import pytest
import yaml

from tests.deploy.rendering import template

Json = dict[str, Any]
WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def objects(*arguments: str, **certificates: object) -> list[Json]:
    done = template({"certificates": certificates}, *arguments)
    assert done.returncode == 0, done.stderr
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def of_kind(found: list[Json], *kinds: str) -> list[Json]:
    return [each for each in found if each["kind"] in kinds]


def pod(found: list[Json]) -> Json:
    (deployment,) = of_kind(found, "Deployment")
    spec: Json = deployment["spec"]["template"]["spec"]
    return spec


def environment(found: list[Json]) -> Json:
    return {each["name"]: each["value"] for each in pod(found)["containers"][0]["env"]}


def test_self_managed_the_pods_are_told_what_they_keep_and_for_whom() -> None:
    found = objects("--set", "nameOverride=tuner", source="self-managed")
    name = "fastload-tuner"
    assert {key: value for key, value in environment(found).items() if "CERTIFICATE" in key} == {
        "FASTLOAD_CERTIFICATES": "self-managed",
        "FASTLOAD_CERTIFICATE_NAMESPACE": "fastload",
        "FASTLOAD_CERTIFICATE_SECRET": f"{name}-tls",
        "FASTLOAD_CERTIFICATE_NAMES": f"{name}.fastload.svc",
        "FASTLOAD_CERTIFICATE_WEBHOOKS": f"mutatingwebhookconfiguration/{name},validatingwebhookconfiguration/{name}",
    }
    assert {each["metadata"]["name"] for each in of_kind(found, *WEBHOOKS)} == {name}
    (service,) = of_kind(found, "Service")
    assert (service["metadata"]["name"], service["metadata"]["namespace"]) == (name, "fastload")


def test_self_managed_a_pod_starts_before_there_is_a_secret_and_mounts_no_more_than_it_serves() -> None:
    (volume,) = (each for each in pod(objects(source="self-managed"))["volumes"] if each["name"] == "tls")
    assert volume["secret"]["optional"] is True
    assert [item["key"] for item in volume["secret"]["items"]] == ["tls.crt", "tls.key"]


@pytest.mark.parametrize("source", ["self-managed", "cert-manager"])
def test_what_others_write_is_no_part_of_the_manifests(source: str) -> None:
    found = objects(source=source, caBundle="-----BEGIN CERTIFICATE-----")
    clients = [webhook["clientConfig"] for each in of_kind(found, *WEBHOOKS) for webhook in each["webhooks"]]
    assert len(clients) == 4
    assert not any("caBundle" in client for client in clients)
    assert of_kind(found, "Secret") == []


def test_cert_manager_injects_the_authority_of_the_certificate_that_the_pods_mount() -> None:
    found = objects(source="cert-manager")
    (leaf,) = (each for each in of_kind(found, "Certificate") if not each["spec"].get("isCA"))
    assert {
        each["metadata"]["annotations"]["cert-manager.io/inject-ca-from"] for each in of_kind(found, *WEBHOOKS)
    } == {f"fastload/{leaf['metadata']['name']}"}
    (volume,) = (each for each in pod(found)["volumes"] if each["name"] == "tls")
    assert volume["secret"]["secretName"] == leaf["spec"]["secretName"]
    assert leaf["spec"]["dnsNames"] == ["fastload.fastload.svc"]
    issuers = {each["metadata"]["name"] for each in of_kind(found, "Issuer")}
    assert {each["spec"]["issuerRef"]["name"] for each in of_kind(found, "Certificate")} == issuers


def test_cert_manager_with_an_issuer_of_yours_makes_none() -> None:
    issuer = {"kind": "ClusterIssuer", "name": "company"}
    found = objects(source="cert-manager", certManager={"issuerRef": issuer})
    (certificate,) = of_kind(found, "Certificate")
    assert certificate["spec"]["issuerRef"] == issuer
    assert of_kind(found, "Issuer") == []


def test_annotations_of_yours_stay_beside_cert_managers() -> None:
    found = objects("--set", "webhooks.annotations.team=ml", source="cert-manager")
    for each in of_kind(found, *WEBHOOKS):
        assert each["metadata"]["annotations"].keys() == {"team", "cert-manager.io/inject-ca-from"}
