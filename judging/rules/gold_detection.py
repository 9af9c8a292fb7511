"""Measure how well a classifier can tell gold pairs from real pairs by what a page shows.

Cross-validated logistic regression over :func:`judging.rules.pair_features.features` gives every pair a score. The
area under the ROC curve (AUC) is the probability that a gold pair scores higher than a real one: 0.5 is guessing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judging.rules.gold_choice import Texts, Triple
from judging.rules.pair_features import features

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: The AUC from which a classifier counts as recognizing gold pairs.
TOLD = 0.60
#: A measured AUC is significantly above ``TOLD`` if it is this many standard errors higher.
PLAINLY = 2.0
FOLDS, SPLITS, RIDGE = 5, 5, 1.0


@dataclass(frozen=True)
class Detectability:
    """A measured AUC, with the numbers of gold pairs and real pairs."""

    auc: float
    gold: int
    real: int

    @property
    def standard_error(self) -> float:
        """Calculate the standard error if the AUC were ``TOLD`` (Hanley and McNeil, 1982)."""
        if not self.gold or not self.real:
            return math.inf
        one, two = TOLD / (2 - TOLD), 2 * TOLD**2 / (1 + TOLD)
        spread = TOLD * (1 - TOLD)
        spread += (self.gold - 1) * (one - TOLD**2) + (self.real - 1) * (two - TOLD**2)
        return math.sqrt(spread / (self.gold * self.real))

    @property
    def is_plain(self) -> bool:
        """Check whether the AUC is significantly above ``TOLD``: gold pairs are recognizable."""
        return self.auc > TOLD + PLAINLY * self.standard_error


def try_to_tell(
    real: Sequence[tuple[int, int, int]], gold: Sequence[Triple], texts: Texts
) -> Detectability | None:
    """Try to recognize gold pairs by what a page shows; None if too few pairs have texts to learn from."""
    table, is_gold = seen_on_a_page(real, gold, texts)
    number = int(is_gold.sum())
    if min(number, len(table) - number) < FOLDS:
        return None
    splits = [np.random.default_rng(seed).permutation(len(table)) for seed in range(SPLITS)]
    found = [cross_validated(table, is_gold, split) for split in splits]
    return Detectability(sum(found) / SPLITS, number, len(table) - number)


def seen_on_a_page(
    real: Sequence[tuple[int, int, int]], gold: Sequence[Triple], texts: Texts
) -> tuple[Floats, Flags]:
    """Return the page features of all real and gold pairs with texts, and a mask of the gold pairs."""
    rows = [
        [features(*shown) for one in pairs if (shown := texts.of(one)) is not None]
        for pairs in ([Triple(*pair) for pair in real], gold)
    ]
    return np.array([*rows[0], *rows[1]]), np.repeat([False, True], [len(rows[0]), len(rows[1])])


def auc(scores: Floats, is_gold: Flags) -> float:
    """Calculate the chance that a gold pair scores higher than a real one."""
    gold, real = int(is_gold.sum()), int((~is_gold).sum())
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]  # ties share the mean of their ranks
    return float((ranks[is_gold].sum() - gold * (gold + 1) / 2) / (gold * real))


def cross_validated(table: Floats, is_gold: Flags, groups: NDArray[np.int64]) -> float:
    """Calculate the AUC of logistic regression (Newton's method, small ridge) on rows of held-out groups."""
    spread = table.std(axis=0)
    table = (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    table = np.hstack([np.ones((len(table), 1)), table])
    scores = np.zeros(len(table))
    for fold in range(FOLDS):
        left_out = groups % FOLDS == fold
        scores[left_out] = table[left_out] @ _fitted(table[~left_out], is_gold[~left_out].astype(float))
    return auc(scores, is_gold)


def _fitted(table: Floats, gold: Floats) -> Floats:
    """Fit the weights; gold pairs and real pairs have equal total weight."""
    share = min(max(gold.mean(), 1e-9), 1 - 1e-9)
    even = np.where(gold > 0, 0.5 / share, 0.5 / (1 - share))
    weights = np.zeros(table.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (even * (chance - gold)) + RIDGE * weights
        bend = (table.T * (even * chance * (1 - chance))) @ table + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights
