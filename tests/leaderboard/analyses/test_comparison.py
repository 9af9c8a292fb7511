"""Comparisons of stored runs: questions, refusals, stored results, tables, files and the board over time."""

import json
from datetime import date
from unittest import mock

import pytest
from django.core.management import call_command

from leaderboard.analyses.compare.analysis import comparison_analysis
from leaderboard.analyses.compare.comparison import (
    Question,
    chronological,
    compare_runs,
    order_in_words,
    progress_over_time,
)
from leaderboard.analyses.progress.analysis import progress_analysis
from leaderboard.errors import LeaderboardError, NothingToScore, UnknownMeasure
from leaderboard.scoring.chosen_runs import chosen_runs
from leaderboard.scoring.labels import labels_named
from pooling.models import Run
from tests.factories import make_collection, make_qrels, make_run
from tests.leaderboard.analyses.analysed import analysed

QIDS = [f"q{number}" for number in range(14)]


@pytest.fixture
def hill(db):
    """14 queries with one answer, one with two: ``late`` answers 10 that ``early`` does not, never later."""
    collection = make_collection("hill", [*QIDS, "two"])
    make_qrels(
        collection, "official", [*((qid, "yes", 1) for qid in QIDS), ("two", "yes", 1), ("two", "no", 1)]
    )
    make_run(collection, "early", {qid: ["x", "yes"] for qid in [*QIDS[:4], "two"]}, baseline=True)
    make_run(collection, "late", {qid: ["x", "yes"] for qid in QIDS})
    make_run(collection, "last", {qid: ["x", "no", "yes"] for qid in QIDS})
    for day, tag in enumerate(("early", "late", "last"), 1):
        Run.objects.filter(run_tag=tag).update(submitted_on=date(2024, 3, day))
    return collection


def ask(hill, *tags, **options):
    runs = chosen_runs(hill, tags)
    question = Question(labels_named(hill, "official"), **options)
    return compare_runs(collection=hill, runs=runs, question=question)


def test_two_runs_are_compared_on_every_query_with_an_answer(hill):
    (pair,) = ask(hill, "early", "late").pairs

    found = pair.outcomes
    assert (found.queries, found.neither, found.a_wins, found.b_wins, found.both) == (15, 0, 1, 10, 4)
    assert pair.verdict.claim.value == "do no harm"
    assert pair.sentence.startswith("late improves on early and does no harm: late alone answers 10 of 15")


def test_queries_with_several_answers_are_counted_and_can_be_left_out(hill):
    kept, without = ask(hill, "early", "late"), ask(hill, "early", "late", single_answer_only=True)

    assert (kept.several, without.several) == (1, 1)
    assert (kept.facts.queries, without.facts.queries) == (15, 14)
    assert without.pairs[0].outcomes.a_wins == 0


def test_a_list_is_compared_with_its_first_and_its_end(hill):
    comparison = ask(hill, "early", "late", "last")

    assert [(pair.a, pair.b) for pair in comparison.pairs] == [
        ("early", "late"),
        ("early", "last"),
        ("late", "last"),
    ]
    assert comparison.rules.m == 6


def test_the_same_question_is_answered_without_looking_again(hill):
    first = ask(hill, "early", "late")

    with mock.patch(
        "leaderboard.analyses.compare.comparison.evaluate", side_effect=AssertionError("computed again")
    ):
        assert repr(ask(hill, "early", "late")) == repr(first)
        with pytest.raises(AssertionError, match="computed again"):
            ask(hill, "late", "early")


@pytest.mark.parametrize(
    ("tags", "options", "error"),
    [
        (["early"], {}, NothingToScore),
        (["early", "late"], {"measure": "nDCG@10"}, UnknownMeasure),
        (["early", "late"], {"alpha": 0}, LeaderboardError),
    ],
)
def test_runs_that_cannot_be_compared_are_refused(hill, tags, options, error):
    with pytest.raises(error):
        ask(hill, *tags, **options)


