"""Which launch lines are an engine's, and what they say."""

import pytest

from tests.pod.small_pods import IMAGE, codes, container, engine_container, facts_of, launch_of, launched
from webhook.pod.facts import Engine, LoaderConfig

URI = "s3://bucket/model"

ENGINES = {
    "vllm serve URI": Engine.VLLM,
    "/opt/venv/bin/vllm serve URI": Engine.VLLM,
    "vllm serve --model URI": Engine.VLLM,
    "vllm serve URI --headless --data-parallel-size 4 --data-parallel-size-local 2": Engine.VLLM,
    "python3 -m vllm.entrypoints.openai.api_server --model URI": Engine.VLLM,
    "python -u -X dev -m vllm.entrypoints.api_server --model=URI": Engine.VLLM,
    "/usr/bin/python3.12 -m vllm.entrypoints.cli.main serve URI": Engine.VLLM,
    "python3 /usr/lib/vllm/entrypoints/openai/api_server.py --model URI": Engine.VLLM,
    "python3 -m dynamo.vllm --model URI": Engine.VLLM,
    "python3 -m huggingfaceserver --model_name=n --model_id=URI": Engine.VLLM,
    "python3 /workspace/vllm/inference_api.py --model URI": Engine.VLLM,
    "python3 -m sglang.launch_server --model-path URI": Engine.SGLANG,
    "python3 -m sglang.launch_server --model URI": Engine.SGLANG,
    "sglang serve --model-path URI": Engine.SGLANG,
    "sglang serve URI --tp 1": Engine.SGLANG,
    "python3 -m sglang_router.launch_server --model-path URI --dp-size 1": Engine.SGLANG,
    "python3 -m dynamo.sglang --model-path URI": Engine.SGLANG,
    "numactl --membind 0 -- tini -- vllm serve URI": Engine.VLLM,
    "uv run python -m vllm.entrypoints.openai.api_server --model URI": Engine.VLLM,
}


@pytest.mark.parametrize(("line", "engine"), ENGINES.items(), ids=ENGINES.keys())
def test_a_launch_line(line: str, engine: Engine) -> None:
    launch = launched(*line.replace("URI", URI).split())
    assert (launch.engine, launch.model, launch.load_format) == (engine, URI, "auto")


NOT_ENGINES = [
    "python3 -m sglang_router.launch_router --worker-urls http://x",
    "python3 -m dynamo.frontend",
    "python3 -m dynamo.trtllm --model URI",
    "python3 -m huggingfaceserver --model_id=URI --backend=huggingface",
    "vllm bench serve --model URI",
    "vllm chat --url http://x",
    "vllm",
    "sglang generate --model-path URI",
    "python3 serve.py --model URI",
    "python3 /workspace/tfs/inference_api.py --model URI",
    "python3",
    "python3 -m",
    "ray start --head",
    "serve run app:llm",
    "bash",
    "bash /start.sh --model URI",
    "echo vllm serve URI",
]


@pytest.mark.parametrize("line", NOT_ENGINES)
def test_what_launches_no_engine(line: str) -> None:
    assert codes(facts_of(container(command=line.replace("URI", URI).split()))) == ["no-engine"]


@pytest.mark.parametrize(
    ("image", "args", "found"),
    [
        ("vllm/vllm-openai:v1", ["--model", URI], True),
        ("docker.io/vllm/vllm-openai", [URI], True),
        ("vllm/vllm-openai:v1", ["--tensor-parallel-size", "2"], True),
        ("vllm/vllm-openai:v1", ["--port", "80"], False),
        ("vllm/vllm-openai:v1", ["sleep", "infinity"], False),
        ("1.dkr.ecr.us-west-2.amazonaws.com/vllm:0.19-gpu", ["--model", URI], True),
        ("example:5000/team/vllm-serving@sha256:00", ["--model", URI], True),
        ("example/vllm", ["serve", URI], True),
        ("example/sglang-runtime", ["--model-path", URI], True),
        ("lmsysorg/sglang:latest", ["--model-path", URI], False),
        ("lmsysorg/sglang:latest", ["python3", "-m", "sglang.launch_server", "--model-path", URI], True),
        ("lmsysorg/sglang:latest", ["sh", "-c", f"sglang serve --model-path {URI}"], True),
        ("ghcr.io/vllm-project/production-stack/router", ["--model", URI], False),
        ("example/vllm-sidecar", ["--vllm-port=8200", "--model", URI], False),
        ("nvcr.io/nvidia/tritonserver", ["--model", URI], False),
        ("example/vllm", [], False),
    ],
)
def test_args_alone_launch_what_the_image_launches(image: str, args: list[str], found: bool) -> None:  # noqa: FBT001 - a column
    assert (facts_of(container(image=image, args=args)).launch is not None) == found


