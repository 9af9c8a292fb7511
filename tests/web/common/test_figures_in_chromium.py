"""Figures drawn by the script in Chromium: colors, and the descriptions of marks."""

import json
import re

import pytest
from django.conf import settings

from leaderboard.output.chart import (
    Bars,
    Cells,
    Curve,
    Curves,
    Part,
    Point,
    Points,
    Series,
    Spans,
    chart_content,
)
from tests.chromium import chromium
from tests.web.fonts import WIDTHS, only_font

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("figures")]  # two separate browsers, started once
KEEP = "window.echarts = { ...echarts, init: ((make) => (...given) => (window.plot = make(...given)))(echarts.init) }"
OPTION = "plot.getOption()"
SCALE = f"{OPTION}.visualMap[0].inRange.color"
INKS = f"{OPTION}.series[0].data.map((cell) => cell.label.color)"


def drawn(browser, chart, scheme="light", **window):
    """Show a page with the chart; its errors fail the test."""
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
    for script in ("lettering", "figures"):
        page.add_script_tag(path=settings.BASE_DIR / f"static/web/{script}.js")
    return page


@pytest.mark.parametrize("diverging", [False, True])
def test_a_cell_has_one_color_the_stronger_the_value_and_one_ink_that_is_read(browser, diverging):
    cells = [(0, column, share) for column, share in enumerate([0.0, 0.5, 1.0])]
    chart = Cells("Shares", ["a"], ["1", "2", "3"], cells, "rank", diverging=diverging)

    light, dark = (drawn(browser, chart, scheme) for scheme in ("light", "dark"))

    ends = [(page.evaluate(SCALE)[0], page.evaluate(SCALE)[-1]) for page in (light, dark)]
    strong = [("#0072b2", "#d55e00"), ("#56b4e9", "#e69f00")]  # as --official and --preference
    assert ends == (strong if diverging else [("#f4f4f4", "#0072b2"), ("#2b3138", "#56b4e9")])
    assert len(light.evaluate(SCALE)) == (3 if diverging else 5)
    weak = 1 if diverging else 0
    assert (light.evaluate(INKS)[weak], dark.evaluate(INKS)[weak]) == ("#000000", "#ffffff")


def test_a_marks_description_matches_the_table(browser):
    chart = Spans(
        "Values",
        "MRR@10",
        ["a"],
        [Series("value", [(0.42131, 0.401, 0.441)]), Series("other", [(-0.5, None, None)])],
    )

    page = drawn(browser, chart)
    page.locator(".plot").press("ArrowRight")

    assert page.locator("[aria-live]").text_content() == "a\nvalue: 0.4213 [0.401, 0.441]\nother: −0.5000"


def test_a_curve_goes_through_every_value_and_its_marks_are_read_in_order(browser):
    curves = [
        Curve("q1", [0, 1, 1, 2], [(2, "first of the pool"), (4, "rest of the pool")]),
        Curve("q2", [1, 2], [(2, "first of the pool")]),
    ]

    page = drawn(browser, Curves("Gain", "passages judged", "relevant passages found", curves, [0, 1]))
    said = []
    for _ in range(3):
        page.locator(".plot").press("ArrowRight")
        said.append(page.locator("[aria-live]").text_content())

    line = f"{OPTION}.series[0]"
    assert page.evaluate(f"[{line}.type, {line}.data]") == [
        "line",
        [[0, 0], [1, 0], [2, 1], [3, 1], [4, 2]],
    ]
    assert said[1] == "q1\nrest of the pool\npassages judged: 4\nrelevant passages found: 2"
    assert said[2].startswith("q2\nfirst of the pool\npassages judged: 2")
    assert {"q1", "q2"} <= {text for text, *_ in written(page)}


def test_names_from_right_to_left_leave_the_words_between_them_in_order(browser):
    chart = Cells("Wins", ["نظام"], ["بحث"], [(0, 0, 0.75)], "preferred", diverging=True)

    page = drawn(browser, chart)
    page.locator(".plot").press("ArrowRight")

    assert (
        page.locator("[aria-live]").text_content() == "\u2068بحث\u2069 preferred to \u2068نظام\u2069: 75.0%"
    )


@pytest.fixture(scope="module", params=WIDTHS)
def one_font(request, tmp_path_factory):
    """A browser on a machine with one font."""
    with chromium(environment=only_font(request.param, tmp_path_factory.mktemp("fonts"))) as found:
        yield found


#: The texts on the figure: each with the lines into which it was broken, and their bounding box.
TEXTS = """[...plot.getZr().storage.getDisplayList(true).reduce((texts, one) => {
  if (one.type !== "tspan") return texts;
  const { x, y, width, height } = one.getBoundingRect();
  const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]];
  const [xs, ys] = [0, 1].map((axis) => corners.map((at) => one.transformCoordToGlobal(...at)[axis]));
  const lines = [...(texts.get(one.parent) ?? []), [one.style.text, ...xs, ...ys]];
  return texts.set(one.parent, lines);
}, new Map()).values()].map((lines) => {
  const [xs, ys] = [lines.flatMap((line) => line.slice(1, 5)), lines.flatMap((line) => line.slice(5))];
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  return [lines.map((line) => line[0]).join("\\n"), ...box];
})"""


def written(page):
    """Return (text without line breaks and spaces, left, top, right, bottom) of every text on the figure."""
    width, height = page.evaluate("[plot.getWidth(), plot.getHeight()]")
    found = page.evaluate(TEXTS)
    for text, left, top, right, bottom in found:
        assert (left, top) >= (-1, -1), text
        assert right <= width + 1, text
        assert bottom <= height + 1, text
    return [(squeezed(text), *box) for text, *box in found]


def squeezed(text):
    return "".join(text.split())


def over_each_other(found):
    """Return pairs of texts whose boxes overlap."""
    return [
        (one[0], other[0])
        for place, one in enumerate(found)
        for other in found[place + 1 :]
        if one[1] < other[3] and other[1] < one[3] and one[2] < other[4] and other[2] < one[4]
    ]


def crowd(count, name="run{:03}"):
    """Return runs that are close together, some at the same point."""
    return [
        Point(name.format(n), (0.5 + 0.01 * (n % 7), None, None), (0.5 + 0.01 * (n % 3), None, None))
        for n in range(count)
    ]


PHONE, LAPTOP = {"width": 360, "height": 780}, {"width": 1280, "height": 800}
#: They differ only at their ends, and one cannot be broken.
ALIKE = [*(f"bm25-reranked_by-the-model-v{n}" for n in range(8)), "short", "w" * 30]
KINDS = ["queries resampled", "queries and judgments resampled (center)"]
AXIS = "gain on public minus gain on private queries"


def rows_and_columns():
    """Return a chart of every form that has names beside an axis."""
    shares = [row / len(ALIKE) for row in range(len(ALIKE))]
    halves = [share / 2 for share in shares]
    grid = [(row, row, share) for row, share in enumerate(shares)]
    marks = [(share, share - 0.1, share + 0.1) for share in shares]
    few = [Series(kind, marks[:2]) for kind in KINDS]
    return {
        "spans": Spans("", AXIS, ALIKE, [Series(kind, marks) for kind in KINDS]),
        "two rows": Spans("", AXIS, ["signed-rank, means", "signed-rank, medians"], few),
        "bars": Bars("", AXIS, ALIKE, [Part(kind, halves) for kind in KINDS], Part("opposite", shares)),
        "ranks": Cells("", ALIKE, [str(n) for n in range(1, 11)], grid, "rank", high=0.1),
        "wins": Cells("", ALIKE, ALIKE, grid, "preferred to", diverging=True),
    }


