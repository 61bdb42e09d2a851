from threading import Event

import pytest

from benchmarks.lab.side_by_side import side_by_side


def test_what_fails_drops_what_waits_and_gives_up_the_rest() -> None:
    began, given_up = Event(), Event()
    ran: list[str] = []

    def under_way() -> None:
        ran.append("under way")
        began.set()
        given_up.wait()

    def fail() -> None:
        with side_by_side(1, given_up.set) as pool:
            pool.submit(under_way)
            pool.submit(ran.append, "waiting")
            began.wait()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()

    assert ran == ["under way"]


def test_what_goes_well_is_not_given_up() -> None:
    given_up = Event()

    with side_by_side(2, given_up.set) as pool:
        assert list(pool.map(str, range(5))) == ["0", "1", "2", "3", "4"]

    assert not given_up.is_set()
