"""The facts that several combinations state together."""

import pytest

from leaderboard.analyses.shared.combinations import combinations, facts_of_combinations
from pooling.models import PrivateQuery, QuerySplit


@pytest.mark.parametrize(
    ("query_sets", "queries"),
    [
        (["all"], 4),
        (["public"], 3),
        (["public", "private"], 4),
        (["all", "public"], 4),
        (["all", "public", "private"], 4),
    ],
)
def test_the_facts_count_every_query_once(valley, query_sets, queries):
    split = QuerySplit.objects.create(collection=valley.collection)
    PrivateQuery.objects.create(split=split, query=valley.query("q1"))

    found = combinations(
        collection=valley.collection,
        runs=valley.runs,
        labels=["official"],
        query_sets=query_sets,
        measures="RR@10 AP",
    )

    assert facts_of_combinations(valley.collection, found, seed=None, further=()).queries == queries
