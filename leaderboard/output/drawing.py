"""Figures for print: one plain style, Okabe and Ito's colors in a fixed order, and the facts below.

Uses Matplotlib without pyplot. The bytes of a figure depend only on its content and the fonts, because
it contains no dates and its ids are fixed. Style is process-wide in matplotlib, so one figure is drawn at a time.
"""

import io
import logging
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from math import isfinite
from threading import Lock
from typing import Any

from leaderboard.output.label_positions import Box, NamedPoint, label_places
from leaderboard.output.right_to_left import isolate_name
from leaderboard.output.table import Figure

FORMATS = ("svg", "pdf", "png")
MEDIA_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
OKABE_ITO = (
    "#0072b2",  # blue: official
    "#d55e00",  # vermilion: preference
    "#009e73",  # bluish green
    "#cc79a7",  # reddish purple
    "#e69f00",  # orange
    "#56b4e9",  # sky blue
    "#f0e442",  # yellow
    "#000000",
)
OFFICIAL, PREFERENCE = OKABE_ITO[:2]
GRAY = "#6b6b6b"
#: Shapes of the marks, so that series differ by more than their colors.
MARKERS = "osD^vP"
STYLE: dict[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.prop_cycle": f"cycler('color', {OKABE_ITO})",
    "grid.color": "#e2e2e2",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "savefig.dpi": 200,
    "svg.hashsalt": "preferee",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    # A dollar sign in a run's name must not start a formula.
    "text.parse_math": False,
}
FONTS = (
    "DejaVu Sans",  # included in matplotlib: Latin, Greek, Cyrillic, Arabic, Hebrew
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Droid Sans Fallback",
    "Microsoft YaHei",
    "PingFang SC",
    "Arial Unicode MS",
)
"""Fonts in order of preference. Letters missing from a font are drawn with the next installed font."""
LONGEST_NAME = 30
LONGEST_TEAM = 16
#: Font size of names beside points.
NAME_POINTS = 5.5
FOOTER_POINTS = 6
FOOTER_LINE_INCHES = 0.12
_drawing = Lock()


def color_of(place: int) -> str:
    """Return the color of the series at this index, from 0. Colors repeat after eight."""
    return OKABE_ITO[place % len(OKABE_ITO)]


def short_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name cut to ``longest`` characters, isolated so that it does not reorder the text beside it."""
    return isolate_name(name if len(name) <= longest else f"{name[: longest - 1]}…")


def _short_name_and_team(run_tag: str, team: str) -> str:
    return f"{short_name(run_tag)} ({short_name(team, LONGEST_TEAM)})" if team else short_name(run_tag)


def draw_with_teams(figure: Figure, canvas: Any, teams: Mapping[str, str]) -> None:
    """Draw the figure with the team after each run that it names. ``teams`` maps run tag → team.

    Long names of teams are cut. A matrix of runs shows the teams of its rows only.
    """
    canvas.teams = teams  # for name_points
    figure.draw(canvas)
    texts = {tag: _short_name_and_team(tag, team) for tag, team in teams.items()}
    texts |= {short_name(tag): text for tag, text in texts.items()}
    for axes in canvas.axes:
        for axis in (axes.yaxis, axes.xaxis):
            labels = [label.get_text() for label in axis.get_ticklabels()]
            if texts.keys() & labels:
                axis.set_ticklabels([texts.get(label, label) for label in labels])
                break


def square_root_shades(most: float) -> Any:
    """Return a matplotlib norm whose shades grow with the square root of a value from 0 to ``most``."""
    from matplotlib.colors import PowerNorm

    return PowerNorm(0.5, vmin=0, vmax=most)


def name_points(
    canvas: Any, axes: Any, named: Sequence[tuple[str, float, float]], points: Sequence[tuple[float, float]]
) -> None:
    """Write names beside their points so that none covers another name or any of the ``points``.

    Points are in data coordinates. Draw everything else and set the limits of the axes first, because names are
    placed in the current layout and do not change it. The team follows a run's name if there is space for both. A
    name is left out if there is no space for it.
    """
    from matplotlib.patheffects import withStroke

    named = [one for one in named if isfinite(one[1] + one[2])]
    canvas.draw_without_rendering()
    to_points = 72 / canvas.dpi
    teams: Mapping[str, str] = getattr(canvas, "teams", {})
    texts = [(_short_name_and_team(name, teams.get(name, "")), short_name(name)) for name, _, _ in named]
    sizes = [[_text_size(axes, text, to_points) for text in both] for both in texts]
    at = axes.transData.transform([(x, y) for _, x, y in named]) * to_points if named else []
    asked = [
        NamedPoint(x, y, width, height, least_width=least)
        for (x, y), ((width, height), (least, _)) in zip(at, sizes, strict=True)
    ]
    others = axes.transData.transform(list(points)) * to_points if points else []
    inside = axes.get_window_extent()
    bounds = Box(*(edge * to_points for edge in (inside.x0, inside.y0, inside.x1, inside.y1)))
    places = label_places(asked, [(x, y) for x, y in others], bounds)
    for (_, x, y), (text, short), one, place in zip(named, texts, asked, places, strict=True):
        if place is None:
            continue
        offset = (place.box.left - one.x, place.box.bottom - one.y)
        line = {"arrowstyle": "-", "color": GRAY, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 1}
        axes.annotate(
            short if place.shortened else text,
            (x, y),
            xytext=offset,
            textcoords="offset points",
            fontsize=NAME_POINTS,
            ha="left",
            va="bottom",
            zorder=5,
            in_layout=False,
            path_effects=[withStroke(linewidth=1.2, foreground="white")],
            arrowprops=line | {"relpos": _line_end(place.box, one)} if place.led else None,
        )


def _text_size(axes: Any, text: str, to_points: float) -> tuple[float, float]:
    """Return the width and height of the text of a name, in points (1/72 inch)."""
    written = axes.text(0.5, 0.5, text, fontsize=NAME_POINTS, transform=axes.transAxes, in_layout=False)
    size = written.get_window_extent()
    written.remove()
    return size.width * to_points, size.height * to_points


def _line_end(box: Box, one: NamedPoint) -> tuple[float, float]:
    """Return the end of the line from a point to the box of its name, as shares of the box's width and height."""
    across = (min(max(one.x, box.left), box.right) - box.left) / (box.right - box.left)
    up = (min(max(one.y, box.bottom), box.top) - box.bottom) / (box.top - box.bottom)
    return across, up


