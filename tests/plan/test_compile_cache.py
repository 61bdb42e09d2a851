"""The compile cache: the user's stays, ours lies where it can be written and outlives the pod."""

import msgspec
import pytest

from tests.plan.make import G5_XL, P5, advised, codes, container, enforcing, env, facts, instance, launch, plan, world
from webhook.lookup.facts import PodSecurity, Source, Unknown, World
from webhook.plan.types import CacheVolume, ClaimVolume, HostPathVolume, Plan, Status, Verdict
from webhook.pod.facts import (
    Annotations,
    CacheChoice,
    CacheKind,
    Engine,
    EngineContainer,
    Launch,
    Mount,
    Placement,
    PodFacts,
    User,
    UserEnv,
    VolumeKind,
)
from webhook.pod.view import Container, Pod, PodSpec
from webhook.reasons import Advice, Code, because

ROOT = "/mnt/k8s-disks/0/fastload"
NO_NAMESPACE = Unknown(because(Code.NAMESPACE_UNKNOWN, namespace="serving", problem="timed out"))
RESTRICTED, BASELINE = enforcing(PodSecurity.RESTRICTED), enforcing(PodSecurity.BASELINE)
ON_CLAIM = Annotations(cache=CacheChoice(CacheKind.PVC, "models"))


NO_GPU = facts(container=container(gpus=0), placement=Placement(gpus=0))


def volume_of(decided: Plan) -> CacheVolume:
    assert decided.cache is Verdict.TUNE
    assert decided.volume is not None
    return decided.volume


def path_of(decided: Plan) -> str:
    source = volume_of(decided).source
    assert isinstance(source, HostPathVolume)
    return source.path


def mounted(path: str, kind: VolumeKind = VolumeKind.PVC, *, read_only: bool = False) -> EngineContainer:
    return container(mounts=(Mount(path, "theirs", kind, read_only=read_only),))


NOTHING_TO_KEEP = [
    ("eager", launch(eager=True), Annotations(), Code.EAGER),
    ("switched off by the user", launch(compile_cache_disabled=True), Annotations(), Code.COMPILE_CACHE_DISABLED),
    ("annotated off", launch(), Annotations(cache=CacheChoice(CacheKind.OFF)), Code.CACHE_OFF),
]


def test_no_cache_where_no_gpu_is_asked_for() -> None:
    """What is compiled for a CPU is linked in place: the lab saw a killed pod break all later ones."""
    decided = plan(NO_GPU)

    assert (decided.cache, decided.volume) == (Verdict.SKIP, None)
    assert Code.CACHE_NO_GPU in codes(decided)


@pytest.mark.parametrize(
    "asked",
    [
        facts(container=container(gpus=None), placement=Placement(gpus=None)),
        facts(container=container(gpus=0), placement=Placement(gpus=1)),
        msgspec.structs.replace(NO_GPU, annotations=Annotations(cache=CacheChoice(CacheKind.HOST_PATH))),
    ],
    ids=["devices that nobody can count", "another container asks", "the user asks for a cache"],
)
def test_a_cache_where_a_gpu_may_be_or_the_user_wants_it(asked: PodFacts) -> None:
    assert Code.CACHE_NO_GPU not in codes(plan(asked))


def test_a_cache_of_the_users_stays_where_no_gpu_is_asked_for() -> None:
    theirs = container(gpus=0, env=env({"VLLM_CACHE_ROOT": "/cache"}))
    decided = plan(msgspec.structs.replace(NO_GPU, container=theirs))
    assert decided.cache is Verdict.KEEP
    assert Code.CACHE_NAMES_USER in codes(decided)


@pytest.mark.parametrize(
    ("line", "annotations", "code"), [row[1:] for row in NOTHING_TO_KEEP], ids=[row[0] for row in NOTHING_TO_KEEP]
)
def test_no_cache_where_there_is_nothing_to_keep(line: Launch, annotations: Annotations, code: Code) -> None:
    decided = plan(facts(launch=line, annotations=annotations))
    assert (decided.cache, decided.volume) == (Verdict.SKIP, None)
    assert code in codes(decided)


