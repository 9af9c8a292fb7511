"""Options of every analysis command: JSON, tables and figures in files."""

import json

import pytest
from django.core.management import call_command

from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand


@pytest.fixture
def command(db, facts, table, figure):
    class Small(AnalysisCommand):
        def analyse(self, **options):
            return Analysis(facts, (table,), (figure,), ("b is not better.",), {"alpha": 0.05})

    return Small


def test_json_has_the_facts_the_sentences_and_the_tables(command, capsys):
    call_command(command(), "--json")

    result = json.loads(capsys.readouterr().out)
    assert result["sentences"] == ["b is not better."]
    assert result["alpha"] == 0.05
    assert result["tables"]["runs"]["rows"][0]["run"] == "=a_b%&|"


def test_files_are_written_in_every_form(command, tmp_path, capsys):
    names = {"csv": "t.csv", "latex": "t.tex", "markdown": "t.md", "figure": "t.svg"}

    call_command(
        command(), *(part for form, name in names.items() for part in (f"--{form}", tmp_path / name))
    )

    assert set(names.values()) <= {path.name for path in tmp_path.iterdir()}
    assert "b is not better." in (tmp_path / "t.md").read_text()
    assert "b is not better." in capsys.readouterr().out


def test_a_figure_needs_a_known_ending(command, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        call_command(command(), "--figure", tmp_path / "t.gif")

    assert ended.value.code == 2
    assert ".svg, .pdf or .png" in capsys.readouterr().err


def test_where_there_is_no_figure_one_is_refused_before_anything_is_computed(db, tmp_path, capsys):
    class Plain(AnalysisCommand):
        has_figure = False

        def analyse(self, **options):
            pytest.fail("computed")

    with pytest.raises(SystemExit) as ended:
        call_command(Plain(), "--figure", tmp_path / "t.svg", "--csv", tmp_path / "t.csv")

    assert ended.value.code == 2
    assert "this analysis has no figure" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
