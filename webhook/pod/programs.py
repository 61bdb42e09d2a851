"""Which programs launch an engine, and how each spells the model.

`vllm serve`, `sglang serve`, their Python modules, and the wrappers that take the engine's own flags: Dynamo's workers,
KServe's huggingfaceserver, KAITO's inference_api.py, SGLang's router where it starts the engines. Anything else
(routers, front ends, benchmarks, `ray start`, a script of the user's) launches no engine that can be read.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from webhook.pod.commandline import Arity, CommandLine, options_of, read_command_line
from webhook.pod.engines.reading import Reading
from webhook.pod.engines.sglang import read_sglang
from webhook.pod.engines.sglang_options import SGLANG
from webhook.pod.engines.vllm import read_vllm
from webhook.pod.engines.vllm_options import VLLM
from webhook.pod.facts import Engine

Reader = Callable[[Sequence[str], Mapping[str, str]], Reading]


class Program(msgspec.Struct, frozen=True):
    """An engine's launch: which engine, the words after the program's name, and who reads them."""

    engine: Engine
    words: Sequence[str]
    reader: Reader

    def read(self, environment: Mapping[str, str]) -> Reading:
        """Reads the launch line; `environment` is what the engine will find, with holes."""
        return self.reader(self.words, environment)


def _vllm_serve(words: Sequence[str], environment: Mapping[str, str]) -> Reading:
    """`vllm serve [MODEL] flags`: the word wins over --model."""
    line = read_command_line(words, VLLM)
    model = line.positionals[0] if line.positionals else line.text("--model")
    return read_vllm(line, model, environment)


def _vllm_module(words: Sequence[str], environment: Mapping[str, str]) -> Reading:
    line = read_command_line(words, VLLM)
    return read_vllm(line, line.text("--model"), environment)


def _sglang_serve(words: Sequence[str], _environment: Mapping[str, str]) -> Reading:
    """`sglang serve [MODEL] flags`: a first word that is no flag is the model, as if it were --model-path."""
    line = read_command_line(words, SGLANG)
    return read_sglang(line, line.text("--model-path") or "".join(line.positionals[:1]) or None)


def _sglang_module(words: Sequence[str], _environment: Mapping[str, str]) -> Reading:
    line = read_command_line(words, SGLANG)
    return read_sglang(line, line.text("--model-path"))


# KServe's own flags beside vLLM's; `--model_id` wins over `--model_dir` (huggingfaceserver's main module).
_KSERVE = VLLM.extended(
    options_of(
        Arity.ONE,
        "--model-id --model-dir --model-name --model-revision --backend --max-length --http-port --workers "
        "--max-threads --tensor-input-names --predictor-host --predictor-protocol --predictor-request-timeout-seconds",
    )
    | options_of(
        Arity.NONE,
        "--disable-lower-case --disable-special-tokens --return-token-type-ids --return-probabilities "
        "--enable-docs-url --enable-latency-logging --configure-logging --predictor-use-ssl",
    )
)


def _kserve_line(words: Sequence[str]) -> CommandLine:
    return read_command_line(words, _KSERVE)


def _kserve(words: Sequence[str], environment: Mapping[str, str]) -> Reading:
    line = _kserve_line(words)
    return read_vllm(line, line.text("--model-id") or line.text("--model-dir") or "/mnt/models", environment)


_MODULES: dict[str, tuple[Engine, Reader]] = {
    "vllm.entrypoints.openai.api_server": (Engine.VLLM, _vllm_module),
    "vllm.entrypoints.api_server": (Engine.VLLM, _vllm_module),
    "dynamo.vllm": (Engine.VLLM, _vllm_module),
    "huggingfaceserver": (Engine.VLLM, _kserve),
    "sglang.launch_server": (Engine.SGLANG, _sglang_module),
    "sglang_router.launch_server": (Engine.SGLANG, _sglang_module),
    "dynamo.sglang": (Engine.SGLANG, _sglang_module),
}
# The same programs started by their file; KAITO's takes vLLM's flags.
_FILES: tuple[tuple[str, tuple[Engine, Reader]], ...] = (
    ("vllm/entrypoints/openai/api_server.py", (Engine.VLLM, _vllm_module)),
    ("vllm/inference_api.py", (Engine.VLLM, _vllm_module)),
    ("sglang/launch_server.py", (Engine.SGLANG, _sglang_module)),
)
_COMMANDS: dict[str, tuple[Engine, Reader]] = {
    "vllm": (Engine.VLLM, _vllm_serve),
    "sglang": (Engine.SGLANG, _sglang_serve),
    "vllm.entrypoints.cli.main": (Engine.VLLM, _vllm_serve),
    "sglang.cli.main": (Engine.SGLANG, _sglang_serve),
}
_PYTHON_VALUED = frozenset({"-X", "-W", "--check-hash-based-pycs"})
# huggingfaceserver's back ends that are vLLM or may choose it.
_VLLM_BACKENDS = (None, "auto", "vllm")

SERVE = _vllm_serve
SGLANG_FLAGS = _sglang_module


def program_of(argv: Sequence[str]) -> Program | None:
    """The engine launch that a command line is, or None."""
    name = argv[0].rpartition("/")[2] if argv else ""
    if name in ("vllm", "sglang"):
        return _subcommand(name, argv[1:])
    if name.startswith("python") and not name[6:].strip("0123456789."):
        return _python(argv)
    return _file(name, argv)


def _subcommand(name: str, words: Sequence[str]) -> Program | None:
    if words[:1] != ["serve"]:
        return None
    engine, reader = _COMMANDS[name]
    return Program(engine, words[1:], reader)


def _python(argv: Sequence[str]) -> Program | None:
    """`python [options] -m MODULE words` or `python [options] FILE words`."""
    at = 1
    while at < len(argv) and argv[at][:1] == "-" and argv[at] != "-m":
        if argv[at][-1:] == "m" and argv[at][1:2] != "-" and len(argv[at]) > 2:  # noqa: PLR2004 - as in `-um`
            break
        at += 2 if argv[at] in _PYTHON_VALUED else 1
    if at >= len(argv):
        return None
    if argv[at][:1] != "-":
        return _file(argv[at], argv[at:])
    module, words = argv[at + 1] if at + 1 < len(argv) else "", argv[at + 2 :]
    if module in _COMMANDS:
        return _subcommand(module, words)
    return _launch(_MODULES.get(module), words)


def _file(path: str, argv: Sequence[str]) -> Program | None:
    if not path.endswith(".py"):
        return None
    return next((_launch(launch, argv[1:]) for suffix, launch in _FILES if f"/{argv[0]}".endswith(f"/{suffix}")), None)


def kserve_program(words: Sequence[str]) -> Program | None:
    """The launch of KServe's huggingfaceserver with these words, or None where they name another back end."""
    return _launch(_MODULES["huggingfaceserver"], words)


def _launch(launch: tuple[Engine, Reader] | None, words: Sequence[str]) -> Program | None:
    if launch is None:
        return None
    if launch[1] is _kserve and _kserve_line(words).text("--backend") not in _VLLM_BACKENDS:
        return None
    return Program(launch[0], words, launch[1])