def test_a_model_given_twice_is_the_word_and_not_the_flag() -> None:
    assert launched("vllm", "serve", URI, "--model", "other/model").model == URI


def test_traps_are_not_the_model() -> None:
    launch = launched(
        *("vllm", "serve", "--lora-modules", "a=s3://x/lora", "b=s3://x/other", "--speculative-config"),
        *(
            '{"model": "s3://x/draft"}',
            "--served-model-name",
            "s3://x/name",
            "--tokenizer",
            "s3://x/tok",
            "--model",
            URI,
        ),
    )
    assert launch.model == URI


@pytest.mark.parametrize(
    ("words", "figures"),
    [
        ("-tp 8 -pp=2 -dp 4 -dpl 2", (8, 2, 4, 2)),
        ("--tensor_parallel_size=8", (8, 1, 1, None)),
        ("--tensor-parallel-size eight", (None, 1, 1, None)),
        ("--pipeline-parallel-size", (1, None, 1, None)),
        ("-tp 2 -tp 4", (4, 1, 1, None)),
    ],
)
def test_parallelism_of_vllm(words: str, figures: tuple[int | None, ...]) -> None:
    launch = launched("vllm", "serve", URI, *words.split())
    assert figures == (
        launch.tensor_parallel_size,
        launch.pipeline_parallel_size,
        launch.data_parallel_size,
        launch.data_parallel_size_local,
    )


@pytest.mark.parametrize("tp", ["--tp 8", "--tp-size=8", "--tensor-parallel-size 8", "--tensor-p 8"])
def test_parallelism_of_sglang(tp: str) -> None:
    launch = launched("sglang", "serve", URI, *tp.split(), "--pp", "2", "--dp=4")
    assert (launch.tensor_parallel_size, launch.pipeline_parallel_size, launch.data_parallel_size) == (8, 2, 4)


EAGER = {
    "--enforce-eager": True,
    "--enforce_eager": True,
    "--enforce-eager --no-enforce-eager": False,
    "-O0": True,
    "-O=0": True,
    "-O 0": True,
    "-O3": False,
    "-O.mode=0": True,
    "--optimization-level 0": True,
    "--optimization-level=2": False,
    "-cc.mode=NONE": True,
    "-cc.level=0": True,
    '--compilation-config {"mode":0}': True,
    '--compilation-config {"level":"0"}': True,
    '--compilation-config {"mode":"NONE"}': True,
    '-cc {"mode":3}': False,
    "--compilation-config 0": True,
    "--compilation-config 3": False,
    '--compilation-config {"cudagraph_mode":"NONE"}': False,
    "": False,
}


CACHE_DIRS = {
    "": None,
    '--compilation-config {"mode":3}': None,
    '--compilation-config {"cache_dir":""}': None,
    '--compilation-config {"cache_dir":"/pvc/c"}': "/pvc/c",
    '-cc={"cache_dir":"/pvc/c","mode":3}': "/pvc/c",
    "-cc.cache_dir=/pvc/c": "/pvc/c",
    "-cc.cache_dir /pvc/c": "/pvc/c",
    "--compilation_config.cache_dir=/pvc/c": "/pvc/c",
    "-O.cache_dir=/pvc/c": "/pvc/c",
    '-O {"cache_dir":"/pvc/c"}': "/pvc/c",
    "-O3": None,
    "-O3 -cc.cache_dir=/pvc/c": "/pvc/c",
    "-cc.cache_dir=$(DIR)": "",
    '-cc {"cache_dir":"$(DIR)"}': "",
    '-cc {"cache_dir":["/pvc"]}': "",
}


@pytest.mark.parametrize(("words", "folder"), CACHE_DIRS.items(), ids=CACHE_DIRS.keys())
def test_the_users_own_folder_for_compiled_code(words: str, folder: str | None) -> None:
    assert launched("vllm", "serve", URI, *words.split()).compile_cache_dir == folder


@pytest.mark.parametrize("flag", ["--model-loader-extra-config", "--compilation-config", "-O"])
def test_json_too_deep_to_read_is_unreadable(flag: str) -> None:
    launch = launched("vllm", "serve", URI, flag, "[" * 20_000)
    assert (launch.model, launch.eager) == (URI, False)
    assert launch.loader.readable is (flag != "--model-loader-extra-config")


