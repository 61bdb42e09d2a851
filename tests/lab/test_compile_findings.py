from benchmarks.lab.compile.findings import Findings, Shows, claims
from benchmarks.lab.compile.lab import Outcome


def test_a_claim_has_what_all_cases_found() -> None:
    one, other = Findings(), Findings()
    one.check(Shows.NEXT, "hit", holds=True)
    other.check(Shows.NEXT, "missed", holds=False)
    other.check(Shows.PLACE, "in the folder", holds=True)
    following, place = claims([one, other])
    assert (following.shown, following.against, following.holds) == (("hit",), ("missed",), False)
    assert (place.shown, place.holds) == (("in the folder",), True)


def test_what_cannot_be_measured_says_why() -> None:
    found = Findings()
    found.unmeasured.append((Shows.NON_ROOT.name, "only root can"))
    (claim,) = claims([found])
    assert claim.holds
    assert claim.unmeasured == "only root can"


def test_findings_are_kept_whole() -> None:
    found = Findings(rows=[("a", "b", "c")], limits=["a limit"], first_seconds=[1.0])
    found.check(Shows.KEYS, "said", holds=True)
    assert Findings(**found.kept()) == found


def test_the_table_and_the_times() -> None:
    outcome = Outcome((), (("a|b", "c", "d"),), (), (3.0, 1.0, 2.0), (0.5,))
    assert outcome.markdown().splitlines()[1:] == ["| --- | --- | --- |", "| a/b | c | d |"]
    assert outcome.times() == ("compiling took 2.0 s (median of 3), loading what was compiled 0.5 s (median of 1)")
    assert Outcome((), (), ()).times() == "no times"