def test_labels_without_a_query_left_are_refused(hill):
    make_qrels(hill, "several", [("q0", "yes", 1), ("q0", "no", 1)])
    question = Question(labels_named(hill, "several"), single_answer_only=True)

    with pytest.raises(NothingToScore):
        compare_runs(collection=hill, runs=chosen_runs(hill), question=question)


def test_compare_writes_every_form(hill, tmp_path, capsys):
    files = {"csv": "c.csv", "latex": "c.tex", "markdown": "c.md", "figure": "c.svg"}
    options = [part for form, name in files.items() for part in (f"--{form}", str(tmp_path / name))]

    call_command("compare", "hill", "--qrels", "official", "--json", *options)

    result = json.loads(capsys.readouterr().out)
    assert [row["b"] for row in result["tables"]["outcomes"]["rows"]] == ["late", "last", "last"]
    assert (result["m"], result["verdicts"][0]["verdict"], result["verdicts"][0]["favours"]) == (
        6,
        "none",
        None,
    )
    assert result["facts"]["measure"] == "RR@10"
    assert result["facts"]["queries with several answers"] == "1 (included)"
    written = {path.name for path in tmp_path.iterdir()}
    assert {
        "c-naive.csv",
        "c-outcomes.csv",
        "c-corrected.csv",
        "c-verdicts.csv",
        "c.tex",
        "c.md",
        "c.svg",
    } <= written
    assert (tmp_path / "c.tex").read_text().count(r"\toprule") == 4


def test_the_board_over_time_marks_steps_and_tests_them(hill, capsys, tmp_path):
    call_command("progress", "hill", "--qrels", "official", "--json", "--figure", str(tmp_path / "p.png"))

    rows = json.loads(capsys.readouterr().out)["tables"]["progress"]["rows"]
    assert [(row["date"], row["run"], row["state_of_the_art"]) for row in rows] == [
        ("2024-03-01", "early", "baseline"),
        ("2024-03-02", "late", "yes"),
        ("2024-03-03", "last", None),
    ]
    assert (rows[1]["displaced"], rows[1]["claim"]) == ("early", "do no harm")


def test_a_verdict_without_a_significant_test_says_so_in_its_cell_as_in_its_sentence(hill):
    make_run(hill, "slightly", {qid: ["yes"] for qid in QIDS[:6]}, submitted_on=date(2024, 3, 2))

    compared = analysed("compare", hill, chosen_runs(hill, ["early", "slightly"]))
    stepped = analysed("progress", hill, chosen_runs(hill, ["early", "slightly"]))

    for analysis, table in ((compared, compared.tables[3]), (stepped, stepped.tables[0])):
        assert table.rows[-1].values["claim"] == "better, not significantly"
        assert "but not significantly" in analysis.sentences[0]
    assert compared.content["verdicts"][0]["verdict"] == "better"


def test_p_values_of_the_board_over_time_name_their_test(hill):
    table = analysed("progress", hill, chosen_runs(hill)).tables[0]

    groups = {column.key: column.group for column in table.columns}
    assert groups["t_p"] == groups["t_corrected"] == "paired t-test on RR"
    assert groups["claim"] == "by outcomes"
    assert "The verdict comes from other tests" in table.caption


def over_time(hill, runs=None):
    question = Question(labels_named(hill, "official"))
    return progress_over_time(collection=hill, runs=runs or chosen_runs(hill), question=question)


def test_runs_without_a_date_are_listed_separately_and_never_the_state_of_the_art(hill):
    Run.objects.filter(run_tag="late").update(submitted_on=None)  # the best of all

    board = over_time(hill)

    assert [(step.run, str(step.submitted)) for step in board.steps] == [
        ("early", "2024-03-01"),
        ("last", "2024-03-03"),
        ("late", "None"),
    ]
    assert board.steps[-1].compared is None
    assert not board.steps[-1].state_of_the_art
    assert all(step.compared is None or step.run != "late" for step in board.steps)
    analysis = progress_analysis(board)
    assert [[row.values["run"] for row in table.rows] for table in analysis.tables] == [
        ["early", "last"],
        ["late"],
    ]
    assert analysis.tables[1].title == "Runs without a date of submission"


