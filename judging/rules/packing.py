"""Packing of pairs into tasks.

Pairs are packed in advance, ``pairs_per_task`` to a task. Pairs of one query are spread over tasks, so that a worker
rarely sees a query twice in one task.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class PairRequest(NamedTuple):
    """A pair to create: the keys of a query and of two of its passages, with ``passage_a_id < passage_b_id``."""

    query_id: int
    passage_a_id: int
    passage_b_id: int


def pack(
    queries: Sequence[int] | NDArray[np.int64], pairs_per_task: int, rng: np.random.Generator
) -> list[list[int]]:
    """Pack pairs into tasks; return each task as a list of indexes into ``queries``, the queries of the pairs.

    Every pair is in exactly one of ceil(pairs / pairs_per_task) tasks, whose sizes differ by at most one. Pairs of
    one query are in different tasks unless the query has more pairs than there are tasks. The order is otherwise
    random; the same generator state gives the same tasks.
    """
    if pairs_per_task < 1:
        raise ValueError("a task has at least one pair")
    keys = np.asarray(queries, dtype=np.int64)
    if not len(keys):
        return []
    count = -(-len(keys) // pairs_per_task)
    # Order the queries randomly, and shuffle the pairs of each. Dealing the pairs out to the tasks in turn puts two
    # pairs of a query into one task only if the query has more pairs than there are tasks.
    shuffled = rng.permutation(len(keys))
    _, query_of = np.unique(keys, return_inverse=True)
    turn = rng.permutation(int(query_of.max()) + 1)
    dealt = shuffled[np.argsort(turn[query_of[shuffled]], kind="stable")]
    tasks: list[list[int]] = [dealt[start::count].tolist() for start in range(count)]
    order = rng.permutation(count)
    return [rng.permutation(tasks[task]).tolist() for task in order]


def task_count(pairs: int, pairs_per_task: int, layers: int = 1) -> int:
    """Return the number of tasks for ``layers`` judgments of each pair, each layer packed separately."""
    return layers * -(-pairs // pairs_per_task)