@cache
def _installed_fonts() -> list[str]:
    """Return the installed fonts among FONTS, because matplotlib warns about each missing font.

    Also silences matplotlib's log messages about fonts that have no bold letters, which are not a problem here.
    """
    from matplotlib.font_manager import fontManager

    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    installed = {font.name for font in fontManager.ttflist}
    return [name for name in FONTS if name in installed]


def figure_image(figure: Figure, form: str) -> bytes:
    """Return the figure's file as ``svg``, ``pdf`` or ``png``. The same figure gives the same bytes."""
    if form not in FORMATS:
        raise ValueError(f"a figure's format is one of {', '.join(FORMATS)}, not {form}")
    import matplotlib  # The import takes half a second, so it is done only for drawing.
    from matplotlib.figure import Figure as Canvas
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    style = STYLE | {"font.family": _installed_fonts()}
    # The type is ignored because matplotlib's stubs expect literal keys.
    with _drawing, matplotlib.rc_context(style), warnings.catch_warnings():  # type: ignore[arg-type]
        # A letter that no installed font has is drawn as a box. The tables have the full name.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        lines = _footer(figure)
        below = FOOTER_LINE_INCHES * (len(lines) + 1)
        height = figure.height + below
        layout = ConstrainedLayoutEngine(rect=(0, below / height, 1, 1 - below / height))
        canvas = Canvas(figsize=(figure.width, height), layout=layout)
        figure.draw(canvas)
        canvas.text(0.01, 0.01, "\n".join(lines), fontsize=FOOTER_POINTS, color=GRAY, va="bottom")
        buffer = io.BytesIO()
        canvas.savefig(buffer, format=form, metadata=_metadata(figure, form))
    return buffer.getvalue()


def _footer(figure: Figure) -> list[str]:
    """Return the lines below the figure: its caption and facts, wrapped to the figure's width."""
    characters = int(figure.width * 22)
    return [
        line
        for text in (figure.caption, f"{figure.facts.sentence}.")
        for line in textwrap.wrap(text, characters)
    ]


def _metadata(figure: Figure, form: str) -> dict[str, Any]:
    software = f"Preferee {figure.facts.software}"
    said = f"{figure.caption} {figure.facts.sentence}.".strip()
    match form:
        case "svg":
            return {"Title": figure.title, "Description": said, "Creator": software, "Date": None}
        case "pdf":
            return {
                "Title": figure.title,
                "Subject": said,
                "Creator": software,
                "Producer": None,
                "CreationDate": None,
            }
    return {"Title": figure.title, "Description": said, "Software": software}
