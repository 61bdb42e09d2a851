"""What the chart's values come to, and which are refused before anything is installed."""

from typing import Any

import msgspec
import pytest
import yaml

from tests.deploy.rendering import template
from tests.deploy.settings_schema import WIRED, value_name
from webhook.server.declared import Declared, declared, load

Json = dict[str, Any]


def rendered(values: Json, kind: str) -> Json:
    """The one object of a kind that the chart makes of these values."""
    done = template(values)
    assert done.returncode == 0, done.stderr
    (found,) = (each for each in yaml.safe_load_all(done.stdout) if each["kind"] == kind)
    assert isinstance(found, dict)
    return found


def pod(values: Json) -> Json:
    spec: Json = rendered(values, "Deployment")["spec"]["template"]["spec"]
    return spec


def environment(values: Json) -> dict[str, str]:
    return {each["name"]: each["value"] for each in pod(values)["containers"][0]["env"]}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"replica": 3}, "'replica' not allowed", id="a value that does not exist"),
        pytest.param({"image": {"repo": "x"}}, "'repo' not allowed", id="one below another"),
        pytest.param({"image": "fastload:1"}, "'/image': got string, want object", id="another type"),
        pytest.param({"settings": {"alowedBuckets": ["x"]}}, "'alowedBuckets' not allowed", id="an unknown setting"),
        pytest.param({"settings": {"tlsKey": "x"}}, "'tlsKey' not allowed", id="a setting that is the chart's"),
        pytest.param({"settings": {"openFiles": 7}}, "minimum: got 7, want 1,024", id="a setting out of bounds"),
        pytest.param({"settings": {"cacheRoots": ["a"]}}, "'/settings/cacheRoots/0'", id="a path that isn't absolute"),
        pytest.param({"settings": {"allowedBuckets": ["a,b"]}}, "/allowedBuckets/0'", id="a list in one entry"),
        pytest.param({"settings": {"chunk": "of"}}, "one of 'auto', 'off', 'published'", id="no such choice"),
        pytest.param({"webhooks": {"failurePolicy": "ignore"}}, "one of 'Ignore', 'Fail'", id="failurePolicy"),
        pytest.param({"webhooks": {"timeoutSeconds": 31}}, "maximum: got 31, want 30", id="a timeout too long"),
        pytest.param({"webhooks": {"sideEffects": "Some"}}, "'sideEffects' not allowed", id="side effects are fixed"),
        pytest.param({"ports": {"reviews": 70000}}, "maximum: got 70,000", id="no port"),
        pytest.param({"certificates": {"source": "vault"}}, "'/certificates/source'", id="no such source"),
        pytest.param({"podLabels": {"a": 1}}, "'/podLabels/a': got number, want string", id="a label that is a number"),
        pytest.param({"settings": {"deadlineSeconds": 5}}, "or the deadline shorter", id="a deadline too long"),
        pytest.param({"terminationGracePeriodSeconds": 7}, "reviews would be cut off", id="no time to drain"),
        pytest.param({"ports": {"reviews": 8080}}, "give them different ports", id="one port twice"),
        pytest.param({"service": {"port": 8080}}, "give them different ports", id="one port of the Service twice"),
        pytest.param({"env": [{"name": "FASTLOAD_CHUNK", "value": "off"}]}, "takes below settings", id="set as env"),
        pytest.param({"autoscaling": {"enabled": True, "minReplicas": 9}}, "maxReplicas, 6", id="more than the most"),
    ],
)
def test_a_mistake_is_refused_and_named(values: Json, message: str) -> None:
    done = template(values)
    assert done.returncode != 0
    assert message in done.stderr


# Tried in this order. The deadline has to stay below the webhook's timeout, and some spell a number of this size 1e+06.
CANDIDATES: tuple[Any, ...] = (
    1.5,
    8_388_608,
    ["one-*", "two"],
    ["streamer", "retry"],
    ["one=0.15.9", "two=1"],
    ["/mnt/a", "/mnt/b"],
    "some-text",
    "baseline",
)


def other(setting: Declared) -> Any:  # noqa: ANN401 (of the setting's type)
    """A value that the setting takes, most often not its default."""
    if isinstance(setting.default, bool):
        return not setting.default
    return next((value for value in CANDIDATES if takes(setting, value)), setting.shown_default)


def takes(setting: Declared, value: Any) -> bool:  # noqa: ANN401 (of any type)
    try:
        msgspec.convert(tuple(value) if isinstance(value, list) else value, setting.type)
    except msgspec.ValidationError:
        return False
    return True


def test_every_setting_comes_through_as_given() -> None:
    given = [(setting, other(setting)) for setting in declared() if setting.variable not in WIRED]
    settings = load({}, environment({"settings": {value_name(setting): value for setting, value in given}}))
    for setting, value in given:
        loaded = getattr(getattr(settings, setting.room), setting.name)
        assert (list(loaded) if setting.repeatable else loaded) == value, setting.variable


def test_what_the_chart_decides_itself_comes_through() -> None:
    values = {"ports": {"reviews": 9443, "admin": 9090}, "annotationPrefix": "tune.example"}
    settings = load({}, environment(values))
    assert (settings.server.review_port, settings.server.admin_port) == (9443, 9090)
    assert settings.pod.annotation_prefix == "tune.example"
    ports = {port["name"]: port["containerPort"] for port in pod(values)["containers"][0]["ports"]}
    assert ports == {"reviews": 9443, "admin": 9090}


