"""The leaderboard of a collection: every run under official and under preference qrels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from config import kept_objects
from leaderboard.board import DEPTH, Board, BoardInput, Scale, draw_board
from leaderboard.errors import NothingToScore
from leaderboard.measures import Judged, Measure, ReciprocalRank, parse_measure
from leaderboard.output.content import plain
from leaderboard.services.evaluating import Progress, evaluate, measure_for
from leaderboard.services.judged_tops import judged_tops
from leaderboard.services.labels import Labels, qrel_set_labels, version_labels
from leaderboard.services.software import software_version
from pooling.models import Collection, QrelSet, Run
from tournament.models import QrelVersion, VersionQuery

SEED = 20220
MEASURE = f"RR@{DEPTH}"
KEPT_SECONDS = 3600
"""A board depends on one thing that its key leaves out: when the text of a run's top comes in later and is that of a
judged passage, this top counts as judged too."""


@dataclass(frozen=True)
class PublishedBoard:
    """A board and all that must be named with it."""

    board: Board
    collection: str
    version: int
    official: str
    min_grade: int
    simulated: bool
    open: int
    singletons: int
    measure: str
    software: str
    baselines: frozenset[str]

    @property
    def asked(self) -> Measure:
        """The measure as it was asked for; each set of labels adds its own threshold."""
        return parse_measure(self.measure)

    @property
    def mean(self) -> str:
        """What the values are called: ``MRR@10``."""
        return self.asked.mean_name

    @property
    def higher_is_better(self) -> bool:
        """The measure's direction."""
        return self.asked.higher_is_better

    @property
    def runs(self) -> int:
        """How many runs stand on it, the perfect run not counted."""
        return len(self.board.rows) - 1


def leaderboard(
    *,
    collection: Collection,
    version: QrelVersion,
    official: QrelSet,
    runs: Sequence[Run],
    measure: str = MEASURE,
    seed: int = SEED,
    hidden: frozenset[str] = frozenset(),
    progress: Progress | None = None,
) -> PublishedBoard:
    """The board over the queries for which both the qrel set and the version know a relevant passage.

    ``measure`` is any that ``measures`` knows (else UnknownMeasure); its direction decides who is ranked first.
    Queries of the ``hidden`` qids are left out: the private ones, for people who see the public ones only.
    Raises :class:`NothingToScore` without runs or without such queries.
    """
    asked = parse_measure(measure)
    if not runs:
        raise NothingToScore(f"{collection.name} has no runs to rank.", "Import some: manage.py import_runs")
    sides = {"official": qrel_set_labels(official), "preference": version_labels(version)}
    qids = [qid for qid in _covered_by_both(sides["official"], sides["preference"]) if qid not in hidden]
    if not qids:
        raise _nothing_covered(official, version)
    the_qrel = sides["official"].the_qrel()
    perfect = {qid: the_qrel[qid] for qid in qids}
    arrays = {
        name: _values(collection, runs, labels, measure, qids, perfect, progress)
        for name, labels in sides.items()
    }
    judged = judged_tops(version, runs, qids, perfect)
    given = BoardInput(
        [run.run_tag for run in runs], arrays["official"], arrays["preference"], judged, scale_of(asked)
    )
    return PublishedBoard(
        board=draw_board(given, seed=seed),
        collection=collection.name,
        version=version.number,
        official=official.name,
        min_grade=official.min_grade,
        simulated=version.simulated,
        measure=measure,
        software=software_version(),
        baselines=frozenset(run.run_tag for run in runs if run.baseline),
        **_statuses(version, qids),
    )


def _nothing_covered(official: QrelSet, version: QrelVersion) -> NothingToScore:
    return NothingToScore(
        f"No query has a relevant passage in {official.name} and a best answer in version {version.number}.",
        "Choose another qrel set with --official, or another version with --version.",
    )


def scale_of(measure: Measure) -> Scale:
    """How its values are compared."""
    whole = measure.unit if isinstance(measure, ReciprocalRank) else None
    return Scale(measure.higher_is_better, whole)


@dataclass(frozen=True)
class AskedBoard:
    """A board as pages ask for it, kept in the cache for a while under all that it depends on."""

    collection: Collection
    version: QrelVersion
    official: QrelSet
    runs: Sequence[Run]
    measure: str = MEASURE
    hidden: frozenset[str] = frozenset()

    @cached_property
    def key(self) -> str:
        """Where it is kept."""
        inputs = [
            self.collection.pk,
            self.version.manifest_sha256,
            self.official.pk,
            self.official.sha256,
            self.official.min_grade,
            sorted((run.pk, run.run_tag, run.baseline) for run in self.runs),
            self.measure,
            sorted(self.hidden),
        ]
        return kept_objects.key_of("board", *inputs)

    def is_there(self) -> bool:
        """Whether nobody would have to wait for it."""
        return kept_objects.is_kept(self.key)

    def keep(self) -> PublishedBoard:
        """Draw it and keep it. Raises :class:`NothingToScore` where there is none."""
        drawn = leaderboard(**{name.name: getattr(self, name.name) for name in fields(self)})
        kept_objects.keep(self.key, drawn, KEPT_SECONDS)
        return drawn

    def set_aside(self) -> None:
        """It cannot be drawn: nobody waits for it for a while. Whoever asks is told why."""
        kept_objects.keep(self.key, None, KEPT_SECONDS)


def kept_leaderboard(
    *,
    collection: Collection,
    version: QrelVersion,
    official: QrelSet,
    runs: Sequence[Run],
    measure: str = MEASURE,
    hidden: frozenset[str] = frozenset(),
) -> PublishedBoard:
    """The same for pages: as it is kept, else drawn."""
    asked = AskedBoard(collection, version, official, runs, measure, hidden)
    kept: PublishedBoard | None = kept_objects.read(asked.key)
    return kept if kept is not None else asked.keep()


def as_dict(published: PublishedBoard) -> dict[str, Any]:
    """The board for ``--json``. Shares are 0 to 1; ``shift`` is positive for a run that moves up.

    A value is None where the measure has one for no query.
    """
    board = published.board
    found: dict[str, Any] = plain(_content(published, board))
    return found


def _content(published: PublishedBoard, board: Board) -> dict[str, Any]:
    return {
        "collection": published.collection,
        "version": published.version,
        "official_set": published.official,
        "official_min_grade": published.min_grade,
        "measure": published.mean,
        "higher_is_better": published.higher_is_better,
        "simulated": published.simulated,
        "queries": board.queries,
        "open": published.open,
        "singletons": published.singletons,
        "runs": published.runs,
        "rows": [
            {
                "run": row.run,
                "official": row.official.value,
                "official_low": row.official.low,
                "official_high": row.official.high,
                "preference": row.preference.value,
                "preference_low": row.preference.low,
                "preference_high": row.preference.high,
                "rank_official": row.rank_official,
                "rank_preference": row.rank_preference,
                "shift": row.shift,
                "answered_official": row.answered_official,
                "answered_preference": row.answered_preference,
                "judged_tops": row.judged_tops,
                "baseline": row.run in published.baselines,
                "perfect": row.perfect,
            }
            for row in board.rows
        ],
        "kendall_tau": board.agreement.tau_b,
        "pairs_agree": board.agreement.agree,
        "pairs_disagree": board.agreement.disagree,
        "pairs_tied": board.agreement.tied,
        "level": board.level,
        "trials": board.trials,
        "seed": board.seed,
        "software": published.software,
    }


def _covered_by_both(official: Labels, preference: Labels) -> list[str]:
    """qids with a relevant passage on either side, in query order."""
    there = {qid for qid, known in zip(preference.qids, preference.answerable, strict=True) if known}
    return [
        qid for qid, known in zip(official.qids, official.answerable, strict=True) if known and qid in there
    ]


def _values(
    collection: Collection,
    runs: Sequence[Run],
    labels: Labels,
    name: str,
    qids: Sequence[str],
    perfect: Mapping[str, str],
    progress: Progress | None,
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A row a run, and last the perfect run; a column for each of the qids."""
    measure = measure_for(name, labels)
    scored = evaluate(collection=collection, runs=runs, labels=labels, measures=[measure], progress=progress)
    place = {qid: index for index, qid in enumerate(labels.qids)}
    columns = np.array([place[qid] for qid in qids], dtype=np.int64)
    rows = [scored[run.pk, measure.name].values for run in runs]
    return np.stack([*rows, measure.values(_first_alone(labels, perfect))])[:, columns]


def _first_alone(labels: Labels, pids: Mapping[str, str]) -> Judged:
    """A run that has one passage a query, of these pids, and nothing else."""
    qids = (labels.qids[query] for query in labels.query.tolist())
    rank = [int(pids.get(qid) == pid) for qid, pid in zip(qids, labels.pids, strict=True)]
    return Judged(len(labels.qids), labels.query, labels.grades, np.array(rank, dtype=np.int64))


def _statuses(version: QrelVersion, qids: Sequence[str]) -> dict[str, int]:
    """How many of the board's queries the version has open, and as singletons."""
    status = dict(VersionQuery.objects.filter(version=version).values_list("query__qid", "status"))
    counted = [status.get(qid) for qid in qids]
    return {"open": counted.count("open"), "singletons": counted.count("singleton")}
