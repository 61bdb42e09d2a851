"""How much the lab's S3 sends of each body, by a clock of the test's own."""

from unittest.mock import Mock, patch

import pytest

from benchmarks.lab.streamer.stock import File, Pace, Stock
from benchmarks.lab.streamer.store import _Store

KEY = "m/a.safetensors"
PACES = [
    ("each connection has its rate", Pace(connection=1_000), 2, 1_000),
    ("all share the link", Pace(connection=1_000, link=1_000), 4, 250),
    ("a link that is wide enough changes nothing", Pace(connection=1_000, link=9_000), 4, 1_000),
    ("one that crawls has a rate of its own", Pace(connection=1_000, crawling=1.0, crawl_rate=100), 2, 100),
    ("no byte comes before the first is due", Pace(connection=1_000, first_byte_seconds=60), 1, 0),
]


def sent_in_a_second(pace: Pace, gets: int) -> list[int]:
    """Begins GETs at 0 s, and looks at what each has been sent at 1 s."""
    clock, transport = Mock(), Mock()
    clock.time.return_value = 0.0
    with patch("asyncio.get_running_loop", return_value=clock):
        store = _Store(Stock((File(KEY, (1_000_000,)),), pace))
    transport.get_write_buffer_size.return_value = 0
    bodies = [store.begin(transport, KEY, f"bytes={number * 100}-", number) for number in range(gets)]
    for tick in range(1, 11):
        clock.time.return_value = tick / 10
        store.tick()
    return [body.sent for body in bodies if body is not None]


@pytest.mark.parametrize(("pace", "gets", "sent"), [row[1:] for row in PACES], ids=[row[0] for row in PACES])
def test_bodies_go_at_their_pace(pace: Pace, gets: int, sent: int) -> None:
    assert sent_in_a_second(pace, gets) == pytest.approx([sent] * gets, abs=1)