def test_sglang_has_its_own_names() -> None:
    names = {setting.name for setting in plan(facts(launch=launch(engine=Engine.SGLANG))).settings}
    own = {"SGLANG_DG_CACHE_DIR", "SGLANG_JIT_CACHE_DIR", "SGLANG_CUTE_AOT_CACHE_DIR"}
    assert own | {"TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"} <= names
    assert not [name for name in names if name.startswith("VLLM_") or name == "SGLANG_CACHE_DIR"]


def test_sglang_without_torch_compile_keeps_its_other_caches() -> None:
    assert plan(facts(launch=launch(engine=Engine.SGLANG))).cache is Verdict.TUNE


@pytest.mark.parametrize("engine", [Engine.VLLM, Engine.SGLANG])
def test_what_moves_more_than_the_cache_is_never_set(engine: Engine) -> None:
    names = {setting.name for setting in plan(facts(launch=launch(engine=engine))).settings}
    assert not names & {"HOME", "XDG_CACHE_HOME", "SGLANG_CACHE_DIR", "CCACHE_DIR"}


@pytest.mark.parametrize("engine", [Engine.VLLM, Engine.SGLANG])
def test_a_folder_whose_lock_outlives_a_killed_process_is_never_set(engine: Engine) -> None:
    names = {setting.name for setting in plan(facts(launch=launch(engine=engine))).settings}
    assert "TORCH_EXTENSIONS_DIR" not in names


USERS_NAMES = [
    ("root", Engine.VLLM, "VLLM_CACHE_ROOT", Verdict.KEEP),
    ("a single one of the set", Engine.VLLM, "FLASHINFER_WORKSPACE_BASE", Verdict.KEEP),
    ("SGLang's folder", Engine.SGLANG, "SGLANG_CACHE_DIR", Verdict.KEEP),
    ("SGLang's own kernels", Engine.SGLANG, "SGLANG_JIT_CACHE_DIR", Verdict.KEEP),
    ("SGLang's older name", Engine.SGLANG, "SGL_DG_CACHE_DIR", Verdict.KEEP),
    ("the other engine's name", Engine.VLLM, "SGLANG_CACHE_DIR", Verdict.TUNE),
    ("another cache", Engine.VLLM, "HF_HOME", Verdict.TUNE),
    ("torch's extensions", Engine.SGLANG, "TORCH_EXTENSIONS_DIR", Verdict.TUNE),
    ("assets only", Engine.VLLM, "VLLM_ASSETS_CACHE", Verdict.TUNE),
]


@pytest.mark.parametrize(
    ("engine", "name", "verdict"), [row[1:] for row in USERS_NAMES], ids=[row[0] for row in USERS_NAMES]
)
@pytest.mark.parametrize("value", ["/cache", "", None], ids=["path", "empty", "unknown"])
def test_the_users_names_stay(engine: Engine, name: str, verdict: Verdict, value: str | None) -> None:
    decided = plan(facts(launch=launch(engine=engine), container=container(env=env({name: value}))))
    assert decided.cache is verdict
    assert name not in {setting.name for setting in decided.settings}


DEFAULT_FOLDERS = [
    ("cache of another home", "/home/dynamo/.cache", {}, Verdict.KEEP),
    ("root's cache", "/root/.cache", {}, Verdict.KEEP),
    ("root's home", "/root", {}, Verdict.KEEP),
    ("somebody's home", "/home/user", {}, Verdict.KEEP),
    ("all homes", "/home", {}, Verdict.KEEP),
    ("vLLM's own folder", "/root/.cache/vllm", {}, Verdict.KEEP),
    ("within vLLM's own folder", "/root/.cache/vllm/torch_compile_cache", {}, Verdict.KEEP),
    ("no home at all", "/.cache", {}, Verdict.KEEP),
    ("a home like no other", "/opt/app/.cache/", {}, Verdict.KEEP),
    ("home told", "/data", {"HOME": "/data"}, Verdict.KEEP),
    ("cache home told", "/fast", {"XDG_CACHE_HOME": "/fast/cache"}, Verdict.KEEP),
    ("cache home told elsewhere", "/root/.cache", {"XDG_CACHE_HOME": "/tmp/.cache"}, Verdict.TUNE),
    ("home told elsewhere", "/root/.cache", {"HOME": "/tmp"}, Verdict.TUNE),
    ("Hugging Face's folder", "/root/.cache/huggingface", {}, Verdict.TUNE),
    ("weights", "/data", {}, Verdict.TUNE),
    ("models in a home", "/home/user/models", {}, Verdict.TUNE),
]


