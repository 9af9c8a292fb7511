"""What the script draws, in Chromium: colours, and what is said of a mark."""

from __future__ import annotations

import json

import pytest
from django.conf import settings

from leaderboard.output.chart import Cells, Series, Spans, chart_content
from tests.journeys.person import chromium

KEEP = "window.echarts = { ...echarts, init: ((make) => (...given) => (window.plot = make(...given)))(echarts.init) }"
OPTION = "plot.getOption()"
SCALE = f"{OPTION}.visualMap[0].inRange.color"
INKS = f"{OPTION}.series[0].data.map((cell) => cell.label.color)"


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def drawn(browser, chart, scheme="light"):
    """A page with the chart; its errors are the test's."""
    page = browser.new_page(color_scheme=scheme)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    block = json.dumps([chart_content(chart)])
    page.set_content(
        "<style>:root { --paper: #ffffff; --surface: #ffffff; --ink: #111111; --ink-soft: #444444; --line: #dddddd; "
        "--line-strong: #888888 }</style><figure><div data-charts='charts'></div>"
        f"<script type='application/json' id='charts'>{block}</script></figure>"
    )
    page.add_script_tag(path=settings.BASE_DIR / "static/vendor/echarts/echarts.min.js")
    page.add_script_tag(content=KEEP)
    page.add_script_tag(path=settings.BASE_DIR / "static/web/figures.js")
    return page


@pytest.mark.parametrize("diverging", [False, True])
def test_a_cell_has_one_colour_the_stronger_the_value_and_one_ink_that_is_read(browser, diverging):
    cells = [(0, column, share) for column, share in enumerate([0.0, 0.5, 1.0])]
    chart = Cells("Shares", ["a"], ["1", "2", "3"], cells, "rank", diverging=diverging)

    light, dark = (drawn(browser, chart, scheme) for scheme in ("light", "dark"))

    assert light.evaluate(SCALE)[-1] == dark.evaluate(SCALE)[-1]
    assert light.evaluate(SCALE)[0] == dark.evaluate(SCALE)[0] if diverging else True
    assert len(light.evaluate(SCALE)) == (3 if diverging else 5)
    weak = 1 if diverging else 0
    assert (light.evaluate(INKS)[weak], dark.evaluate(INKS)[weak]) == ("#000000", "#ffffff")


def test_a_mark_is_said_as_the_table_writes_it(browser):
    chart = Spans(
        "Values",
        "MRR@10",
        ["a"],
        [Series("value", [(0.42131, 0.401, 0.441)]), Series("other", [(-0.5, None, None)])],
    )

    page = drawn(browser, chart)
    page.locator(".plot").press("ArrowRight")

    assert page.locator("[aria-live]").text_content() == "a\nvalue: 0.4213 [0.401, 0.441]\nother: −0.5000"


def test_names_from_right_to_left_leave_the_words_between_them_in_order(browser):
    chart = Cells("Wins", ["نظام"], ["بحث"], [(0, 0, 0.75)], "preferred", diverging=True)

    page = drawn(browser, chart)
    page.locator(".plot").press("ArrowRight")

    assert (
        page.locator("[aria-live]").text_content() == "\u2068بحث\u2069 preferred to \u2068نظام\u2069: 75.0 %"
    )
