"""Spread over runs: by hand, against numpy, on the valley, and fast for a large board."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from leaderboard.analyses.fields import read_settings
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.query_spread.computation import query_spread
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import compute_analysis
from leaderboard.errors import MembersOnly
from pooling.models import PrivateQuery, QuerySplit
from tests.leaderboard.analyses.analysed import analysed, run_json


def test_spread_and_saturation_by_hand():
    """Four runs on four queries: one saturated, one level at 0.5, one that nobody answers, one that spreads."""
    values = np.array([[1.0, 0.5, 0, 0.0], [1.0, 0.5, 0, 0.2], [1.0, 0.5, 0, 0.6], [0.0, 0.5, 0, 1.0]])

    found = query_spread(values)

    assert found.median.tolist() == [1, 0.5, 0, 0.4]
    assert (found.lower[3], found.upper[3]) == pytest.approx((0.15, 0.7))
    assert found.saturated.tolist() == [True, False, False, False]
    assert found.level_at_top.tolist() == [True, True, False, False]
    assert found.unanswered.tolist() == [False, False, True, False]
    assert found.at_best.tolist() == [3, 4, 4, 1]
    assert found.order == [0, 1, 3, 2]
    assert found.deviation[0] == pytest.approx(0.5)


@given(arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 5)), elements=st.floats(0, 1)))
def test_quartiles_are_numpys(values):
    found = query_spread(values)

    expected = np.percentile(values, [0, 25, 50, 75, 100], axis=0)
    numbers = (found.low, found.lower, found.median, found.upper, found.high)
    np.testing.assert_allclose(np.stack(numbers), expected, atol=1e-11)


def test_rounding_errors_do_not_hide_a_saturated_query():
    found = query_spread(np.array([[1.0], [1.0 - 1e-16], [0.1 * 3 + 0.7]]))

    assert found.saturated.all()
    assert found.at_best.tolist() == [3]


def test_queries_of_a_board_from_the_highest_median(valley, capsys):
    """RR@10 of old, new, odd: q1 1, 1/4, 0; q2 1, 1/2, 1; q3 1/2, 1, 0; q4 1, 0, 0."""
    found = run_json(capsys, "query_spread", "valley", "--qrels", "official")

    rows = [(row["qid"], row["median"], row["at_best"]) for row in found["tables"]["queries"]["rows"]]
    assert rows == [("q2", 1.0, 2), ("q3", 0.5, 1), ("q1", 0.25, 1), ("q4", 0.0, 1)]
    counts = [row["count"] for row in found["tables"]["saturation"]["rows"]]
    assert counts == [1, 1, 0, 0]


def test_a_set_of_queries_can_be_chosen(valley, capsys):
    split = QuerySplit.objects.create(collection=valley.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=valley.query("q2"))

    def qids(*options):
        found = run_json(capsys, "query_spread", "valley", "--qrels", "official", *options)
        return {row["qid"] for row in found["tables"]["queries"]["rows"]}

    assert qids("--queries", "public") == {"q1", "q3", "q4"}
    assert qids("--queries", "private") == {"q2"}
    assert qids() == {"q1", "q2", "q3", "q4"}


@pytest.mark.parametrize("name", ["query_spread", "power"])
def test_results_for_everybody_use_public_queries(valley, name):
    split = QuerySplit.objects.create(collection=valley.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=valley.query("q2"))
    kind = KINDS[name]

    def queries(**given):
        settings = read_settings(kind.fields, {"qrels": "official", **given})
        asked = Asked(kind, valley.collection, tuple(valley.runs), settings, released=True)
        return compute_analysis(asked).facts.queries

    assert queries() == queries(queries="public") == 3
    for refused in ("all", "private"):
        with pytest.raises(MembersOnly):
            queries(queries=refused)


@pytest.mark.parametrize("queries", [4, 90, 400])
def test_the_figure_is_drawn_for_few_and_many_queries(queries, tmp_path):
    from leaderboard.analyses.query_spread.figure import MOST_BOXES, spread_figure
    from leaderboard.output import Facts, Table
    from leaderboard.output.drawing import figure_image

    facts = Facts("valley", ("a", "b"), ("official",), "AP", queries, "0.1")
    values = np.random.default_rng(1).random((7, queries))
    qids = tuple(f"q{place}" for place in range(queries))
    figure = spread_figure(query_spread(values), qids, "AP", facts, Table("t", "t", "", (), (), facts))

    assert figure_image(figure, "svg").startswith(b"<?xml")
    assert len(figure.charts[0]["rows"]) == min(queries, MOST_BOXES)


def test_the_page_has_boxes_with_whiskers_like_the_files(valley):
    found = analysed("query_spread", valley.collection, valley.runs, qrels="official")

    chart, rows = found.figures[0].charts[0], found.tables[1].rows
    assert chart["reach"] == [[row.values["low"], row.values["high"]] for row in rows]
    assert chart["series"][0]["marks"] == [
        [row.values["median"], row.values["lower"], row.values["upper"]] for row in rows
    ]
