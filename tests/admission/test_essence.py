import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reviews import Json
from webhook.admission.essence import Essence, written
from webhook.admission.review import Object
from webhook.pod.view import Pod

TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


def encoded(of: object) -> bytes:
    """Encodes as the API server does: without spaces."""
    return json.dumps(of, separators=(",", ":")).encode()


def as_written(of: object) -> bytes:
    return written(msgspec.json.decode(encoded(of), type=Object))


def essence(of: object) -> bytes:
    return bytes(Essence.of(as_written(of)))


def issued(token: str, *, args: tuple[str, ...] = (), other_volume: str = "data") -> Json:
    """A pod as the ServiceAccount plugin leaves it."""
    mount = {"name": token, "readOnly": True, "mountPath": TOKEN_PATH}
    sources = [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}]
    return {
        "metadata": {"generateName": "qwen-", "annotations": {"a": "b"}},
        "spec": {
            "volumes": [
                {"name": other_volume, "emptyDir": {}},
                {"name": token, "projected": {"sources": sources, "defaultMode": 420}},
            ],
            "containers": [
                {"name": "engine", "args": list(args), "volumeMounts": [mount]},
                {"name": "sidecar", "volumeMounts": [{"name": other_volume, "mountPath": "/data"}, mount]},
            ],
        },
    }


def test_pods_that_differ_in_the_name_of_the_token_volume_only_have_one_essence() -> None:
    assert essence(issued("kube-api-access-4vxfd")) == essence(issued("kube-api-access-zz9bc"))


def test_owners_managed_fields_and_identity_do_not_count() -> None:
    pod = issued("kube-api-access-4vxfd")
    pod["metadata"] |= {"uid": "u", "ownerReferences": [{"uid": "o"}], "managedFields": [{"time": "now"}]}
    pod["status"] = {"phase": "Pending"}
    assert essence(pod) == essence(issued("kube-api-access-4vxfd"))


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"generateName": "llama-", "annotations": {"a": "b"}}},
        {"metadata": {"name": "qwen-", "annotations": {"a": "b"}}},
        {"metadata": {"generateName": "qwen-", "annotations": {"a": "c"}}},
        {"metadata": {"generateName": "qwen-", "annotations": {"a": "b"}, "labels": {}}},
        {"metadata": {"generateName": "qwen-", "annotations": {"a": "b"}, "namespace": "n"}},
        {"metadata": {"generateName": "qwen-"}},
        {"metadata": None},
        {"spec": {**issued("kube-api-access-4vxfd")["spec"], "futureField": 1}},
        {"spec": None},
        issued("kube-api-access-4vxfd", args=("x",)),
        issued("kube-api-access-4vxfd", other_volume="other"),
    ],
)
def test_whatever_is_read_counts(change: Json) -> None:
    assert essence({**issued("kube-api-access-4vxfd"), **change}) != essence(issued("kube-api-access-4vxfd"))


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(issued("kube-api-access-4vxfd", args=("kube-api-access-4vxfd",)), id="named in the arguments"),
        pytest.param(
            issued("kube-api-access-4vxfd", other_volume="kube-api-access-any"), id="the common name is taken"
        ),
        pytest.param(issued("kube-api-access-4vxfd", other_volume="kube-api-access-9xxxx"), id="another comes first"),
        pytest.param(issued("kube-api-access-long-name"), id="another length"),
        pytest.param(issued('kube-api-access-","":'), id="no name at all"),
        pytest.param({"spec": {"volumes": [{"name": "kube-api-access-4vxfd", "emptyDir": {}}]}}, id="no token"),
    ],
)
def test_a_name_that_may_mean_something_is_kept(pod: Json) -> None:
    assert json.loads(essence(pod)) == pod
    assert Essence.of(as_written(pod)).is_of(as_written(pod))


@given(
    st.dictionaries(
        st.sampled_from(["name", "generateName", "namespace", "labels", "annotations", "uid", "managedFields"]),
        st.none() | st.text(st.characters(exclude_categories=["Cs"])) | st.dictionaries(st.text("ab/"), st.text("c")),
    )
    | st.none(),
    st.dictionaries(st.sampled_from(["containers", "nodeName", "x"]), st.none() | st.text("ab") | st.lists(st.none())),
)
def test_a_pod_reads_the_same_from_its_essence(metadata: Json | None, spec: Json) -> None:
    whole = {"kind": "Pod", "metadata": metadata, "spec": spec}
    try:
        pod = msgspec.json.decode(encoded(whole), type=Pod)
    except msgspec.ValidationError:
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(essence(whole), type=Pod)
    else:
        assert msgspec.json.decode(essence(whole), type=Pod) == pod


# Pieces of which pods are made that are nearly alike, as nobody writes them.
_PARTS = st.lists(
    st.sampled_from(
        [
            b"kube-api-access-",
            b"kube-api-access-4vxfd",
            b"kube-api-access-zz9bc",
            b'{"name":"',
            b'{"name":"kube-api-access-4vxfd","projected":{',
            b'{"name":"kube-api-access-zz9bc","projected":{',
            b'{"name":"kube-api-access-4vxfd","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}',
            b'{"name":"kube-api-access-zz9bc","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}',
            b'","projected":{',
            b"4vxfd",
            b'a"b-c',
            b",",
        ]
    ),
    max_size=6,
).map(b"".join)


@given(_PARTS, _PARTS)
def test_a_pod_has_an_essence_where_it_is_its_own(one: bytes, other: bytes) -> None:
    assert Essence.of(one).is_of(one)
    assert Essence.of(one).is_of(other) == (Essence.of(one) == Essence.of(other))


def test_pods_of_one_template_have_its_essence() -> None:
    one = Essence.of(as_written(issued("kube-api-access-4vxfd")))
    assert one.is_of(as_written(issued("kube-api-access-zz9bc")))
    assert not one.is_of(as_written(issued("kube-api-access-zz9bc", args=("x",))))
    assert not one.is_of(as_written(issued("kube-api-access-long-name")))
