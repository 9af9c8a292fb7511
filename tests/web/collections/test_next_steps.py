"""The check list on a collection's page: what is done, the next step, and who can take it."""

import pytest
from django.contrib.auth import get_user_model

from pooling.models import Collection, Membership
from web.collections.next_steps import Holdings, collection_steps

pytestmark = pytest.mark.django_db

COUNTS = ("queries", "passage_files", "runs", "qrel_sets", "pools", "versions", "new_runs")
NOTHING = {**dict.fromkeys(COUNTS, 0), "campaigns": []}


@pytest.fixture
def collection():
    return Collection.objects.create(name="mine")


def steps(collection: Collection, role: str, **held: int):
    person = get_user_model().objects.create_user(role)
    Membership.objects.create(collection=collection, user=person, role=role)
    return collection_steps(collection, Holdings(**{**NOTHING, **held}), person)


def test_passage_files_are_counted_with_the_queries(collection):
    assert steps(collection, "owner", queries=3, passage_files=1)[0].words == "3 queries, 1 passage file"


@pytest.mark.parametrize(
    ("held", "title"),
    [
        ({}, "Queries"),
        ({"queries": 3}, "Runs"),
        ({"queries": 3, "runs": 2}, "Labels"),
        ({"queries": 3, "runs": 2, "qrel_sets": 1}, "Pool"),
        ({"queries": 3, "runs": 2, "qrel_sets": 1, "pools": 1}, "Campaign"),
    ],
)
def test_the_first_undone_step_is_next(collection, held, title):
    marked = [step for step in steps(collection, "owner", **held) if step.is_next]

    assert [step.title for step in marked] == [title]
    assert marked[0].address
    assert not marked[0].who


def test_a_next_step_for_another_role_names_the_role(collection):
    held = {"queries": 3, "runs": 2, "qrel_sets": 1}

    pool = next(step for step in steps(collection, "maintainer", **held) if step.is_next)

    assert pool.title == "Pool"
    assert (pool.action, pool.address) == ("", "")
    assert pool.who == "an owner or a campaign manager"


def test_later_steps_are_not_assigned_to_anybody_yet(collection):
    assert not any(step.who for step in steps(collection, "viewer") if not step.is_next)
