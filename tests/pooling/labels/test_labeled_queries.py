"""Pools of the queries that have labels, by command, page and API call."""

import pytest
from django.core.management import call_command

from pooling.models import Pool
from pooling.pools.pools import labeled_qids
from tests.factories import make_collection, make_qrels, make_run

pytestmark = pytest.mark.one_database


@pytest.fixture
def half_labeled(db):
    collection = make_collection("half", ["q1", "q2", "q3"])
    make_run(collection, "one", {qid: [f"a{qid}"] for qid in ("q1", "q2", "q3")})
    make_run(collection, "two", {qid: [f"b{qid}"] for qid in ("q1", "q2", "q3")})
    return make_qrels(collection, "official", [("q1", "aq1", 1), ("q2", "aq2", 0), ("q3", "aq3", 1)])


def test_a_query_whose_labels_are_all_0_has_no_relevant_passage(half_labeled):
    assert labeled_qids(half_labeled) == ["q1", "q3"]
    assert labeled_qids(half_labeled, ["q3", "q2"]) == ["q3"]


def test_the_command_leaves_out_the_others(half_labeled, capsys):
    call_command("build_pool", "half", "--pool", "labeled", "--qrels", "official", "--labeled-only")

    pooled = Pool.objects.get(name="labeled").pooled_passages.values_list("query__qid", flat=True)
    assert set(pooled) == {"q1", "q3"}


def test_the_command_asks_for_the_set(half_labeled, capsys):
    with pytest.raises(SystemExit):
        call_command("build_pool", "half", "--pool", "labeled", "--labeled-only")

    assert "needs --qrels" in capsys.readouterr().err
