"""Label noise: contents of a resample, certain and uncertain labels, reproducibility from a seed."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboard.analyses.label_noise.computation import (
    UNKNOWN,
    Evidence,
    label_noise,
    label_trials,
    prepared_first_round,
    resampled_rows,
)
from tests.leaderboard.field import contenders, entrants, judged
from tournament.contests import Contest
from tournament.copeland import Ties
from tournament.derivation import Parameters
from tournament.pair_wins import Count
from tournament.schedule import Rule, Sides

NODES = [(query, query * 10 + place) for query in range(1, 9) for place in (1, 2)]
FIELD = contenders(
    {
        "A": {(query, query * 10 + 1): 1 for query in range(1, 9)},
        "B": {(query, query * 10 + 2): 1 for query in range(1, 9)},
    },
    NODES,
)
COVERED = np.ones(8, dtype=bool)


def evidence(for_a, for_b, workers=None):
    """Every pair judged for A's passage ``for_a`` times and for B's ``for_b`` times."""
    rows = [
        (query, query * 10 + 1, query * 10 + 2, query * 10 + (1 if number < for_a else 2))
        for query in range(1, 9)
        for number in range(for_a + for_b)
    ]
    worker = np.full(len(rows), UNKNOWN) if workers is None else np.array(workers * 8)
    return Evidence(entrants(NODES), judged(rows), [], Parameters(wanted=for_a + for_b), worker)


def noise(found, **options):
    return {row.run: row for row in label_noise(FIELD, found, seed=3, trials=200, **options).rows}


def test_a_resample_has_as_many_judgments_of_each_query():
    said = evidence(2, 1).judged

    rows = resampled_rows(said, np.full(24, UNKNOWN), np.random.default_rng(1))

    assert np.bincount(said.query[rows])[1:].tolist() == [3] * 8
    assert len(set(rows.tolist())) < 24


def test_a_worker_is_drawn_with_all_judgments():
    said = evidence(2, 1)
    worker = np.array([0, 1, 2] * 8)

    rows = resampled_rows(said.judged, worker, np.random.default_rng(2))

    times = np.bincount(worker[rows], minlength=3)
    assert times.sum() == 24
    assert (times % 8 == 0).all()


def test_each_copy_of_a_query_has_its_judgments_drawn_separately():
    """Three judgments of each query, two for A: its passage is best in 20 of 27 draws, separately for every copy."""
    alone = label_trials(FIELD, evidence(2, 1), COVERED, rng=np.random.default_rng(4), trials=4000)
    rng = np.random.default_rng(5)
    by_hand = (rng.integers(0, 3, (4000, 8, 3)) < 2).sum(axis=2) >= 2

    assert alone[0].mean() == pytest.approx(20 / 27, abs=0.01)
    assert alone[0].std() == pytest.approx(np.sqrt(20 / 27 * 7 / 27 / 8), rel=0.05)
    assert alone[0].std() == pytest.approx(by_hand.mean(axis=1).std(), rel=0.06)
    assert np.quantile(alone[0], [0.025, 0.975]) == pytest.approx(
        np.quantile(by_hand.mean(axis=1), [0.025, 0.975])
    )


def test_copies_of_a_query_share_the_workers_that_a_trial_draws():
    """All queries have the same three workers, so that a trial is right everywhere or nowhere."""
    found = label_trials(FIELD, evidence(2, 1, [0, 1, 2]), COVERED, rng=np.random.default_rng(4), trials=500)

    assert set(found[0]) == {0.0, 1.0}


def test_unanimous_labels_add_no_noise():
    rows = noise(evidence(3, 0))

    assert (rows["A"].value, rows["A"].labels.low, rows["A"].labels.high) == (1.0, 1.0, 1.0)
    assert (rows["B"].difference, rows["B"].difference_labels.high) == (-1.0, -1.0)


def test_narrow_labels_widen_the_interval_and_pull_the_centre_down():
    """A wins every query by 2 to 1: sure by the queries, far from sure by the labels."""
    row = noise(evidence(2, 1))["A"]

    assert (row.queries.low, row.queries.high) == (1.0, 1.0)
    assert row.labels.low < 0.8 < row.labels.high
    assert row.labels.center < row.value


def test_drawing_workers_moves_all_queries_together():
    alone = noise(evidence(2, 1))["A"]
    together = noise(evidence(2, 1, workers=[0, 1, 2]))["A"]

    assert together.labels.low == 0.0
    assert together.labels.high - together.labels.low > alone.labels.high - alone.labels.low


def test_the_same_seed_gives_the_same():
    assert noise(evidence(2, 1)) == noise(evidence(2, 1))


def test_the_reference_is_zero_from_itself():
    row = noise(evidence(2, 1), reference="B")["B"]

    assert (row.difference, row.difference_labels.low, row.difference_labels.high) == (0.0, 0.0, 0.0)


def test_nothing_to_resample_is_refused():
    field = contenders({"A": {}}, [])
    empty = Evidence(entrants([]), judged([]), [], Parameters(), np.zeros(0, dtype=np.int64))

    with pytest.raises(ValueError, match="no query"):
        label_noise(field, empty, seed=1)


@pytest.mark.parametrize("ties", Ties)
@pytest.mark.parametrize("count", Count)
def test_the_fast_tournament_finds_what_the_plain_one_finds(ties, count):
    """40 pools of 1 to 5 passages, some not judged at all, some pairs three times, with undecided ones."""
    rng = np.random.default_rng(5)
    nodes = [(query, query * 10 + place) for query in range(1, 41) for place in range(1 + query % 5)]
    rows = []
    for query in range(1, 36):
        for _ in range(12 if query % 5 else 0):
            left, right = rng.choice(1 + query % 5, 2, replace=False) + query * 10
            rows.append((query, int(left), int(right), int(rng.choice([left, right, 0]))))
    field = contenders({"A": {}}, nodes)
    found = Evidence(entrants(nodes), judged(rows), [], Parameters(ties, count), np.full(len(rows), UNKNOWN))
    fast = prepared_first_round(field, found)

    for _ in range(20):
        drawn = rng.integers(0, len(rows), len(rows) // 3)
        assert fast.best(drawn).tolist() == found.best(field, drawn).tolist()


def test_challenges_go_the_plain_way():
    contest = Contest(1, Rule.SINGLE, {1: Sides((11,), (12,))})

    assert prepared_first_round(FIELD, replace(evidence(2, 1), contests=[contest])) is None
    assert prepared_first_round(contenders({"A": {}}, NODES[1:]), evidence(2, 1)) is None
    assert prepared_first_round(FIELD, evidence(2, 1)) is not None


@pytest.mark.parametrize("wanted", [1, 3])
def test_unanimous_challenges_stay_won_in_most_trials(wanted):
    first = [(query, query * 10 + place) for query in range(1, 41) for place in (1, 2)]
    nodes = sorted([*first, *((query, query * 10 + 3) for query in range(1, 41))])
    field = contenders(
        {
            run: {(query, query * 10 + place): 1 for query in range(1, 41)}
            for run, place in (("old", 1), ("new", 3))
        },
        nodes,
    )
    earlier = [(query, query * 10 + 1, query * 10 + 2, query * 10 + 1) for query in range(1, 41)] * wanted
    later = [(query, query * 10 + 1, query * 10 + 3, query * 10 + 3) for query in range(1, 41)] * 2
    said = replace(judged([*earlier, *later]), round=np.repeat([0, 1], [len(earlier), len(later)]))
    contest = Contest(
        1, Rule.LEAD2, {query: Sides((query * 10 + 1,), (query * 10 + 3,)) for query in range(1, 41)}
    )
    unknown = np.full(len(said.round), UNKNOWN)
    found = Evidence(entrants(first), said, [contest], Parameters(wanted=wanted), unknown)

    rows = {row.run: row for row in label_noise(field, found, seed=1, trials=200).rows}

    assert (rows["new"].value, rows["old"].value) == (1, 0)
    assert rows["new"].labels.low > 0.7
    assert rows["old"].labels.high < 0.3
