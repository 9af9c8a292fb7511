"""Official and preference boards side by side on the valley's board, by hand, and in every format."""

import csv

import pytest
from django.core.management import call_command

from leaderboard.board.standings import PERFECT
from leaderboard.output.drawing import figure_image
from tests.leaderboard.analyses.analysed import analysed, run_json


def test_both_boards_side_by_side(valley, version, capsys):
    found = run_json(capsys, "board_agreement", "valley")

    agreement = {row["boards"]: row for row in found["tables"]["agreement"]["rows"]}
    assert agreement["official against preference"]["tau_b"] == pytest.approx(1 / 3)
    # Over all four queries old has (1 + 1 + 1/2 + 1) / 4 and is ahead; over three new and old are as they were.
    assert set(agreement) == {
        "official against preference",
        "official here against official on all 4 queries",
        "preference against official on all 4 queries",
    }
    wins = {row["qrels"]: (row["won"], row["decided"]) for row in found["tables"]["pair_wins"]["rows"]}
    # b1 beat a1 and c1, a2 beat b2; of the official a1 lost one and won one, a2 won.
    assert wins == {"preference": (3, 3), "official": (2, 3)}
    order = {row["run"]: (row["won"], row["decided"]) for row in found["tables"]["pair_order"]["rows"]}
    assert order == {"new": (1, 2), "old": (0, 1), "odd": (0, 0)}


def test_all_queries_stand_beside_the_boards_queries(valley, version, capsys):
    """Official over four queries: old 3.5 / 4, new 1.75 / 4, odd 1 / 4; q4 is not on the board."""
    found = run_json(capsys, "board_agreement", "valley")

    rows = {row["run"]: row for row in found["tables"]["all_queries"]["rows"]}
    assert list(rows) == [PERFECT, "old", "new", "odd"]
    assert [(rows[tag]["all"], rows[tag]["rank_all"]) for tag in ("old", "new", "odd")] == [
        (0.875, 1),
        (0.4375, 2),
        (0.25, 3),
    ]
    assert rows["old"]["official"] == pytest.approx(2.5 / 3)
    assert (rows["new"]["preference"], rows["new"]["rank_preference"]) == (pytest.approx(2.5 / 3), 1)
    assert (rows[PERFECT]["all"], rows[PERFECT]["official"]) == (1, 1)
    assert rows[PERFECT]["preference"] == pytest.approx(2 / 3)


def test_a_line_shows_the_perfect_run_on_both_boards_in_the_official_order(valley, version):
    found = analysed(
        "board_agreement", valley.collection, valley.runs, official="official", version=str(version.number)
    )

    figure = next(one for one in found.figures if one.key == "official_order")
    official, preference = figure.charts
    assert official["rows"] == preference["rows"] == ["old", "new", "odd"]
    assert (official["line"], preference["line"]) == (1, pytest.approx(2 / 3))
    assert figure_image(figure, "svg").startswith(b"<?xml")


def test_captions_and_rows_name_the_qrel_set(valley, version, capsys):
    valley.official.name = "nist"
    valley.official.save()

    found = run_json(capsys, "board_agreement", "valley")

    drawn = analysed("board_agreement", valley.collection, valley.runs, version=str(version.number)).figures
    said = [table["caption"] for table in found["tables"].values()] + [one.caption for one in drawn]
    assert not any("official" in caption.lower() for caption in said)
    assert "The perfect run returns the nist qrel of every query" in found["tables"]["boards"]["caption"]
    assert any("lines lead from the order by nist to the order by preference" in caption for caption in said)
    assert "Both boards in the order by nist" in [one.title for one in drawn]
    assert "nist against preference" in [row["boards"] for row in found["tables"]["agreement"]["rows"]]
    assert {row["qrels"] for row in found["tables"]["pair_wins"]["rows"]} == {"preference", "nist"}


@pytest.mark.parametrize("option", ["--version", "--number"])
def test_a_version_is_named_as_for_the_leaderboard(valley, version, capsys, option):
    assert run_json(capsys, "board_agreement", "valley", option, "1") == run_json(
        capsys, "board_agreement", "valley"
    )

    with pytest.raises(SystemExit):
        call_command("board_agreement", "valley", option, "7")

    assert "no version 7" in capsys.readouterr().err


def test_every_form_and_figure_is_written(valley, version, tmp_path, capsys):
    paths = {form: tmp_path / f"board.{form}" for form in ("csv", "latex", "markdown", "svg")}

    call_command(
        "board_agreement", "valley", "--csv", str(paths["csv"]), "--latex", str(paths["latex"]),
        "--markdown", str(paths["markdown"]), "--figure", str(paths["svg"]),
    )  # fmt: skip

    with (tmp_path / "board-boards.csv").open() as file:
        assert [row["run"] for row in csv.DictReader(file)] == ["new", PERFECT, "old", "odd"]
    assert "\\toprule" in paths["latex"].read_text()
    assert "Kendall" in paths["markdown"].read_text()
    assert (tmp_path / "board-panels.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "board-against.svg").stat().st_size > 1000
