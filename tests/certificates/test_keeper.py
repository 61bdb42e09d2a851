"""A replica's part, against an API server in memory: first install, renewal, repair, take-over, and what is refused."""

import asyncio
import contextlib
import datetime as dt

import pytest

from tests.certificates.make import NAME, START
from tests.certificates.world import (
    LEASE,
    LIFE,
    MUTATING,
    POLL,
    SECRET,
    SETTLE,
    VALIDATING,
    KilledError,
    Replica,
    World,
)
from webhook.certificates.issuing import Issued, issue
from webhook.certificates.kept import Kept, encode
from webhook.certificates.outcomes import Step, Writing
from webhook.certificates.trust import render
from webhook.lookup.watching import KubeError

EVERY = (MUTATING, VALIDATING)
TO_RENEWAL = LIFE * 2 / 3
ENOUGH = int(SETTLE / POLL) + 4


def installed() -> tuple[World, Replica]:
    """A cluster in which one replica has kept the certificate for a while."""
    world = World()
    replica = Replica(world, "one")
    replica.turns(ENOUGH)
    return world, replica


def by_hand(life_days: float = 365) -> tuple[World, Issued]:
    """A cluster in which somebody else installed a certificate, without its authority in the Secret."""
    world, issued = World(), issue([NAME], START, dt.timedelta(days=life_days))
    data = encode(Kept(issued.leaf))
    world.put(SECRET, {"data": {key: data[key] for key in ("tls.crt", "tls.key")}, "type": "kubernetes.io/tls"})
    for path in EVERY:
        world.tell(path, render([issued.authority]))
    return world, issued


def looked(replica: Replica) -> bool:
    """Has it look once, and tells whether it is ready then."""
    replica.turn()
    return replica.ready


def test_a_first_replica_is_ready_after_four_looks() -> None:
    world = World()
    replica = Replica(world, "one")
    assert [looked(replica) for _ in range(4)] == [False, False, False, True]
    assert all(replica.is_trusted(*world.bundles(path)) for path in EVERY)
    assert replica.steps == [Step.PREPARED, Step.SERVED]


def test_two_replicas_that_install_at_once_serve_one_certificate() -> None:
    world = World()
    one, two = Replica(world, "one"), Replica(world, "two")
    for _ in range(6):
        one.turn()
        two.turn()
    assert one.leaf == two.leaf == world.kept.current
    assert (one.ready, two.ready, two.steps) == (True, True, [])


def test_a_certificate_is_renewed_at_two_thirds_of_its_life_and_trusted_before_it_is_served() -> None:
    world, replica = installed()
    first = replica.leaf
    world.seconds = TO_RENEWAL - POLL
    replica.turn()
    assert replica.steps[-1] is Step.SERVED
    world.seconds = TO_RENEWAL
    replica.turn()
    following = world.kept.following
    assert following is not None
    replica.turns(int(SETTLE / POLL))
    assert replica.leaf == first
    assert all(set(bundle) == set(world.kept.authorities) for bundle in world.bundles(MUTATING))
    replica.turns(3)
    assert replica.leaf == following != first
    assert replica.ready


def test_the_authority_before_is_trusted_until_its_certificate_expires() -> None:
    world, replica = installed()
    (first,) = world.kept.authorities
    world.seconds = TO_RENEWAL
    replica.turns(ENOUGH)
    world.seconds = LIFE - POLL
    replica.turn()
    assert first in world.bundles(MUTATING)[0]
    world.seconds = LIFE
    replica.turns(2 * ENOUGH)
    assert [len(bundle) for path in EVERY for bundle in world.bundles(path)] == [1, 1, 1, 1]
    assert first not in world.bundles(MUTATING)[0]


@pytest.mark.parametrize("wiped", [b"", b"garbage"])
def test_a_wiped_bundle_is_back_after_the_next_look(wiped: bytes) -> None:
    world, replica = installed()
    before, replica.written = world.bundles(MUTATING), []
    world.tell(MUTATING, wiped)
    replica.turn()
    assert world.bundles(MUTATING) == before
    assert replica.written == [(Writing.WRITTEN, MUTATING)]
    replica.turn()
    assert replica.ready


def test_nothing_is_written_but_the_lease_while_all_is_well() -> None:
    world, replica = installed()
    world.calls.clear()
    replica.turns(5)
    assert {call for call in world.calls if call[0] != "GET"} == {("PUT", LEASE)}


def test_a_replica_that_does_not_hold_the_lease_writes_nothing() -> None:
    world, _ = installed()
    other = Replica(world, "two")
    world.calls.clear()
    world.tell(MUTATING, b"")
    other.turn()
    assert {method for method, _ in world.calls} == {"GET"}


@pytest.mark.parametrize("secret", ["gone", "empty", "garbage"])
def test_a_secret_that_somebody_spoilt_is_made_anew_and_no_replica_goes_untrusted(secret: str) -> None:
    world, replica = installed()
    before = replica.leaf
    if secret == "gone":
        del world.objects[SECRET]
    else:
        data = {} if secret == "empty" else dict.fromkeys(("tls.crt", "tls.key", "ca.crt"), "aGVsbG8=")
        world.put(SECRET, {"data": data})
    for _ in range(2 * ENOUGH):
        replica.turns(1)
        assert replica.is_trusted(*(bundle for path in EVERY for bundle in world.bundles(path)))
    assert before != replica.leaf == world.kept.current


def test_a_secret_from_an_older_backup_is_followed_and_no_replica_goes_untrusted() -> None:
    world, replica = installed()
    backup, first = world.objects[SECRET], replica.leaf
    world.seconds = TO_RENEWAL
    replica.turns(ENOUGH)
    world.put(SECRET, backup)
    for _ in range(ENOUGH):
        replica.turns(1)
        assert replica.is_trusted(*(bundle for path in EVERY for bundle in world.bundles(path)))
    assert replica.leaf != first, "it is due again, and was renewed again"


def test_an_authority_that_somebody_takes_out_of_the_secret_leaves_every_bundle() -> None:
    world, replica = installed()
    stolen, _ = world.kept.authorities[0], world.objects.pop(SECRET)
    replica.turns(2 * ENOUGH)
    assert stolen in world.bundles(MUTATING)[0]
    served = world.kept
    world.put(SECRET, {"data": encode(Kept(served.current, None, served.authorities[-1:]))})
    replica.turns(3 * ENOUGH)
    assert {bundle for path in EVERY for bundle in world.bundles(path)} == {served.authorities[-1:]}
    assert stolen not in served.authorities[-1:]
    assert replica.ready


def test_an_installation_by_hand_is_taken_over_as_it_is() -> None:
    world, by_someone = by_hand()
    replica = Replica(world, "one")
    replica.turns(ENOUGH)
    assert replica.leaf == by_someone.leaf
    assert replica.ready
    assert world.kept == Kept(by_someone.leaf, None, (by_someone.authority,))
    assert (replica.steps, replica.written) == ([Step.ADOPTED], [])


def test_an_installation_by_hand_that_is_due_is_renewed_while_its_pods_stay_trusted() -> None:
    world, by_someone = by_hand(life_days=LIFE / 4 / 86_400)
    replica = Replica(world, "one")
    replica.turns(2)
    old_pod = Replica(world, "a pod of the earlier installation")
    old_pod.leaf = by_someone.leaf
    for _ in range(ENOUGH):
        replica.turns(1)
        assert old_pod.is_trusted(*(bundle for path in EVERY for bundle in world.bundles(path)))
    assert replica.leaf != by_someone.leaf
    assert replica.ready


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
