"""How familiar gold pairs are to a worker from earlier tasks. This must not reveal which pairs are gold.

A worker who does all allowed tasks sees a share of the real pairs, and a larger share of the gold pairs. Halfway
through, gold pairs should be as familiar as real pairs. Familiarity is measured by how often a pair's question, its
less known passage and its better known passage were shown. Relevant and off-topic passages should be equally
familiar.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Keys = NDArray[np.int64]
#: The keys of a question and its two passages.
Asked = tuple[int, int, int]
#: The number of real pairs to sample for the comparison, or up to twice as many; more would give the same result.
SAMPLE = 5000
#: The share of a campaign's pairs up to which a worker's history does not reveal gold pairs (docs/methods.md).
MOST_OF_A_CAMPAIGN = 0.35


def most_tasks(pairs: int, pairs_per_task: int) -> int:
    """Return the maximum number of tasks for one worker, at least 1.

    These tasks contain at most the share :data:`MOST_OF_A_CAMPAIGN` of all pairs.
    """
    return max(1, math.floor(pairs * MOST_OF_A_CAMPAIGN / pairs_per_task))


@dataclass(frozen=True)
class Shares:
    """The shares of the campaign's real pairs, and of its gold pairs, that one worker can see."""

    real: float = MOST_OF_A_CAMPAIGN
    gold: float = 0.75


#: The columns that compare how familiar a pair's two passages are. For gold pairs, their mean should be 0.
LEADS = slice(6, 8)
#: The minimum standard deviation to divide by, in case all real pairs have the same value.
LEAST_SPREAD = 0.05
#: The shares if workers can do the recommended number of tasks, and there are a third more gold pairs than one worker
#: sees.
TYPICAL = Shares()


class Familiarity:
    """The difference in familiarity between real pairs and gold pairs, while gold pairs are chosen one by one."""

    def __init__(self, real: Sequence[Asked], gold: Sequence[Asked], shares: Shares) -> None:
        """Index the real pairs and the candidates, which are all gold pairs that can be chosen or already are."""
        table = np.array([*real, *gold], dtype=np.int64).reshape(-1, 3)
        self._questions, asked = np.unique(table[:, 0], return_inverse=True)
        self._passages, sides = np.unique(table[:, 1:], return_inverse=True)
        self._places = np.column_stack([asked.reshape(-1), sides.reshape(-1, 2)])
        pairs = self._places[: len(real)]
        self._like = pairs[:: max(1, len(pairs) // SAMPLE)]
        self._share = shares
        self._real_questions = shares.real * np.bincount(pairs[:, 0], minlength=len(self._questions))
        self._real_passages = shares.real * np.bincount(pairs[:, 1:].ravel(), minlength=len(self._passages))
        self._gold_questions = np.zeros(len(self._questions))
        self._gold_passages = np.zeros(len(self._passages))
        self._candidates = self._places[len(real) :]
        self._total, self._number = np.zeros(8), 0

    def away(self) -> Floats:
        """Return, for each candidate, how far gold pairs would be from real pairs in familiarity if it were chosen.

        The familiarity values are summed over the gold pairs and compared with the sums that real pairs would have.
        The distance is squared, in units of standard deviations.
        """
        if not len(self._like):
            return np.zeros(len(self._candidates))
        like = self._figures(self._like, own=self._share.real)
        mean = like.mean(axis=0)
        mean[LEADS] = 0.0
        spread = np.sqrt(((like - mean) ** 2).mean(axis=0))
        sums = self._total + self._with_others(self._candidates) - (self._number + 1) * mean
        away: Floats = ((sums / np.maximum(spread, LEAST_SPREAD)) ** 2).sum(axis=1)
        return away

    def count(self, number: int, times: int = 1) -> None:
        """Mark the candidate with this number as chosen, so that its question and passages become more familiar.

        With ``times`` -1, undoes that, as if the candidate were the last one chosen.
        """
        question, *passages = self._candidates[number]
        if times < 0:
            self._meet(question, passages, times)
        self._total += times * self._with_others(self._candidates[[number]])[0]
        self._number += times
        if times > 0:
            self._meet(question, passages, times)

    def _meet(self, question: np.int64, passages: list[np.int64], times: int) -> None:
        self._gold_questions[question] += times * self._share.gold
        self._gold_passages[passages] += times * self._share.gold

    def _with_others(self, places: Keys) -> Floats:
        """Return the familiarity values of these gold pairs, including the effect on the pairs chosen before.

        Choosing a pair makes earlier choices with the same question or passages more familiar.
        """
        return self._figures(places, times=2.0)

    def _figures(self, places: Keys, own: float = 0.0, times: float = 1.0) -> Floats:
        asked, sides = places[:, 0], places[:, 1:]
        questions = self._real_questions[asked] - own + times * self._gold_questions[asked]
        passages = self._real_passages[sides] - own + times * self._gold_passages[sides]
        met = np.column_stack([questions, np.sort(passages, axis=1), passages]) / 2
        figures = np.hstack([np.log1p(met), 1 - np.exp(-met)])
        known, surely = figures[:, :5], figures[:, 5:]
        leads = [known[:, 3] - known[:, 4], surely[:, 3] - surely[:, 4]]
        return np.column_stack([known[:, :3], surely[:, :3], *leads])
