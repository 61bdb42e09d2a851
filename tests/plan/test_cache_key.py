"""The key: the same for all pods of a template, another wherever what is compiled may differ."""

from typing import Any

import msgspec
import pytest

from tests.plan.make import G5_XL, P5, container, enforcing, env, facts, instance, launch, subject, world
from webhook.lookup.facts import PodSecurity, Source, Unknown, World
from webhook.plan.cache_key import cache_key, compile_env, fixed_gpu
from webhook.plan.subject import Subject
from webhook.pod.facts import EnvFromRef, PodFacts, User, UserEnv
from webhook.pod.view import Container, EnvVar, EnvVarSource, KeySelector, Pod, PodSpec
from webhook.reasons import Code, because


def key(pod: PodFacts, around: World | None = None) -> str:
    case = subject(pod, around or world(P5))
    return cache_key(case, fixed_gpu(case) or "node")


def test_the_state_of_the_cluster_does_not_matter() -> None:
    unknown = Unknown(because(Code.LOOKUP_SLOW, subject="it"))
    states = [
        world(source=Source.CATALOGUE),
        world(P5, source=Source.NODES),
        world(P5, G5_XL, source=Source.NODE_POOLS),
        world(P5, source=Source.CATALOGUE, shards=unknown),
        world(G5_XL, source=Source.NODE_NAME, namespace=enforcing(PodSecurity.BASELINE)),
    ]
    assert len({key(facts(), state) for state in states}) == 1


def test_a_pods_own_name_does_not_matter_on_one_node() -> None:
    assert key(facts(name="a")) == key(facts(name="b"))


SAME = [
    ("a port", env({"VLLM_PORT": "8000"})),
    ("an address that differs in every pod", env({"VLLM_HOST_IP": None})),
    ("a secret", env({"VLLM_API_KEY": "s3cret"})),
    ("a token", env({"SGLANG_ADMIN_TOKEN": "s3cret"})),
    ("logging", env({"VLLM_LOGGING_LEVEL": "DEBUG"})),
    ("what no compiler reads", env({"HF_TOKEN": "x", "MY_SETTING": "1"})),
]


@pytest.mark.parametrize("users", [row[1] for row in SAME], ids=[row[0] for row in SAME])
def test_the_key_stays_the_same(users: UserEnv) -> None:
    assert key(facts(container=container(env=users))) == key(facts())


OTHER = [
    ("image", facts(container=container(image="vllm/vllm-openai:v0.12.0"))),
    ("words", facts(launch=launch(compile_words=("--model", "other")))),
    ("engine env", facts(container=container(env=env({"VLLM_USE_DEEP_GEMM": "1"})))),
    ("another value of it", facts(container=container(env=env({"VLLM_USE_DEEP_GEMM": "0"})))),
    ("a value not yet known", facts(container=container(env=env({"VLLM_USE_DEEP_GEMM": None})))),
    ("torch env", facts(container=container(env=env({"TORCHDYNAMO_DISABLE": "1"})))),
    ("CUDA devices", facts(container=container(env=env({"CUDA_VISIBLE_DEVICES": "1"})))),
    ("TP", facts(launch=launch(tensor_parallel_size=4))),
    ("PP", facts(launch=launch(pipeline_parallel_size=2))),
    ("DP", facts(launch=launch(data_parallel_size=2))),
    ("node rank", facts(launch=launch(nodes=2, node_rank=1))),
    ("another node rank", facts(launch=launch(nodes=2, node_rank=0))),
    ("a multi-node pod of fixed name", facts(launch=launch(nodes=2), name="engine-0")),
    ("its neighbour", facts(launch=launch(nodes=2), name="engine-1")),
    ("user", facts(container=container(user=User(uid=1000)))),
    ("as it is", facts()),
]


def test_whatever_may_change_what_is_compiled_changes_the_key() -> None:
    keys = {name: key(pod) for name, pod in OTHER}
    assert len(set(keys.values())) == len(keys), keys


def test_another_gpu_changes_the_key() -> None:
    assert key(facts(), world(P5)) != key(facts(), world(G5_XL))


def of(name: str, **source: Any) -> EnvVar:  # noqa: ANN401 (any kind of source)
    return EnvVar(name=name, value_from=EnvVarSource(**source))


def taking(*entries: EnvVar, known: bool = True) -> PodFacts:
    """A pod that takes its environment from elsewhere; `known` tells whether its launch line needs none of it."""
    users = env({entry.name: None for entry in entries})
    view = Pod(spec=PodSpec(containers=[Container(name="engine", env=list(entries))]))
    return facts(launch=launch(compile_words_known=known), container=container(env=users), view=view)


SOURCES = [
    ("a ConfigMap", of("VLLM_X", config_map_key_ref=KeySelector(name="a", key="k"))),
    ("another ConfigMap", of("VLLM_X", config_map_key_ref=KeySelector(name="b", key="k"))),
    ("another key", of("VLLM_X", config_map_key_ref=KeySelector(name="a", key="l"))),
    ("a Secret", of("VLLM_X", secret_key_ref=KeySelector(name="a", key="k"))),
    ("a label", of("VLLM_X", field_ref={"fieldPath": "metadata.labels['a']"})),
    ("a limit", of("VLLM_X", resource_field_ref={"resource": "limits.cpu"})),
]


def test_pods_that_take_values_from_different_sources_share_nothing() -> None:
    keys = {name: key(taking(entry)) for name, entry in SOURCES}
    assert len(set(keys.values())) == len(keys), keys


def test_a_source_counts_where_the_launch_line_takes_a_value_from_it() -> None:
    one, other = (of("SIZE", config_map_key_ref=KeySelector(name=name, key="k")) for name in "ab")
    assert key(taking(one)) == key(taking(other))
    assert key(taking(one, known=False)) != key(taking(other, known=False))


def test_sources_that_name_no_variable_count() -> None:
    one, other = (facts(container=container(env=UserEnv({}, (EnvFromRef("ConfigMap", name),)))) for name in "ab")
    assert len({key(one), key(other), key(facts())}) == 3


GPUS = [
    ("selector", world(P5), "H100"),
    ("annotation", world(P5, source=Source.ANNOTATION), "H100"),
    ("two types with one GPU", world(P5, instance("p5.4xlarge", 1, 100)), "H100"),
    ("two GPUs", world(P5, G5_XL), None),
    ("found on live nodes only", world(P5, source=Source.NODES), None),
    ("nothing known", world(), None),
]


@pytest.mark.parametrize(("around", "gpu"), [row[1:] for row in GPUS], ids=[row[0] for row in GPUS])
def test_the_gpu_that_the_pod_itself_fixes(around: World, gpu: str | None) -> None:
    assert fixed_gpu(subject(facts(), around)) == gpu


def test_env_is_in_the_key_by_name_in_order() -> None:
    users = env({"VLLM_B": "1", "TRITON_A": None, "AWS_SECRET_ACCESS_KEY": "x", "VLLM_A": "2"})
    assert compile_env(users) == [("TRITON_A", None), ("VLLM_A", "2"), ("VLLM_B", "1")]


def test_order_of_the_environment_does_not_matter() -> None:
    one, other = env({"VLLM_A": "1", "VLLM_B": "2"}), env({"VLLM_B": "2", "VLLM_A": "1"})
    assert key(facts(container=container(env=one))) == key(facts(container=container(env=other)))


def test_words_do_not_run_into_one_another() -> None:
    def words(*words: str) -> Subject:
        return msgspec.structs.replace(subject(), launch=launch(compile_words=words))

    assert cache_key(words("ab", "c"), "node") != cache_key(words("a", "bc"), "node")
