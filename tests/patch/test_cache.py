import pytest

from tests.patched import Json, apply, assert_valid, facts_of
from webhook.patch.builder import build_patch
from webhook.plan.types import CacheVolume, ClaimVolume, HostPathVolume, InitStep, Plan, Status, Verdict

HOST_PATH = CacheVolume(HostPathVolume("/mnt/k8s-disks/0/fastload/serving/k"), "/fastload")
CLAIM = CacheVolume(ClaimVolume("models", "serving/k"), "/fastload")
INIT = CacheVolume(HOST_PATH.source, "/fastload", InitStep("engine:1", ("chown", "1000", "/fastload")))


def patched(cache: CacheVolume, *, spec: Json | None = None, **container: object) -> Json:
    engine = {"name": "m", "command": ["vllm", "serve", "s3://models/llm"], **container}
    pod = {"spec": {"containers": [engine], **(spec or {})}}
    plan = Plan(status=Status.INJECTED, streamer=Verdict.SKIP, retry=Verdict.SKIP, cache=Verdict.TUNE, volume=cache)
    after = apply(pod, build_patch(facts_of(pod), plan))
    assert_valid(after)
    return after["spec"]  # type: ignore[no-any-return] # raw JSON


def test_a_folder_of_the_node_is_made_where_it_is_not_there() -> None:
    spec = patched(HOST_PATH)
    folder = {"path": "/mnt/k8s-disks/0/fastload/serving/k", "type": "DirectoryOrCreate"}
    assert spec["volumes"] == [{"name": "fastload-cache", "hostPath": folder}]
    assert spec["containers"][0]["volumeMounts"] == [{"name": "fastload-cache", "mountPath": "/fastload"}]
    assert "initContainers" not in spec


def test_a_claim_is_mounted_below_its_own_folder() -> None:
    spec = patched(CLAIM)
    assert spec["volumes"] == [{"name": "fastload-cache", "persistentVolumeClaim": {"claimName": "models"}}]
    mount = {"name": "fastload-cache", "mountPath": "/fastload", "subPath": "serving/k"}
    assert spec["containers"][0]["volumeMounts"] == [mount]


def test_assets_get_a_folder_of_the_pods_own() -> None:
    spec = patched(CacheVolume(HOST_PATH.source, "/fastload", assets_mount_path="/fastload-assets"))
    assert spec["volumes"][1] == {"name": "fastload-assets", "emptyDir": {}}
    assert spec["containers"][0]["volumeMounts"][1] == {"name": "fastload-assets", "mountPath": "/fastload-assets"}


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        (["data"], "fastload-cache"),
        (["fastload-cache"], "fastload-cache-2"),
        (["fastload-cache-2", "fastload-cache"], "fastload-cache-3"),
    ],
)
def test_a_volume_name_that_is_taken_is_not_taken_again(taken: list[str], name: str) -> None:
    spec = patched(HOST_PATH, spec={"volumes": [{"name": each, "emptyDir": {}} for each in taken]})
    assert spec["volumes"][-1]["name"] == spec["containers"][0]["volumeMounts"][0]["name"] == name


def test_the_users_volumes_and_mounts_come_first() -> None:
    volume, mount = {"name": "data", "emptyDir": {}}, {"name": "data", "mountPath": "/data"}
    spec = patched(HOST_PATH, spec={"volumes": [volume]}, volumeMounts=[mount])
    assert spec["volumes"][0] == volume
    assert spec["containers"][0]["volumeMounts"][0] == mount


def test_the_init_step_has_the_rights_to_hand_over_a_folder_and_no_others() -> None:
    (step,) = patched(INIT, imagePullPolicy="Always")["initContainers"]
    assert step == {
        "name": "fastload-cache-init",
        "image": "engine:1",
        "imagePullPolicy": "Always",
        "command": ["chown", "1000", "/fastload"],
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}],
        "volumeMounts": [{"name": "fastload-cache", "mountPath": "/fastload"}],
        "securityContext": {
            "runAsUser": 0,
            "runAsGroup": 0,
            "runAsNonRoot": False,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"], "add": ["CHOWN", "FOWNER", "DAC_OVERRIDE"]},
        },
    }


@pytest.mark.parametrize(
    ("resources", "copied"),
    [
        pytest.param(
            {"requests": {"cpu": "4", "memory": "30Gi", "nvidia.com/gpu": 2}, "limits": {"nvidia.com/gpu": 2}},
            {"requests": {"cpu": "4", "memory": "30Gi"}},
            id="no GPU",
        ),
        pytest.param(
            {"limits": {"memory": "30Gi", "ephemeral-storage": "1Ti", "vpc.amazonaws.com/efa": 4}},
            {"limits": {"memory": "30Gi"}},
            id="no disk and no network card",
        ),
        pytest.param({"limits": {"nvidia.com/gpu": 2}, "claims": [{"name": "gpu"}]}, None, id="nothing to copy"),
        pytest.param({"limits": None, "requests": None}, None, id="null"),
        pytest.param(
            {"limits": {"memory": None}, "requests": {"cpu": "4"}}, {"requests": {"cpu": "4"}}, id="null amount"
        ),
        pytest.param(None, None, id="none"),
    ],
)
def test_the_init_step_asks_for_the_engines_cpu_and_memory_only(resources: Json | None, copied: Json | None) -> None:
    (step,) = patched(INIT, resources=resources)["initContainers"]
    assert step.get("resources") == copied


def test_the_init_step_runs_after_the_users_own() -> None:
    sidecar = {"name": "proxy", "restartPolicy": "Always", "futureField": {"x": 1}}
    spec = patched(INIT, spec={"initContainers": [sidecar]})
    assert [each["name"] for each in spec["initContainers"]] == ["proxy", "fastload-cache-init"]
    assert spec["initContainers"][0] == sidecar


@pytest.mark.parametrize("where", ["containers", "initContainers", "ephemeralContainers"])
def test_the_init_steps_name_is_free_among_containers_of_every_kind(where: str) -> None:
    taken = {"name": "fastload-cache-init", "image": "busybox"}
    engine = {"name": "m", "command": ["vllm", "serve", "s3://models/llm"]}
    spec = patched(INIT, spec={"containers": [engine], where: [engine, taken] if where == "containers" else [taken]})
    assert spec["initContainers"][-1]["name"] == "fastload-cache-init-2"
