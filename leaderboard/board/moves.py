"""Changes of runs' ranks between two versions of the preference qrels, on the queries that both cover."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from config import kept_objects
from leaderboard.board.default_measure import MEASURE
from leaderboard.board.judged_tops import KEPT_SECONDS
from leaderboard.scoring.agreement import competition_ranks
from leaderboard.scoring.evaluation import evaluate, measure_for
from leaderboard.scoring.labels import Labels, version_labels
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.scales import scale_of
from pooling.models import Collection, Run
from tournament.models import QrelVersion


@dataclass(frozen=True)
class RankMoves:
    """Ranks of runs under two versions, over the queries that both cover.

    ``before`` is the number of the earlier version, and ``queries`` is how many queries both cover. ``ranks`` maps a
    run tag to its earlier and its later rank.
    """

    before: int
    queries: int
    ranks: dict[str, tuple[int, int]]

    def move(self, run: str) -> int | None:
        """Return by how many ranks the run rose (negative if it fell); None if it was not ranked."""
        ranks = self.ranks.get(run)
        return None if ranks is None else ranks[0] - ranks[1]


def rank_moves(
    *,
    collection: Collection,
    before: QrelVersion,
    after: QrelVersion,
    runs: Sequence[Run],
    measure: str = MEASURE,
    hidden: frozenset[str] = frozenset(),
) -> RankMoves:
    """Return the runs' ranks under two versions, from the cache if possible.

    Queries in ``hidden`` (qids) are left out. No run is ranked if the versions have no query in common.
    """
    inputs = [
        before.manifest_sha256,
        after.manifest_sha256,
        sorted((run.pk, run.run_tag) for run in runs),
        measure,
        sorted(hidden),
    ]
    key = kept_objects.object_key("moves", *inputs)
    kept: RankMoves | None = kept_objects.kept(key)
    if kept is None:
        kept = _compute_rank_moves(collection, before, after, runs, measure, hidden)
        kept_objects.keep_object(key, kept, KEPT_SECONDS)
    return kept


def _compute_rank_moves(
    collection: Collection,
    before: QrelVersion,
    after: QrelVersion,
    runs: Sequence[Run],
    measure: str,
    hidden: frozenset[str],
) -> RankMoves:
    sides = [version_labels(version) for version in (before, after)]
    shared = set(sides[0].answerable_qids).intersection(sides[1].answerable_qids) - hidden
    if not shared or not runs:
        return RankMoves(before.number, 0, {})
    ranks = [_ranks_on(collection, runs, labels, measure, shared) for labels in sides]
    return RankMoves(
        before.number,
        len(shared),
        {run.run_tag: (int(one), int(other)) for run, one, other in zip(runs, *ranks, strict=True)},
    )


def _ranks_on(
    collection: Collection, runs: Sequence[Run], labels: Labels, name: str, shared: set[str]
) -> npt.NDArray[np.int64]:
    measure = measure_for(name, labels)
    scored = evaluate(collection=collection, runs=runs, labels=labels, measures=[measure])
    columns = np.array([place for place, qid in enumerate(labels.qids) if qid in shared], dtype=np.int64)
    values = np.stack([scored[run.pk, measure.name].values[columns] for run in runs])
    return competition_ranks(scale_of(parse_measure(name)).standings(values))