@pytest.mark.parametrize(
    ("path", "values", "verdict"), [row[1:] for row in DEFAULT_FOLDERS], ids=[row[0] for row in DEFAULT_FOLDERS]
)
def test_a_lasting_volume_at_the_default_folder_is_the_users_cache(
    path: str, values: dict[str, str | None], verdict: Verdict
) -> None:
    decided = plan(facts(container=msgspec.structs.replace(mounted(path), env=env(values))))
    assert decided.cache is verdict
    assert (Code.CACHE_VOLUME_USER in codes(decided)) is (verdict is Verdict.KEEP)


LIBRARIES = [
    ("Triton", "/root/.triton", Verdict.KEEP),
    ("within Triton's, in another home", "/home/user/.triton/cache", Verdict.KEEP),
    ("Inductor", "/tmp/torchinductor_root", Verdict.KEEP),
    ("CUDA", "/root/.nv/ComputeCache", Verdict.KEEP),
    ("FlashInfer", "/root/.cache/flashinfer", Verdict.KEEP),
    ("DeepGEMM", "/root/.deep_gemm", Verdict.KEEP),
    ("DeepGEMM, in SGLang", "/root/.cache/deep_gemm", Verdict.KEEP),
    ("TileLang", "/root/.tilelang/cache", Verdict.KEEP),
    ("what only sounds like one", "/data/triton", Verdict.TUNE),
    ("/tmp, for all sorts of things", "/tmp", Verdict.TUNE),
    ("a library's name in another place", "/data/flashinfer", Verdict.TUNE),
]


@pytest.mark.parametrize(("path", "verdict"), [row[1:] for row in LIBRARIES], ids=[row[0] for row in LIBRARIES])
def test_a_lasting_volume_at_a_librarys_default_folder_is_the_users_cache(path: str, verdict: Verdict) -> None:
    assert plan(facts(container=mounted(path))).cache is verdict
    assert plan(facts(container=mounted(path, VolumeKind.EMPTY_DIR))).cache is Verdict.TUNE


UNKNOWN_HOMES = [
    ("cache home and a claim", {"XDG_CACHE_HOME": None}, mounted("/cache"), Verdict.KEEP),
    ("home and a folder of the node", {"HOME": None}, mounted("/cache", VolumeKind.HOST_PATH), Verdict.KEEP),
    ("home and a volume nobody can write", {"HOME": None}, mounted("/cache", read_only=True), Verdict.TUNE),
    ("home and a volume that ends with the pod", {"HOME": None}, mounted("/c", VolumeKind.EMPTY_DIR), Verdict.TUNE),
    ("home and no volume", {"HOME": None}, container(), Verdict.TUNE),
    ("a known home beside a claim", {"HOME": "/home/user"}, mounted("/cache"), Verdict.TUNE),
]


@pytest.mark.parametrize(
    ("values", "engine", "verdict"), [row[1:] for row in UNKNOWN_HOMES], ids=[row[0] for row in UNKNOWN_HOMES]
)
def test_a_home_that_is_not_known_may_lie_on_a_lasting_volume(
    values: dict[str, str | None], engine: EngineContainer, verdict: Verdict
) -> None:
    decided = plan(facts(container=msgspec.structs.replace(engine, env=env(values))))
    assert decided.cache is verdict
    assert (Code.CACHE_HOME_UNKNOWN in codes(decided)) is (verdict is Verdict.KEEP)


@pytest.mark.parametrize("folder", ["/pvc/c", ""], ids=["told", "not known"])
def test_a_folder_in_the_compilation_config_is_the_users_cache(folder: str) -> None:
    decided = plan(facts(launch=launch(compile_cache_dir=folder)))
    assert decided.cache is Verdict.KEEP
    assert Code.CACHE_NAMES_USER in codes(decided)


