"""Following a resource of the API server through all that goes wrong."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from webhook.lookup.watching import Follower, KubeError, Named

PATH = "/api/v1/namespaces"


class Store:
    """Keeps names and versions."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def replace(self, objects: Iterable[Named]) -> None:
        self.kept = {each.metadata.name: each.metadata.resource_version for each in objects}

    def put(self, found: Named) -> None:
        self.kept[found.metadata.name] = found.metadata.resource_version

    def remove(self, name: str) -> None:
        self.kept.pop(name, None)


def named(name: str, version: str = "1") -> dict[str, Any]:
    return {"metadata": {"name": name, "resourceVersion": version}}


def listing(*items: dict[str, Any], version: str = "1", following: str = "") -> bytes:
    return msgspec.json.encode({"metadata": {"resourceVersion": version, "continue": following}, "items": list(items)})


def event(kind: str, found: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"type": kind, "object": found})


class Script:
    """An API server that gives the answers of a script, one to each call; it notes the queries."""

    def __init__(self, *steps: bytes | KubeError | list[bytes | KubeError]) -> None:
        self.steps = list(steps)
        self.calls: list[tuple[str, dict[str, str]]] = []

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:
        assert path == PATH
        step = self._next("list", query)
        assert isinstance(step, bytes)
        return step

    async def watch(self, path: str, query: Mapping[str, str]) -> AsyncIterator[bytes]:
        assert path == PATH
        step = self._next("watch", query)
        assert isinstance(step, list)
        for line in step:
            if isinstance(line, KubeError):
                raise line
            yield line

    def _next(self, verb: str, query: Mapping[str, str]) -> bytes | list[bytes | KubeError]:
        if not self.steps:
            raise asyncio.CancelledError  # the script is played to its end
        self.calls.append((verb, dict(query)))
        step = self.steps.pop(0)
        if isinstance(step, KubeError):
            raise step
        return step


class Play:
    """A follower that plays a script to its end, and how long it paused between calls."""

    def __init__(self, *steps: bytes | KubeError | list[bytes | KubeError]) -> None:
        self.script = Script(*steps)
        self.store = Store()
        self.pauses: list[float] = []
        self.problems: list[str | None] = []
        self.settled = False
        self.heard = 0.0

    def run(self) -> "Play":
        async def play() -> None:
            follower = Follower(self.script, PATH, Named, self.store, self._pause)
            self._follower = follower
            with pytest.raises(asyncio.CancelledError):
                await follower.run()
            self.settled = follower.settled.is_set()
            self.heard = follower.heard

        asyncio.run(play())
        return self

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.problems.append(self._follower.problem)

    @property
    def verbs(self) -> list[str]:
        return [verb for verb, _ in self.script.calls]

    def versions(self) -> list[str]:
        return [query["resourceVersion"] for verb, query in self.script.calls if verb == "watch"]


GONE = event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired"})


def test_a_list_and_what_the_watch_adds() -> None:
    play = Play(
        listing(named("a"), named("b"), version="5"),
        [
            event("ADDED", named("c", "6")),
            event("MODIFIED", named("a", "7")),
            event("DELETED", named("b", "8")),
            event("BOOKMARK", {"metadata": {"resourceVersion": "20"}}),
        ],
        [],
    ).run()
    assert play.store.kept == {"a": "7", "c": "6"}
    assert play.versions() == ["5", "20"]
    assert play.problems[0] is None
    assert play.settled
    assert play.script.calls[1][1]["allowWatchBookmarks"] == "true"


def test_a_list_in_pages() -> None:
    play = Play(listing(named("a"), following="token"), listing(named("b"), version="9"), []).run()
    assert play.store.kept == {"a": "1", "b": "1"}
    assert play.script.calls[1][1]["continue"] == "token"
    assert play.versions() == ["9"]


def test_an_empty_list_is_a_list() -> None:
    assert Play(b'{"metadata":{"resourceVersion":"1"},"items":null}', []).run().settled


def test_a_watch_that_breaks_goes_on_from_the_last_version() -> None:
    play = Play(listing(named("a")), [event("ADDED", named("b", "2")), KubeError("broken")], []).run()
    assert play.verbs == ["list", "watch", "watch"]
    assert play.versions() == ["1", "2"]
    assert play.store.kept == {"a": "1", "b": "2"}


