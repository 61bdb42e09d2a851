"""vLLM's launch line: what its flags mean for loading and compiling.

Source: vLLM 0.33 `EngineArgs`, `FlexibleArgumentParser` and `ParallelConfig.compute_hash`, and the documentation of
older releases where a spelling has changed.
"""

from collections.abc import Mapping

import msgspec

from webhook.pod.commandline import CommandLine
from webhook.pod.engines.reading import Given, Reading, common_launch, json_of, reading_of, truthy
from webhook.pod.facts import Engine
from webhook.pod.unknown import is_known

# Flags that cannot change what is compiled: where it listens and under which names, keys, logs, the chat front end, and
# a rank's place among the others, which vLLM's own compile hash leaves out too.
_IRRELEVANT_FLAGS = """
    --host --port --http-port --uds --grpc --grpc-port --root-path --served-model-name --model-name --api-key
    --api-server-count --headless --ssl-keyfile --ssl-certfile --ssl-ca-certs --ssl-cert-reqs --ssl-ciphers
    --enable-ssl-refresh --allow-credentials --allowed-origins --allowed-methods --allowed-headers --middleware
    --uvicorn-log-level --disable-uvicorn-access-log --disable-access-log-for-endpoints --log-config-file
    --logging-config --log-level --disable-log-requests --enable-log-requests --disable-log-stats --max-log-len
    --enable-log-outputs --enable-log-deltas --log-error-stack --aggregate-engine-logging --otlp-traces-endpoint
    --collect-detailed-traces --show-hidden-metrics-for-version --enable-request-id-headers --disable-fastapi-docs
    --enable-offline-docs --h11-max-incomplete-event-size --h11-max-header-count --sse-keep-alive-interval
    --shutdown-timeout --hf-token --chat-template --chat-template-content-format --default-chat-template-kwargs
    --trust-request-chat-template --response-role --enable-auto-tool-choice --exclude-tools-when-tool-choice-none
    --tool-call-parser --tool-parser-plugin --tool-server --reasoning-parser --reasoning-parser-plugin
    --return-tokens-as-token-ids --enable-prompt-tokens-details --enable-server-load-tracking
    --enable-force-include-usage --enable-tokenizer-info-endpoint --node-rank --master-addr --master-port
    --data-parallel-rank --data-parallel-start-rank --data-parallel-address --data-parallel-rpc-port
"""
_IRRELEVANT = frozenset(_IRRELEVANT_FLAGS.split())
# One configuration under two names: vLLM rewrites the older `-O` to the newer.
_COMPILATION = ("--compilation-config", "-O")
_NO_COMPILATION = (0, "0", "NONE", "none")


def read_vllm(line: CommandLine, model: str | None, environment: Mapping[str, str]) -> Reading:
    """Reads vLLM's flags; `model` is the word that names the model, as the launch form has it."""
    launch = msgspec.structs.replace(
        common_launch(Engine.VLLM, line, model, _IRRELEVANT),
        data_parallel_size_local=Given(line).integer("--data-parallel-size-local", None),
        eager=_eager(line),
        compile_cache_dir=_cache_dir(line),
        compile_cache_disabled=truthy(environment, "VLLM_DISABLE_COMPILE_CACHE"),
    )
    return reading_of(launch, line, model)


def _eager(line: CommandLine) -> bool:
    """Whether nothing is compiled: --enforce-eager, optimization level 0, or compilation mode NONE (older: level)."""
    if line.on("--enforce-eager"):
        return True
    level = line.text("--optimization-level")
    if level is not None and level.upper() in ("0", "O0"):
        return True
    said = _compilation(line)
    return any(_is_none(said.get(key)) for key in ("mode", "level"))


def _cache_dir(line: CommandLine) -> str | None:
    """The folder that the compilation config names for the compile cache; "" where it is not known."""
    folder = _compilation(line).get("cache_dir")
    if not folder:
        return None
    return folder if isinstance(folder, str) and is_known(folder) else ""


def _compilation(line: CommandLine) -> dict[str, object]:
    """What the compilation config says, by key; a bare level is its mode, and dotted keys replace its JSON."""
    said: dict[str, object] = {}
    for flag in _COMPILATION:
        paths, text = line.dotted.get(flag), line.text(flag)
        if paths is not None:
            said.update(paths)
        elif text is not None and is_known(text):
            value = json_of(text)
            said.update(value if isinstance(value, dict) else {"mode": value})
        elif text is not None and "cache_dir" in text:
            said["cache_dir"] = text
    return said


def _is_none(value: object) -> bool:
    return not isinstance(value, bool) and value in _NO_COMPILATION