def test_sglangs_default_folder() -> None:
    assert (
        plan(facts(launch=launch(engine=Engine.SGLANG), container=mounted("/root/.cache/sglang"))).cache is Verdict.KEEP
    )
    assert (
        plan(facts(launch=launch(engine=Engine.SGLANG), container=mounted("/root/.cache/vllm"))).cache is Verdict.TUNE
    )


@pytest.mark.parametrize("kind", [VolumeKind.EMPTY_DIR, VolumeKind.MEMORY, VolumeKind.EPHEMERAL])
def test_a_volume_that_ends_with_the_pod_is_no_cache(kind: VolumeKind) -> None:
    assert plan(facts(container=mounted("/.cache", kind))).cache is Verdict.TUNE


def test_a_users_name_on_an_empty_dir_is_kept_with_advice() -> None:
    engine = container(
        env=env({"VLLM_CACHE_ROOT": "/var/cache/vllm"}), mounts=(Mount("/var/cache", "c", VolumeKind.EMPTY_DIR),)
    )
    decided = plan(facts(container=engine))
    assert decided.cache is Verdict.KEEP
    assert Advice.CACHE_ON_EMPTY_DIR in advised(decided)


@pytest.mark.parametrize(
    "path", ["/var/cache/fastload", "/var/cache/fastload/vllm", "/var/cache", "/var", "/var/cache/x/../fastload"]
)
def test_a_mount_in_our_way_means_no_cache(path: str) -> None:
    decided = plan(facts(container=mounted(path)))
    assert decided.cache is Verdict.SKIP
    assert Code.CACHE_MOUNT_TAKEN in codes(decided)


def test_a_mount_beside_ours_is_no_matter() -> None:
    assert plan(facts(container=mounted("/var/cache/vllm"))).cache is Verdict.TUNE


PATHS = [
    ("a root itself", ROOT, f"{ROOT}/serving/"),
    ("below a root", f"{ROOT}/team-a", f"{ROOT}/serving/team-a/"),
    ("another root", "/data/cache/", "/data/cache/serving/"),
    ("doubled slashes", f"{ROOT}//team-a/", f"{ROOT}/serving/team-a/"),
    ("outside", "/etc", None),
    ("beside a root", f"{ROOT}-other", None),
    ("up and out", f"{ROOT}/../../etc", None),
    ("up within", f"{ROOT}/a/../b", None),
    ("not absolute", "mnt/cache", None),
    ("odd characters", f"{ROOT}/a b", None),
    ("into a cache folder", f"{ROOT}/other/0123456789abcdef01234567", None),
]


@pytest.mark.parametrize(("path", "below"), [row[1:] for row in PATHS], ids=[row[0] for row in PATHS])
def test_an_annotated_path_lies_below_a_root_and_the_namespace(path: str, below: str | None) -> None:
    pod = facts(annotations=Annotations(cache_path=path))
    decided = plan(pod, cache_roots=(ROOT, "/data/cache"))
    if below is None:
        assert decided.cache is Verdict.SKIP
        assert Code.CACHE_PATH_REFUSED in codes(decided)
    else:
        assert path_of(decided).startswith(below)


def test_the_path_ends_in_namespace_and_key() -> None:
    namespace, key = path_of(plan()).removeprefix(f"{ROOT}/").split("/")
    assert namespace == "serving"
    assert len(key) == 24
    assert set(key) <= set("0123456789abcdef")


NO_FOLDER = [
    ("baseline", world(P5, namespace=BASELINE), {}, Code.POD_SECURITY, Status.INJECTED),
    ("restricted", world(P5, namespace=RESTRICTED), {}, Code.POD_SECURITY, Status.INJECTED),
    ("namespace not known", world(P5, namespace=NO_NAMESPACE), {}, Code.NAMESPACE_UNKNOWN, Status.PARTIAL),
    ("Fargate", world(P5, fargate=True), {}, Code.FARGATE, Status.INJECTED),
    (
        "no instance store",
        world(instance("p5.test", 8, 3200, local_nvme_gb=0)),
        {"cache_on_root_volume": False},
        Code.NO_INSTANCE_STORE,
        Status.INJECTED,
    ),
    ("no type known", world(), {"cache_on_root_volume": False}, Code.NO_INSTANCE_STORE, Status.PARTIAL),
]


