"""A replica's part where something is missing or refused, and where whoever does the work is gone."""

import asyncio
import contextlib

import pytest

from tests.certificates.world import (
    ENOUGH,
    EVERY,
    LEASE,
    LIFE,
    MUTATING,
    POLL,
    SECRET,
    TO_RENEWAL,
    VALIDATING,
    KilledError,
    Replica,
    World,
    installed,
)
from webhook.certificates.outcomes import Writing
from webhook.lookup.watching import KubeError


def test_a_webhook_configuration_that_is_not_there_is_passed_over() -> None:
    world = World()
    del world.objects[VALIDATING]
    replica = Replica(world, "one")
    replica.turns(4)
    assert replica.ready
    assert set(world.objects) == {MUTATING, SECRET, LEASE}


def test_one_configuration_that_cannot_be_written_does_not_keep_the_others_from_it() -> None:
    world = World()
    replica = Replica(world, "one")
    world.refusals["PATCH", MUTATING] = 403
    replica.turn()
    with pytest.raises(KubeError):
        replica.turn()
    assert replica.written == [(Writing.FAILED, MUTATING), (Writing.WRITTEN, VALIDATING)]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", SECRET), ("GET", LEASE), ("PUT", LEASE), ("PUT", SECRET), ("PATCH", MUTATING)]
)
@pytest.mark.parametrize("status", [None, 403, 409, 500])
def test_what_is_refused_is_tried_again_and_what_is_served_goes_on(method: str, path: str, status: int | None) -> None:
    world, replica = installed()
    first = replica.leaf
    world.seconds = TO_RENEWAL
    world.refusals[method, path] = status
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        world.seconds += seconds
        if len(pauses) == ENOUGH:
            world.refusals.clear()
        if len(pauses) == 3 * ENOUGH:
            raise asyncio.CancelledError
        if len(pauses) < ENOUGH:
            assert replica.leaf == first

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(replica.keeper.run(sleep))
    assert replica.leaf == world.kept.current != first
    assert replica.problem is None


def test_who_ends_in_good_order_lets_another_take_over_at_once() -> None:
    world, replica = installed()

    async def sleep(_seconds: float) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(replica.keeper.run(sleep))
    world.tell(MUTATING, b"")
    other = Replica(world, "two")
    other.turn()
    assert other.written == [(Writing.WRITTEN, MUTATING)]


def test_who_is_killed_is_followed_once_its_lease_has_run_out() -> None:
    world, _ = installed()
    other = Replica(world, "two")
    other.turn()
    world.tell(MUTATING, b"")
    world.seconds += 14
    other.turn()
    assert other.written == []
    world.seconds += 1
    other.turn()
    assert other.written == [(Writing.WRITTEN, MUTATING)]


# All calls but those of the looks that wait between the two halves of a renewal.
@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
@pytest.mark.parametrize("call", [*range(13), *range(38, 44)])
def test_a_replica_killed_at_any_call_of_a_renewal_leaves_it_to_the_next(call: int, *, after: bool) -> None:
    world, _ = installed()
    follower, doomed = Replica(world, "two"), Replica(world, "three")
    follower.turn()
    first = follower.leaf
    world.seconds = TO_RENEWAL - 20
    doomed.turn()
    world.seconds += 15
    doomed.turn()  # and takes the Lease, which has run out
    follower.turn()
    world.seconds = TO_RENEWAL
    world.fuse = (call, after)
    while follower.leaf == first:
        with contextlib.suppress(KilledError):
            if doomed.alive:
                doomed.turn()
        fuse, world.fuse = world.fuse, None  # it is for the other one
        follower.turn()
        world.fuse = fuse
        doomed.alive = doomed.alive and fuse is not None
        world.seconds += POLL
        assert world.seconds < LIFE
        assert follower.is_trusted(*(bundle for path in EVERY for bundle in world.bundles(path)))
    assert not doomed.alive
    assert follower.leaf == world.kept.current


def test_what_it_says_of_a_fault_holds_nothing_secret() -> None:
    world, replica = installed()
    world.objects[SECRET]["data"] = "hf_do_not_log_me"

    async def sleep(_seconds: float) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(replica.keeper.run(sleep))
    assert replica.problem == "AttributeError"
