"""Derive every query's outcome from judgments, with database keys."""

import csv
from collections import defaultdict

import numpy as np
import pytest

from tests.tournament.cast import derived, ladder
from tournament.copeland import Ties
from tournament.derivation import CountedJudgments, Entrants, Parameters, derive
from tournament.outcomes import Status
from tournament.pair_wins import Count


def test_outcomes_use_database_keys():
    result = derived({7: [300, 100, 200], 3: [900]}, {0: {7: ladder([200, 300, 100])}})

    assert result.outcomes[7].best == (200,)
    assert result.outcomes[7].wins == {100: 0, 200: 2, 300: 1}
    assert result.outcomes[3].status is Status.SINGLETON


def test_a_query_without_any_judgment_is_open_without_best_answers():
    outcome = derived({7: [1, 2, 3]}, {}).outcomes[7]

    assert outcome.status is Status.OPEN
    assert outcome.best == ()
    assert outcome.missing == ((1, 2), (1, 3), (2, 3))


def test_nothing_to_derive_gives_nothing():
    assert derived({}, {}).outcomes == {}


def test_a_judgment_of_any_member_counts_for_its_class():
    entrants = Entrants(np.array([1, 1, 1]), np.array([10, 11, 12]), np.array([10, 10, 12]))
    judged = CountedJudgments(*(np.array([value]) for value in (1, 12, 11, 11, 0)))

    outcome = derive(entrants, judged, [], Parameters()).outcomes[1]

    assert outcome.best == (10,)
    assert outcome.status is Status.CLOSED


def test_a_passage_in_two_queries_is_judged_in_each_for_itself():
    result = derived({1: [10, 11], 2: [10, 11]}, {0: {1: [(10, 11, 10)], 2: [(10, 11, 11)]}})

    assert (result.outcomes[1].best, result.outcomes[2].best) == ((10,), (11,))


def test_judgments_of_unknown_queries_and_passages_are_left_out():
    result = derived({2: [10, 11]}, {0: {2: [(10, 11, 10), (10, 99, 99)], 1: [(10, 11, 11)], 3: [(8, 9, 8)]}})

    assert list(result.outcomes) == [2]
    assert result.outcomes[2].best == (10,)


def test_judgments_of_a_challenge_do_not_touch_the_first_tournament():
    result = derived({1: [10, 11]}, {0: {1: [(10, 11, 10)]}, 1: {1: [(10, 11, 11), (10, 11, 11)]}})

    assert result.outcomes[1].best == (10,)


# --- the winners published with the judgments of "Human Preferences as Dueling Bandits" (SIGIR 2022) --------


@pytest.fixture
def published(shared_data):
    """Return (judgments by phase, winners by file name)."""
    with (shared_data / "dl21" / "judgments.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    winners = {}
    for path in (shared_data / "dl21" / "preference-qrels").glob("*.qrels"):
        winners[path.stem] = defaultdict(set)
        for line in path.read_text().splitlines():
            qid, _, pid, _ = line.split()
            winners[path.stem][qid].add(pid)
    return rows, winners


def best_answers(rows, phases, **how):
    """Return qid → best pids from the judgments of these phases; all queries are closed."""
    rows = [row for row in rows if row["phase"] in phases]
    pids = sorted({row[side] for row in rows for side in ("left", "right")})
    key = {pid: number for number, pid in enumerate(pids, 1)}
    pools, judgments = defaultdict(set), defaultdict(list)
    for row in rows:
        left, right = key[row["left"]], key[row["right"]]
        pools[int(row["topic"])] |= {left, right}
        judgments[int(row["topic"])].append((left, right, key[row["preferred"]]))
    outcomes = derived(dict(pools), {0: dict(judgments)}, parameters=Parameters(**how)).outcomes
    assert {outcome.status for outcome in outcomes.values()} == {Status.CLOSED}
    return {str(qid): {pids[number - 1] for number in found.best} for qid, found in outcomes.items()}


@pytest.mark.parametrize("phases", [["I"], ["II"], ["III"], ["I", "II"], ["I", "II", "III"]])
def test_with_all_ties_kept_the_published_winners_come_out(published, phases):
    rows, winners = published

    assert best_answers(rows, phases, ties=Ties.KEEP) == winners["+".join(phases)]


def test_a_majority_per_pair_first_matches_only_19_of_30(published):
    rows, winners = published

    found = best_answers(rows, ["I", "II", "III"], ties=Ties.KEEP, count=Count.MAJORITY)

    assert sum(found[qid] == winners["I+II+III"][qid] for qid in found) == 19


def test_recounting_leaves_one_best_answer_per_query_in_phase_one(published):
    rows, _ = published

    found = best_answers(rows, ["I"])

    assert len(found) == 30
    assert {len(best) for best in found.values()} == {1}


def test_the_phases_agree_on_few_queries(published):
    rows, _ = published
    one, two, three = (best_answers(rows, [phase]) for phase in ("I", "II", "III"))

    def agreements(a, b):
        return sum(a[qid] == b[qid] for qid in a)

    assert (agreements(one, two), agreements(one, three), agreements(two, three)) == (3, 11, 7)
