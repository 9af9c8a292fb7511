"""Worker records that raise a flag, and records that must not."""

from dataclasses import replace

import pytest

from judging.rules.behavior_flags import Behavior, Usual, flags_of, usual_among

HONEST = Behavior(
    judgments=100,
    left=52,
    decided=100,
    compared=100,
    agreeing=84.0,
    gold_seen=30,
    gold_failed=0,
    tasks_timed=10,
    seconds_per_pair=31.0,
    tasks=10,
)
USUAL = Usual(agreement=0.85, seconds_per_pair=30.0, least_seconds_per_pair=4.0)


def flags(usual: Usual = USUAL, **changes: object) -> list[str]:
    return [flag.name for flag in flags_of(replace(HONEST, **changes), usual)]


def test_an_honest_worker_raises_no_flag():
    assert flags() == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"gold_failed": 1}, ["gold pairs"]),
        ({"left": 90}, ["one side"]),
        ({"left": 60}, []),
        ({"agreeing": 55.0}, ["disagrees"]),
        ({"agreeing": 78.0}, []),
        ({"seconds_per_pair": 9.0}, ["quick"]),
        ({"seconds_per_pair": 9.0, "tasks_timed": 1}, []),
        ({"seconds_per_pair": 90.0}, []),
        ({"empty": 2}, []),
        ({"empty": 3}, ["empty"]),
        ({"empty": 1, "sent_empty": 1}, ["empty"]),
    ],
)
def test_a_flag_needs_more_than_chance(changes, expected):
    assert flags(**changes) == expected


def test_random_workers_do_not_change_what_is_usual():
    guessing = replace(
        HONEST, compared=190, agreeing=95.0, seconds_per_pair=12.0, repeated=40, repeated_same=20
    )
    honest = [replace(HONEST, agreeing=share, repeated=20, repeated_same=19) for share in (84.0, 86.0, 85.0)]

    usual = usual_among([guessing, *honest], 4.0)

    assert usual == Usual(agreement=0.84, seconds_per_pair=31.0, consistency=0.95, least_seconds_per_pair=4.0)
    assert [flag.name for flag in flags_of(guessing, usual)] == ["disagrees", "inconsistent"]
    assert usual_among([], 4.0) == Usual(None, None, None, 4.0)


def test_one_task_judged_faster_than_anybody_reads_is_enough():
    alone = Usual(agreement=None, seconds_per_pair=None, least_seconds_per_pair=4.0)
    assert flags(alone, seconds_per_pair=0.9, tasks_timed=1) == ["unread"]
    assert flags(alone, seconds_per_pair=4.1, tasks_timed=1) == []
    assert flags(alone, seconds_per_pair=90.0, seconds_on_screen=0.1, tasks_timed=1) == ["unread"]
    assert flags(alone, seconds_per_pair=90.0, seconds_on_screen=4.1, tasks_timed=1) == []


def test_texts_that_are_read_at_a_glance_flag_nobody_for_speed():
    brief = Usual(agreement=None, seconds_per_pair=None, least_seconds_per_pair=0.9)
    assert flags(brief, seconds_per_pair=0.2, tasks_timed=1) == []