@pytest.mark.parametrize("window", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize("form", rows_and_columns())
def test_names_are_whole_inside_the_figure_and_apart_whatever_the_font(one_font, form, window):
    chart = rows_and_columns()[form]

    page = drawn(one_font, chart, viewport=window)

    found = written(page)
    said = {text for text, *_ in found}
    legend = [] if isinstance(chart, Cells) else [*KINDS, AXIS]
    shortened = {name for name in ALIKE if isinstance(chart, Cells) and squeezed(name) not in said}
    assert said >= {squeezed(name) for name in [*chart.rows, *legend]} - shortened
    # In a narrow column names lose their middle, and stay different from each other.
    assert len({text for text in said if "…" in text}) >= len(shortened)
    assert not shortened or window is PHONE
    # Rotated texts can have overlapping boxes although the texts do not overlap.
    upright = [one for one in found if form != "wins" or one[2] > page.evaluate(f"{OPTION}.grid[0].top")]
    assert over_each_other(upright) == []
    page.close()


@pytest.mark.parametrize("window", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_every_point_is_named_and_no_names_overlap_in_any_font(one_font, window):
    page = drawn(one_font, Points("Runs", AXIS, f"{AXIS}, and more", crowd(19), [4]), viewport=window)

    found = written(page)

    assert {text for text, *_ in found} >= {squeezed(AXIS), squeezed(f"{AXIS}, and more")}
    names = {text for text, *_ in found if text.startswith("run")}
    # A phone has room for the names on the staircase; the others are shown on touch.
    assert names == ({"run004"} if window is PHONE else {f"run{n:03}" for n in range(19)})
    assert over_each_other([one for one in found if one[0] in names]) == []
    page.close()


def test_names_without_room_beside_their_points_are_listed_under_the_figure(one_font):
    points = crowd(150, "bm25-reranked_by-the-model-v{:03}")
    page = drawn(one_font, Points("Runs", "x", "y", points), viewport=LAPTOP)

    lost = page.get_by_text("Not labeled for lack of room").text_content()

    beside = {text[-3:] for text, *_ in written(page) if "model-v" in text}
    under = set(re.findall(r"v(\d{3})\b", lost))
    assert beside
    assert under
    assert beside | under == {f"{n:03}" for n in range(150)}
    assert not beside & under
    page.close()


def test_of_many_points_those_that_stand_out_are_named_and_the_figure_says_so(browser):
    page = drawn(browser, Points("Runs", "x", "y", crowd(100), named=[70, 3], note="Named: two."))

    assert {text for text, *_ in written(page) if text.startswith("run")} == {"run070", "run003"}
    assert page.get_by_text("Named: two.").text_content()


def test_points_have_one_color_and_the_one_asked_for_another(browser):
    page = drawn(browser, Points("Runs", "x", "y", crowd(4), named=[2, 0]))
    colors = f"{OPTION}.series[2].data.map((point) => point.itemStyle.color)"

    named, others = page.evaluate(colors)[::2], page.evaluate(colors)[1::2]
    assert named == ["#0072b2"] * 2
    assert len(set(others)) == 1
    assert others[0] not in named
    assert page.evaluate(f"{OPTION}.series[2].emphasis.itemStyle.color") == "#d55e00"


def test_groups_of_points_have_a_color_and_a_mark_each_and_the_diagonal_is_drawn(browser):
    chart = Points("Runs", "x", "y", crowd(4), groups=["trad", "nnlm", "trad", "nn"], diagonal=True)

    page = drawn(browser, chart)

    series = page.evaluate(f"{OPTION}.series.map((one) => [one.type, one.name, one.symbol, one.data.length])")
    assert [(name, symbol, count) for kind, name, symbol, count in series if kind == "scatter"] == [
        ("nn", "circle", 1),
        ("nnlm", "rect", 1),
        ("trad", "diamond", 2),
    ]
    ends = page.evaluate(f"{OPTION}.series.at(-1).data")
    assert [x == y for x, y in ends] == [True, True]
    page.locator(".plot").press("Home")
    page.locator(".plot").press("End")
    assert page.locator("[aria-live]").text_content().splitlines()[-1] == "trad"


def test_rows_with_a_reach_are_boxes_with_whiskers(browser):
    rows, marks = ["q1", "q2"], [(0.5, 0.25, 0.75), (0.1, 0.1, 0.2)]

    page = drawn(browser, Spans("Spread", "AP", rows, [Series("m", marks)], reach=[(0.0, 1.0), (0.05, 0.9)]))

    shapes = "plot.getZr().storage.getDisplayList().filter((one) => one.type === 'rect' && one.shape.height === 12)"
    wide = page.evaluate(f"{shapes}.map((one) => one.shape.width)")
    assert len(wide) == 2
    assert wide[0] == pytest.approx(5 * wide[1], rel=0.01)


def test_of_many_rows_the_first_are_drawn_until_all_are_asked_for(browser):
    rows = [f"run{n:03}" for n in range(200)]
    chart = Spans("Values", "MRR@10", rows, [Series("value", [(n / 200, None, None) for n in range(200)])])

    page = drawn(browser, chart)
    shown = f"{OPTION}.yAxis[0].data.length"
    assert page.evaluate(shown) == 60
    assert "The first 60 of 200 rows." in page.locator("figure").text_content()

    page.get_by_role("button", name="Show all 200 rows").click()

    assert page.evaluate(shown) == 200
    assert page.get_by_role("button").count() == 0
    page.locator(".plot").press("Home")
    page.locator(".plot").press("End")
    assert "run199" in page.locator("[aria-live]").text_content()


def test_runs_of_one_day_stand_in_the_middle_of_a_week(browser):
    points = [Point(f"run{n}", "2021-08-31", (0.1 * n, None, None)) for n in range(3)]

    page = drawn(browser, Points("Progress", "date", "MRR", points))

    low, high = page.evaluate(f"[{OPTION}.xAxis[0].min, {OPTION}.xAxis[0].max]")
    assert (high - low) / 86_400_000 == 6


def test_a_day_is_the_same_day_in_every_time_zone(browser):
    points = [Point(f"run{n}", f"2021-08-{29 + n}", (0.1 * n, None, None)) for n in range(3)]
    chart = Points("Progress", "date", "MRR", points)

    west, east = (
        {text for text, *_ in written(drawn(browser, chart, timezone_id=zone)) if text.startswith("2021-")}
        for zone in ("America/St_Johns", "Asia/Kathmandu")
    )

    assert west == east
    assert west >= {"2021-08-29", "2021-08-30", "2021-08-31"}


def test_a_panel_keeps_the_color_of_its_labels(browser):
    chart = Spans("Preference", "MRR", ["a"], [Series("preference", [(0.5, 0.4, 0.6)])], first_colour=1)

    assert drawn(browser, chart).evaluate(f"{OPTION}.series[0].itemStyle.color") == "#d55e00"
