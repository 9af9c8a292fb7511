"""Two boards: by hand on the valley, on real runs, and fast for many runs."""

import pytest
from django.core.management import call_command
from scipy.stats import kendalltau

from leaderboard.analyses.two_boards.computation import two_boards
from leaderboard.output.drawing import color_of, figure_image
from leaderboard.scoring.chosen_runs import chosen_runs
from pooling.models import Run
from tests.factories import make_qrels
from tests.leaderboard.analyses.analysed import analysed, run_json


def test_moves_and_agreement_by_hand():
    """From a > b > c > d to d > a > b > c: three of six pairs turn, and d rises by three."""
    found = two_boards([4, 3, 2, 1], [3, 2, 1, 4], p=0.5)

    assert found.shifts.tolist() == [-1, -1, -1, 3]
    assert found.moved_most(2) == [3, 0]
    assert (found.kendall.agree, found.kendall.disagree) == (3, 3)
    # Above b, c and d of the first: 1 of 1, 2 of 2 and 0 of 3 are also above in the second.
    assert found.tau_ap_first == pytest.approx(2 / 3 * (1 + 1 + 0) - 1)
    # Above a, b and c of the second: 0 of 1, 1 of 2 and 2 of 3 are also above in the first.
    assert found.tau_ap_second == pytest.approx(2 / 3 * (0 + 1 / 2 + 2 / 3) - 1)


def test_runs_that_stay_are_not_among_those_that_move():
    assert two_boards([3, 2, 1], [3, 2, 1]).moved_most(5) == []


def test_both_boards_cover_the_queries_of_both_labels(valley, version, capsys):
    """The best answers cover q1 to q3: official old 2.5, new 1.75, odd 1; by preference 2, 2.5, 1 (of 3)."""
    found = run_json(capsys, "two_boards", "valley", "--qrels", "official", "--against", "@1")

    rows = {row["run"]: row for row in found["tables"]["boards"]["rows"]}
    values = {tag: (row["first"] * 3, row["second"] * 3) for tag, row in rows.items()}
    assert values == {
        "old": pytest.approx((2.5, 2.0)),
        "new": pytest.approx((1.75, 2.5)),
        "odd": pytest.approx((1.0, 1.0)),
    }
    assert [(row["run"], row["shift"]) for row in found["tables"]["moves"]["rows"]] == [
        ("old", -1),
        ("new", 1),
    ]
    notes = found["tables"]["boards"]["notes"]
    assert notes == ["Queries left out because only one of the labels covers them: 1."]
    assert found["facts"]["queries"] == 3


def test_the_same_board_twice_is_refused(valley, capsys):
    with pytest.raises(SystemExit):
        call_command("two_boards", "valley", "--qrels", "official", "--against", "official")

    assert "Choose other labels or another measure" in capsys.readouterr().err


def test_labels_without_a_common_query_are_refused(valley, capsys):
    make_qrels(valley.collection, "apart", [("q4", "a4", 1)])
    make_qrels(valley.collection, "first", [("q1", "a1", 1)])
    with pytest.raises(SystemExit):
        call_command("two_boards", "valley", "--qrels", "first", "--against", "apart")

    assert "first and apart have no query in common" in capsys.readouterr().err


def test_two_measures_of_a_track(track):
    found = analysed(
        "two_boards",
        track,
        chosen_runs(track),
        qrels="graded",
        against="graded",
        measure="nDCG@10",
        against_measure="NCG@100",
    )

    rows = found.tables[2].rows
    first, second = ([row.values[side] for row in rows] for side in ("first", "second"))
    assert len(rows) == 16
    assert found.tables[0].rows[0].values["tau_b"] == pytest.approx(kendalltau(first, second).statistic)
    assert "nDCG@10" in found.figures[0].charts[0]["x_axis"]
    assert "NCG@100" in found.figures[0].charts[0]["y_axis"]


def test_chosen_runs_are_named_among_all(valley, version, capsys):
    asked = ["two_boards", "valley", "--qrels", "official", "--against", "@1"]
    runs = chosen_runs(valley.collection)

    chart = analysed(
        "two_boards", valley.collection, runs, qrels="official", against="@1", highlight=["new"]
    ).figures[0].charts[0]  # fmt: skip

    assert [chart["points"][place]["name"] for place in chart["named"]] == ["new"]
    assert len(chart["points"]) == len(runs)
    with pytest.raises(SystemExit):
        call_command(*asked, "--highlight", "nobody")
    assert "nobody is not among the compared runs" in capsys.readouterr().err


def test_types_of_runs_have_a_color_and_a_mark_each(valley, version, capsys):
    """Figure 5 of the overview of TREC 2022's Deep Learning track: nDCG@10 against NCG@100 by subtask."""
    for tag, subtask in (("new", "rerank"), ("old", "fullrank")):
        Run.objects.filter(collection=valley.collection, run_tag=tag).update(details={"subtask": subtask})
    runs = chosen_runs(valley.collection)

    figure = analysed(
        "two_boards", valley.collection, runs, qrels="official", against="@1", measure="nDCG@10",
        against_measure="NCG@100", by="subtask",
    ).figures[0]  # fmt: skip
    plain = figure_image(figure, "svg").decode()

    chart = figure.charts[0]
    of_run = dict(zip([one["name"] for one in chart["points"]], chart["groups"], strict=True))
    assert {of_run[tag] for tag in ("new", "old", "odd")} == {"rerank", "fullrank", "not said"}
    assert all(color_of(kind) in plain for kind in range(3))
    with pytest.raises(SystemExit):
        call_command("two_boards", "valley", "--by", "color", "--measure", "nDCG@10")
    assert "Unknown run detail 'color'" in capsys.readouterr().err