@pytest.mark.parametrize("gone", [[GONE], KubeError("gone", 410)], ids=["event", "status"])
def test_a_version_too_old_is_listed_anew(gone: KubeError | list[bytes | KubeError]) -> None:
    play = Play(listing(named("a")), gone, listing(named("b", "9"), version="9"), []).run()
    assert play.verbs == ["list", "watch", "list", "watch"]
    assert play.store.kept == {"b": "9"}
    assert play.versions() == ["1", "9"]


def test_a_page_too_old_starts_the_list_anew() -> None:
    play = Play(listing(named("a"), following="token"), KubeError("gone", 410), listing(named("b")), []).run()
    assert "continue" not in play.script.calls[2][1]
    assert play.store.kept == {"b": "1"}


def test_a_server_away_at_the_start_is_tried_again_ever_more_slowly() -> None:
    play = Play(*[KubeError("no answer")] * 12, listing(named("a")), []).run()
    assert play.store.kept == {"a": "1"}
    tries = play.pauses[:12]
    assert tries[0] <= 1.0
    assert all(2.5 <= pause <= 5 for pause in tries[6:])
    assert play.problems[:12] == ["no answer"] * 12
    assert play.problems[12] is None


def test_a_server_away_later_leaves_what_was_seen() -> None:
    play = Play(listing(named("a")), [], *[KubeError("no answer")] * 3).run()
    assert play.store.kept == {"a": "1"}
    assert play.problems[-1] == "no answer"
    assert play.settled


@pytest.mark.parametrize(
    ("status", "shortest", "longest"),
    [
        pytest.param(404, 60, 60, id="absent, so tried again seldom"),
        # A server that starts refuses everybody, until it has read its rules.
        pytest.param(403, 0.5, 1, id="refused, so tried again soon"),
    ],
)
def test_what_is_absent_or_refused_is_settled(status: int, shortest: float, longest: float) -> None:
    play = Play(KubeError("refused", status), listing(named("a")), []).run()
    assert shortest <= play.pauses[0] <= longest
    assert play.problems[0] == "refused"
    assert play.problems[1] is None
    assert play.store.kept == {"a": "1"}


@pytest.mark.parametrize("status", [403, 404])
def test_who_is_refused_does_not_wait_to_be_ready(status: int) -> None:
    assert Play(KubeError("refused", status)).run().settled


@pytest.mark.parametrize("status", [401, 403, 500])
def test_a_refusal_later_leaves_what_was_seen(status: int) -> None:
    assert Play(listing(named("a")), KubeError("refused", status)).run().store.kept == {"a": "1"}


def test_what_goes_away_is_forgotten() -> None:
    play = Play(listing(named("a")), KubeError("no such resource", 404)).run()
    assert play.store.kept == {}


@pytest.mark.parametrize(
    "steps",
    [
        [b"<html>", listing(named("a")), []],
        [b'{"items":[{"metadata":{"name":7}}]}', listing(named("a")), []],
        [listing(named("a")), [b"garbage"], []],
        [listing(named("a")), [b'{"type":"ADDED"}'], []],
        [listing(named("a")), [event("ERROR", {"code": 500})], []],
    ],
    ids=["list", "object", "event", "half an event", "error"],
)
def test_nonsense_is_a_failure_like_others(steps: list[Any]) -> None:
    play = Play(*steps).run()
    assert play.store.kept == {"a": "1"}
    assert any(play.problems)


def test_a_fault_of_our_own_does_not_end_it(caplog: pytest.LogCaptureFixture) -> None:
    play = Play([], listing(named("a")), []).run()  # a list where bytes should be
    assert play.store.kept == {"a": "1"}
    assert play.problems[0] == "AssertionError"
    assert "following /api/v1/namespaces failed" in caplog.text


def test_a_server_that_ends_every_watch_at_once_is_not_flooded() -> None:
    play = Play(listing(named("a")), *[[] for _ in range(5)]).run()
    assert play.pauses == [1.0] * 5


def test_it_tells_when_the_server_was_heard_of_last(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((100.0, 200.0))
    monkeypatch.setattr("webhook.lookup.watching.time", SimpleNamespace(time=lambda: next(times)))

    never = Play(KubeError("away"), KubeError("refused", 403)).run()
    listed = Play(listing(named("a"), version="5"), [event("ADDED", named("b", "6"))], KubeError("away")).run()

    assert (never.heard, listed.heard) == (0.0, 200.0)
