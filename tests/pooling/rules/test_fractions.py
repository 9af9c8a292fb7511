"""A fraction of a corpus: seeded, the same for all queries, nested."""

import pytest

from pooling.rules.fractions import Fraction

PIDS = [f"msmarco_passage_{number}" for number in range(20_000)]


def pids_held(fraction: Fraction) -> set[str]:
    return {pid for pid in PIDS if fraction.holds(pid)}


def test_a_fraction_holds_about_its_share_of_the_passages():
    assert len(pids_held(Fraction(10, 1))) == pytest.approx(2000, abs=150)
    assert pids_held(Fraction(1, 1)) == set(PIDS)


def test_a_fraction_stays_the_same_in_every_version():
    assert [pid[16:] for pid in PIDS[:60] if Fraction(10, 7).holds(pid)] == ["4", "8", "26", "27", "30", "40"]


def test_another_seed_draws_other_passages():
    both = pids_held(Fraction(10, 1)) & pids_held(Fraction(10, 2))

    assert len(both) == pytest.approx(200, abs=60)


def test_a_smaller_fraction_is_part_of_a_larger_one():
    assert pids_held(Fraction(40, 3)) < pids_held(Fraction(20, 3)) < pids_held(Fraction(3, 3))


@pytest.mark.parametrize(("of", "seed"), [(0, 1), (-2, 1), (5, -1)])
def test_an_impossible_fraction_is_refused(of, seed):
    with pytest.raises(ValueError, match="is not a valid fraction"):
        Fraction(of, seed)
