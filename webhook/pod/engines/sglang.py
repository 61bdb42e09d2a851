"""SGLang's launch line: what its flags mean for loading and compiling.

Source: SGLang 0.5.23 `ServerArgs`, and the documentation of older releases where a spelling has changed.
"""

import msgspec

from webhook.pod.commandline import CommandLine
from webhook.pod.engines.reading import Reading, common_launch, reading_of
from webhook.pod.facts import Engine

# Flags that cannot change what is compiled: where it listens and under which names, keys, logs, the chat front end, and
# a rank's place among the others.
_IRRELEVANT_FLAGS = """
    --host --port --grpc-port --fastapi-root-path --served-model-name --api-key --admin-api-key --nccl-port
    --ssl-keyfile --ssl-certfile --ssl-ca-certs --ssl-keyfile-password --enable-ssl-refresh --weight-version
    --log-level --log-level-http --log-requests --log-requests-level --log-requests-format --log-requests-target
    --show-time-cost --enable-metrics --enable-metrics-for-all-schedulers --decode-log-interval --enable-trace
    --otlp-traces-endpoint --otlp-service-name --export-metrics-to-file --export-metrics-to-file-dir
    --bucket-time-to-first-token --bucket-inter-token-latency --bucket-e2e-request-latency --crash-dump-folder
    --uvicorn-access-log-exclude-prefixes --enable-request-time-stats-logging --enable-cache-report
    --chat-template --hf-chat-template-name --completion-template --default-chat-template-kwargs
    --trust-request-chat-template --tool-call-parser --tool-server --reasoning-parser --file-storage-path
    --warmups --skip-server-warmup --watchdog-timeout --soft-watchdog-timeout --dist-timeout --dist-init-addr
    --node-rank --disaggregation-bootstrap-port
"""
_IRRELEVANT = frozenset(_IRRELEVANT_FLAGS.split())


def read_sglang(line: CommandLine, model: str | None) -> Reading:
    """Reads SGLang's flags; `model` is the word that names the model, as the launch form has it."""
    launch = common_launch(Engine.SGLANG, line, model, _IRRELEVANT)
    if line.on("--enable-dp-attention"):
        # Attention's data parallelism divides the tensor-parallel ranks and adds none.
        launch = msgspec.structs.replace(launch, data_parallel_size_local=1)
    return reading_of(launch, line, model)
