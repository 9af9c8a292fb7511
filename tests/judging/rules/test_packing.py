from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from judging.rules.packing import pack, task_count


def packed(queries, size=10, seed=1):
    return pack(queries, size, np.random.default_rng(seed))


@given(st.lists(st.integers(0, 12), max_size=150), st.integers(1, 12), st.integers(0, 5))
def test_every_pair_is_in_exactly_one_task_and_no_task_is_too_large(queries, size, seed):
    tasks = packed(queries, size, seed)

    assert sorted(index for task in tasks for index in task) == list(range(len(queries)))
    assert len(tasks) == task_count(len(queries), size)
    assert all(1 <= len(task) <= size for task in tasks)


@given(st.lists(st.integers(0, 40), max_size=150), st.integers(1, 12), st.integers(0, 5))
def test_pairs_of_a_query_share_a_task_only_when_it_has_more_than_there_are_tasks(queries, size, seed):
    tasks = packed(queries, size, seed)

    of_query = Counter(queries)
    for task in tasks:
        shared = Counter(queries[index] for index in task)
        for query, times in shared.items():
            assert times <= -(-of_query[query] // len(tasks))


def test_sizes_differ_by_at_most_one():
    sizes = sorted(len(task) for task in packed([0] * 12 + [1] * 11))

    assert sizes == [7, 8, 8]


def test_same_seed_gives_the_same_tasks_and_another_seed_others():
    queries = list(range(50)) * 2

    assert packed(queries, seed=7) == packed(queries, seed=7)
    assert packed(queries, seed=7) != packed(queries, seed=8)


@pytest.mark.parametrize(("pairs", "tasks"), [(0, 0), (1, 1), (10, 1), (11, 2), (2046, 205), (19085, 1909)])
def test_ten_pairs_make_a_task(pairs, tasks):
    """2,046 pairs of 53 judged queries and 19,085 pairs of 477 queries of TREC 2021 Deep Learning."""
    assert task_count(pairs, 10) == tasks
    assert len(packed(np.arange(pairs) % 477)) == tasks


def test_each_layer_of_judgments_is_packed_by_itself():
    assert task_count(11, 10, layers=3) == 6


def test_a_task_without_pairs_is_refused():
    with pytest.raises(ValueError, match="at least one pair"):
        packed([1], size=0)
