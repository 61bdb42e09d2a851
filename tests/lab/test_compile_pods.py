import pytest

from benchmarks.lab.compile.cases import ARGUMENTS, FIRST, NEXT, NON_ROOT, OTHER_IMAGE, PODS, READ_ONLY, TENANT
from benchmarks.lab.compile.pods import NoCacheError, Planned, Pod, plan, untouched


@pytest.fixture(scope="module")
def planned() -> dict[Pod, Planned]:
    return plan(PODS)


def test_each_pod_gets_a_cache_that_torch_is_led_to(planned: dict[Pod, Planned]) -> None:
    for each in planned.values():
        assert each.env["TORCHINDUCTOR_CACHE_DIR"].startswith(f"{each.mount}/")
        assert each.cache.split("/")[-2] == each.pod.namespace


def test_pods_of_a_template_share_a_folder_and_others_do_not(planned: dict[Pod, Planned]) -> None:
    assert planned[FIRST].cache == planned[NEXT].cache
    others = (FIRST, TENANT, ARGUMENTS, OTHER_IMAGE, NON_ROOT)
    assert len({planned[pod].cache for pod in others}) == len(others)


def test_what_a_node_fills_in(planned: dict[Pod, Planned]) -> None:
    assert planned[FIRST].env["VLLM_HOST_IP"] != planned[NEXT].env["VLLM_HOST_IP"] == NEXT.ip


def test_only_users_other_than_root_get_an_init_step(planned: dict[Pod, Planned]) -> None:
    assert planned[FIRST].init is None
    for pod in (NON_ROOT, READ_ONLY):
        command = planned[pod].init
        assert command is not None
        assert f"chown {pod.uid}:{pod.uid} {planned[pod].mount}" in " ".join(command)
        assert planned[pod].init_capabilities == ("CHOWN", "FOWNER", "DAC_OVERRIDE")


def test_a_read_only_root_has_a_temporary_folder_of_its_own(planned: dict[Pod, Planned]) -> None:
    assert planned[READ_ONLY].volumes["/tmp"] is None


def test_an_untouched_pod_has_no_cache() -> None:
    alone = untouched(FIRST)
    assert "TORCHINDUCTOR_CACHE_DIR" not in alone.env
    with pytest.raises(NoCacheError, match=FIRST.name):
        _ = alone.cache