def test_data_parallel_attention_adds_no_ranks() -> None:
    words = ("sglang", "serve", URI, "--tp", "8", "--dp-size", "8")
    assert (launched(*words).data_parallel_size, launched(*words).data_parallel_size_local) == (8, None)
    attention = launched(*words, "--enable-dp-attention")
    assert (attention.data_parallel_size, attention.data_parallel_size_local) == (8, 1)
    router = launched("python", "-m", "sglang_router.launch_server", "--model-path", URI, "--dp-size", "4", "--tp", "2")
    assert (router.data_parallel_size, router.tensor_parallel_size, router.data_parallel_size_local) == (4, 2, None)


@pytest.mark.parametrize(("words", "eager"), EAGER.items(), ids=EAGER.keys())
def test_eager(words: str, eager: bool) -> None:  # noqa: FBT001 - a column
    assert launched("vllm", "serve", URI, *words.split()).eager is eager


@pytest.mark.parametrize(("value", "off"), [("1", True), ("true", True), ("0", False), ("", False), ("false", False)])
def test_the_compile_cache_may_be_switched_off(value: str, off: bool) -> None:  # noqa: FBT001 - a column
    env = [{"name": "VLLM_DISABLE_COMPILE_CACHE", "value": value}]
    assert launched("vllm", "serve", URI, env=env).compile_cache_disabled is off


LOADERS = {
    "": LoaderConfig(),
    '--model-loader-extra-config {"concurrency":4,"distributed":true}': LoaderConfig(distributed=True, concurrency=4),
    '--model-loader-extra-config={"memory_limit":-1,"other":1}': LoaderConfig(memory_limit=-1),
    '--model_loader_extra_config {"pattern":"m-{rank}"}': LoaderConfig(pattern="m-{rank}"),
    "--model-loader-extra-config.concurrency 8": LoaderConfig(concurrency=8),
    '--model-loader-extra-config.concurrency=8 --model-loader-extra-config {"distributed":true}': LoaderConfig(
        concurrency=8
    ),
    "--model-loader-extra-config {}": LoaderConfig(),
    "--model-loader-extra-config {": LoaderConfig(readable=False),
    "--model-loader-extra-config []": LoaderConfig(readable=False),
    '--model-loader-extra-config {"concurrency":"8"}': LoaderConfig(readable=False),
    "--model-loader-extra-config $(LOADER)": LoaderConfig(readable=False),
}


@pytest.mark.parametrize(("words", "loader"), LOADERS.items(), ids=LOADERS.keys())
def test_the_loaders_own_configuration(words: str, loader: LoaderConfig) -> None:
    assert launched("vllm", "serve", URI, *words.split()).loader == loader


def test_a_config_file_leaves_open_what_the_line_does_not_say() -> None:
    launch = launched("vllm", "serve", URI, "--config", "/c.yaml", "-tp", "4")
    assert (launch.config_file, launch.tensor_parallel_size) == ("/c.yaml", 4)
    assert (launch.load_format, launch.pipeline_parallel_size, launch.nodes) == (None, None, None)
    assert not launch.loader.readable


@pytest.mark.parametrize(
    "line",
    [
        "vllm serve --config /c.yaml",
        "python3 -m sglang.launch_server --config=/c.yaml",
        "vllm serve s3://b/m -tp 2 --config /c.yaml",
    ],
)
def test_a_config_file_may_hold_anything(line: str) -> None:
    facts = facts_of(container(command=line.split()))
    assert codes(facts) == ["unreadable-config-file"]
    assert "/c.yaml" in facts.skips[0].text


def test_the_part_of_a_config_files_name_that_is_not_in_the_pod_is_not_said() -> None:
    facts = facts_of(container(command=["vllm", "serve", URI, "--config", "/$(FOLDER)/c.yaml"]))
    assert "reads /?/c.yaml," in facts.skips[0].text


def test_spellings_of_one_line_have_the_same_compile_words() -> None:
    first = launched("vllm", "serve", URI, "-tp", "2", "--port", "8000", "--max_model_len=10", "--api-key", "secret")
    second = launched(
        "vllm", "serve", "--max-model-len", "10", "--model", URI, "--tensor-parallel-size=2", "--host", "::"
    )
    assert (
        first.compile_words
        == second.compile_words
        == (
            f"--model={URI}",
            "--max-model-len=10",
            "--tensor-parallel-size=2",
        )
    )


def test_other_lines_have_other_compile_words() -> None:
    lines = ["", "--max-model-len 10", "--max-model-len 11", "-tp 2", "--enable-expert-parallel", "--dtype half"]
    assert len({launched("vllm", "serve", URI, *line.split()).compile_words for line in lines}) == len(lines)


