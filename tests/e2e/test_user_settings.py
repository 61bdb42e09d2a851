from typing import Any

import pytest

from demo.s3 import Model
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, cache_mounts, engine_pod, env

pytestmark = pytest.mark.usefixtures("webhook")

CONCURRENCY = "RUNAI_STREAMER_CONCURRENCY"
LOW_SPEED = "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT"


def test_the_users_env_is_kept_as_it_is_and_in_its_order(namespace: Namespace, model: Model) -> None:
    mine = [
        {"name": "ZONE", "value": "b"},
        {"name": CONCURRENCY, "value": "40"},
        {"name": LOW_SPEED, "valueFrom": {"configMapKeyRef": {"name": "speeds", "key": "limit"}}},
        {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}},
        {"name": "GREETING", "value": "in zone $(ZONE)"},
    ]
    pod = engine_pod(model)
    pod["spec"]["containers"][0]["env"] = mine

    created = entries(namespace.create_pod(pod))

    assert created[: len(mine)] == mine
    names = [entry["name"] for entry in created]
    assert len(names) == len(set(names)) > len(mine)


def test_names_behind_env_from_are_not_overruled(namespace: Namespace, model: Model) -> None:
    pod = engine_pod(model)
    pod["spec"]["containers"][0]["envFrom"] = [
        {"configMapRef": {"name": "engine"}},
        {"prefix": "RUNAI_", "secretRef": {"name": "streamer"}},
    ]

    created = namespace.create_pod(pod)

    assert annotation(created, STATUS) == "injected"
    # In this order: ours, and behind it the user's where there is one, which then wins.
    assert [entry for entry in entries(created) if entry["name"] == CONCURRENCY] == [
        {"name": CONCURRENCY, "value": "17"},
        {
            "name": CONCURRENCY,
            "valueFrom": {"configMapKeyRef": {"name": "engine", "key": CONCURRENCY, "optional": True}},
        },
        {
            "name": CONCURRENCY,
            "valueFrom": {"secretKeyRef": {"name": "streamer", "key": "STREAMER_CONCURRENCY", "optional": True}},
        },
    ]


def test_a_compile_cache_of_the_users_own_stays_where_it_is(namespace: Namespace, model: Model) -> None:
    pod = engine_pod(model)
    container = pod["spec"]["containers"][0]
    container["env"] = [{"name": "VLLM_CACHE_ROOT", "value": "/cache"}]
    container["volumeMounts"] = [{"name": "mine", "mountPath": "/cache"}]
    pod["spec"]["volumes"] = [{"name": "mine", "persistentVolumeClaim": {"claimName": "mine"}}]

    created = namespace.create_pod(pod)

    assert env(created)["VLLM_CACHE_ROOT"] == "/cache"
    assert cache_mounts(created) == []
    assert env(created)[CONCURRENCY] == "17"


def entries(pod: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pod["spec"]["containers"][0]["env"]
    return found
