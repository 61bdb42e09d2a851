"""Images whose own entry point launches the engine, so that the pod gives only flags, or only environment.

An image's name alone proves nothing: front ends and routers run from engine images too. It takes flags that only an
engine has, and for an image that is not known, a model or a GPU beside them.
"""

from collections.abc import Mapping, Sequence

from webhook.pod.commandline import Grammar, read_command_line
from webhook.pod.engines.sglang_options import SGLANG
from webhook.pod.engines.vllm_options import VLLM
from webhook.pod.facts import Engine
from webhook.pod.programs import SERVE, SGLANG_FLAGS, Program, kserve_program
from webhook.pod.unknown import is_known

# Entry point `vllm serve` (or the API server, which takes the same flags).
_VLLM_ENTRY = ("vllm/vllm-openai", "vllm/vllm-openai-rocm", "rocm/vllm-openai")
# Images without a launching entry point: their args are a command.
_NO_ENTRY = ("lmsysorg/sglang",)
# Entry point `python3 -m huggingfaceserver` (KServe's serving runtimes give args alone).
_KSERVE = "huggingfaceserver"
_KSERVE_FLAGS = ("--model_name", "--model_id", "--model_dir")
# Parts of a name that say the image is something beside an engine.
_BESIDE = ("router", "gateway", "frontend", "proxy", "sidecar", "operator", "controller", "exporter", "bench", "epp")
_MODEL_FLAGS = frozenset({"--model", "--model-path"})
# Flags that an engine has and a front end has not.
_TELLING_FLAGS = """
    --tensor-parallel-size --pipeline-parallel-size --data-parallel-size --load-format --gpu-memory-utilization
    --max-model-len --max-num-seqs --model-loader-extra-config --enforce-eager --quantization --dtype
    --mem-fraction-static --context-length --nnodes --kv-cache-dtype --enable-prefix-caching
"""
_TELLING = _MODEL_FLAGS | frozenset(_TELLING_FLAGS.split())
_SM_PREFIX = "SM_VLLM_"


def program_of_image(image: str, words: Sequence[str], *, gpus: bool) -> Program | None:
    """The engine that an image's entry point launches with these args, or None."""
    name = _name(image)
    if name.endswith(_NO_ENTRY) or any(part in name for part in _BESIDE):
        return None
    if name.endswith(_KSERVE) and gpus and any(word.startswith(_KSERVE_FLAGS) for word in words):
        return kserve_program(words)
    if "vllm" in name and words[:1] == ["serve"]:
        return Program(Engine.VLLM, words[1:], SERVE)
    if "vllm" in name and _launches(words, VLLM, gpus=gpus, entry=name.endswith(_VLLM_ENTRY)):
        return Program(Engine.VLLM, words, SERVE)
    if "sglang" in name and _launches(words, SGLANG, gpus=gpus, entry=False):
        return Program(Engine.SGLANG, words, SGLANG_FLAGS)
    return None


def _name(image: str) -> str:
    """The image's repository: no digest, no tag, lower case."""
    path = image.lower().partition("@")[0]
    head, slash, last = path.rpartition("/")
    return head + slash + last.partition(":")[0]


def _launches(words: Sequence[str], grammar: Grammar, *, gpus: bool, entry: bool) -> bool:
    """Whether args look like the engine's own: its flags, or a model as the only word."""
    line = read_command_line(words, grammar)
    has_model = not _MODEL_FLAGS.isdisjoint(line.given) or _names_model(line.positionals)
    if entry:
        return has_model or not _TELLING.isdisjoint(line.given)
    return (has_model and not _is_command(line.positionals)) or (gpus and not _TELLING.isdisjoint(line.given))


def _names_model(positionals: list[str]) -> bool:
    """Whether one word stands alone and looks like a model: a URI, a path, or an owner and a name."""
    return len(positionals) == 1 and (not is_known(positionals[0]) or "/" in positionals[0])


def _is_command(positionals: list[str]) -> bool:
    return bool(positionals) and not _names_model(positionals)


def program_of_sagemaker(image: str, environment: Mapping[str, str]) -> Program | None:
    """The launch that SM_VLLM_<FLAG> names spell, where the pod has neither command nor args.

    The entry point makes a flag of each name, with the value unless it is empty (vLLM's sagemaker-entrypoint.sh; the
    AWS image also takes `true` for a bare switch, `false` for none, and HF_MODEL_ID where no model is named).
    """
    if "vllm" not in _name(image) or not any(name.startswith(_SM_PREFIX) for name in environment):
        return None
    words: list[str] = []
    if f"{_SM_PREFIX}MODEL" not in environment and "HF_MODEL_ID" in environment:
        words += ["--model", environment["HF_MODEL_ID"]]
    for name, value in environment.items():
        if name.startswith(_SM_PREFIX) and value.lower() != "false":
            flag = "--" + name.removeprefix(_SM_PREFIX).lower().replace("_", "-")
            words += [flag] if value.lower() in ("", "true") else [flag, value]
    return Program(Engine.VLLM, words, SERVE)
