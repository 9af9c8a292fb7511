"""What the script draws, in Chromium: colours, and what is said of a mark."""

from __future__ import annotations

import json

import pytest
from django.conf import settings

from leaderboard.output.chart import Cells, Point, Points, Series, Spans, chart_content
from tests.journeys.person import chromium

KEEP = "window.echarts = { ...echarts, init: ((make) => (...given) => (window.plot = make(...given)))(echarts.init) }"
OPTION = "plot.getOption()"
SCALE = f"{OPTION}.visualMap[0].inRange.color"
INKS = f"{OPTION}.series[0].data.map((cell) => cell.label.color)"


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def drawn(browser, chart, scheme="light", **window):
    """A page with the chart; its errors are the test's."""
    page = browser.new_page(color_scheme=scheme, **window)
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


NAMES = """plot.getZr().storage.getDisplayList(true)
  .filter((one) => one.type === "tspan" && one.style.text.startsWith("run"))
  .map((one) => { const box = one.getBoundingRect(); const [x, y] = one.transformCoordToGlobal(box.x, box.y);
                  return [one.style.text, x, y, x + box.width, y + box.height]; })"""


def crowd(count):
    """Runs that lie close together, some on one point."""
    return [
        Point(f"run{n:03}", (0.5 + 0.01 * (n % 7), None, None), (0.5 + 0.01 * (n % 3), None, None))
        for n in range(count)
    ]


def test_names_of_points_do_not_lie_over_each_other(browser):
    page = drawn(browser, Points("Runs", "x", "y", crowd(19)))

    found = page.evaluate(NAMES)

    assert {name for name, *_ in found} == {f"run{n:03}" for n in range(19)}
    for n, (_, left, top, right, bottom) in enumerate(found):
        for _, x, y, end, low in found[n + 1 :]:
            assert x >= right or left >= end or y >= bottom or top >= low


def test_of_many_points_those_that_stand_out_are_named_and_the_figure_says_so(browser):
    page = drawn(browser, Points("Runs", "x", "y", crowd(100), named=[70, 3], note="Named: two."))

    assert {name for name, *_ in page.evaluate(NAMES)} == {"run070", "run003"}
    assert page.get_by_text("Named: two.").is_visible()


PHONE = {"viewport": {"width": 360, "height": 780}}
TEXTS = """plot.getZr().storage.getDisplayList(true).filter((one) => one.type === "tspan")
  .map((one) => { const box = one.getBoundingRect(); const [x, y] = one.transformCoordToGlobal(box.x, box.y);
                  return [one.style.text, x, y, x + box.width, y + box.height]; })"""


def test_on_a_phone_names_that_begin_alike_are_whole_and_nothing_lies_over_the_legend_or_leaves_the_figure(
    browser,
):
    rows = ["signed-rank, means", "signed-rank, medians"]
    kinds = ["queries resampled", "queries and judgments resampled (centre)"]
    series = [Series(kind, [(0.2, 0.1, 0.3), (0.3, 0.2, 0.4)]) for kind in kinds]

    page = drawn(browser, Spans("", "gain on public minus gain on private queries", rows, series), **PHONE)

    found = {text: place for text, *place in page.evaluate(TEXTS)}
    assert found.keys() >= {*rows, *kinds}
    top = page.evaluate(f"{OPTION}.grid[0].top")
    assert max(found[kind][3] for kind in kinds) <= top
    width = page.evaluate("plot.getWidth()")
    assert all(x >= 0 and end <= width for x, _, end, _ in found.values())


def test_runs_of_one_day_stand_in_the_middle_of_a_week(browser):
    points = [Point(f"run{n}", "2021-08-31", (0.1 * n, None, None)) for n in range(3)]

    page = drawn(browser, Points("Progress", "date", "MRR", points))

    low, high = page.evaluate(f"[{OPTION}.xAxis[0].min, {OPTION}.xAxis[0].max]")
    assert (high - low) / 86_400_000 == 6


def test_a_panel_keeps_the_colour_of_its_labels(browser):
    chart = Spans("Preference", "MRR", ["a"], [Series("preference", [(0.5, 0.4, 0.6)])], first_colour=1)

    assert drawn(browser, chart).evaluate(f"{OPTION}.series[0].itemStyle.color") == "#d55e00"
