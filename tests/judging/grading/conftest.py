"""A small graded campaign: two topics with pools of six, rules at a tenth of the paper's."""

import pytest
from django.contrib.auth import get_user_model

from judging.grading.graded_campaigns import GradingSettings, create_graded_campaign
from judging.grading.grades import give_grade
from pooling.models import Passage
from pooling.pools.pools import build_pool
from tests.factories import make_collection, make_run, passages_of

RULES = {
    "opening": 4,
    "batch": 2,
    "accept_judged": 6,
    "accept_relevant": 2,
    "reject_judged": 8,
}


@pytest.fixture
def people(db):
    make = get_user_model().objects.create_user
    return [make(name) for name in ("ada", "ben")]


@pytest.fixture
def reef(db):
    """The collection ``reef``: q1 is pooled to six passages, q2 to two; twenty passages have texts."""
    collection = make_collection("reef", ["q1", "q2"])
    make_run(collection, "left", {"q1": ["p1", "p2", "p3"], "q2": ["p1", "p7"]})
    make_run(collection, "right", {"q1": ["p4", "p1", "p6", "p5"], "q2": ["p7"]})
    pids = [f"p{number}" for number in range(1, 21)]
    passages_of(
        collection, pids, lambda pid: Passage(collection=collection, pid=pid, text=f"what is {pid} about")
    )
    return collection


@pytest.fixture
def make_campaign(reef):
    def make(**settings):
        runs = list(reef.runs.order_by("run_tag"))
        pool = build_pool(collection=reef, name="depth", runs=runs, depth=10)
        settings = {"rules": RULES, **settings}
        return create_graded_campaign(pool=pool, name="graded", settings=GradingSettings(**settings))

    return make


def next_item(assignment):
    """Return the first passage that has no grade, in the order of judging."""
    return assignment.items.filter(grade=None).order_by("position").select_related("passage").first()


def grade_all(assignment, grades, limit=1000):
    """Grade passages until none is left; ``grades``: pid → grade, 0 for others. Returns the pids."""
    seen = []
    while len(seen) < limit and (item := next_item(assignment)) is not None:
        give_grade(item, grades.get(item.passage.pid, 0))
        seen.append(item.passage.pid)
    return seen
