"""How long runs' values are stored, and that deleted ones are recomputed."""

from datetime import timedelta

import pytest

from config import clock
from leaderboard import jobs
from leaderboard.cache.kept_values import BYTES_A_ROW, BYTES_A_VALUE, forget_values
from leaderboard.models import Evaluation
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.scores import score, scores_as_dict

QUERIES = 4
ROW = BYTES_A_ROW + QUERIES * BYTES_A_VALUE


@pytest.fixture
def scored(valley):
    """Score the valley's runs by a measure; every row then counts as used ``hours`` ago."""

    def ask(measure, hours=0.0):
        labels = labels_named(valley.collection, "official")
        found = score(collection=valley.collection, labels=labels, runs=valley.runs, measures=measure)
        if hours:
            then = clock.now() - timedelta(hours=hours)
            Evaluation.objects.filter(measure=measure).update(used_at=then)
        return scores_as_dict(found)["rows"]

    return ask


def left():
    return set(Evaluation.objects.values_list("measure", flat=True))


@pytest.mark.parametrize(
    ("most", "stay"),
    [
        (0, {"RR@10", "P@5", "AP"}),
        (9 * ROW, {"RR@10", "P@5", "AP"}),
        (6 * ROW, {"RR@10", "P@5"}),
        (1, {"RR@10"}),  # made or used within the hour
    ],
)
def test_values_unused_for_longest_make_room(scored, settings, most, stay):
    settings.KEEP_ANALYSES_BYTES = most
    scored("AP", hours=30)
    scored("P@5", hours=5)
    scored("RR@10")

    assert forget_values() == 3 * (3 - len(stay))
    assert left() == stay


def test_values_that_are_looked_at_are_used_and_deleted_ones_come_back(scored, settings):
    settings.KEEP_ANALYSES_BYTES = 3 * ROW
    before = scored("AP", hours=30)
    scored("P@5", hours=5)
    scored("AP")

    jobs.forget_analyses()

    assert left() == {"AP"}
    assert scored("AP") == before
    settings.KEEP_ANALYSES_BYTES = 1
    Evaluation.objects.update(used_at=clock.now() - timedelta(hours=2))
    assert forget_values() == 3
    assert scored("AP") == before


def test_looking_again_within_the_hour_writes_nothing(scored, django_assert_num_queries):
    scored("AP", hours=2)
    with django_assert_num_queries(5):
        scored("AP")

    with django_assert_num_queries(4):
        scored("AP")


def test_values_of_other_software_go_after_a_day(scored):
    scored("AP")
    scored("P@5")
    scored("RR@10")
    Evaluation.objects.exclude(measure="AP").update(software_version="0.0.0")
    Evaluation.objects.filter(measure="P@5").update(created_at=clock.now() - timedelta(days=2))

    assert forget_values() == 3
    assert left() == {"AP", "RR@10"}
