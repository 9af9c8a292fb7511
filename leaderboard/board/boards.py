"""The leaderboard of a collection: every run under official qrels and, with a version, under preference qrels."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

import numpy as np

from config import kept_objects
from config.guidance import Action, Guidance, TerminalOnly
from leaderboard.board.default_measure import MEASURE
from leaderboard.board.judged_tops import KEPT_SECONDS, judged_tops, returned_tops
from leaderboard.board.standings import Board, BoardInput, Standing, draw_board
from leaderboard.cache.software_version import software_version
from leaderboard.errors import NoRuns, NothingToScore
from leaderboard.output.content import json_ready
from leaderboard.output.table import DIGITS
from leaderboard.scoring.agreement import Agreement
from leaderboard.scoring.evaluation import Progress, Scored, evaluate_under, measure_for
from leaderboard.scoring.intervals import SEED
from leaderboard.scoring.labels import Labels, qrel_set_labels, version_labels
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.measures import Measure, RankedLabels, Values
from leaderboard.scoring.scales import scale_of
from pooling.collections.lookups import runs_of_kind
from pooling.models import Collection, QrelSet, Run
from pooling.rules.run_details import task_of
from tournament.models import QrelVersion, VersionQuery


@dataclass(frozen=True)
class PublishedBoard:
    """A board with everything that must be stated about it. Without a ``version``, it has only official labels."""

    board: Board
    collection: str
    version: int | None
    official: str
    min_grade: int
    simulated: bool
    open: int
    singletons: int
    measure: str
    software: str
    baselines: frozenset[str]
    decimals: int | None = None
    """Decimals to which values were rounded for publication; None if they were not rounded."""
    left_out: tuple[str, ...] = ()
    """Tags of runs that are not ranked: runs of passages under labels of documents, or the reverse."""
    left_out_sentence: str = ""

    @property
    def asked(self) -> Measure:
        """The measure as requested, without the relevance threshold that each set of labels adds."""
        return parse_measure(self.measure)

    @property
    def mean(self) -> str:
        """The name of the measure's mean, such as ``MRR@10``."""
        return self.asked.mean_name

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values of the measure are better."""
        return self.asked.higher_is_better

    @property
    def tells_judged_tops(self) -> bool:
        """Whether the board shows shares of judged top passages; with withheld labels, only members see them."""
        return any(row.judged_tops is not None for row in self.board.rows)

    @property
    def bounded(self) -> list[str]:
        """The names of the labels whose values have intervals. Public boards show none for withheld labels."""
        sides = {"official": self.official, "preference": "preference"}
        standings = {side: [getattr(row, side) for row in self.board.rows] for side in sides}
        return [
            name
            for side, name in sides.items()
            if any(one is not None and not math.isnan(one.low) for one in standings[side])
        ]

    @property
    def tie_rule(self) -> str:
        """A sentence that explains the ranks of equal values."""
        if self.decimals is None and not self._hides_differences:
            return "Equal values share a rank."
        return "Ranks come from the unrounded values, so equal shown values can have different ranks."

    @property
    def _hides_differences(self) -> bool:
        """Whether runs with different ranks have the same value after rounding to the digits shown."""
        rows = [row for row in self.board.rows if not row.perfect]
        sides = ([row.official for row in rows], [row.preference for row in rows if row.preference])
        shown = [{(f"{one.value:.{DIGITS}f}", one.rank) for one in side} for side in sides]
        return any(len({value for value, _ in side}) < len(side) for side in shown)

    @property
    def runs(self) -> int:
        """The number of ranked runs, without the perfect run."""
        return sum(not row.perfect for row in self.board.rows)


def make_leaderboard(
    *,
    collection: Collection,
    version: QrelVersion | None,
    official: QrelSet,
    runs: Sequence[Run],
    measure: str = MEASURE,
    seed: int = SEED,
    hidden: frozenset[str] = frozenset(),
    progress: Progress | None = None,
) -> PublishedBoard:
    """Return the board over the queries with a relevant passage in both the qrel set and the version.

    Without a version, it is the board of the qrel set alone, over all queries that have a relevant passage there.
    Runs of documents are left out under labels of passages, and the reverse. Queries in ``hidden`` (qids) are left
    out: private queries, for readers who see only public ones. Raises UnknownMeasure for an unknown ``measure``,
    NoRuns if there are no runs, and :class:`NothingToScore` if no query remains.
    """
    asked, of_kind = parse_measure(measure), runs_of_kind(runs, official)
    runs = of_kind.kept
    if not runs:
        raise NoRuns(f"{collection.name} has no runs to rank.", Action("import_runs", lead="Import some"))
    sides = [qrel_set_labels(official), *([version_labels(version)] if version else [])]
    qids = [qid for qid in _covered_by_all(sides) if qid not in hidden]
    if not qids:
        raise _nothing_covered(official, version)
    the_qrel = sides[0].the_qrel()
    perfect = {qid: the_qrel[qid] for qid in qids} if version else None
    measures = [(labels, [measure_for(measure, labels)]) for labels in sides]
    scored = evaluate_under(collection=collection, runs=runs, sides=measures, progress=progress)
    values = [
        _run_values([found[run.pk, one.name] for run in runs], labels, one, qids, perfect)
        for found, (labels, [one]) in zip(scored, measures, strict=True)
    ]
    judged, returned = _cached_tops(version, runs, qids, perfect) if version and perfect else (None, None)
    given = BoardInput(
        [run.run_tag for run in runs],
        values[0],
        values[1] if version else None,
        judged,
        scale=scale_of(asked),
        returned=returned,
    )
    return PublishedBoard(
        board=draw_board(given, seed=seed),
        collection=collection.name,
        version=version.number if version else None,
        official=official.name,
        min_grade=official.min_grade,
        simulated=version is not None and version.simulated,
        measure=measure,
        software=software_version(),
        baselines=frozenset(run.run_tag for run in runs if run.baseline),
        left_out=tuple(run.run_tag for run in of_kind.left_out),
        left_out_sentence=of_kind.sentence,
        **(_open_and_singletons(version, qids) if version else {"open": 0, "singletons": 0}),
    )


def _cached_tops(
    version: QrelVersion, runs: Sequence[Run], qids: Sequence[str], perfect: dict[str, str]
) -> tuple[Values, Values]:
    """Return the results of :func:`judged_tops` and :func:`returned_tops`, shared by the boards of all measures."""
    these = [[(run.pk, run.sha256) for run in runs], list(qids)]
    key = kept_objects.object_key("judged-tops", version.manifest_sha256, *these, perfect)
    return (
        _cached_bits(key, partial(judged_tops, version, runs, qids, perfect), len(qids)),
        _cached_bits(
            kept_objects.object_key("returned-tops", *these), partial(returned_tops, runs, qids), len(qids)
        ),
    )


def _cached_bits(key: str, compute: Callable[[], Values], queries: int) -> Values:
    """Return a table of 0 and 1, computed at most once in an hour and cached as bits."""
    bits = kept_objects.kept(key)
    if bits is None:
        bits = np.packbits(compute().astype(bool), axis=1)
        kept_objects.keep_object(key, bits, KEPT_SECONDS)
    return np.unpackbits(bits, axis=1, count=queries).astype(np.float64)


def _nothing_covered(official: QrelSet, version: QrelVersion | None) -> NothingToScore:
    if version is None:
        return NothingToScore(
            f"{official.name} has no relevant passage for any query.",
            Guidance("Choose another qrel set", TerminalOnly(" with --official"), "."),
        )
    return NothingToScore(
        f"No query has a relevant passage in {official.name} and a best answer in version {version.number}.",
        Guidance(
            "Choose another qrel set",
            TerminalOnly(" with --official"),
            ", or another version",
            TerminalOnly(" with --version"),
            ".",
        ),
    )


@dataclass(frozen=True)
class AskedBoard:
    """A page's request for a board. The board is cached for a while under a key derived from all its inputs."""

    collection: Collection
    version: QrelVersion | None
    official: QrelSet
    runs: Sequence[Run]
    measure: str = MEASURE
    hidden: frozenset[str] = frozenset()

    @cached_property
    def key(self) -> str:
        """The cache key of the board."""
        inputs = [
            self.collection.pk,
            self.version.manifest_sha256 if self.version else "",
            self.official.pk,
            self.official.sha256,
            self.official.min_grade,
            sorted((run.pk, run.run_tag, run.baseline, task_of(run.details)) for run in self.runs),
            self.measure,
            sorted(self.hidden),
        ]
        return kept_objects.object_key("board", *inputs)

    def is_there(self) -> bool:
        """Return whether the board is cached."""
        return kept_objects.is_kept(self.key)

    def keep(self, progress: Progress | None = None) -> PublishedBoard:
        """Compute the board and cache it. Raises :class:`NothingToScore` if there is nothing to score."""
        facts = {name.name: getattr(self, name.name) for name in fields(self)}
        drawn = make_leaderboard(**facts, progress=progress)
        kept_objects.keep_object(self.key, drawn, KEPT_SECONDS)
        return drawn

    def mark_undrawable(self) -> None:
        """Cache that the board cannot be computed, so that pages stop waiting for it and show the reason."""
        kept_objects.keep_object(self.key, None, KEPT_SECONDS)


