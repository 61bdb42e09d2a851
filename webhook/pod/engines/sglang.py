"""SGLang's launch line: what its flags mean for loading and compiling.

Source: SGLang 0.5.23 `ServerArgs`, and the documentation of older releases where a spelling has changed.
"""

from webhook.pod.commandline import CommandLine
from webhook.pod.engines.reading import (
    Given,
    Reading,
    compile_words,
    loose_words,
    model_problem,
)
from webhook.pod.facts import Engine, Launch
from webhook.pod.unknown import is_undecided, known

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
    given = Given(line)
    words, certain = compile_words(line, model, _IRRELEVANT)
    nodes = given.integer("--nnodes", 1)
    launch = Launch(
        engine=Engine.SGLANG,
        model=known(model) or None,
        load_format=given.load_format(known(model) or None),
        tensor_parallel_size=given.integer("--tensor-parallel-size", 1),
        pipeline_parallel_size=given.integer("--pipeline-parallel-size", 1),
        data_parallel_size=given.integer("--data-parallel-size", 1),
        # Attention's data parallelism divides the tensor-parallel ranks and adds none.
        data_parallel_size_local=1 if line.on("--enable-dp-attention") else None,
        nodes=nodes,
        node_rank=given.integer("--node-rank", None if nodes == 1 else 0),
        loader=given.loader(),
        config_file=given.config_file,
        compile_words=words,
        compile_words_known=certain,
    )
    return Reading(
        launch=launch,
        model_problem=model_problem(model, line),
        model_undecided=model is not None and is_undecided(model),
        undecidable=loose_words(line.positionals, model),
    )