def test_a_setting_that_is_not_given_is_left_to_fastload() -> None:
    assert environment({}).keys() <= WIRED.keys()


@pytest.mark.parametrize("peers", [[], [{"ipBlock": {"cidr": "10.0.0.0/24"}}]])
def test_the_review_port_is_for_the_peers_that_are_named_or_for_all(peers: list[Json]) -> None:
    values = {"networkPolicy": {"enabled": True, "reviewsFrom": peers}}
    (ingress,) = rendered(values, "NetworkPolicy")["spec"]["ingress"]
    assert ingress == {"ports": [{"port": "reviews"}], **({"from": peers} if peers else {})}


def webhooks(values: Json) -> list[Json]:
    found: list[Json] = rendered(values, "MutatingWebhookConfiguration")["webhooks"]
    return found


def test_both_webhooks_for_pods_are_as_the_values_say() -> None:
    values = {
        "failurePolicy": "Fail",
        "timeoutSeconds": 3,
        "reinvocationPolicy": "Never",
        "matchPolicy": "Exact",
        "excludedNamespaces": ["kube-system", "argocd"],
    }
    for webhook in webhooks({"webhooks": values, "service": {"port": 8443}}):
        shown = ("failurePolicy", "timeoutSeconds", "reinvocationPolicy", "matchPolicy")
        assert {key: webhook[key] for key in shown} == {key: values[key] for key in shown}
        assert webhook["sideEffects"] == "None"
        (excluded,) = webhook["namespaceSelector"]["matchExpressions"]
        assert excluded["values"] == ["kube-system", "argocd", "fastload"]
        assert webhook["clientConfig"]["service"]["port"] == 8443


def test_both_webhooks_go_by_the_prefix() -> None:
    pods, namespaces = webhooks({"annotationPrefix": "tune.example"})
    assert "'tune.example/inject'" in pods["matchConditions"][0]["expression"]
    assert "'tune.example/inject'" in namespaces["matchConditions"][0]["expression"]
    assert namespaces["namespaceSelector"]["matchLabels"] == {"tune.example/inject": "enabled"}


@pytest.mark.parametrize(
    ("image", "reference"),
    [
        pytest.param({}, "registry.example/fastload:0.1.0", id="the chart's version"),
        pytest.param({"tag": "1.2"}, "registry.example/fastload:1.2", id="a tag"),
        pytest.param({"digest": f"sha256:{0:064x}", "tag": "1"}, f"registry.example/fastload@sha256:{0:064x}"),
    ],
)
def test_the_image(image: Json, reference: str) -> None:
    assert pod({"image": image})["containers"][0]["image"] == reference


def test_on_the_nodes_network_a_new_pod_can_take_an_old_ones_port() -> None:
    values = {"hostNetwork": True}
    assert pod(values)["dnsPolicy"] == "ClusterFirstWithHostNet"
    assert rendered(values, "Deployment")["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 1
    namespace = rendered({**values, "createNamespace": True}, "Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


def test_an_autoscaler_sets_the_replicas_alone() -> None:
    assert "replicas" not in rendered({"autoscaling": {"enabled": True}}, "Deployment")["spec"]


def test_a_monitor_finds_the_service_and_the_annotations_make_way_for_it() -> None:
    values = {"serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}}}
    monitor, service = rendered(values, "ServiceMonitor"), rendered(values, "Service")
    assert monitor["metadata"]["labels"].items() >= {"release": "prometheus"}.items()
    assert service["metadata"]["labels"].items() >= monitor["spec"]["selector"]["matchLabels"].items()
    assert monitor["spec"]["endpoints"][0]["port"] in [port["name"] for port in service["spec"]["ports"]]
    template_of = [rendered(given, "Deployment")["spec"]["template"]["metadata"] for given in (values, {})]
    assert ["prometheus.io/scrape" in metadata["annotations"] for metadata in template_of] == [False, True]


def test_a_label_of_the_users_never_parts_the_pods_from_their_selector() -> None:
    labels = {"app.kubernetes.io/name": "mine", "team": "inference"}
    deployment = rendered({"commonLabels": labels, "podLabels": labels}, "Deployment")
    of_pods = deployment["spec"]["template"]["metadata"]["labels"]
    assert of_pods.items() >= {**deployment["spec"]["selector"]["matchLabels"], "team": "inference"}.items()


def test_extra_labels_and_annotations_are_on_every_object() -> None:
    everything = {name: {"enabled": True} for name in ("autoscaling", "networkPolicy", "serviceMonitor", "dashboard")}
    common = {"commonLabels": {"team": "inference"}, "commonAnnotations": {"example.com/owner": "platform"}}
    done = template({**everything, "priorityClass": {"create": True}, "createNamespace": True, **common})
    objects = list(yaml.safe_load_all(done.stdout))
    assert len(objects) > 10
    for each in objects:
        assert each["metadata"]["labels"]["team"] == "inference", each["kind"]
        assert each["metadata"]["annotations"]["example.com/owner"] == "platform", each["kind"]
