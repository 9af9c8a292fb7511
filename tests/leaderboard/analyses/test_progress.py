"""Runs that were the state of the art, worked by hand."""

from leaderboard.analyses.progress.analysis import time_shown
from leaderboard.analyses.progress.computation import displaced_over_time


def test_it_begins_with_the_first_run_above_every_baseline():
    values = [0.30, 0.20, 0.35, 0.36, 0.36, 0.33, 0.40]
    baseline = [False, True, True, False, False, False, False]

    assert displaced_over_time(values, baseline) == {3: 2, 6: 3}


def test_without_baselines_the_first_run_begins():
    assert displaced_over_time([0.1, 0.05, 0.2], [False] * 3) == {0: None, 2: 0}


def test_a_missing_value_displaces_nothing():
    missing = float("nan")

    assert displaced_over_time([missing, 4.0, missing, 5.0], [False] * 4) == {1: None, 3: 1}
    assert displaced_over_time([missing, 4.0], [True, False]) == {1: None}


def test_no_run_is_no_board():
    assert displaced_over_time([], []) == {}
    assert displaced_over_time([0.3], [True]) == {}


def test_runs_of_one_day_stand_in_the_middle_of_a_week_and_of_years_have_a_little_room():
    assert time_shown(100.0, 100.0) == (97.0, 103.0)
    assert time_shown(0.0, 1000.0) == (-40.0, 1040.0)
