"""Workers whose history gives a classifier something to learn from."""

from collections.abc import Sequence

import numpy as np

from judging.rules.gold_choice import Real, Triple
from judging.rules.gold_draw import Gold, Memory, Shown, draw
from judging.rules.layout import lay_out
from judging.rules.packing import pack


def remembered(
    real: Real, gold: Sequence[Triple], rng: np.random.Generator, *, done: int, workers: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what workers who do ``done`` tasks can remember of each slot, which slots are gold, and the worker.

    They could know how often the question and the better and less known passages were shown, and the slot's position.
    """
    tasks = pack([query for query, *_ in real.pairs], 10, rng)
    rows, is_gold, who = [], [], []
    for worker in range(workers):
        memory = Memory()
        left = [Gold(pk, one.query_id, one.relevant_id, one.off_topic_id) for pk, one in enumerate(gold)]
        for number in rng.permutation(len(tasks))[:done].tolist():
            pairs = [Shown(*real.pairs[index]) for index in tasks[number]]
            drawn = draw(left, memory, pairs, 3, rng)
            left = [one for one in left if one not in drawn]
            seats = lay_out([0] * len(pairs), len(drawn), rng)
            shown = [drawn[seat.index].shown if seat.is_gold else pairs[seat.index] for seat in seats]
            is_gold += [seat.is_gold for seat in seats]
            who += [worker] * len(seats)
            rows.append(np.column_stack([memory.familiar(shown), np.arange(len(shown))]))
            memory.keep(shown)
    return np.vstack(rows), np.array(is_gold), np.array(who)
