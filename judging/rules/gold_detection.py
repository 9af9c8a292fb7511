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

#: The AUC above which a classifier is considered to recognize gold pairs.
TOLD = 0.60
#: The number of standard errors by which a measured AUC must exceed ``TOLD`` to be significantly above it.
PLAINLY = 2.0
FOLDS, SPLITS, RIDGE = 5, 5, 1.0


@dataclass(frozen=True)
class Detectability:
    """A measured AUC, and the numbers of gold pairs and real pairs behind it."""

    auc: float
    gold: int
    real: int

    @property
    def standard_error(self) -> float:
        """The standard error of a measured AUC whose true value is ``TOLD`` (Hanley and McNeil, 1982)."""
        if not self.gold or not self.real:
            return math.inf
        one, two = TOLD / (2 - TOLD), 2 * TOLD**2 / (1 + TOLD)
        spread = TOLD * (1 - TOLD)
        spread += (self.gold - 1) * (one - TOLD**2) + (self.real - 1) * (two - TOLD**2)
        return math.sqrt(spread / (self.gold * self.real))

    @property
    def is_plain(self) -> bool:
        """Whether the AUC is significantly above ``TOLD``, so that gold pairs can be recognized."""
        return self.auc > TOLD + PLAINLY * self.standard_error


def try_to_tell(
    real: Sequence[tuple[int, int, int]], gold: Sequence[Triple], texts: Texts
) -> Detectability | None:
    """Measure how well gold pairs can be recognized by what a page shows, as the mean AUC over random splits.

    Returns None if fewer than ``FOLDS`` gold pairs or real pairs have texts.
    """
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
    """Return a row of features for each real and gold pair with texts, and a mask of the rows of gold pairs."""
    rows = [
        [features(*shown) for one in pairs if (shown := texts.of(one)) is not None]
        for pairs in ([Triple(*pair) for pair in real], gold)
    ]
    return np.array([*rows[0], *rows[1]]), np.repeat([False, True], [len(rows[0]), len(rows[1])])


def auc(scores: Floats, is_gold: Flags) -> float:
    """Calculate the probability that a gold pair scores higher than a real one. Ties count half."""
    gold, real = int(is_gold.sum()), int((~is_gold).sum())
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]  # ties share the mean of their ranks
    return float((ranks[is_gold].sum() - gold * (gold + 1) / 2) / (gold * real))


def cross_validated(table: Floats, is_gold: Flags, groups: NDArray[np.int64]) -> float:
    """Calculate the AUC of a cross-validated logistic regression.

    Each row is scored by a model that was fitted without the row's fold. ``groups`` has an integer for each row. Rows
    whose integers are equal modulo ``FOLDS`` form a fold.
    """
    spread = table.std(axis=0)
    table = (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    table = np.hstack([np.ones((len(table), 1)), table])
    scores = np.zeros(len(table))
    for fold in range(FOLDS):
        left_out = groups % FOLDS == fold
        scores[left_out] = table[left_out] @ _fitted(table[~left_out], is_gold[~left_out].astype(float))
    return auc(scores, is_gold)


def _fitted(table: Floats, gold: Floats) -> Floats:
    """Fit a logistic regression by Newton's method with ridge ``RIDGE``; return its weights.

    Gold pairs and real pairs have the same total weight.
    """
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
