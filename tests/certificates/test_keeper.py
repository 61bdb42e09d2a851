"""A replica's part, against an API server in memory: first install, renewal, repair and take-over."""

import datetime as dt

import pytest

from tests.certificates.make import NAME, START
from tests.certificates.world import (
    ENOUGH,
    EVERY,
    LEASE,
    LIFE,
    MUTATING,
    POLL,
    SECRET,
    SETTLE,
    TO_RENEWAL,
    Replica,
    World,
    installed,
)
from webhook.certificates.issuing import Issued, issue
from webhook.certificates.kept import Kept, encode
from webhook.certificates.outcomes import Step, Writing
from webhook.certificates.trust import render


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
