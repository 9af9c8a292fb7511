"""A worker's familiarity with questions and passages from earlier tasks, which must not reveal gold pairs.

A worker who does all allowed tasks sees a share of the real pairs, and a larger share of the gold pairs. Halfway
through, gold pairs should be as familiar as real pairs, measured by how often the question, the less known passage
and the better known passage were shown. Relevant and off-topic passages should be equally well known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Keys = NDArray[np.int64]
#: A question and two passages, by keys.
Asked = tuple[int, int, int]
#: The size of the sample of real pairs; more would give the same result.
SAMPLE = 5000
#: The share of a campaign's pairs up to which a worker's history does not reveal gold pairs (docs/methods.md).
MOST_OF_A_CAMPAIGN = 0.35


def most_tasks(pairs: int, pairs_per_task: int) -> int:
    """Calculate how many tasks one worker can do without judging more than MOST_OF_A_CAMPAIGN of all pairs."""
    return max(1, math.floor(pairs * MOST_OF_A_CAMPAIGN / pairs_per_task))


@dataclass(frozen=True)
class Shares:
    """The shares of the campaign's real pairs, and of its gold pairs, that one worker can see."""

    real: float = MOST_OF_A_CAMPAIGN
    gold: float = 0.75


#: The figures that compare how well known the two passages of a pair are: neither should be ahead.
LEADS = slice(6, 8)
#: The minimum spread, for real pairs that are all alike.
LEAST_SPREAD = 0.05
#: The shares for the recommended limit of tasks, and a third more gold pairs than one worker sees.
TYPICAL = Shares()


class Familiarity:
    """Tracks how much the familiarity of gold pairs, chosen one by one, differs from that of real pairs."""

    def __init__(self, real: Sequence[Asked], gold: Sequence[Asked], shares: Shares) -> None:
        """Index the real pairs and all candidate gold pairs."""
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
        """Calculate the squared distance from real pairs with each candidate added, in standard deviations."""
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
        """Count a gold pair, by its number, as chosen: its question and passages become better known.

        With ``times`` -1, undo that, as if the pair were the last one counted.
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
        """Calculate the figures of gold pairs, each with its effect on the gold pairs already chosen."""
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
