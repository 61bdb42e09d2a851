import pytest

from benchmarks.lab.streamer.gets import flow_of
from benchmarks.lab.streamer.stock import Get

MIB = 1 << 20


def get(began: float, ended: float | None, start: int = 0, outcome: str = "served", length: int = 8 * MIB) -> Get:
    return Get("m/a.safetensors", start, length, int(began * 10), began, ended, outcome)


@pytest.mark.parametrize(
    ("gets", "most", "mean"),
    [
        ([], 0, 0.0),
        ([get(0, 1)], 1, 1.0),
        ([get(0, 1), get(1, 2)], 1, 1.0),
        ([get(0, 2), get(1, 2)], 2, 1.5),
        ([get(0, 2), get(0, 2, length=100)], 1, 1.0),
        ([get(0, 4), get(2, None)], 2, 1.5),
    ],
    ids=["none", "one", "one after the other", "side by side", "a header does not count", "one without an end"],
)
def test_how_many_gets_were_in_flight(gets: list[Get], most: int, mean: float) -> None:
    flow = flow_of(gets)

    assert flow.most_in_flight == most
    assert flow.mean_in_flight == pytest.approx(mean)


def test_what_became_of_gets_is_counted() -> None:
    flow = flow_of([get(0, 1, outcome="aborted"), get(1, 2), get(1, 2, start=9, outcome="refused"), get(3, 4, start=9)])

    assert (flow.gets, flow.aborted, flow.refused, flow.repeated) == (4, 1, 1, 2)
