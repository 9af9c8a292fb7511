"""One table with everything that could go wrong in print."""

import numpy as np
import pytest

from leaderboard.output import Column, Facts, Figure, Interval, Kind, Row, Table
from leaderboard.output.table import best_marked


@pytest.fixture
def facts():
    return Facts("mine", ("=a_b%&|", "b"), ("official",), "RR@10", 53, "0.1.0", seed=7)


@pytest.fixture
def table(facts):
    columns = (
        Column("run", "run"),
        Column("value", "MRR@10", Kind.INTERVAL),
        Column("p", "p", Kind.P, "t test"),
        Column("share", "answered", Kind.SHARE, "t test"),
        Column("n", "queries", Kind.COUNT),
    )
    rows = (
        Row(
            {"run": "=a_b%&|", "value": Interval(0.5, 0.4, 0.6), "p": 3.22e-12, "share": 0.657, "n": 12345},
            significant=frozenset({"p"}),
        ),
        Row(
            {
                "run": "b",
                "value": Interval(np.float64(0.45), 0.4, 0.5),
                "p": np.float64("nan"),
                "n": np.int64(3),
            }
        ),
    )
    return Table(
        "runs",
        "Runs",
        "Method, stated.",
        columns,
        best_marked(rows, "value"),
        facts,
        significance="p < 0.05",
    )


@pytest.fixture
def figure(facts, table):
    def draw(canvas):
        axes = canvas.subplots()
        axes.plot([0, 1], [0.5, 0.45])
        axes.set_title("=a_b%$&|$")

    return Figure("runs", "Runs", "Points: means.", facts, draw, data=table)
