import asyncio
from collections.abc import Iterable

import pytest

from tests.reviews import Json
from webhook.admission import body
from webhook.admission.asgi import Receive
from webhook.admission.body import BodyReader, BusyError, DisconnectedError, TooLargeError
from webhook.admission.settings import AdmissionSettings


def sends(*pieces: bytes | None, pause: float = 0.0) -> Receive:
    """A client that sends pieces, with a pause before each; None is where it goes away."""
    left: Iterable[tuple[int, bytes | None]] = iter(enumerate(pieces, 1))

    async def receive() -> Json:
        await asyncio.sleep(pause)
        number, piece = next(iter(left), (0, b""))
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": number < len(pieces)}

    return receive


def reader(*, seconds: float = 5.0, limit: int = 10) -> BodyReader:
    return BodyReader(AdmissionSettings(body_seconds=seconds, body_limit_bytes=limit))


@pytest.mark.parametrize(
    ("pieces", "body"), [((b"",), b""), ((b"whole",), b"whole"), ((b"in ", b"", b"pieces"), b"in pieces")]
)
def test_a_body_is_put_together(pieces: tuple[bytes, ...], body: bytes) -> None:
    assert asyncio.run(reader().read(sends(*pieces))) == body


def test_as_much_is_read_as_the_limit_says() -> None:
    assert asyncio.run(reader(limit=4).read(sends(b"12", b"34"))) == b"1234"
    with pytest.raises(TooLargeError):
        asyncio.run(reader(limit=4).read(sends(b"12", b"34", b"5")))


def test_all_bodies_together_have_a_limit_and_what_was_read_counts_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "_MOST_BYTES", 10)

    async def scene() -> list[bytes | BaseException]:
        bodies = reader()
        at_once = [bodies.read(sends(b"12", b"34", b"5", pause=0.01)) for _ in range(3)]
        found = await asyncio.gather(*at_once, return_exceptions=True)
        return [*found, await bodies.read(sends(b"1234567890"))]

    *found, later = asyncio.run(scene())
    assert [each for each in found if isinstance(each, bytes)] == [b"12345"] * 2
    assert [type(each) for each in found if not isinstance(each, bytes)] == [BusyError]
    assert later == b"1234567890"


def test_a_client_that_goes_away_is_noticed() -> None:
    with pytest.raises(DisconnectedError):
        asyncio.run(reader().read(sends(b"12", None)))


def test_only_what_takes_too_long_is_given_up_and_others_are_read_on() -> None:
    async def scene() -> list[bytes | BaseException]:
        bodies = reader(seconds=0.2)
        slow = asyncio.ensure_future(bodies.read(sends(b"never", b"", pause=60.0)))
        found = await asyncio.gather(bodies.read(sends(b"1", b"2", pause=0.01)), slow, return_exceptions=True)
        # The timer starts anew when there is something to watch again.
        return [*found, *await asyncio.gather(bodies.read(sends(b"", pause=60.0)), return_exceptions=True)]

    quick, slow, later = asyncio.run(scene())
    assert quick == b"12"
    assert isinstance(slow, TimeoutError)
    assert isinstance(later, TimeoutError)


def test_who_cancels_a_request_is_not_told_of_a_time_out() -> None:
    async def scene() -> None:
        task = asyncio.ensure_future(reader().read(sends(b"never", pause=60.0)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scene())
