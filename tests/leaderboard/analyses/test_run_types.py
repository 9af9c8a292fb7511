"""Runs by type: best, median, and best against best on every query."""

import numpy as np
import pytest

from config.plurals import many
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.run_types.computation import duels, run_types
from leaderboard.analyses.run_types.kind import KIND
from leaderboard.analyses.runner import compute_analysis
from leaderboard.analyses.shared.described_runs import UNKNOWN
from leaderboard.errors import WrongSetting
from leaderboard.output.drawing import figure_image
from leaderboard.scoring.chosen_runs import chosen_runs
from pooling.models import Run

# Means: 0.50, 0.75, 0.25, 0.50.
VALUES = np.array([[1.0, 0.0, 0.5, 0.5], [1.0, 1.0, 0.5, 0.5], [0.0, 0.0, 0.5, 0.5], [0.0, 1.0, 0.0, 1.0]])


def test_a_type_has_its_best_run_first_and_the_type_with_the_best_run_stands_first():
    found = run_types(VALUES, ["trad", "nnlm", "trad", "nn"])

    assert [(one.name, one.rows, one.best, one.median) for one in found] == [
        ("nnlm", (1,), 0.75, 0.75),
        ("nn", (3,), 0.5, 0.5),
        ("trad", (0, 2), 0.5, 0.375),
    ]


def test_the_best_of_two_types_are_compared_on_every_query():
    types = run_types(VALUES, ["trad", "nnlm", "trad", "nn"])

    found = {(one.first.name, one.second.name): one for one in duels(VALUES, types)}

    assert list(found) == [("nn", "nnlm"), ("trad", "nnlm"), ("trad", "nn")]
    one = found["nn", "nnlm"]
    assert (one.won, one.lost, one.level, one.difference) == (1, 2, 1, 0.25)
    assert (found["trad", "nnlm"].won, found["trad", "nnlm"].level) == (0, 3)


def test_where_lower_is_better_the_lowest_mean_is_best_and_wins():
    types = run_types(VALUES, ["a", "b", "a", "b"], higher_is_better=False)

    assert [(one.name, one.champion) for one in types] == [("a", 2), ("b", 3)]
    assert (duels(VALUES, types, higher_is_better=False)[0].won) == 1


@pytest.mark.parametrize("seed", range(5))
def test_order_of_runs_and_queries_changes_nothing_but_places(seed):
    rng = np.random.default_rng(seed)
    values, types = rng.random((8, 6)), [str(kind) for kind in rng.integers(0, 3, 8)]
    rows, columns = rng.permutation(8), rng.permutation(6)

    before = run_types(values, types)
    after = run_types(values[rows][:, columns], [types[row] for row in rows])

    assert [one.name for one in before] == [one.name for one in after]
    assert [[rows[row] for row in one.rows] for one in after] == [list(one.rows) for one in before]
    assert [(one.won, one.lost) for one in duels(values, before)] == [
        (one.won, one.lost) for one in duels(values[rows][:, columns], after)
    ]


def test_real_runs_are_grouped_by_what_they_say_and_drawn(valley):
    Run.objects.filter(collection=valley.collection, run_tag="new").update(details={"neural": "nnlm"})
    runs = tuple(chosen_runs(valley.collection))

    found = compute_analysis(Asked(KIND, valley.collection, runs, {"by": "neural", "measure": "RR@10"}))

    types = {row.values["type"]: row.values for row in found.tables[0].rows}
    assert types["nnlm"]["best_run"] == "new"
    assert types[UNKNOWN]["runs"] == len(runs) - 1
    assert all(figure_image(figure, "svg").startswith(b"<?xml") for figure in found.figures)


def test_an_unknown_detail_is_refused_with_the_known_ones(valley):
    runs = tuple(chosen_runs(valley.collection))

    with pytest.raises(WrongSetting, match="Unknown run detail 'color'") as refused:
        compute_analysis(Asked(KIND, valley.collection, runs, {"by": "color", "measure": "RR@10"}))

    assert "neural" in str(refused.value.next_step)


def test_the_best_of_every_two_types_meet_in_a_figure_of_their_own(valley):
    for tag, kind in (("new", "nnlm"), ("old", "nn"), ("odd", "trad")):
        Run.objects.filter(collection=valley.collection, run_tag=tag).update(details={"neural": kind})
    runs = tuple(chosen_runs(valley.collection))

    found = compute_analysis(Asked(KIND, valley.collection, runs, {"by": "neural", "measure": "RR@10"}))

    titles = {figure.key: figure.title for figure in found.figures[1:]}
    assert list(titles) == ["best", "best_2", "best_3"]
    assert sum("trad" in title for title in titles.values()) == 2
    for figure, row in zip(found.figures[1:], found.tables[1].rows, strict=True):
        assert figure.charts[0]["diagonal"] is True
        assert f"on {many(row.values['won'], 'query', 'queries')}" in figure.caption
        assert len(figure.data.rows) == sum(row.values[side] for side in ("won", "lost", "level"))