@pytest.mark.parametrize(
    ("around", "settings", "code", "status"), [row[1:] for row in NO_FOLDER], ids=[row[0] for row in NO_FOLDER]
)
def test_where_no_folder_of_the_node_can_be_had(
    around: World, settings: dict[str, bool], code: Code, status: Status
) -> None:
    decided = plan(facts(), around, **settings)
    assert (decided.cache, decided.volume, decided.status) == (Verdict.SKIP, None, status)
    assert code in codes(decided)
    if around.candidates.types:
        fallen_back = volume_of(plan(facts(), around, cache_claim="shared", **settings))
        assert isinstance(fallen_back.source, ClaimVolume)
        assert fallen_back.source.claim == "shared"


def test_a_pod_may_say_itself_that_it_is_on_fargate() -> None:
    assert Code.FARGATE in codes(plan(facts(placement=Placement(fargate=True))))


def test_an_instance_store_everywhere_needs_no_root_volume() -> None:
    assert plan(facts(), world(P5, G5_XL), cache_on_root_volume=False).cache is Verdict.TUNE


def test_an_annotated_claim_is_used_wherever_the_pod_runs() -> None:
    for around in (world(P5), world(P5, namespace=RESTRICTED), world(P5, namespace=NO_NAMESPACE)):
        source = volume_of(plan(facts(annotations=ON_CLAIM), around)).source
        assert isinstance(source, ClaimVolume)
        assert source.claim == "models"
        assert "serving" not in source.sub_path


def test_an_operators_claim_needs_the_gpu_to_be_fixed() -> None:
    open_to_all = world(P5, namespace=BASELINE, source=Source.CATALOGUE)
    assert Code.GPU_NOT_FIXED in codes(plan(facts(), open_to_all, cache_claim="shared"))
    assert plan(facts(), world(P5, namespace=BASELINE), cache_claim="shared").cache is Verdict.TUNE


OTHER_IMAGE = "registry.example/vllm:1"
CHOWN = ("sh", "-c", "chown 1000:2000 /var/cache/fastload || true")
ANYBODY = ("sh", "-c", "chmod 0777 /var/cache/fastload || true")
USERS = [
    ("root by id", User(uid=0), OTHER_IMAGE, None),
    ("a known image runs as root", User(), "vllm/vllm-openai:v0.11.0", None),
    ("a mirror of it", User(), "mirror.example/hub/vllm/vllm-openai:v0.11.0", None),
    ("a known image without a tag", User(), "vllm/vllm-openai", None),
    ("a known image by its digest", User(), "vllm/vllm-openai@sha256:0123", None),
    ("by tag and digest, from a port", User(), "mirror.example:5000/lmsysorg/sglang:v0.5@sha256:0123", None),
    ("a look-alike", User(), "mirror.example/vllm/vllm-openai-fips:v0.11.0", ANYBODY),
    ("another id, with its group", User(uid=1000, gid=2000), "vllm/vllm-openai:v0.11.0", CHOWN),
    ("another id", User(uid=1000), OTHER_IMAGE, ("sh", "-c", "chown 1000 /var/cache/fastload || true")),
    ("not root, says the pod", User(non_root=True), "vllm/vllm-openai:v0.11.0", ANYBODY),
    ("nothing known", User(), OTHER_IMAGE, ANYBODY),
    ("a file-system group is no help on the node", User(uid=1000, gid=2000, fs_group=1), OTHER_IMAGE, CHOWN),
]


@pytest.mark.parametrize(("user", "image", "command"), [row[1:] for row in USERS], ids=[row[0] for row in USERS])
def test_the_folder_is_made_writable_for_a_user_who_is_not_root(
    user: User, image: str, command: tuple[str, ...] | None
) -> None:
    pod = facts(container=container(user=user, image=image))
    init = volume_of(plan(pod)).init
    assert (init.command if init else None) == command
    if init is not None:
        assert init.image == image
        refused = plan(pod, cache_init_container=False)
        assert (refused.cache, refused.volume) == (Verdict.SKIP, None)
        assert Code.NON_ROOT in codes(refused)


