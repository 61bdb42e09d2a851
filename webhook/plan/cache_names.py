"""The environment variables that say where an engine keeps what it compiled, and the user's own among them.

HOME and XDG_CACHE_HOME move far more than the compile cache, and SGLANG_CACHE_DIR moves the model's configuration too,
which races when shared. TORCH_EXTENSIONS_DIR has builds that torch guards by a file: a process killed while it builds
leaves that file, and on a folder that outlives the pod all later ones wait for it without end (torch.utils.file_baton).
None of the four is ever set.
"""

from webhook.plan.types import Setting
from webhook.pod.facts import Engine, UserEnv
from webhook.reasons import Code, because

MOUNT_PATH = "/var/cache/fastload"

ASSETS_NAME = "VLLM_ASSETS_CACHE"
# Configuration and tokenizer that vLLM pulls from the bucket: constant, and local to the pod.
ASSETS_PATH = "/tmp/fastload/assets"  # noqa: S108 (inside the engine's container, which has no other tenant)
ASSETS_MOUNT_PATH = "/var/cache/fastload-assets"

# Name and folder below the mount path; the set that both engines' libraries read (their sources).
_COMMON = (
    ("TORCHINDUCTOR_CACHE_DIR", "torchinductor"),
    ("TRITON_CACHE_DIR", "triton"),
    ("CUDA_CACHE_PATH", "cuda"),
    ("FLASHINFER_WORKSPACE_BASE", "flashinfer"),
    ("DG_JIT_CACHE_DIR", "deep-gemm"),
    ("TILELANG_CACHE_DIR", "tilelang"),
    ("CUTE_DSL_CACHE_DIR", "cute-dsl"),
)
_NAMES = {
    Engine.VLLM: (("VLLM_CACHE_ROOT", "vllm"), *_COMMON),
    Engine.SGLANG: (
        ("SGLANG_DG_CACHE_DIR", "sglang-deep-gemm"),
        # SGLang's own kernels: SGLANG_CACHE_DIR would lead the second here, and nothing but its name the first.
        ("SGLANG_JIT_CACHE_DIR", "sglang-jit"),
        ("SGLANG_CUTE_AOT_CACHE_DIR", "sglang-cute-aot"),
        *_COMMON,
    ),
    Engine.NONE: (),
}
# Names that an engine reads as well, so that a user who set one has arranged the cache.
_ALSO_USERS = {
    Engine.VLLM: (),
    # SGLang rewrites its older SGL_ names to SGLANG_.
    Engine.SGLANG: ("SGLANG_CACHE_DIR", "SGL_CACHE_DIR", "SGL_DG_CACHE_DIR"),
    Engine.NONE: (),
}

_WHY = because(Code.CACHE_NAME)
_SETTINGS = {
    engine: tuple(Setting(name, f"{MOUNT_PATH}/{folder}", _WHY) for name, folder in names)
    for engine, names in _NAMES.items()
}
_USERS = {engine: (*_ALSO_USERS[engine], *(name for name, _ in names)) for engine, names in _NAMES.items()}
_ASSETS_WHY = because(Code.ASSETS_POD_LOCAL)


def cache_settings(engine: Engine) -> tuple[Setting, ...]:
    """Returns the engine's whole set of names, each with its folder on the cache volume."""
    return _SETTINGS[engine]


def assets_setting(path: str) -> Setting:
    """Returns the setting that keeps vLLM's downloaded assets at `path`."""
    return Setting(ASSETS_NAME, path, _ASSETS_WHY)


def users_cache_names(engine: Engine, env: UserEnv) -> tuple[str, ...]:
    """Returns the cache names that the user set, by whatever way."""
    return tuple(name for name in _USERS[engine] if name in env.values)
