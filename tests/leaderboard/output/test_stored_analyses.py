"""Stored analyses come back unchanged in every format."""

import json
from dataclasses import replace

import numpy as np
import pytest

from leaderboard.output import Analysis
from leaderboard.output.chart import Series, Spans, chart_content
from leaderboard.output.content import analysis_content
from leaderboard.output.csv_tables import csv_table
from leaderboard.output.latex import latex_table
from leaderboard.output.markdown import markdown_table
from leaderboard.output.stored_analyses import as_stored, from_stored


@pytest.fixture
def again(facts, table):
    analysis = Analysis(facts, (table,), (), ("One sentence.",), {"extra": (1, float("inf"))})
    # A database without NaN accepts this.
    return analysis, from_stored(json.loads(json.dumps(as_stored(analysis), allow_nan=False)))


def test_figures_keep_their_data_and_what_pages_draw(facts, table, figure):
    chart = chart_content(Spans("Values", "RR", ["otter"], [Series("official", [(0.5, None, np.nan)])]))
    shown = replace(figure, data=replace(table, key="shown"), charts=(chart,))
    analysis = Analysis(facts, (table,), (shown,))

    after = from_stored(json.loads(json.dumps(as_stored(analysis), allow_nan=False)))

    assert [one.key for one in after.downloads] == [table.key, "shown"]
    assert after.figures[0].data is not None
    assert csv_table(after.figures[0].data) == csv_table(table)
    assert after.figures[0].charts == (chart,)
    assert chart["series"] == [{"name": "official", "marks": [[0.5, None, None]]}]


@pytest.mark.parametrize("form", [csv_table, latex_table, markdown_table])
def test_tables_read_as_before(again, form):
    before, after = again

    assert [form(table) for table in after.tables] == [form(table) for table in before.tables]


def test_programs_read_the_same(again):
    before, after = again

    assert analysis_content(after) == analysis_content(before)
    assert after.facts == before.facts
