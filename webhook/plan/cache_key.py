"""The cache folder's name: pods share it exactly when what one compiled suits the other.

Two engines with another image, other arguments, another GPU or another node rank must not share a folder (crashes are
reported), so all of them are in the key. Nothing fleeting is: the same template gives the same key, whatever state the
cluster is in.
"""

from hashlib import sha256

import msgspec

from webhook.lookup.facts import Source
from webhook.plan.subject import Subject
from webhook.pod.facts import UserEnv
from webhook.pod.view import EnvVarSource

KEY_LENGTH = 24  # hexadecimal digits

# A change of the key's make-up counts this up, so that old folders are left behind.
_MAKE = 1
# The environment that can change what is compiled.
_PREFIXES = (
    *("VLLM_", "SGLANG_", "SGL_", "TORCH", "PYTORCH_", "TRITON_", "INDUCTOR_", "CUDA_", "CUBLAS_", "CUDNN_", "NVIDIA_"),
    *("FLASHINFER_", "DG_", "TILELANG_", "CUTE_", "NCCL_", "HIP_", "ROCM_"),
)
# Words of names that cannot, or that must not leave the pod in any form.
_LEFT_OUT = frozenset(
    {"KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "PASSWORD", "HOST", "PORT", "IP", "LOG", "LOGGING", "IFNAME"}
)
# Ways of knowing the instance type that rest on the pod alone, so that they hold for every pod of the template.
_FIXED_BY_POD = frozenset(
    {Source.ANNOTATION, Source.FLAG, Source.NODE_SELECTOR, Source.NODE_AFFINITY, Source.KARPENTER}
)


def fixed_gpu(subject: Subject) -> str | None:
    """Returns the GPU that the pod's own constraints fix; None where they leave it open."""
    candidates = subject.world.candidates
    if candidates.source not in _FIXED_BY_POD:
        return None
    names = {each.gpu_name for each in candidates.types}
    return names.pop() if len(names) == 1 else None


def cache_key(subject: Subject, gpu: str) -> str:
    """Returns the key: hexadecimal digits of a SHA-256. `gpu` is the GPU's name, or what stands for it."""
    launch, compiled = subject.launch, compile_env(subject.container.env)
    known = launch.compile_words_known and all(value is not None for _, value in compiled)
    parts = (
        _MAKE,
        subject.container.image,
        launch.engine,
        launch.compile_words,
        compiled,
        [] if known else _sources(subject),
        subject.env.hidden,
        gpu,
        (subject.tensor_parallel_size, launch.pipeline_parallel_size, launch.data_parallel_size),
        _rank(subject),
        subject.container.user.uid,
    )
    return sha256(msgspec.json.encode(parts)).hexdigest()[:KEY_LENGTH]


def compile_env(env: UserEnv) -> list[tuple[str, str | None]]:
    """Returns the environment that can change what is compiled, by name in order; None for a value not yet known."""
    return sorted(
        (name, value)
        for name, value in env.values.items()
        if name.startswith(_PREFIXES) and _LEFT_OUT.isdisjoint(name.split("_"))
    )


def _sources(subject: Subject) -> list[tuple[str, ...]]:
    """Returns where the values come from that are not in the pod: they stand for the values, which may differ."""
    entries = (subject.view.env if subject.view else None) or []
    return sorted({_source(entry.name, entry.value_from) for entry in entries if entry.value_from is not None})


def _source(name: str, source: EnvVarSource) -> tuple[str, ...]:
    for kind, key in (("ConfigMap", source.config_map_key_ref), ("Secret", source.secret_key_ref)):
        if key is not None:
            return name, kind, key.name or "", key.key or ""
    field = source.field_ref or source.resource_field_ref or {}
    return name, "field", str(field.get("fieldPath") or field.get("resource") or "")


def _rank(subject: Subject) -> str:
    launch = subject.launch
    if launch.node_rank is not None:
        return str(launch.node_rank)
    # A multi-node launch whose rank is not in the pod: a name that is fixed (a StatefulSet's pod) tells ranks apart.
    return (subject.facts.name or "any") if launch.nodes != 1 else "any"