def kept_leaderboard(asked: AskedBoard) -> PublishedBoard:
    """Return the requested board from the cache, or compute and cache it."""
    kept: PublishedBoard | None = kept_objects.kept(asked.key)
    return kept if kept is not None else asked.keep()


def as_dict(published: PublishedBoard) -> dict[str, Any]:
    """Return the board as the content of ``--json``.

    Shares are from 0 to 1, and ``shift`` is positive for a run that moves up. A value is None if the measure has no
    value for any query, or if only ranks are published. ``rank_…_first`` and ``rank_…_last`` are the ends of the
    range of ranks (see ``rank_ranges``). Without a version, the fields about preferences are left out.
    """
    board = published.board
    found: dict[str, Any] = json_ready(
        {
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
            "runs_left_out": list(published.left_out),
            "rows": [
                {
                    "run": row.run,
                    **_standing_content("official", row.official),
                    **(_standing_content("preference", row.preference) if row.preference else {}),
                    **({"shift": row.shift, "judged_tops": row.judged_tops} if row.preference else {}),
                    "baseline": row.run in published.baselines,
                    "perfect": row.perfect,
                }
                for row in board.rows
            ],
            **(_agreement_content(board.agreement) if board.agreement else {}),
            "level": board.level,
            "trials": board.trials,
            "seed": board.seed,
            "decimals": published.decimals,
            "software": published.software,
        }
    )
    return found