SHELLS = [
    ("a vendor's without one", "cgr.dev/chainguard/vllm:1", None, Verdict.SKIP),
    ("distroless by name", "registry.example/team/vllm-distroless@sha256:0123", None, Verdict.SKIP),
    ("distroless by tag", "registry.example/team/vllm:v1-distroless", None, Verdict.SKIP),
    ("without one, it is said, but the pod runs it", "cgr.dev/acme/vllm:1", ["/bin/bash", "-c"], Verdict.TUNE),
    ("without one, and the pod runs the engine", "cgr.dev/acme/vllm:1", ["vllm", "serve"], Verdict.SKIP),
    ("any other", OTHER_IMAGE, None, Verdict.TUNE),
]


@pytest.mark.parametrize(("image", "command", "verdict"), [row[1:] for row in SHELLS], ids=[row[0] for row in SHELLS])
def test_an_image_without_a_shell_gets_no_init_container(
    image: str, command: list[str] | None, verdict: Verdict
) -> None:
    engine = container(image=image, user=User(uid=1000))
    view = Pod(spec=PodSpec(containers=[Container(name="engine", command=command)]))
    decided = plan(facts(container=engine, view=view))
    assert decided.cache is verdict
    assert (Code.NON_ROOT in codes(decided)) is (verdict is Verdict.SKIP)
    assert plan(facts(container=msgspec.structs.replace(engine, user=User(uid=0)), view=view)).cache is Verdict.TUNE


def test_without_an_image_there_is_no_init_container() -> None:
    assert Code.NON_ROOT in codes(plan(facts(container=container(image=None))))


CLAIMS = [
    ("group writes", User(uid=1000, fs_group=1000), world(P5, namespace=RESTRICTED), Verdict.TUNE, False),
    ("no group, restricted", User(uid=1000), world(P5, namespace=RESTRICTED), Verdict.SKIP, None),
    ("no group, namespace not known", User(uid=1000), world(P5, namespace=NO_NAMESPACE), Verdict.SKIP, None),
    ("no group, baseline", User(uid=1000), world(P5, namespace=BASELINE), Verdict.TUNE, True),
]


@pytest.mark.parametrize(
    ("user", "around", "verdict", "init"), [row[1:] for row in CLAIMS], ids=[row[0] for row in CLAIMS]
)
def test_a_claim_is_writable_by_its_group(user: User, around: World, verdict: Verdict, init: bool | None) -> None:  # noqa: FBT001 (a table's column)
    decided = plan(facts(annotations=ON_CLAIM, container=container(user=user)), around)
    assert decided.cache is verdict
    assert (decided.volume and decided.volume.init is not None) is init


def assets(decided: Plan) -> str | None:
    return next((each.value for each in decided.settings if each.name == "VLLM_ASSETS_CACHE"), None)


ASSETS = [
    ("the container's own /tmp", container(), None),
    ("read-only root", container(user=User(read_only_root=True)), "/var/cache/fastload-assets"),
    (
        "read-only root, emptyDir at /tmp",
        container(user=User(read_only_root=True), mounts=(Mount("/tmp", "t", VolumeKind.EMPTY_DIR),)),
        None,
    ),
    ("read-only volume at /tmp", mounted("/tmp", VolumeKind.EMPTY_DIR, read_only=True), "/var/cache/fastload-assets"),
    ("shared volume at /tmp", mounted("/tmp"), "/var/cache/fastload-assets"),
]


@pytest.mark.parametrize(("engine", "mount_path"), [row[1:] for row in ASSETS], ids=[row[0] for row in ASSETS])
def test_assets_stay_in_the_pod(engine: EngineContainer, mount_path: str | None) -> None:
    decided = plan(facts(container=engine))
    assert volume_of(decided).assets_mount_path == mount_path
    assert assets(decided) == (mount_path or "/tmp/fastload/assets")


@pytest.mark.parametrize("users", [env({"VLLM_ASSETS_CACHE": "/a"})], ids=["user's own"])
def test_the_users_assets_stay(users: UserEnv) -> None:
    decided = plan(facts(container=container(env=users, user=User(read_only_root=True))))
    assert assets(decided) is None
    assert volume_of(decided).assets_mount_path is None
