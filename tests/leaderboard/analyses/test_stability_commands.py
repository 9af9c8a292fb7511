"""stability and split_halves on a board worked by hand: settings, files, refusals, and stored results."""

import csv

import numpy as np
import pytest
from django.core.management import call_command

from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.split_halves.computation import split_agreement
from leaderboard.analyses.stability.computation import rank_stability
from leaderboard.cache import kept_analyses
from leaderboard.errors import WrongSetting
from leaderboard.models import KeptAnalysis
from leaderboard.output.drawing import FORMATS, figure_image
from leaderboard.scoring.chosen_runs import chosen_runs
from pooling.labels.query_splits import split_by_list
from tests.factories import make_collection, make_qrels, make_run
from tests.leaderboard.analyses.analysed import analysed, run_json

QUERIES = 24


@pytest.fixture
def fair(db):
    """Three runs on 24 queries: ``best`` is always right, ``half`` on even queries, ``late`` always third."""
    qids = [f"q{number}" for number in range(QUERIES)]
    collection = make_collection("fair", qids)
    make_qrels(collection, "official", [(qid, f"good-{qid}", 1) for qid in qids])
    good = {qid: f"good-{qid}" for qid in qids}
    make_run(collection, "best", {qid: [good[qid], "x"] for qid in qids})
    make_run(
        collection,
        "half",
        {qid: [good[qid], "x"] if place % 2 == 0 else ["x", "y"] for place, qid in enumerate(qids)},
    )
    make_run(collection, "late", {qid: ["x", "y", good[qid]] for qid in qids})
    return collection


@pytest.fixture
def parted(fair, tmp_path):
    """The same board with its odd queries private."""
    path = tmp_path / "private.txt"
    path.write_text("\n".join(f"q{number}" for number in range(1, QUERIES, 2)))
    split_by_list(collection=fair, path=path)
    return fair


