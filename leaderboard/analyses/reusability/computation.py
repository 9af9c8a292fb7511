"""Numbers that show whether labels can be reused by runs that did not contribute to them.

- *Density*: if many of the judged passages are relevant, many other relevant passages probably remain
  unjudged (Voorhees, Craswell and Lin, *Too many relevants*, SIGIR 2022).
- *Left out*: a run is scored without the labels that only this run (or its team) contributed. See Zobel,
  *How reliable are the results of large-scale information retrieval experiments?* (SIGIR 1998).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from leaderboard.scoring.agreement import competition_ranks, kendall
from leaderboard.scoring.measures import Measure, RankedLabels

#: The density from which [DL] calls a query's labels incomplete.
DENSE = 0.4
DECIMALS = 12

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Density:
    """A query's number of judged classes of passages, and its number of relevant ones."""

    qid: str
    judged: int
    relevant: int

    @property
    def share(self) -> float:
        """The share of judged classes that are relevant."""
        return self.relevant / self.judged if self.judged else 0.0


def densities(classes: Mapping[str, Mapping[str, int]], least: int) -> list[Density]:
    """Return the density of each query, in descending order. ``classes`` maps qid → canonical pid → grade."""
    found = [
        Density(qid, len(grades), sum(grade >= least for grade in grades.values()))
        for qid, grades in classes.items()
    ]
    return sorted(found, key=lambda one: (-one.share, one.qid))


def unjudged_share(
    tops: Mapping[str, Sequence[str]], judged: Mapping[str, Mapping[str, int]], canonical: Mapping[str, str]
) -> float | None:
    """Return the share of a run's top passages that have no label and no labeled near-duplicate.

    Only passages of judged queries count. Returns None if the run has no such passages.
    """
    shown = [
        canonical.get(pid, pid) in judged[qid] for qid, pids in tops.items() if qid in judged for pid in pids
    ]
    return 1 - sum(shown) / len(shown) if shown else None


def saved_by_classes(pools: Mapping[str, set[str]], canonical: Mapping[str, str]) -> tuple[int, int]:
    """Return the number of pooled passages, and how many need no judgment because a near-duplicate is judged."""
    passages = sum(len(pids) for pids in pools.values())
    classes = sum(len({canonical.get(pid, pid) for pid in pids}) for pids in pools.values())
    return passages, passages - classes


@dataclass(frozen=True)
class LeftOutRun:
    """A run's value and rank with all labels, and without the labels that only its group contributed.

    ``dropped`` is the number of these labels, with near-duplicates counted once. ``shift`` is positive if the run
    moves up.
    """

    run: str
    group: str
    dropped: int
    before: float
    after: float
    rank_before: int
    rank_after: int
    tau_b: float | None

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def shift(self) -> int:
        return self.rank_before - self.rank_after


def leave_out(
    judged: RankedLabels,
    places: Whole,
    measure: Measure,
    groups: Mapping[str, Sequence[int]],
    tags: Sequence[str],
    depth: int,
    classes: Whole,
) -> list[LeftOutRun]:
    """Score every run without the labels that only its group contributed, one group at a time.

    ``places`` has each label's rank in every run, shape (runs, labels), 0 if absent. ``classes`` has a number for
    each label that identifies its class of near-duplicates. A class is contributed by the runs that have one of its
    passages among their first ``depth``. Labels that no run contributed stay. ``groups`` maps a group's name to the
    indexes of its runs.
    """
    count = int(classes.max(initial=-1)) + 1
    contributed = (places > 0) & (places <= depth)
    brought = np.array([np.bincount(classes[of_run], minlength=count) > 0 for of_run in contributed])
    everywhere = brought.sum(axis=0)
    sign = 1 if measure.higher_is_better else -1
    before = _means_under_labels(judged, places, measure, np.ones(places.shape[1], bool))
    found = []
    for group, members in groups.items():
        only = (everywhere > 0) & (brought[list(members)].sum(axis=0) == everywhere)
        after = _means_under_labels(judged, places, measure, ~only[classes])
        tau_b = kendall(before, after).tau_b
        orders = [competition_ranks(sign * means) for means in (before, after)]
        found += [
            LeftOutRun(
                tags[member],
                group,
                int(only.sum()),
                float(before[member]),
                float(after[member]),
                int(orders[0][member]),
                int(orders[1][member]),
                tau_b,
            )
            for member in members
        ]
    return found


def _means_under_labels(
    judged: RankedLabels, places: Whole, measure: Measure, kept: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    some = RankedLabels(judged.queries, judged.query[kept], judged.grade[kept], places[0][kept])
    means = [
        measure.mean(measure.values(replace(some, rank=places[run][kept]))) for run in range(len(places))
    ]
    return np.nan_to_num(np.array(means, dtype=np.float64)).round(DECIMALS)
