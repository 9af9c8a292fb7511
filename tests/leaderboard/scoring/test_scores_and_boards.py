"""Scores and boards from stored runs, worked by hand."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboard.board.board_output import board_analysis
from leaderboard.board.boards import AskedBoard, kept_leaderboard, make_leaderboard
from leaderboard.board.judged_tops import judged_tops
from leaderboard.board.standings import able_to_pass
from leaderboard.errors import NothingToScore, UnknownLabels, UnknownMeasure
from leaderboard.models import Evaluation
from leaderboard.output.csv_tables import csv_table
from leaderboard.output.drawing import figure_image
from leaderboard.scoring import evaluation
from leaderboard.scoring.chosen_runs import chosen_runs
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.scores import score, scores_as_dict
from pooling.errors import NotFound
from pooling.models import Passage
from tests.factories import make_qrels, make_run
from tournament.errors import NoSuchVersion


def board_of(valley, version, **options):
    return make_leaderboard(
        collection=valley.collection,
        version=version,
        official=valley.official,
        runs=valley.runs,
        **options,
    )


def means(valley, qrels, measures, **options):
    scores = score(
        collection=valley.collection,
        labels=labels_named(valley.collection, qrels),
        runs=valley.runs,
        measures=measures,
    )
    rows = scores_as_dict(scores, **options)["rows"]
    return {(row["run"], row["measure"], row["qid"]): row["value"] for row in rows}


def test_a_missing_query_gets_the_worst_value(valley):
    values = means(valley, "official", "RR@10", per_query=True)

    assert values["new", "RR@10", "q4"] == 0.0
    assert values["old", "RR@10", "all"] == (1 + 1 + 0.5 + 1) / 4
    assert values["new", "RR@10", "all"] == (0.25 + 0.5 + 1) / 4


def test_a_version_is_scored_over_the_queries_it_covers(valley, version):
    values = means(valley, "@1", "RR@10", per_query=True)

    assert ("old", "RR@10", "q4") not in values
    assert values["new", "RR@10", "all"] == pytest.approx((1 + 0.5 + 1) / 3)


def test_esl_without_an_answered_query_has_no_mean(valley):
    make_qrels(valley.collection, "elsewhere", [("q1", "nowhere", 1)])

    values = means(valley, "elsewhere", "ESL@10", per_query=True)

    assert values["old", "ESL@10", "all"] is None
    assert values["old", "ESL@10", "q1"] is None


def test_the_sets_threshold_says_what_is_relevant(valley):
    make_qrels(valley.collection, "graded", [("q1", "a1", 1), ("q1", "b1", 2)], min_grade=2)

    values = means(valley, "graded", "RR@10 RR(rel=1)@10 nDCG@10")

    assert values["old", "RR@10", "all"] == 0.5
    assert values["old", "RR(rel=1)@10", "all"] == 1.0
    assert values["old", "nDCG@10", "all"] == pytest.approx((1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3)))


def test_grades_that_a_measure_is_not_defined_for_are_refused(valley):
    make_qrels(valley.collection, "finer", [("q1", "a1", 7), ("q1", "b1", 2)])

    with pytest.raises(
        UnknownMeasure, match=r"ERR@20 is defined for grades up to 4, and finer has higher grades"
    ):
        means(valley, "finer", "ERR@20")


def test_values_are_stored_once_and_read_again(valley, monkeypatch):
    first = means(valley, "official", "RR@10 AP")
    count = Evaluation.objects.count()
    monkeypatch.setattr(evaluation, "ranking_of", lambda *a: pytest.fail("a stored run was read again"))

    again = means(valley, "official", "RR@10 AP")

    assert again == first
    assert Evaluation.objects.count() == count == 6


def test_changed_labels_are_rescored(valley):
    before = means(valley, "official", "RR@10")["odd", "RR@10", "all"]
    valley.official.qrels.filter(query__qid="q3").update(passage=valley.passage("x3"))

    after = means(valley, "official", "RR@10")["odd", "RR@10", "all"]

    assert (before, after) == (0.25, 0.5)


def test_runs_are_read_no_deeper_than_measures_look(valley, monkeypatch):
    depths = []
    read = evaluation.ranking_of
    monkeypatch.setattr(evaluation, "ranking_of", lambda run, depth: depths.append(depth) or read(run, depth))

    means(valley, "official", "RR@10 P@5")
    means(valley, "official", "AP")

    assert depths == [10, 10, 10, None, None, None]


def test_a_board_worked_by_hand(valley, version):
    published = board_of(valley, version)

    rows = {row.run: row for row in published.board.rows}
    assert published.board.queries == 3
    assert (published.open, published.singletons, published.runs) == (0, 1, 3)
    assert rows["old"].official.value == pytest.approx(2.5 / 3)
    assert rows["old"].preference.value == pytest.approx(2 / 3)
    assert rows["new"].official.value == pytest.approx(1.75 / 3)
    assert rows["new"].preference.value == pytest.approx(2.5 / 3)
    assert (rows["old"].official.rank, rows["new"].official.rank) == (1, 2)
    assert (rows["old"].preference.rank, rows["new"].preference.rank) == (2, 1)
    assert rows["perfect run"].preference.value == pytest.approx(2 / 3)


def test_without_a_version_the_board_has_every_query_of_the_labels(valley):
    published = board_of(valley, None)

    rows = {row.run: row for row in published.board.rows}
    assert (published.version, published.board.queries, published.runs) == (None, 4, 3)
    assert "perfect run" not in rows
    assert rows["old"].official.value == pytest.approx(3.5 / 4)
    analysis = board_analysis(published)
    assert [figure.key for figure in analysis.figures] == ["panels"]
    assert "The board uses these labels alone." in analysis.sentences[0]
    assert set(analysis.content["rows"][0]) == {
        "run",
        "official",
        "official_low",
        "official_high",
        "rank_official",
        "rank_official_first",
        "rank_official_last",
        "answered_official",
        "baseline",
        "perfect",
    }
    assert "preference" not in csv_table(analysis.tables[0])


def test_labels_without_any_relevant_passage_make_no_board(valley):
    nothing = make_qrels(valley.collection, "nothing", [("q1", "a1", 0)])

    with pytest.raises(NothingToScore, match="nothing has no relevant passage for any query"):
        make_leaderboard(collection=valley.collection, version=None, official=nothing, runs=valley.runs)


def test_judged_tops_are_shares_of_the_boards_queries(valley, version):
    rows = {row.run: row for row in board_of(valley, version).board.rows}

    assert rows["old"].judged_tops == pytest.approx(2 / 3)  # x3 was never judged
    assert rows["new"].judged_tops == 1.0
    assert rows["odd"].judged_tops == pytest.approx(1 / 3)  # no line for q1, x3 on q3
    assert rows["perfect run"].judged_tops == 1.0


def test_a_run_that_skips_queries_has_no_unjudged_tops_there(valley, version):
    make_run(valley.collection, "short", {"q1": ["b1"]})
    make_run(valley.collection, "better", {"q1": ["b1", "a1"], "q2": ["b2", "a2"]})
    valley.runs = list(valley.collection.runs.filter(run_tag__in=["short", "better"]))

    board = board_of(valley, version).board
    again = board_of(valley, version).board

    rows = {row.run: row for row in board.rows}
    assert (rows["better"].leading.rank, rows["short"].leading.rank) == (1, 2)
    assert rows["short"].judged_tops == pytest.approx(1 / 3)
    assert (rows["short"].unjudged_tops, rows["better"].unjudged_tops) == (0, 0)
    assert able_to_pass(board.rows) == able_to_pass(again.rows) == {}


def test_a_top_of_a_judged_class_is_judged(valley, version):
    Passage.objects.filter(pid="a2").update(class_key="same words")
    Passage.objects.create(collection=valley.collection, pid="twin", class_key="same words")
    run = make_run(valley.collection, "twins", {"q1": ["twin"], "q2": ["twin"]})

    table = judged_tops(version, [run], ["q1", "q2"], {})

    assert table[0].tolist() == [0.0, 1.0]


def test_the_judged_passages_of_a_version_are_read_once_for_all_runs(valley, version, monkeypatch):
    first = judged_tops(version, valley.runs[:1], ["q1", "q2", "q3"], {})
    monkeypatch.setattr("leaderboard.board.judged_tops.judged_pids", None)

    both = judged_tops(version, valley.runs[:2], ["q1", "q2", "q3"], {})

    assert both[0].tolist() == first[0].tolist()


def test_judged_tops_of_carried_queries_come_from_the_version_that_decided_them(valley, version):
    """A second campaign decides q4 alone; q1 to q3 are carried over."""
    first = valley.campaign
    valley.campaign = type(first).objects.create(name="autumn", collection=valley.collection, seed=1)
    pool = valley.pool
    valley.pool = type(pool).objects.create(collection=valley.collection, name="heath")
    type(first).objects.filter(pk=valley.campaign.pk).update(pool=valley.pool)
    valley.campaign.refresh_from_db()
    valley.pooled("q4", "a4", "b4")
    valley.ladder("q4", "a4", "b4")

    second = valley.publish()

    table = judged_tops(second, valley.runs, ["q1", "q2", "q3", "q4"], {})
    assert second.number == 2
    assert table[0].tolist() == [1, 1, 0, 1]
    assert table[1].tolist() == [1, 1, 1, 0]


def test_the_seed_fixes_the_intervals(valley, version):
    assert board_of(valley, version, seed=5) == board_of(valley, version, seed=5)


def test_a_simulated_version_says_so(valley):
    valley.campaign.judgments.update(judge_kind="simulated")

    assert board_of(valley, valley.publish()).simulated


def test_a_kept_board_is_not_drawn_again(valley, version, django_assert_num_queries):
    wanted = AskedBoard(valley.collection, version, valley.official, valley.runs)
    first = kept_leaderboard(wanted)

    with django_assert_num_queries(0):
        again = kept_leaderboard(replace(wanted, measure="RR@10"))

    assert again == first


def test_labels_that_do_not_exist_are_refused(valley):
    for name, refusal in (("nothing", NotFound), ("@7", NoSuchVersion), ("@latest", UnknownLabels)):
        with pytest.raises(refusal):
            labels_named(valley.collection, name)


def test_unknown_measures_are_refused(valley):
    with pytest.raises(UnknownMeasure):
        means(valley, "official", "MRR@ten")


def test_unknown_runs_are_refused_by_name(valley):
    with pytest.raises(NotFound, match="no run none"):
        chosen_runs(valley.collection, ["old", "none"])


def test_sets_without_a_query_in_common_have_no_board(valley, version):
    other = make_qrels(valley.collection, "other", [("q4", "a4", 1)])

    with pytest.raises(NothingToScore, match="No query"):
        make_leaderboard(collection=valley.collection, version=version, official=other, runs=valley.runs)


def test_the_measures_threshold_comes_from_the_set_unless_named(valley):
    labels = labels_named(valley.collection, "official")

    assert evaluation.measure_for("AP(rel=2)", labels) == parse_measure("AP(rel=2)")
    assert evaluation.measure_for("AP", labels) == parse_measure("AP")


def test_csv_carries_what_the_board_was_made_from(valley, version):
    make_run(valley.collection, "=cmd()", {"q1": ["a1"]})
    valley.runs = chosen_runs(valley.collection)

    text = csv_table(board_analysis(board_of(valley, version)).tables[0])

    head, *lines = text.splitlines()
    assert head.startswith("run,official,official_low,official_high,preference")
    assert len(lines) == 5
    assert any(line.startswith("'=cmd(),") for line in lines)
    assert all(",official (relevant from grade 1); version 1,MRR@10,3,20220," in line for line in lines)


def test_a_boards_figure_has_a_panel_a_set_of_labels_in_the_order_of_its_own_board(valley, version):
    panels, against = board_analysis(board_of(valley, version)).figures

    names = [chart["rows"] for chart in panels.charts]
    assert [chart["series"][0]["name"] for chart in panels.charts] == ["official qrels", "preference qrels"]
    assert names[0][0] == "perfect run"
    assert names[1][0] == "new"
    assert len(against.charts[0]["named"]) == len(against.charts[0]["points"])
    assert "Named" not in against.caption


def test_the_table_explains_ranks_of_values_that_only_look_equal(valley):
    published = board_of(valley, None)
    first, second, *others = published.board.rows
    close = replace(second, official=replace(second.official, value=first.official.value - 1e-6))
    near = replace(published, board=replace(published.board, rows=(first, close, *others)))

    assert "Equal values share a rank." in board_analysis(published).tables[0].caption
    assert "so equal shown values can have different ranks." in board_analysis(near).tables[0].caption


def test_of_many_runs_the_figure_names_those_that_stand_out_and_says_so(valley, version):
    for number in range(40):
        make_run(valley.collection, f"more{number}", {"q1": ["x1"]})
    valley.runs = chosen_runs(valley.collection)

    against = board_analysis(board_of(valley, version)).figures[1]

    (chart,) = against.charts
    assert "new" in {chart["points"][place]["name"] for place in chart["named"]}
    assert len(chart["named"]) < len(chart["points"])
    assert "the first 5 runs of each board" in chart["note"]
    assert chart["note"] in against.caption
    assert figure_image(against, "svg") == figure_image(against, "svg")


def test_a_board_by_a_measure_that_is_better_when_lower_has_the_lowest_first(valley, version):
    found = make_leaderboard(
        collection=valley.collection,
        version=version,
        official=valley.official,
        runs=chosen_runs(valley.collection),
        measure="ESL@10",
    )

    rows = {row.run: row for row in found.board.rows}
    # Best answers b1 a2 b3: old has them at 2, 1, 2, new at 1, 2, 1, and odd only a2, at 1.
    assert [rows[tag].preference.value for tag in ("old", "new", "odd")] == pytest.approx([5 / 3, 4 / 3, 1])
    assert [rows[tag].preference.rank for tag in ("odd", "new", "old")] == [1, 2, 3]
    assert rows["odd"].preference.answered == pytest.approx(1 / 3)
    assert (found.mean, found.higher_is_better) == ("ESL@10", False)


def test_the_perfect_run_has_one_passage_by_every_measure(valley, version):
    found = make_leaderboard(
        collection=valley.collection,
        version=version,
        official=valley.official,
        runs=chosen_runs(valley.collection),
        measure="P@5",
    )

    perfect = next(row for row in found.board.rows if row.perfect)
    assert perfect.official.value == pytest.approx(1 / 5)


def test_no_board_is_drawn_by_what_is_no_measure(valley, version):
    with pytest.raises(UnknownMeasure, match="'best' is not a measure"):
        make_leaderboard(
            collection=valley.collection,
            version=version,
            official=valley.official,
            runs=valley.runs,
            measure="best",
        )