@pytest.mark.parametrize("flag", ["--api-key", "--hf-token"])
def test_secrets_are_not_kept(flag: str) -> None:
    assert "hunter2" not in str(launched("vllm", "serve", URI, flag, "hunter2").compile_words)


def test_unknown_words_are_marked_and_said_to_be_unknown() -> None:
    launch = launched("vllm", "serve", URI, "--max-model-len", "$(LENGTH)")
    assert launch.compile_words == (f"--model={URI}", "--max-model-len=?")
    assert not launch.compile_words_known


def test_sagemaker_names_are_flags_only_without_command_and_args() -> None:
    env = [
        {"name": "SM_VLLM_MODEL", "value": URI},
        {"name": "SM_VLLM_ENFORCE_EAGER", "value": ""},
        {"name": "SM_VLLM_ENABLE_PREFIX_CACHING", "value": "true"},
        {"name": "SM_VLLM_MAX_MODEL_LEN", "value": "10"},
    ]
    launch = launch_of(facts_of(container(image="1.dkr.ecr.us-west-2.amazonaws.com/vllm:server", env=env)))
    assert (launch.model, launch.eager) == (URI, True)
    assert "--max-model-len=10" in launch.compile_words
    assert codes(facts_of(container(image="1.dkr.ecr.us-west-2.amazonaws.com/vllm:server", env=env, args=["x"]))) == [
        "no-engine"
    ]


def test_sagemakers_model_may_be_a_hugging_face_id() -> None:
    env = [{"name": "HF_MODEL_ID", "value": "org/m"}, {"name": "SM_VLLM_DTYPE", "value": "half"}]
    assert (
        launch_of(facts_of(container(image="1.dkr.ecr.us-west-2.amazonaws.com/vllm:server", env=env))).model == "org/m"
    )


def test_the_wrappers_model_is_a_folder_unless_named() -> None:
    assert launched("python3", "-m", "huggingfaceserver", "--model_name=n").model == "/mnt/models"


def test_references_resolve_and_do_not_stop_the_rest() -> None:
    env = [{"name": "BUCKET", "value": "b"}, {"name": "MODEL", "value": "s3://$(BUCKET)/m"}]
    launch = launched("vllm", "serve", "$(MODEL)", "--nnodes", "$(LWS_GROUP_SIZE)", "-tp", "16", env=env)
    assert (launch.model, launch.nodes, launch.tensor_parallel_size) == ("s3://b/m", None, 16)


def test_shell_variables_are_not_expanded_without_a_shell() -> None:
    assert launched("vllm", "serve", "$MODEL", env=[{"name": "MODEL", "value": URI}]).model == "$MODEL"


def test_a_reference_in_a_script_is_resolved_before_the_shell_sees_it() -> None:
    env = [{"name": "MODEL", "value": URI}, {"name": "TP", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]
    launch = launched("sh", "-c", "vllm serve $(MODEL) -tp $(TP)", env=env)
    assert (launch.model, launch.tensor_parallel_size) == (URI, None)


def test_command_and_args_are_one_line() -> None:
    facts = facts_of(container(command=["bash", "-ec"], args=['exec vllm serve "$@"', "--", URI, "-tp=4"]))
    assert (launch_of(facts).model, launch_of(facts).tensor_parallel_size) == (URI, 4)


@pytest.mark.parametrize(
    "shell",
    [
        ["sh", "-c"],
        ["/bin/bash", "-lc"],
        ["bash", "-euxc"],
        ["bash", "-o", "pipefail", "-c"],
        ["bash", "-eo", "pipefail", "-c"],
        ["bash", "--login", "-x", "-c"],
        ["/usr/bin/env", "bash", "-c"],
        ["tini", "--", "bash", "-c", "--"],
        ["busybox", "sh", "-c"],
        ["zsh", "-c"],
    ],
)
def test_shell_forms(shell: list[str]) -> None:
    assert launched(*shell, f"cd /x && vllm serve {URI}").model == URI


def test_the_env_of_the_facts_has_no_holes() -> None:
    env = [
        {"name": "A", "value": "1"},
        {"name": "A", "value": "2"},
        {"name": "B", "value": "$(A)"},
        {"name": "C", "value": "$(UNSET)"},
        {"name": "D", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "E"},
    ]
    facts = facts_of(container(command=["vllm", "serve", URI], env=env, image=IMAGE))
    assert engine_container(facts).env.values == {"A": "2", "B": "2", "C": None, "D": None, "E": ""}
