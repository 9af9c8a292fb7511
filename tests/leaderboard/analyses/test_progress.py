"""Runs that were the state of the art, worked by hand."""

from leaderboard.analyses.progress.analysis import time_shown
from leaderboard.analyses.progress.computation import Entry, standings_over_time


def marked(*entries: Entry, **options) -> list[str]:
    return [one.entry.run for one in standings_over_time(entries, **options) if one.state_of_the_art]


def test_it_begins_with_the_first_run_above_every_baseline():
    entries = [
        Entry("early", 0.30),
        Entry("base", 0.20, baseline=True),
        Entry("strong base", 0.35, baseline=True),
        Entry("first", 0.36),
        Entry("same", 0.36),
        Entry("worse", 0.33),
        Entry("top", 0.40),
    ]

    found = standings_over_time(entries)

    assert marked(*entries) == ["first", "top"]
    assert [found[3].displaced, found[6].displaced] == [2, 3]
    assert [one.best_so_far for one in found] == [0.35, 0.35, 0.35, 0.36, 0.36, 0.36, 0.40]


def test_without_baselines_the_first_run_begins():
    assert marked(Entry("a", 0.1), Entry("b", 0.05), Entry("c", 0.2)) == ["a", "c"]
    assert standings_over_time([Entry("a", 0.1)])[0].displaced is None


def test_lower_can_be_better_and_a_missing_value_displaces_nothing():
    entries = (Entry("a", 5.0), Entry("b", float("nan")), Entry("c", 4.0))

    assert marked(*entries, higher=False) == ["a", "c"]
    assert marked(*entries) == ["a"]


def test_no_run_is_no_board():
    assert standings_over_time([]) == []
    assert marked(Entry("only", 0.3, baseline=True)) == []


def test_runs_of_one_day_stand_in_the_middle_of_a_week_and_of_years_have_a_little_room():
    assert time_shown(100.0, 100.0) == (97.0, 103.0)
    assert time_shown(0.0, 1000.0) == (-40.0, 1040.0)
