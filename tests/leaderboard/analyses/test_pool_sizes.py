"""Pool sizes: the valley's pool by hand, beside those of all queries."""

import pytest
from django.core.management import call_command

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.pool_sizes.computation import size_counts
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import analysis_key
from pooling.models import Pool, PoolRun
from tests.leaderboard.analyses.analysed import run_json


def test_sizes_and_pairs_by_hand():
    counts = size_counts([3, 1, 0, 3, 5])

    assert counts.queries == {1: 1, 3: 2, 5: 1}
    assert (counts.total, counts.mean, counts.pairs) == (4, 3.0, 0 + 3 + 3 + 10)
    assert counts.share(3) == 0.5
    assert size_counts([]).mean == 0


def test_a_pool_beside_all_queries(valley, capsys):
    """Tops of old, new and odd: q1 a1 b1, q2 a2 b2, q3 x3 b3, q4 a4. The pool has 3, 2 and 1 passages."""
    PoolRun.objects.bulk_create(PoolRun(pool=valley.pool, run=run) for run in valley.runs)

    found = run_json(capsys, "pool_sizes", "valley", "--pool", "meadow")

    rows = [(row["size"], row["queries_0"], row["queries_1"]) for row in found["tables"]["sizes"]["rows"]]
    assert rows == [(1, 1, 1), (2, 3, 1), (3, 0, 1)]
    queries = [(row["qid"], row["size"], row["pairs"]) for row in found["tables"]["queries"]["rows"]]
    assert queries == [("q1", 3, 3), ("q2", 2, 1), ("q3", 1, 0)]
    assert found["sentences"][1] == "Queries of meadow (3): 2.00 passages each on average, 4 pairs."


def test_a_pool_of_unknown_runs_stands_alone(valley, capsys):
    found = run_json(capsys, "pool_sizes", "valley")

    assert [row["queries_0"] for row in found["tables"]["sizes"]["rows"]] == [1, 1, 1]


@pytest.mark.parametrize(("name", "said"), [("nowhere", "has no pool 'nowhere'"), ("bare", "bare is empty")])
def test_a_pool_that_is_not_there_is_refused(valley, capsys, name, said):
    Pool.objects.create(collection=valley.collection, name="bare")
    with pytest.raises(SystemExit):
        call_command("pool_sizes", "valley", "--pool", name)

    assert said in capsys.readouterr().err


def test_a_newer_pool_is_shown_instead_of_the_kept_result(valley):
    asked = Asked(KINDS["pool_sizes"], valley.collection, (), {"pool": ""})
    before = analysis_key(asked)

    Pool.objects.create(collection=valley.collection, name="newer")

    assert analysis_key(asked) != before
