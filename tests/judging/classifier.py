"""A classifier that tries to tell gold pairs from real pairs, and the workers who give it something to learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from judging.gold import Real, Texts, Triple
from judging.gold_drawing import Gold, Memory, Shown, draw
from judging.layout import lay_out
from judging.packing import pack
from judging.pair_features import features


def auc(scores: np.ndarray, is_gold: np.ndarray) -> float:
    """The chance that a gold pair scores higher than a real one."""
    gold, real = int(is_gold.sum()), int((~is_gold).sum())
    return float((rankdata(scores)[is_gold].sum() - gold * (gold + 1) / 2) / (gold * real))


def cross_validated(table: np.ndarray, is_gold: np.ndarray, groups: np.ndarray, folds: int = 5) -> float:
    """The AUC of logistic regression (Newton's method, a little ridge) on rows whose group it did not learn from."""
    spread = table.std(axis=0)
    table = (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    table = np.hstack([np.ones((len(table), 1)), table])
    scores = np.zeros(len(table))
    for fold in range(folds):
        left_out = groups % folds == fold
        weights = _fitted(table[~left_out], is_gold[~left_out].astype(float))
        scores[left_out] = table[left_out] @ weights
    return auc(scores, is_gold)


def _fitted(table: np.ndarray, gold: np.ndarray, ridge: float = 1.0) -> np.ndarray:
    share = gold.mean()
    even = np.where(gold > 0, 0.5 / share, 0.5 / (1 - share))
    weights = np.zeros(table.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (even * (chance - gold)) + ridge * weights
        bend = (table.T * (even * chance * (1 - chance))) @ table + ridge * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def seen_on_a_page(real: Real, gold: Sequence[Triple], texts: Texts) -> tuple[np.ndarray, np.ndarray]:
    """What a page shows of every real pair and gold pair, and which of them is gold."""
    rows = [texts.of(Triple(*pair)) for pair in real.pairs]
    rows += [texts.of(one) for one in gold]
    table = np.array([features(*row) for row in rows if row is not None])
    return table, np.arange(len(table)) >= len(real.pairs)


def remembered(
    real: Real, gold: Sequence[Triple], rng: np.random.Generator, *, done: int, workers: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What workers who do ``done`` tasks could know of every slot from before; which is gold; the worker.

    That is: how often the question, the better and the less known passage were shown, and where the slot stands.
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
            shown = []
            for place, seat in enumerate(lay_out([0] * len(pairs), len(drawn), rng)):
                pair = drawn[seat.index].shown if seat.is_gold else pairs[seat.index]
                shown.append(pair)
                rows.append((*memory.familiar(pair), place))
                is_gold.append(seat.is_gold)
                who.append(worker)
            memory.keep(shown)
    return np.array(rows), np.array(is_gold), np.array(who)
