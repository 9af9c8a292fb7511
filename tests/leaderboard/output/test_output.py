"""Tables and figures in every format: correct digits, and no text that a program would read as code."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.conf import settings
from rich.console import Console

from leaderboard.output import Column, Facts, Figure, Interval, Kind, Row, Table
from leaderboard.output.content import table_content
from leaderboard.output.csv_tables import csv_table
from leaderboard.output.drawing import FORMATS, OKABE_ITO, figure_image, short_name
from leaderboard.output.latex import latex_table
from leaderboard.output.markdown import markdown_table
from leaderboard.output.numbers import number_text, p_value_text
from leaderboard.output.right_to_left import runs_left
from leaderboard.output.table import best_marked
from leaderboard.output.terminal import print_table


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1, "1.00"),
        (0.730242, "0.730"),
        (0.0038712, "0.00387"),
        (0.0001, "0.000100"),
        (3.221e-12, "3.22e-12"),
        (2.07e-5, "2.07e-5"),
        (0.0, "<1e-300"),
    ],
)
def test_p_values_have_three_significant_digits(p, text):
    assert p_value_text(p) == text


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.33204, Kind.MEASURE, "0.3320"),
        (0.6572, Kind.SHARE, "65.7"),
        (-0.0123, Kind.CHANGE, "−0.0123"),
        (0.0123, Kind.CHANGE, "+0.0123"),
        (-0.000001, Kind.MEASURE, "0.0000"),
        (4588.8, Kind.MONEY, "4,588.80"),
        (0, Kind.COUNT, "0"),
        (Interval(0.42131, 0.401, 0.441), Kind.INTERVAL, "0.4213 [0.401, 0.441]"),
        (Interval(0.657, 0.601, 0.702), Kind.SHARE_INTERVAL, "65.7 [60.1, 70.2]"),
        (Interval(-0.02, -0.031, 0.004), Kind.CHANGE, "−0.0200 [−0.031, +0.004]"),
        (Interval(1.8, 1, 4), Kind.NUMBER, "1.80 [1, 4]"),
        (Interval(-0.02, float("nan"), float("nan")), Kind.CHANGE, "−0.0200"),
        (None, Kind.COUNT, "–"),
        (float("nan"), Kind.P, "–"),
    ],
)
def test_numbers_are_written_with_the_digits_of_their_kind(value, kind, text):
    assert number_text(value, kind) == text


def test_csv_keeps_raw_numbers_and_no_formula(table):
    first, second = csv.DictReader(io.StringIO(csv_table(table)))

    assert first["run"] == "'=a_b%&|"
    assert (first["value"], first["value_low"], first["p"]) == ("0.5", "0.4", "3.22e-12")
    assert (first["significant"], second["significant"]) == ("p", "")
    assert (second["value"], second["p"], second["share"], second["n"]) == ("0.45", "", "", "3")
    assert {first["measure"], second["seed"], first["software"]} == {"RR@10", "7", "0.1.0"}


def test_latex_is_booktabs_with_significant_cells_bold_and_names_escaped(table):
    text = latex_table(table)

    assert r"=a\_b\%\&\textbar{} & \underline{0.5000 [0.400, 0.600]}" in text
    assert r"\textbf{\boldmath $3.22\times 10^{-12}$} & 65.7 & 12,345 \\" in text
    assert r" & & \multicolumn{2}{c}{t test} &" in text
    assert text.index(r"\toprule") < text.index(r"\cmidrule(lr){3-4}") < text.index(r"\bottomrule")
    assert r"\caption{Runs. Method, stated. Bold: p \textless{} 0.05." in text


@pytest.mark.parametrize("name", ["[1] old", "* best", " [2em]"])
def test_no_line_of_latex_begins_with_what_the_command_before_it_takes(facts, name):
    columns = (Column("run", name), Column("value", "value", Kind.MEASURE))
    table = Table("runs", "Runs", "Method.", columns, (Row({"run": name, "value": 0.5}),) * 2, facts)

    lines = latex_table(table).splitlines()

    assert lines.count(f"{{}}{name} & 0.5000 \\\\") == 2
    assert not [line for line in lines if line.lstrip().startswith(("[", "*"))]


@pytest.mark.parametrize(
    ("wide", "begins"),
    [
        (3, ["\\begin{table}", "\\centering", "\\caption"]),
        (8, ["\\begin{table*}", "\\centering", "\\caption"]),
        (
            15,
            [
                "\\begin{table*}",
                "\\centering",
                "\\footnotesize",
                "\\setlength{\\tabcolsep}{4pt}",
                "\\caption",
            ],
        ),
    ],
)
def test_a_wide_table_of_latex_takes_the_page_and_small_letters(facts, wide, begins):
    columns = tuple(Column(f"c{place}", "value", Kind.MEASURE) for place in range(wide))
    row = Row({column.key: 0.5 for column in columns})

    lines = latex_table(Table("wide", "Wide", "Method.", columns, (row,), facts)).splitlines()

    assert [line.partition("{Wide")[0] for line in lines[: len(begins)]] == begins
    assert lines[-1] == begins[0].replace("begin", "end")


def matrix(facts, wide: int, rows: int) -> Table:
    """Return a table of values under long names."""
    columns = tuple(
        Column(f"c{place}", f"a-run-with-a-long-name-{place}", Kind.SHARE) for place in range(wide)
    )
    row = Row({column.key: 0.5 for column in columns})
    return Table("wide", "Wide", "Method.", columns, (row,) * rows, facts)


def test_long_heads_of_narrow_columns_stand_upright_in_latex(facts):
    text = latex_table(matrix(facts, 18, 3))

    assert text.startswith("% Needs \\usepackage{graphicx}.\n\\begin{table*}")
    assert text.count(r"\rotatebox{90}{a-run-with") == 18
    assert "resizebox" not in text


def test_a_table_that_no_letters_make_fit_is_scaled_to_the_page_in_latex(facts):
    text = latex_table(matrix(facts, 60, 3))

    assert "\\resizebox{\\textwidth}{!}{%\n\\begin{tabular}" in text
    assert "\\end{tabular}}\n\\end{table*}" in text


def test_a_table_longer_than_a_page_goes_on_on_the_next_in_latex(facts):
    text = latex_table(matrix(facts, 3, 51))

    assert text.startswith("% Needs \\usepackage{longtable}, and one column of text")
    assert text.count(r"\toprule") == 2
    assert text.index(r"\endfirsthead") < text.index(r"\endhead") < text.index(r"\endfoot")
    assert text.count("50.0 & ") == 102
    assert "tabular" not in text.replace("longtable", "")


def test_markdown_has_a_cell_for_every_column(table):
    lines = [line for line in markdown_table(table).splitlines() if line.startswith("|")]

    assert {line.replace(r"\|", "").count("|") for line in lines} == {6}
    assert r"| =a\_b%&\| | *0.5000 \[0.400, 0.600\]* | **3.22e-12** |" in lines[2]


def test_json_names_what_is_not_there_none(table):
    content = table_content(table)

    assert content["rows"][1] == {
        "run": "b",
        "value": {"value": 0.45, "low": 0.4, "high": 0.5},
        "p": None,
        "share": None,
        "n": 3,
    }
    assert content["rows"][0]["significant"] == ["p"]
    assert json.loads(json.dumps(content, allow_nan=False)) == content


def test_a_narrow_terminal_cuts_no_number(table):
    console = Console(file=io.StringIO(), width=30)

    print_table(console, table)

    text = console.file.getvalue()
    assert "0.5000 [0.400, 0.600]" in text
    assert "3.22e-12*" in text
    assert "*: p < 0.05." in text


@pytest.mark.parametrize("terminal", [True, False])
def test_a_legend_mentions_underlining_only_if_there_is_some(table, terminal):
    console = Console(
        file=io.StringIO(), force_terminal=terminal, color_system="auto", _environ={"TERM": "xterm"}
    )

    print_table(console, table)

    text = console.file.getvalue()
    assert ("\x1b[4m" in text) is ("Underlined: best value." in text) is terminal


@pytest.mark.parametrize("text", ["table", "latex", "csv", "markdown"])
def test_every_form_states_what_the_numbers_were_made_from(table, text):
    forms = {"latex": latex_table, "csv": csv_table, "markdown": markdown_table, "table": table_content}

    said = str(forms[text](table)).replace("\\", "")

    assert all(
        fact in said for fact in ("mine", table.facts.run_set, "official", "RR@10", "53", "7", "0.1.0")
    )


def test_another_choice_of_runs_is_another_run_set():
    def of(*runs):
        return Facts("c", runs, ("official",), "RR@10", 5, "0.1.0").run_set

    assert of("a", "b") == of("b", "a") != of("a", "c")
    assert of("a").startswith("1 run (")


def test_the_best_are_marked_ties_all_and_faint_rows_not():
    rows = best_marked([Row({"x": 2}), Row({"x": 3}, faint=True), Row({"x": 1.99999}), Row({"x": None})], "x")

    assert [bool(row.best) for row in rows] == [True, False, True, False]
    assert [bool(row.best) for row in best_marked([Row({"x": 2}), Row({"x": 1})], "x", higher=False)] == [
        0,
        1,
    ]


@pytest.mark.parametrize(("form", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_a_figure_is_the_same_bytes_every_time(figure, form, begins):
    first, again = figure_image(figure, form), figure_image(figure, form)

    assert first.startswith(begins)
    assert first == again
    assert b"CreationDate" not in first
    assert form != "svg" or figure.facts.sentence.encode() in first


def test_a_figure_of_another_form_is_refused(figure):
    with pytest.raises(ValueError, match="svg, pdf, png"):
        figure_image(figure, "gif")


def test_names_of_every_script_and_length_are_drawn_without_a_complaint(facts, caplog):
    names = ["检索系统", "نظام البحث", "\U00012000", "x" * 300]

    def draw(canvas):
        axes = canvas.subplots()
        axes.barh(range(4), range(4))
        axes.set_yticks(range(4), [short_name(name) for name in names])
        axes.text(0, 0, names[0], weight="bold")

    figure = Figure("names", names[0], " ".join(names), facts, draw)

    for form in FORMATS:
        assert figure_image(figure, form) == figure_image(figure, form)
    assert not caplog.records


def test_a_name_from_right_to_left_stays_on_its_side_of_an_arrow():
    assert f"{short_name('نظام')} → {short_name('b')}" == "\u2068نظام\u2069 → b"
    assert short_name("[1] old") == "[1] old"
    assert [runs_left(name) for name in ("v2-نظام", "מערכת", "检索")] == [True, True, False]


def test_series_without_a_color_of_their_own_take_the_palette_of_the_pages(facts):
    def draw(canvas):
        axes = canvas.subplots()
        for place in range(3):
            axes.plot([0, 1], [place, place + 1])

    printed = figure_image(Figure("lines", "Lines", "", facts, draw), "svg").decode()

    script = (Path(settings.BASE_DIR) / "static/web/figures.js").read_text()
    for color in OKABE_ITO[:3]:
        assert color in printed
        assert color in script
