"""Public against private gains: by hand, against scipy, and as a command."""

import json

import numpy as np
import pytest
from django.core.management import call_command
from scipy import stats

from leaderboard.analyses.private_board.computation import divergence, welch_bounds, welch_p
from leaderboard.output.drawing import FORMATS, figure_image
from leaderboard.scoring.chosen_runs import chosen_runs
from pooling.labels.query_splits import split_by_list
from tests.factories import make_collection, make_qrels, make_run
from tests.leaderboard.analyses.analysed import analysed


def two_sets(public_gain, private_gain, queries=60):
    """Return a first run and a later one; gains as given, with the same spread on both sets."""
    rng = np.random.default_rng(1)
    first = [rng.random(queries) / 2 for _ in range(2)]
    noise = np.tile([0.1, -0.1], queries // 2)
    return [
        np.stack([one, one + gain + noise])
        for one, gain in zip(first, (public_gain, private_gain), strict=True)
    ]


def test_a_gain_on_public_queries_alone_looks_like_overfitting():
    public, private = two_sets(0.2, 0.0)

    (step,) = divergence(public, private, [0, 1])

    assert (step.public_gain, step.private_gain) == (pytest.approx(0.2), pytest.approx(0.0))
    expected = stats.ttest_ind(public[1] - public[0], private[1] - private[0], equal_var=False).pvalue
    assert step.p == pytest.approx(expected, rel=1e-9)
    assert step.overfitting


@pytest.mark.parametrize(("public_gain", "private_gain"), [(0.2, 0.2), (0.0, 0.2), (-0.2, -0.4), (0.01, 0.0)])
def test_other_gains_do_not(public_gain, private_gain):
    (step,) = divergence(*two_sets(public_gain, private_gain), [0, 1])

    assert not step.overfitting


def test_swapping_the_sets_mirrors():
    public, private = two_sets(0.2, 0.1)

    (one,), (other,) = divergence(public, private, [0, 1]), divergence(private, public, [0, 1])

    assert one.excess == -other.excess
    assert one.p == pytest.approx(other.p, rel=1e-12)


def test_more_submissions_need_a_larger_difference():
    public, private = two_sets(0.039, 0.0)
    public, private = (np.vstack([one, *[one[:1]] * 9]) for one in (public, private))

    alone, among = divergence(public, private, [0, 1]), divergence(public, private, range(11))

    assert 0.005 < alone[0].p == among[0].p < 0.05
    assert (alone[0].overfitting, among[0].overfitting) == (True, False)


def test_where_lower_is_better_gains_turn_round():
    public, private = two_sets(-0.2, 0.0)

    (step,) = divergence(public, private, [0, 1], higher_is_better=False)

    assert step.public_gain == pytest.approx(0.2)
    assert step.overfitting


def test_without_spread():
    assert welch_p(np.full(5, 0.2), np.full(4, 0.2)) == 1.0
    assert welch_p(np.full(5, 0.2), np.zeros(4)) == 0.0


@pytest.fixture
def board(db, tmp_path):
    """Forty queries, the even ones public. Team T: its second run gains only on public queries."""
    qids = [f"q{number}" for number in range(40)]
    collection = make_collection("fair", qids)
    make_qrels(collection, "official", [(qid, f"good-{qid}", 1) for qid in qids])
    path = tmp_path / "private.txt"
    path.write_text("\n".join(qids[1::2]))
    split_by_list(collection=collection, path=path)
    low = {qid: ["x", "y", "z", f"good-{qid}"] for qid in qids}
    top = {qid: [f"good-{qid}"] for qid in qids}
    tuned = {qid: (top if place % 2 == 0 and place % 5 else low)[qid] for place, qid in enumerate(qids)}
    make_run(collection, "first", low, team="T", submitted_on="2026-01-01")
    make_run(collection, "tuned", tuned, team="T", submitted_on="2026-02-01")
    make_run(collection, "honest-first", low | {"q0": ["x"]}, team="H", submitted_on="2026-01-01")
    make_run(collection, "honest", top, team="H", submitted_on="2026-03-01")
    make_run(collection, "alone", {"q0": ["x"]}, team="A")
    return collection


def test_the_command_warns_of_the_team_that_gained_on_public_queries_alone(board, capsys):
    call_command("private_board", "fair", "--json")

    result = json.loads(capsys.readouterr().out)
    assert result["overfitting"] == ["tuned"]
    assert result["sentences"][0].startswith("Looks like overfitting: tuned of T gained +0.6000 on public")
    ranks = {row["run"]: row["private_rank"] for row in result["tables"]["private"]["rows"]}
    assert ranks == {"honest": 1, "first": 2, "tuned": 2, "honest-first": 2, "alone": 5}
    assert [row["run"] for row in result["tables"]["divergence"]["rows"]] == ["honest", "tuned"]


def test_without_private_queries_the_command_says_how_to_get_some(db, capsys):
    collection = make_collection("open", ["q1"])
    make_qrels(collection, "official", [("q1", "a", 1)])
    make_run(collection, "one", {"q1": ["a"]})

    with pytest.raises(SystemExit) as ended:
        call_command("private_board", "open")

    assert ended.value.code == 1
    assert "split_queries" in capsys.readouterr().err


@pytest.mark.parametrize("alpha", [0.05, 0.025])
def test_bounds_are_those_of_scipy_and_leave_zero_out_where_the_test_is_significant(alpha):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        one, other = rng.normal(0.5, 1, 12), rng.normal(0, 0.4, 30)

        low, high = welch_bounds(one, other, alpha)

        tested = stats.ttest_ind(one, other, equal_var=False)
        expected = tested.confidence_interval(1 - alpha)
        assert (low, high) == (pytest.approx(expected.low), pytest.approx(expected.high))
        assert (low > 0 or high < 0) == (tested.pvalue < alpha)


def test_bounds_without_spread_are_the_difference():
    assert welch_bounds(np.full(5, 0.5), np.zeros(4), 0.05) == (0.5, 0.5)


def test_the_figure_shows_each_teams_submissions_in_order_and_where_their_gains_part(board):
    found = analysed("private_board", board, chosen_runs(board))

    (figure,) = found.figures
    values, differences = figure.charts
    assert values["rows"] == ["A: alone", "H: honest-first", "H: honest", "T: first", "T: tuned"]
    public, private = ([mark[0] for mark in one["marks"]] for one in values["series"])
    assert public[3:] == [0.25, pytest.approx(0.85)]
    assert private[3:] == [0.25, 0.25]
    assert differences["rows"] == ["H: honest", "T: tuned"]
    excess, low, high = differences["series"][0]["marks"][1]
    assert excess == pytest.approx(0.6)
    assert 0 < low < excess < high
    assert differences["notes"][1] == "submission 2, 2026-02-01; looks like overfitting"
    assert [row.values["submission"] for row in figure.data.rows] == [1, 1, 2, 1, 2]
    for form in FORMATS:
        assert figure_image(figure, form)


def test_undated_runs_of_a_team_stand_last_by_tag_whatever_was_imported_first(board):
    make_run(board, "b-late", {"q0": ["x"]}, team="T")
    make_run(board, "a-late", {"q0": ["x"]}, team="T")

    (figure,) = analysed("private_board", board, chosen_runs(board)).figures

    rows = [row.values for row in figure.data.rows if row.values["team"] == "T"]
    assert [row["run"] for row in rows] == ["first", "tuned", "a-late", "b-late"]
    assert [row["date"] for row in rows] == ["2026-01-01", "2026-02-01", "", ""]
    assert "undated runs last, by tag" in figure.caption


def test_without_a_teams_later_run_the_figure_shows_the_values_alone(board):
    runs = [run for run in chosen_runs(board) if run.run_tag in ("first", "alone")]

    (figure,) = analysed("private_board", board, runs).figures

    assert [chart["title"] for chart in figure.charts] == ["Public and private values"]
    assert figure_image(figure, "svg")
