"""Power of the paired t-test: published sample sizes, by simulation, and on the valley."""

import math

import numpy as np
import pytest
from django.core.management import call_command
from hypothesis import given, settings, strategies as st
from matplotlib.figure import Figure as Canvas
from scipy import stats

from leaderboard.analyses.power.computation import (
    Wanted,
    detectable_effect,
    power_of,
    queries_needed,
    run_pairs,
)
from leaderboard.analyses.power.figure import power_figure
from leaderboard.output import Facts, Table
from tests.leaderboard.analyses.analysed import run_json

USUAL = Wanted(0.05, 0.8)


@pytest.mark.parametrize(("effect", "queries"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_sample_sizes_of_cohens_small_medium_and_large_effects(effect, queries):
    """As G*Power gives them for paired means, two-sided at 0.05 with power 0.8."""
    assert queries_needed(effect, USUAL) == queries


@pytest.mark.parametrize(("queries", "alpha", "power"), [(6, 0.05, 0.8), (30, 0.05, 0.8), (30, 0.001, 0.9)])
def test_simulated_tests_find_the_difference_as_often_as_said(queries, alpha, power):
    rng = np.random.default_rng(queries)
    effect = detectable_effect(queries, Wanted(alpha, power))

    differences = rng.normal(3 * effect, 3, (20_000, queries))
    found = stats.ttest_1samp(differences, 0, axis=1).pvalue <= alpha

    # Four standard errors of the simulation.
    assert found.mean() == pytest.approx(power, abs=4 * math.sqrt(power * (1 - power) / 20_000))


def test_without_a_difference_the_power_is_the_level():
    assert power_of(20, 0.0, 0.05) == pytest.approx(0.05)
    assert power_of(50_000, 0.0, 0.01) == pytest.approx(0.01)


@settings(max_examples=25)
@given(st.integers(2, 3000), st.floats(0.001, 0.1), st.floats(0.5, 0.95))
def test_a_detectable_effect_needs_just_those_queries(queries, alpha, power):
    wanted = Wanted(alpha, power)
    effect = detectable_effect(queries, wanted)

    assert queries_needed(effect * (1 + 1e-6), wanted) == queries
    assert detectable_effect(queries + 1, wanted) < effect


@pytest.mark.parametrize("freedom", [1, 5, 29, 30, 60, 2000])
@pytest.mark.parametrize("noncentrality", [0.0, 0.5, 2.8])
def test_power_is_that_of_scipys_noncentral_t(freedom, noncentrality):
    critical, effect = stats.t.isf(0.025, freedom), noncentrality / math.sqrt(freedom + 1)
    expected = stats.nct.sf(critical, freedom, noncentrality) + stats.nct.cdf(
        -critical, freedom, noncentrality
    )

    assert power_of(freedom + 1, effect, 0.05) == pytest.approx(expected, abs=1e-7)


def test_both_ways_of_integrating_meet():
    for alpha in (0.05, 1e-7):
        effects = [detectable_effect(queries, Wanted(alpha, 0.8)) for queries in (29, 30, 31, 32)]
        steps = np.diff(np.log(effects))

        assert (steps < 0).all()
        assert steps == pytest.approx(steps.mean(), rel=0.15)


def test_what_cannot_be_found_needs_no_number_of_queries():
    assert queries_needed(0.0, USUAL) is None
    assert queries_needed(1e-6, USUAL) is None
    assert math.isnan(detectable_effect(1, USUAL))


def test_deviations_of_pairs_are_those_of_their_differences():
    values = np.random.default_rng(1).random((5, 40))
    values[4] = values[3] + 0.25

    found = run_pairs(values)

    for first, second, difference, deviation in zip(
        found.first, found.second, found.difference, found.deviation, strict=True
    ):
        apart = values[first] - values[second]
        assert difference == pytest.approx(abs(apart.mean()))
        assert deviation == pytest.approx(apart.std(ddof=1), abs=1e-12)
    assert not found.told[-1]
    assert found.told[:-1].all()


def test_the_board_a_pair_and_the_queries_needed(valley, capsys):
    """RR@10 of old 1, 1, 1/2, 1 and of new 1/4, 1/2, 1, 0: differences 3/4, 1/2, -1/2, 1."""
    found = run_json(capsys, "power", "valley", "--qrels", "official", "--difference", "0.3")

    tables = {key: table["rows"] for key, table in found["tables"].items()}
    apart = np.array([3 / 4, 1 / 2, -1 / 2, 1])
    alone, together = tables["pair"]
    assert (alone["run"], alone["against"]) == ("old", "new")
    assert alone["difference"] == pytest.approx(apart.mean())
    assert alone["deviation"] == pytest.approx(apart.std(ddof=1))
    effect = apart.mean() / apart.std(ddof=1)
    assert alone["least"] == pytest.approx(detectable_effect(4, USUAL) * apart.std(ddof=1))
    assert (alone["queries"], together["queries"]) == (
        queries_needed(effect, USUAL),
        queries_needed(effect, Wanted(0.05 / 3, 0.8)),
    )
    assert [row["difference"] for row in tables["needed"]] == [0.005, 0.01, 0.02, 0.05, 0.1, 0.3]
    assert tables["needed"][5]["pair"] == queries_needed(0.3 / apart.std(ddof=1), USUAL)
    assert tables["board"][1]["median"] > tables["board"][0]["median"]
    assert 4 in [row["queries"] for row in tables["curve"]]


def test_ticks_are_numbers_without_formulas():
    facts = Facts("valley", ("a", "b"), ("official",), "AP", 47, "0.1")
    curve = [(count, 0.5 / count**0.5, 0.6 / count**0.5, 0.7 / count**0.5) for count in (10, 47, 1000)]
    figure = power_figure(curve, 47, "AP", facts, Table("t", "t", "", (), (), facts))
    canvas = Canvas()

    figure.draw(canvas)
    canvas.draw_without_rendering()

    (axes,) = canvas.axes
    across, up = (
        [text.get_text() for text in axis.get_majorticklabels()] for axis in (axes.xaxis, axes.yaxis)
    )
    assert "1,000" in across
    assert "0.05" in up
    assert figure.charts[0]["notes"] == ["", "this board", ""]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--run", "nobody"], "nobody is not among these runs"),
        (["--run", "old", "--against", "old"], "Both runs are old"),
        (["--runs", "old"], "Use at least two of each"),
    ],
)
def test_a_pair_is_two_of_the_runs(valley, capsys, options, said):
    with pytest.raises(SystemExit):
        call_command("power", "valley", "--qrels", "official", *options)

    assert said in capsys.readouterr().err