def test_without_any_date_there_is_a_table_and_no_figure(hill):
    Run.objects.update(submitted_on=None, baseline=False)

    analysis = progress_analysis(over_time(hill))

    assert analysis.figures == ()
    [table] = analysis.tables
    assert table.key == "undated"
    assert {row.values["run"] for row in table.rows} == {"early", "late", "last"}


def test_the_order_of_import_decides_nothing(hill):
    Run.objects.update(submitted_on="2024-03-02", baseline=False)
    runs = chosen_runs(hill)

    one, other = over_time(hill, runs), over_time(hill, runs[::-1])

    def told(board):
        return [(step.run, step.state_of_the_art) for step in board.steps]

    assert told(one) == told(other)
    assert [state for _, state in told(one)] == [True, False, False]  # the best of the day


def test_undated_runs_are_compared_last_by_tag_whatever_was_imported_first(hill):
    Run.objects.filter(run_tag__in=["early", "late"]).update(submitted_on=None)
    make_run(hill, "bare", {"q0": ["yes"]})
    runs = chosen_runs(hill)

    for given in (runs, runs[::-1]):
        assert [run.run_tag for run in chronological(given)] == ["last", "bare", "early", "late"]


@pytest.mark.parametrize(
    ("dates", "words"),
    [
        (("2024-03-01", "2024-03-02"), "A is the older run."),
        (("2024-03-01", "2024-03-01"), "A is the older run. Runs of one day are in order of tags."),
        (
            ("2024-03-01", None),
            "A is the older run if both have a date. Runs without a date of submission come last, in order of tags: "
            "late.",
        ),
        (
            (None, None),
            "No run has a date of submission. Runs are in order of tags, which says nothing about time.",
        ),
    ],
)
def test_captions_say_what_the_order_of_runs_means(hill, dates, words):
    Run.objects.filter(run_tag="last").delete()
    for tag, day in zip(("early", "late"), dates, strict=True):
        Run.objects.filter(run_tag=tag).update(submitted_on=day)

    assert order_in_words(chosen_runs(hill)) == words
    analysis = analysed("compare", hill, chosen_runs(hill))
    captions = [table.caption for table in analysis.tables[:2]] + [analysis.figures[0].caption]
    assert all(words in caption for caption in captions)


def test_no_label_of_the_figure_is_cut_off_and_older_means_time_alone(hill):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    figure = comparison_analysis(ask(hill, "early", "late", "last")).figures[0]
    canvas = Canvas(figsize=(figure.width, figure.height), layout="constrained")
    figure.draw(canvas)
    FigureCanvasAgg(canvas).draw()

    assert "older" in figure.caption
    for axes in canvas.axes:
        label = axes.xaxis.label
        assert "earlier" not in label.get_text()
        extent = label.get_window_extent()
        assert extent.x0 >= 0
        assert extent.x1 <= canvas.bbox.width


def test_both_names_of_a_pair_show_in_the_figure_however_long(hill):
    Run.objects.filter(run_tag="late").update(run_tag="late" * 20)

    figure = comparison_analysis(ask(hill, "early", "late" * 20)).figures[0]

    chart = figure.charts[0]
    assert chart["rows"] == [f"{'late' * 5}lat… ← early"]
    assert chart["notes"][0].splitlines()[:2] == [f"B {'late' * 20}", "A early"]


def test_the_figure_is_bold_only_where_a_test_supports_the_verdict(hill):
    from matplotlib.figure import Figure as Canvas

    make_run(hill, "slightly", {qid: ["yes"] for qid in QIDS[:6]})
    figures = [comparison_analysis(ask(hill, "early", tag)).figures[0] for tag in ("slightly", "late")]
    printed = {}
    for figure in figures:
        figure.draw(canvas := Canvas(figsize=(figure.width, figure.height)))
        printed |= {text.get_text(): text.get_weight() for text in canvas.axes[0].texts}

    assert printed == {"B: better, not significantly": "normal", "B: do no harm": "bold"}
    assert figures[0].charts[0]["notes"] == ["slightly: better, not significantly"]
