"""The cache of all look-ups: what a burst of pods, a slow store and a broken one see of it."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from webhook.lookup.cached import Cached, Policy
from webhook.lookup.facts import Unknown
from webhook.lookup.observer import Lookup, Memory, Outcome
from webhook.reasons import Code, because

POLICY = Policy(fresh_seconds=300, stale_seconds=3600, failure_seconds=15, fetch_seconds=60, entries=3)
FAILURE = Unknown(because(Code.OFFLINE, subject="x"))
LONG = 30.0


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Counts:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.memory: list[Memory] = []
        self.ages: list[float] = []

    def count_lookup(self, lookup: Lookup, outcome: Outcome, seconds: float) -> None:
        assert lookup is Lookup.MODEL
        assert seconds >= 0
        self.outcomes.append(outcome)

    def count_cache(self, lookup: Lookup, result: Memory) -> None:
        assert lookup is Lookup.MODEL
        self.memory.append(result)

    def count_stale(self, lookup: Lookup, age_seconds: float) -> None:
        assert lookup is Lookup.MODEL
        self.ages.append(age_seconds)


class Source:
    """A store whose answers a test gives out; it counts how often it is asked."""

    def __init__(self, *answers: str | Unknown | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, key: str) -> str | Unknown:
        self.asked.append(key)
        await self.gate.wait()
        answer = self.answers.pop(0) if self.answers else f"answer to {key}"
        if isinstance(answer, Exception):
            raise answer
        return answer


class Scene:
    def __init__(self, *answers: str | Unknown | Exception, policy: Policy = POLICY) -> None:
        self.source = Source(*answers)
        self.clock = Clock()
        self.counts = Counts()
        self.cache: Cached[str, str] = Cached(
            self.source, policy, lookup=Lookup.MODEL, observer=self.counts, clock=self.clock
        )


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await scene()

    asyncio.run(run())


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def code_of(value: str | Unknown | None) -> Code:
    assert isinstance(value, Unknown)
    return value.reason.code


def test_an_answer_is_fetched_once_and_then_served_from_memory() -> None:
    async def scene() -> None:
        s = Scene()
        assert s.cache.peek("a") is None
        assert await s.cache.get("a", LONG) == "answer to a"
        assert s.cache.peek("a") == "answer to a"
        assert await s.cache.get("a", LONG) == "answer to a"
        assert s.source.asked == ["a"]
        assert s.counts.memory == [Memory.MISS, Memory.HIT, Memory.HIT]
        assert s.counts.outcomes == [Outcome.FOUND]

    play(scene)


def test_a_thousand_waiters_share_one_fetch() -> None:
    async def scene() -> None:
        s = Scene()
        s.source.gate.clear()
        waiters = [asyncio.create_task(s.cache.get("a", LONG)) for _ in range(1000)]
        await settle()
        s.source.gate.set()
        assert set(await asyncio.gather(*waiters)) == {"answer to a"}
        assert s.source.asked == ["a"]

    play(scene)


def test_keys_are_fetched_side_by_side() -> None:
    async def scene() -> None:
        s = Scene()
        s.source.gate.clear()
        waiters = [asyncio.create_task(s.cache.get(key, LONG)) for key in ("a", "b")]
        await settle()
        assert s.source.asked == ["a", "b"]
        s.source.gate.set()
        assert await asyncio.gather(*waiters) == ["answer to a", "answer to b"]

    play(scene)


def test_a_waiter_stops_at_its_deadline_and_the_next_one_has_the_answer() -> None:
    async def scene() -> None:
        s = Scene()
        s.source.gate.clear()
        late = await s.cache.get("a", 0.0)
        assert code_of(late) is Code.LOOKUP_SLOW
        assert "model a" in late.reason.text if isinstance(late, Unknown) else False
        s.source.gate.set()
        await settle()
        assert s.cache.peek("a") == "answer to a"
        assert s.source.asked == ["a"]
        assert s.counts.outcomes == [Outcome.LATE, Outcome.FOUND]

    play(scene)


def test_a_cancelled_waiter_does_not_cancel_the_fetch() -> None:
    async def scene() -> None:
        s = Scene()
        s.source.gate.clear()
        leaver, stayer = (asyncio.create_task(s.cache.get("a", LONG)) for _ in range(2))
        await settle()
        leaver.cancel()
        await settle()
        assert leaver.cancelled()
        s.source.gate.set()
        assert await stayer == "answer to a"
        assert s.source.asked == ["a"]

    play(scene)


def test_a_stale_answer_is_served_while_a_new_one_is_fetched_behind_it() -> None:
    async def scene() -> None:
        s = Scene("old", "new")
        await s.cache.get("a", LONG)
        s.clock.now += POLICY.fresh_seconds
        assert s.cache.peek("a") == "old"
        assert s.cache.peek("a") == "old"
        await settle()
        assert s.cache.peek("a") == "new"
        assert s.source.asked == ["a", "a"]
        assert s.counts.memory == [Memory.MISS, Memory.STALE, Memory.STALE, Memory.HIT]
        assert s.counts.ages == [POLICY.fresh_seconds, POLICY.fresh_seconds]

    play(scene)


def test_an_answer_that_is_the_same_as_before_is_the_same_object() -> None:
    async def scene() -> None:
        answer = ["two", "shards"]
        s = Scene(" ".join(answer), " ".join(answer))
        first = await s.cache.get("a", LONG)
        s.clock.now += POLICY.fresh_seconds
        s.cache.peek("a")
        await settle()
        assert s.counts.memory == [Memory.MISS, Memory.STALE]
        assert s.cache.peek("a") is first
        assert s.counts.memory[-1] is Memory.HIT

    play(scene)


def test_an_answer_too_old_is_not_served() -> None:
    async def scene() -> None:
        s = Scene("old", "new")
        await s.cache.get("a", LONG)
        s.clock.now += POLICY.fresh_seconds + POLICY.stale_seconds
        assert s.cache.peek("a") is None
        assert await s.cache.get("a", LONG) == "new"

    play(scene)


def test_a_failure_is_a_value_and_is_remembered_briefly() -> None:
    async def scene() -> None:
        s = Scene(FAILURE, "found")
        assert await s.cache.get("a", LONG) == FAILURE
        s.clock.now += POLICY.failure_seconds - 1
        assert s.cache.peek("a") == FAILURE
        s.clock.now += 1
        assert s.cache.peek("a") is None
        assert await s.cache.get("a", LONG) == "found"
        assert s.counts.outcomes == [Outcome.UNKNOWN, Outcome.FOUND]

    play(scene)


@pytest.mark.parametrize("failure", [FAILURE, RuntimeError("broken")], ids=["value", "raised"])
def test_a_failed_refresh_keeps_the_old_answer_and_is_not_repeated_at_once(failure: Unknown | Exception) -> None:
    async def scene() -> None:
        s = Scene("old", failure, "new")
        await s.cache.get("a", LONG)
        s.clock.now += POLICY.fresh_seconds
        assert s.cache.peek("a") == "old"
        await settle()
        assert s.cache.peek("a") == "old"
        await settle()
        assert s.source.asked == ["a", "a"]
        s.clock.now += POLICY.failure_seconds
        assert s.cache.peek("a") == "old"
        await settle()
        assert s.cache.peek("a") == "new"

    play(scene)


def test_an_answer_that_cannot_be_renewed_is_dropped_at_last() -> None:
    async def scene() -> None:
        s = Scene("old", FAILURE, FAILURE)
        await s.cache.get("a", LONG)
        s.clock.now += POLICY.fresh_seconds + POLICY.stale_seconds - 1
        assert s.cache.peek("a") == "old"
        await settle()
        s.clock.now += 1
        assert await s.cache.get("a", LONG) == FAILURE

    play(scene)


def test_a_fetch_that_raises_is_an_unknown_to_all_who_wait() -> None:
    async def scene() -> None:
        s = Scene(RuntimeError("secret text"))
        first, second = await asyncio.gather(s.cache.get("a", LONG), s.cache.get("a", LONG))
        assert first == second
        assert code_of(first) is Code.LOOKUP_FAILED
        assert "RuntimeError" in first.reason.text  # type: ignore[union-attr]  # just shown to be an Unknown
        assert "secret" not in first.reason.text  # type: ignore[union-attr]  # ditto
        assert code_of(s.cache.peek("a")) is Code.LOOKUP_FAILED

    play(scene)


def test_a_fetch_that_never_ends_is_given_up() -> None:
    async def scene() -> None:
        s = Scene(policy=msgspec.structs.replace(POLICY, fetch_seconds=0.001))
        s.source.gate.clear()
        assert code_of(await s.cache.get("a", LONG)) is Code.LOOKUP_SLOW
        assert code_of(s.cache.peek("a")) is Code.LOOKUP_SLOW

    play(scene)


def test_the_least_recently_used_answer_is_evicted() -> None:
    async def scene() -> None:
        s = Scene()
        for key in ("a", "b", "c"):
            await s.cache.get(key, LONG)
        s.cache.peek("a")
        await s.cache.get("d", LONG)
        assert len(s.cache) == POLICY.entries
        assert s.cache.peek("b") is None
        assert [s.cache.peek(key) for key in ("a", "c", "d")] == ["answer to a", "answer to c", "answer to d"]

    play(scene)


def test_fetches_under_way_are_bounded_and_the_next_one_is_told_at_once() -> None:
    async def scene() -> None:
        s = Scene("old", policy=msgspec.structs.replace(POLICY, entries=1_000))
        await s.cache.get("stale", LONG)
        s.clock.now += POLICY.fresh_seconds
        s.source.gate.clear()
        waiters = [asyncio.create_task(s.cache.get(str(number), LONG)) for number in range(256)]
        await settle()
        assert code_of(await s.cache.get("one more", LONG)) is Code.LOOKUP_SLOW
        assert s.cache.peek("stale") == "old"
        await settle()
        assert len(s.source.asked) == 257
        s.source.gate.set()
        await asyncio.gather(*waiters)
        assert await s.cache.get("one more", LONG) == "answer to one more"

    play(scene)


class Broken:
    """An observer that cannot count."""

    def count_lookup(self, lookup: Lookup, outcome: Outcome, seconds: float) -> None:
        raise RuntimeError(lookup, outcome, seconds)

    def count_cache(self, lookup: Lookup, result: Memory) -> None:
        raise RuntimeError(lookup, result)

    def count_stale(self, lookup: Lookup, age_seconds: float) -> None:
        raise RuntimeError(lookup, age_seconds)


def test_what_cannot_be_counted_is_answered_all_the_same() -> None:
    async def scene() -> None:
        source = Source()
        cache: Cached[str, str] = Cached(source, POLICY, lookup=Lookup.MODEL, observer=Broken())
        assert await cache.get("a", LONG) == "answer to a"
        assert cache.peek("a") == "answer to a"
        source.gate.clear()
        assert code_of(await cache.get("b", 0.0)) is Code.LOOKUP_SLOW
        await cache.close()

    play(scene)


def test_closing_ends_what_is_under_way_and_frees_who_waits() -> None:
    async def scene() -> None:
        s = Scene()
        s.source.gate.clear()
        waiter = asyncio.create_task(s.cache.get("a", LONG))
        await settle()
        await s.cache.close()
        assert code_of(await waiter) is Code.LOOKUP_SLOW

    play(scene)