def _standing_content(name: str, one: Standing) -> dict[str, Any]:
    return {
        name: one.value,
        f"{name}_low": one.low,
        f"{name}_high": one.high,
        f"rank_{name}": one.rank,
        f"rank_{name}_first": one.first,
        f"rank_{name}_last": one.last,
        f"answered_{name}": one.answered,
    }


def _agreement_content(agreement: Agreement) -> dict[str, Any]:
    return {
        "kendall_tau": agreement.tau_b,
        "pairs_agree": agreement.agree,
        "pairs_disagree": agreement.disagree,
        "pairs_tied": agreement.tied,
    }


def _covered_by_all(sides: Sequence[Labels]) -> list[str]:
    """Return the qids with a relevant passage under every set of labels, in query order."""
    first, *further = (labels.answerable_qids for labels in sides)
    there = [frozenset(qids) for qids in further]
    return [qid for qid in first if all(qid in qids for qids in there)]


def _run_values(
    scored: Sequence[Scored],
    labels: Labels,
    measure: Measure,
    qids: Sequence[str],
    perfect: Mapping[str, str] | None,
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return runs' values: one row per run, then the perfect run if given, and one column per qid.

    ``perfect`` maps qid → the pid that the perfect run returns.
    """
    place = {qid: index for index, qid in enumerate(labels.qids)}
    columns = np.array([place[qid] for qid in qids], dtype=np.int64)
    rows = [one.values for one in scored]
    if perfect is not None:
        rows.append(measure.values(_run_of_only(labels, perfect)))
    return np.stack(rows)[:, columns]


def _run_of_only(labels: Labels, pids: Mapping[str, str]) -> RankedLabels:
    """Return the labels with the ranks of a run that returns only the passages in ``pids`` (qid → pid)."""
    rank = [int(pids.get(qid) == pid) for qid, pid, _ in labels.entries()]
    return RankedLabels(len(labels.qids), labels.query, labels.grades, np.array(rank, dtype=np.int64))


def _open_and_singletons(version: QrelVersion, qids: Sequence[str]) -> dict[str, int]:
    """Return how many of the board's queries are open in the version, and how many are singletons."""
    status = dict(VersionQuery.objects.filter(version=version).values_list("query__qid", "status"))
    counted = [status.get(qid) for qid in qids]
    return {"open": counted.count("open"), "singletons": counted.count("singleton")}
