"""Disagreement of labels: examples of kappa, by hand, and on the valley."""

import numpy as np
import pytest
from django.core.management import call_command
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from leaderboard.analyses.label_disagreement.computation import cohens_kappa, confusion
from tests.factories import make_qrels
from tests.leaderboard.analyses.analysed import run_json


def test_kappa_of_three_categories_by_hand():
    """Row sums 100, 60, 40 and column sums 80, 60, 60 of 200: 0.2 + 0.09 + 0.06 = 0.35 by chance."""
    found = cohens_kappa(np.array([[50, 26, 24], [24, 4, 32], [6, 30, 4]]))

    assert (found.observed, found.expected) == pytest.approx((58 / 200, 0.35))
    assert found.value == pytest.approx((0.29 - 0.35) / 0.65)


def test_kappa_of_fifty_proposals():
    """The example of Wikipedia's "Cohen's kappa": 50 grant proposals, 0.7 against 0.5 by chance gives 0.4."""
    found = cohens_kappa(np.array([[20, 5], [10, 15]]))

    assert (found.observed, found.expected, found.value) == pytest.approx((0.7, 0.5, 0.4))


@pytest.mark.parametrize("square", [[[0, 0], [0, 0]], [[7, 0], [0, 0]]])
def test_kappa_is_undefined_where_nothing_could_differ(square):
    assert cohens_kappa(np.array(square)).value is None


@given(arrays(np.int64, (3, 3), elements=st.integers(0, 40)))
def test_kappa_does_not_depend_on_which_set_is_first(square):
    there, back = cohens_kappa(square), cohens_kappa(square.T)

    assert there.value == (back.value if back.value is None else pytest.approx(back.value))
    if there.value is not None:
        assert -1 <= there.value <= 1
        assert (there.value == 1) == (np.trace(square) == square.sum())


def test_grades_outside_either_set_are_counted():
    first = {("q", "a"): 0, ("q", "b"): 3, ("q", "c"): 3, ("r", "a"): 1}
    second = {("q", "a"): 0, ("q", "b"): 1, ("q", "d"): 2}

    found = confusion(first, second)

    assert (found.first, found.second) == ((0, 1, 3), (0, 1, 2))
    assert found.counts.tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert found.only_first.tolist() == [0, 1, 1]
    assert found.only_second.tolist() == [0, 0, 1]
    assert found.common == 2
    # Grade 3 of the first is no grade of the second: one of two is equal, one in four by chance.
    assert found.kappa().value == pytest.approx((1 / 2 - 1 / 4) / (3 / 4))
    assert found.relevance_kappa(1, 1).value == 1


def test_every_disagreement_is_listed(valley, capsys):
    """The set "other" has min_grade 1: a1 and a2 keep their grade, a4 becomes 0, b3 becomes 2, c1 is new."""
    rows = [("q1", "a1", 1), ("q1", "c1", 1), ("q2", "a2", 1), ("q3", "b3", 2), ("q4", "a4", 0)]
    make_qrels(valley.collection, "other", rows)

    found = run_json(capsys, "label_disagreement", "valley")

    tables = {key: table["rows"] for key, table in found["tables"].items()}
    assert [(row["common"], row["observed"]) for row in tables["agreement"]] == [(4, 0.5), (4, 0.75)]
    assert tables["confusion"] == [
        {"grade": "1", "grade_0": 1, "grade_1": 2, "grade_2": 1, "outside": 0, "all": 4},
        {"grade": "not labeled", "grade_0": 0, "grade_1": 1, "grade_2": 0, "outside": None, "all": 1},
    ]
    assert [(row["qid"], row["grades"], row["relevance"]) for row in tables["queries"]][:2] == [
        ("q4", 1, 1),
        ("q3", 1, 0),
    ]
    assert [row["only_second"] for row in tables["queries"] if row["qid"] == "q1"] == [1]
    assert [(row["pid"], row["second"], row["relevant_in"]) for row in tables["passages"]] == [
        ("b3", "2", "both"),
        ("a4", "0", "official"),
    ]


@pytest.mark.parametrize(
    ("against", "said"), [("official", "Choose other labels"), ("apart", "label no passage in common")]
)
def test_labels_that_cannot_be_compared_are_refused(valley, capsys, against, said):
    make_qrels(valley.collection, "apart", [("q1", "x1", 1)])
    with pytest.raises(SystemExit):
        call_command("label_disagreement", "valley", "--qrels", "official", "--against", against)

    assert said in capsys.readouterr().err
