"""score and leaderboard on the command line: JSON keys, text, files, exit status."""

import csv

import pytest
from django.core.management import call_command

from tests.factories import make_run
from tests.leaderboard.analyses.analysed import run_json

FORMS = {"csv": "csv", "latex": "tex", "markdown": "md", "figure": "svg"}


def test_score_prints_rows_with_means_under_all(valley, capsys):
    result = run_json(capsys, "score", "valley", "--qrels", "official", "--measures", "RR@10 P@5")

    assert {tuple(row) for row in result["rows"]} == {("run", "measure", "qid", "value")}
    assert {row["qid"] for row in result["rows"]} == {"all"}
    assert {"run": "old", "measure": "RR@10", "qid": "all", "value": 0.875} in result["rows"]


def test_score_per_query_adds_every_query(valley, capsys):
    result = run_json(capsys, "score", "valley", "--qrels", "official", "--per-query", "--runs", "old")

    assert [row["qid"] for row in result["rows"]] == ["q1", "q2", "q3", "q4", "all"]


def test_score_names_the_queries_a_run_is_missing(valley, capsys):
    result = run_json(capsys, "score", "valley", "--qrels", "official")

    assert result["missing"] == {"new": 1, "odd": 2}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["old,new"], ["old", "new"]),
        (["old,er"], ["old,er"]),
        (["new", "old,er"], ["new", "old,er"]),
        (["new,odd", "--runs", "old,er", "old"], ["new", "odd", "old,er", "old"]),
    ],
)
def test_a_run_whose_tag_has_a_comma_is_named_whole(valley, capsys, words, expected):
    make_run(valley.collection, "old,er", {"q1": ["a1"]})

    result = run_json(capsys, "score", "valley", "--qrels", "official", "--runs", *words)

    assert [row["run"] for row in result["rows"]] == expected


@pytest.mark.parametrize("command", ["score", "compare", "stability", "leaderboard", "win_ratios"])
def test_runs_that_name_no_run_are_wrong_usage(valley, version, capsys, command):
    of = ["spring"] if command == "win_ratios" else ["valley"]
    of += ["--qrels", "official"] if command in ("score", "compare") else []
    with pytest.raises(SystemExit) as ended:
        call_command(command, *of, "--runs", "")

    assert ended.value.code == 2
    assert "--runs is empty" in capsys.readouterr().err


def test_score_shows_a_table(valley, capsys):
    call_command("score", "valley", "--qrels", "official", "--measures", "RR@10")

    shown = capsys.readouterr()
    assert "0.8750" in shown.out
    assert "official (relevant from grade 1) · MRR@10 · 4 queries" in shown.out


def test_an_unknown_set_ends_with_status_1(valley, capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("score", "valley", "--qrels", "nothing")

    assert ended.value.code == 1
    assert "official" in capsys.readouterr().err


def test_leaderboard_prints_the_promised_keys(valley, version, capsys):
    result = run_json(capsys, "leaderboard", "valley", "--version", "1", "--official", "official")

    promised = (
        "run official official_low official_high preference preference_low preference_high rank_official "
        "rank_preference"
    )
    assert result["queries"] == 3
    assert set(promised.split()) <= set(result["rows"][0])
    assert result["kendall_tau"] == pytest.approx(1 / 3)
    assert [row["run"] for row in result["rows"]] == ["new", "perfect run", "old", "odd"]
    assert [row["perfect"] for row in result["rows"]] == [False, True, False, False]


def test_leaderboard_shows_a_table_and_what_it_was_made_from(valley, version, capsys):
    call_command("leaderboard", "valley")

    shown = capsys.readouterr().out
    assert "perfect run" in shown
    assert "0.8333 [" in shown
    assert "3 runs over 3 queries (0 open, 1 singletons)" in shown
    assert "simulated" not in shown


def test_leaderboard_says_that_judges_were_simulated(valley, capsys):
    valley.campaign.judgments.update(judge_kind="simulated")
    valley.publish()

    call_command("leaderboard", "valley")

    assert "judges of this version were simulated" in capsys.readouterr().out


def test_leaderboard_writes_csv(valley, version, capsys, tmp_path):
    file = tmp_path / "board.csv"

    call_command("leaderboard", "valley", "--csv", str(file))

    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    assert [row["run"] for row in rows] == ["new", "perfect run", "old", "odd"]
    assert float(rows[0]["preference"]) == pytest.approx(2.5 / 3)


def test_a_version_that_does_not_exist_is_refused(valley, capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("leaderboard", "valley", "--version", "4")

    assert ended.value.code == 1
    assert "version 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "tables", "figures"),
    [
        (["leaderboard", "valley", "--measure", "ESL@10"], ["out"], ["out-panels", "out-against"]),
        (
            ["score", "valley", "--qrels", "official", "--measures", "AP ESL"],
            ["out-scores", "out-intervals"],
            ["out"],
        ),
    ],
)
def test_scores_and_boards_are_written_in_every_form(valley, version, tmp_path, command, tables, figures):
    files = {name: tmp_path / f"out.{ending}" for name, ending in FORMS.items()}
    asked = [word for name, path in files.items() for word in (f"--{name}", str(path))]

    call_command(*command, *asked)

    assert {path.stem for path in tmp_path.glob("*.csv")} == set(tables)
    assert {path.stem for path in tmp_path.glob("*.svg")} == set(figures)
    assert "lower is better" in files["latex"].read_text().lower()
    assert "Preferee" in files["markdown"].read_text()


def test_scores_come_with_intervals_and_the_best_of_each_measure_is_marked(valley, capsys):
    result = run_json(capsys, "score", "valley", "--qrels", "official", "--measures", "RR@10 ESL")

    rows = result["tables"]["intervals"]["rows"]
    mean = next(row["mean"] for row in rows if (row["run"], row["measure"]) == ("old", "RR@10"))
    assert mean["low"] < mean["value"] == 0.875 < mean["high"]
    assert result["facts"]["seed"] == 20220


def test_one_run_named_twice_is_one_run(valley, capsys):
    with pytest.raises(SystemExit):
        call_command("compare", "valley", "--qrels", "official", "--runs", "old", "old")

    assert "old is the only run to compare" in capsys.readouterr().err