VALUES = np.array([[1.0] * QUERIES, [1.0, 0.0] * (QUERIES // 2), [1 / 3] * QUERIES])


def test_stability_is_that_of_the_pure_function(fair, capsys):
    result = run_json(capsys, "stability", "fair", "--seed", "5", "--trials", "400")

    expected = rank_stability(
        ["best", "half", "late"], VALUES, rng=np.random.default_rng(5), trials=400, whole=2520
    )
    (found,) = result["distributions"]
    assert [run["run"] for run in found["runs"]] == ["best", "half", "late"]
    assert [run["held"] for run in found["runs"]] == expected.held.tolist()
    assert result["facts"]["queries"] == QUERIES
    assert (result["facts"]["seed"], result["facts"]["trials"]) == (5, "400")
    assert "best is first in 100.0% of the resamples" in result["sentences"][0]


def test_halves_are_those_of_the_pure_function(fair, capsys):
    result = run_json(capsys, "split_halves", "fair", "--seed", "5", "--splits", "20")

    expected = split_agreement(VALUES, rng=np.random.default_rng(5), splits=20, whole=2520)
    rows = result["tables"]["halves"]["rows"]
    assert [(row["test"], row["direction"]) for row in rows] == [
        (one.test, one.direction) for one in expected.outcomes
    ]
    assert [row["agree"] for row in rows] == [one.agree for one in expected.outcomes]
    assert result["halves"][0]["equal_medians"] == expected.equal_medians


def test_the_figure_of_halves_shows_the_tables_shares(parted, tmp_path):
    """The parts of a bar add up to the whole, on paper and for the page; its data is the table."""
    found = analysed("split_halves", parted, chosen_runs(parted), splits=8)

    (figure,) = found.figures
    rows = [row.values for row in found.tables[0].rows]
    assert [chart["title"] for chart in figure.charts] == [
        "Agreement of split halves: official, MRR@10, public queries",
        "Agreement of split halves: official, MRR@10, private queries",
    ]
    bars = [
        (*parts, beside)
        for chart in figure.charts
        for *parts, beside in zip(
            *(part["shares"] for part in chart["parts"]), chart["beside"]["shares"], strict=True
        )
    ]
    assert bars == [(row["agree"], row["partial"], row["disagree"], row["significant"]) for row in rows]
    assert [part["name"] for part in figure.charts[0]["parts"]] == ["agree", "partially agree", "disagree"]
    assert figure.charts[0]["rows"][4] == "sign, medians"
    assert figure.data is found.tables[0]
    for form in FORMATS:
        assert figure_image(figure, form)


def test_public_and_private_queries_are_separated(parted, capsys):
    """On the even, public queries ``half`` is as good as the best; on the private ones it answers nothing."""
    result = run_json(capsys, "stability", "fair", "--trials", "50")

    public, private = result["distributions"]
    assert [public["setting"], private["setting"]] == [
        "official, MRR@10, public queries",
        "official, MRR@10, private queries",
    ]
    assert public["queries"] == private["queries"] == QUERIES // 2
    assert {run["run"]: run["held"] for run in public["runs"]}["half"] == [50, 0, 0]
    assert {run["run"]: run["held"] for run in private["runs"]}["half"] == [0, 0, 50]
    assert result["facts"]["queries"] == QUERIES


def test_private_queries_that_are_not_there_are_refused(fair, capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("stability", "fair", "--queries", "private")

    assert ended.value.code == 1
    assert "split_queries" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["stability", "split_halves"])
def test_the_same_again_is_not_computed_again(fair, capsys, monkeypatch, command):
    first = run_json(capsys, command, "fair")
    monkeypatch.setattr(kept_analyses, "KeptAnalysis", Untouchable)

    assert run_json(capsys, command, "fair") == first
    with pytest.raises(AssertionError, match="computed"):
        call_command(command, "fair", "--seed", "6")


class Untouchable:
    """Replaces the table of stored analyses: rows can be read but not created."""

    objects = KeptAnalysis.objects

    def __init__(self, **fields):
        raise AssertionError("computed")


def test_new_labels_are_new_inputs(fair, capsys):
    before = run_json(capsys, "stability", "fair", "--qrels", "official")
    make_qrels(fair, "other", [("q0", "x", 1), ("q1", "x", 1)])

    after = run_json(capsys, "stability", "fair", "--qrels", "other")

    assert before["distributions"][0]["runs"] != after["distributions"][0]["runs"]


def test_bounds_of_expected_ranks_are_in_the_csv_too(fair, tmp_path):
    call_command("stability", "fair", "--csv", str(tmp_path / "s.csv"))

    with (tmp_path / "s-ranks.csv").open() as lines:
        best = next(csv.DictReader(lines))
    assert (best["expected_0"], best["expected_0_low"], best["expected_0_high"]) == ("1.0", "1", "1")


@pytest.mark.parametrize("command", ["split_halves", "private_board"])
def test_their_figures_are_written(parted, tmp_path, capsys, command):
    call_command(command, "fair", "--csv", str(tmp_path / "t.csv"), "--figure", str(tmp_path / "t.pdf"))

    assert (tmp_path / "t.pdf").read_bytes().startswith(b"%PDF")
    assert list(tmp_path.glob("t*.csv"))


def test_tables_and_figures_are_written(fair, tmp_path, capsys):
    call_command(
        "stability",
        "fair",
        *("--csv", str(tmp_path / "s.csv"), "--latex", str(tmp_path / "s.tex")),
        *("--figure", str(tmp_path / "s.svg")),
    )

    with (tmp_path / "s-top.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert [row["run"] for row in rows] == ["best", "half", "late"]
    assert float(rows[0]["rank_1"]) == 1.0
    assert r"\toprule" in (tmp_path / "s.tex").read_text()
    assert (tmp_path / "s.svg").read_text().lstrip().startswith("<?xml")
    shown = capsys.readouterr().out
    assert "Expected ranks" in shown
    assert "seed 20220" in shown


def test_a_figure_of_many_runs_and_settings_is_drawn(parted):
    for number in range(40):
        make_run(
            parted, f"run-with-a-rather-long-name-{number:02}", {"q0": ["x", "good-q0"], "q1": [str(number)]}
        )

    analysis = analysed(
        "stability", parted, chosen_runs(parted), measure="RR@10 nDCG@10 P@5", queries=["public"], trials=20
    )

    assert figure_image(analysis.figures[0], "png").startswith(b"\x89PNG")


def test_measures_without_a_value_on_every_query_are_refused(fair, capsys):
    with pytest.raises(SystemExit):
        call_command("stability", "fair", "--measures", "ESL@10")

    assert "only for answered queries" in capsys.readouterr().err


def test_one_run_has_no_halves_to_compare(fair, capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("split_halves", "fair", "--runs", "best")

    assert ended.value.code == 1
    assert "two runs" in capsys.readouterr().err


@pytest.mark.parametrize("named", ["", " , "])
@pytest.mark.parametrize(
    "words",
    [
        ("stability", "fair", "--measures"),
        ("split_halves", "fair", "--measures"),
        ("score", "fair", "--qrels", "official", "--measures"),
        ("private_board", "fair", "--measure"),
        ("compare", "fair", "--qrels", "official", "--measure"),
        ("progress", "fair", "--qrels", "official", "--measure"),
    ],
    ids=lambda words: words[0],
)
def test_no_measure_at_all_is_refused_with_the_measures_there_are(parted, capsys, words, named):
    with pytest.raises(SystemExit) as ended:
        call_command(*words, named)

    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert "The measure is missing" in said or "is not a measure" in said
    assert "Measures are RR" in said


def test_the_private_board_takes_one_measure(parted, capsys):
    with pytest.raises(SystemExit):
        call_command("private_board", "fair", "--measure", "RR@10 nDCG@10")

    assert "'RR@10 nDCG@10' is not a measure" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["stability", "split_halves"])
@pytest.mark.parametrize("measure", ["RR@10", "nDCG@10", "AP(rel=2)"])
def test_labels_that_know_nothing_relevant_are_refused(fair, capsys, command, measure):
    make_qrels(fair, "low", [(f"q{number}", "x", 0) for number in range(QUERIES)])
    with pytest.raises(SystemExit) as ended:
        call_command(command, "fair", "--qrels", "low", "--measures", measure)

    least = 2 if "2" in measure else 1
    assert ended.value.code == 1
    assert f"low has no relevant passage for any query: {measure} needs a grade of {least} or higher" in (
        capsys.readouterr().err
    )


def test_labels_that_know_nothing_relevant_for_the_private_queries_are_refused(parted, capsys):
    make_qrels(parted, "odd", [("q0", "x", 1), ("q1", "x", 0)])
    with pytest.raises(SystemExit):
        call_command("stability", "fair", "--qrels", "odd")

    assert "odd has no relevant passage for any private query" in capsys.readouterr().err


def test_runs_that_tie_for_the_first_place_are_not_ordered(parted):
    ask = {"queries": ["public"], "trials": 20}
    runs = chosen_runs(parted)

    some = analysed("stability", parted, runs, **ask).sentences
    every = analysed("stability", parted, runs[:2], **ask).sentences

    assert some == ("official, MRR@10, public queries: 2 runs tie for first place, best among them.",)
    assert every == (
        "official, MRR@10, public queries: all 2 runs are equal, so ranks carry no information.",
    )


@pytest.mark.parametrize(
    ("command", "option", "most"),
    [
        ("stability", "--trials", "10,000"),
        ("label_noise", "--trials", "10,000"),
        ("split_halves", "--splits", "1,000"),
    ],
)
def test_commands_draw_no_more_often_than_pages(fair, capsys, command, option, most):
    above = int(most.replace(",", "")) + 1
    for number in (0, above, 10**9):
        with pytest.raises(SystemExit) as ended:
            call_command(command, "fair", option, str(number))

        assert ended.value.code == 2
        assert f"{option} must be a whole number from 1 to {most}, not {number:,}." in capsys.readouterr().err

    (field,) = [field for field in KINDS[command].fields if field.name == option[2:]]
    with pytest.raises(WrongSetting, match=f"from 1 to {most}"):
        field.read(str(above))
