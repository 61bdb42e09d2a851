"""Whatever happens in whatever order, no API server stops trusting a replica that it trusted before.

Replicas are killed in the middle of their calls and started again, clocks are set, the Secret is lost or replaced by
an older one. API servers hear of a configuration late, by less than the settle time, so what counts is every state
that a configuration was in for as long.
"""

import datetime as dt
from itertools import product

from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.certificates.make import NAME
from tests.certificates.world import (
    LIFE,
    MUTATING,
    POLL,
    SECRET,
    SETTLE,
    VALIDATING,
    Json,
    KilledError,
    Replica,
    World,
)
from webhook.certificates.trust import Authorities, trusted
from webhook.lookup.watching import KubeError

EVERY = (MUTATING, VALIDATING)
LATE = SETTLE - 2 * POLL
# A clock may be set at once by less than what is left of a certificate once it is renewed.
SET_BY = LIFE / 16


class Observed(World):
    """A world that remembers what each configuration said, and for how long API servers may go by it."""

    def __init__(self) -> None:
        self.said: dict[str, list[tuple[float, frozenset[Authorities]]]] = {path: [] for path in EVERY}
        super().__init__()

    def put(self, path: str, content: Json) -> None:
        super().put(path, content)
        if path in self.said:
            self.said[path].append((self.seconds, frozenset(self.bundles(path))))

    def heard(self, path: str) -> set[Authorities]:
        """All that an API server may go by now."""
        said = self.said[path]
        ends = [until for until, _ in said[1:]] + [self.seconds + 1]
        return {
            bundle
            for (_, bundles), until in zip(said, ends, strict=True)
            if until > self.seconds - LATE
            for bundle in bundles
        }


class Story:
    """Three replicas of which any may be killed, and what each API server makes of them."""

    def __init__(self) -> None:
        self.world = Observed()
        self.replicas = [Replica(self.world, str(number)) for number in range(3)]
        self.started = 3
        self.installing = True
        self.settle()
        self.installing = False
        self.backup: Json = self.world.objects[SECRET]
        self.backup_due = self.world.now + dt.timedelta(seconds=LIFE * 2 / 3 - SET_BY)

    def look(self, times: int) -> None:
        for _ in range(times):
            self.world.seconds += POLL
            for replica in self.replicas:
                self.turn(replica)

    def pass_time(self, times: int) -> None:
        """A while in which nothing is looked at, as nothing would be found; and a while in which everything is."""
        for _ in range(times):
            self.world.seconds += LIFE / 15
            self.look(12)

    def turn(self, replica: Replica) -> None:
        try:
            replica.turn()
        except KubeError:
            pass
        except KilledError:
            self.replicas[self.replicas.index(replica)] = Replica(self.world, str(self.started))
            self.started += 1
        if not self.installing:
            self.check()

    def kill(self, number: int, call: int, *, after: bool) -> None:
        """Kills whoever makes this call from now on, which is this replica if it makes so many."""
        self.world.fuse = (call, after)
        self.turn(self.replicas[number])
        self.world.fuse = None

    def set_clock(self, offset: float) -> None:
        self.world.offset = offset
        self.settle()

    def lose_secret(self) -> None:
        self.world.objects.pop(SECRET, None)

    def restore_secret(self) -> None:
        """Brings the first Secret back, unless its certificate is too old to last until the next one is served."""
        if self.world.now < self.backup_due:
            self.world.put(SECRET, self.backup)

    def settle(self) -> None:
        self.look(24)

    def check(self) -> None:
        """No replica that was ready is mistrusted by an API server, whichever state of the bundles it knows."""
        ready = {each.leaf for each in self.replicas if each.ready and each.leaf is not None}
        for leaf, bundle in product(ready, set().union(*map(self.world.heard, EVERY))):
            assert trusted(leaf, bundle, [NAME], self.world.now)


passing = st.tuples(st.sampled_from(["look", "pass_time"]), st.integers(1, 12))
killing = st.tuples(st.just("kill"), st.integers(0, 2), st.integers(0, 8), st.booleans())
setting = st.tuples(st.just("set_clock"), st.sampled_from([-SET_BY, 0.0, SET_BY]))
losing = st.tuples(st.sampled_from(["lose_secret", "restore_secret", "settle"]))


@given(st.lists(st.one_of(passing, killing, setting, losing), max_size=15))
@settings(max_examples=20, deadline=None)
def test_no_api_server_stops_trusting_a_replica(events: list[tuple[str, *tuple[object, ...]]]) -> None:
    note(f"{events}")
    story = Story()
    for name, *arguments in events:
        if name == "kill":
            number, call, after = arguments
            assert isinstance(number, int) and isinstance(call, int)  # noqa: PT018 (one case)
            story.kill(number, call, after=bool(after))
        else:
            getattr(story, name)(*arguments)
    story.settle()
    story.settle()
    assert all(replica.ready for replica in story.replicas)
    assert {replica.leaf for replica in story.replicas} == {story.world.kept.current}
