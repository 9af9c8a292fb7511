"""Values of the same runs under several combinations of labels, queries and measures."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from config.guidance import Action, Guidance
from leaderboard.analyses.kinds import Asked
from leaderboard.errors import NothingPrivate, NothingToScore
from leaderboard.output import Facts
from leaderboard.output.table import mean_measure
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import Progress, evaluate, ranking_measure
from leaderboard.scoring.labels import Labels, labels_named
from leaderboard.scoring.measure_names import parse_measures
from leaderboard.scoring.measures import Measure, Precision, ReciprocalRank, Success
from leaderboard.scoring.score_facts import scoring_facts
from pooling.labels.query_splits import private_qids
from pooling.models import Collection, Run
from tournament.services.publication import latest_version


@dataclass(frozen=True)
class Combination:
    """Values of one measure under one set of labels, on one set of the queries that the labels cover.

    ``values`` has the shape (runs, queries). ``query_set`` is ``all``, ``public`` or ``private``.
    """

    labels: Labels
    query_set: str
    measure: Measure
    asked: str
    """The name of the measure as requested, without the relevance threshold of the labels."""
    runs: tuple[Run, ...]
    values: npt.NDArray[np.float64]
    qids: tuple[str, ...] = ()
    """The queries of the columns of ``values``."""

    @property
    def run_tags(self) -> list[str]:
        return [run.run_tag for run in self.runs]

    @property
    def name(self) -> str:
        """The names of the labels, the measure and the query set, for display."""
        queries = "" if self.query_set == "all" else f", {self.query_set} queries"
        return f"{self.labels.title}, {self.mean_name}{queries}"

    @property
    def mean_name(self) -> str:
        """The name of the requested measure's mean over queries: ``MRR@10``, ``nDCG@10``."""
        return mean_measure(self.asked)

    @property
    def whole(self) -> int | None:
        """The factor that turns every value into an integer; None if there is none."""
        match self.measure:
            case ReciprocalRank():
                return self.measure.unit
            case Precision():
                return self.measure.cutoff
            case Success():
                return 1
        return None

    @cached_property
    def sha256(self) -> str:
        """Hash of everything that can change results computed from these values."""
        content = hashlib.sha256(np.ascontiguousarray(self.values, dtype="<f8").tobytes())
        content.update(repr((self.run_tags, self.values.shape, self.measure.name)).encode())
        return content.hexdigest()


def combinations(
    *,
    collection: Collection,
    runs: Sequence[Run],
    labels: Sequence[str] = (),
    query_sets: Sequence[str] = (),
    measures: str = "RR@10",
    progress: Progress | None = None,
) -> list[Combination]:
    """Score the runs under every combination of these labels, query sets and measures.

    Labels default to the leaderboard's set and the latest version. Query sets default to public and private, or to
    all if no query is private. Raises:

    - NothingToScore if a combination has no queries or no relevant passage;
    - NothingPrivate if private queries are requested and there are none;
    - UnknownMeasure for a measure that does not have a value for every query.
    """
    private = private_qids(collection)
    wanted = list(query_sets) or (["public", "private"] if private else ["all"])
    if "private" in wanted:
        check_some_are_private(collection)
    found = []
    for name in labels or usual_labels(collection):
        chosen = labels_named(collection, name)
        for asked, measure in _ranking_measures(measures, chosen).items():
            scored = evaluate(
                collection=collection, runs=runs, labels=chosen, measures=[measure], progress=progress
            )
            values = np.stack([scored[run.pk, measure.name].values for run in runs])
            for query_set in wanted:
                columns = _query_set_mask(chosen, query_set, private)
                _refuse_nothing_relevant(chosen, asked, measure, query_set, columns)
                qids = tuple(qid for qid, kept in zip(chosen.qids, columns, strict=True) if kept)
                part = values[:, columns]
                found.append(Combination(chosen, query_set, measure, asked, tuple(runs), part, qids))
    return found


def check_some_are_private(collection: Collection) -> None:
    """Raise NothingPrivate if no query is private."""
    if not private_qids(collection):
        raise NothingPrivate(
            f"No query of {collection.name} is private.",
            Guidance(
                "Choose the private queries, once and permanently: ",
                Action("split_queries", collection.name, "--private FILE", lead=""),
            ),
        )


def facts_of_combinations(
    collection: Collection,
    found: Sequence[Combination],
    *,
    seed: int | None,
    further: tuple[tuple[str, str], ...],
) -> Facts:
    """Return the facts that describe all combinations together.

    The number of queries is the largest under any one set of labels, and counts each query once.
    """
    covered: dict[str, set[str]] = {}
    for one in found:
        covered.setdefault(one.labels.name, set()).update(one.qids)
    return scoring_facts(
        collection,
        found[0].runs,
        list(dict.fromkeys(_labels_in_words(one.labels) for one in found)),
        ", ".join(dict.fromkeys(one.asked for one in found)),
        max(map(len, covered.values())),
        seed=seed,
        simulated=any(one.labels.simulated for one in found),
        further=further,
    )


def _labels_in_words(labels: Labels) -> str:
    if labels.version is not None:
        kind = "order of preference" if labels.ordinal else "preference qrels"
        return f"{kind}, version {labels.version.number}"
    return labels.words


def usual_labels(collection: Collection) -> list[str]:
    """Return the default labels: the leaderboard's set, and the latest version if there is one."""
    latest = latest_version(collection)
    return [official_set(collection).name, *([f"@{latest.number}"] if latest else [])]


def labels_or_usual(collection: Collection, name: str) -> str:
    """Return the name of the chosen labels, or that of the leaderboard's set if none are chosen."""
    return name or official_set(collection).name


def labels_asked(asked: Asked) -> Labels:
    """Return the labels of a request that takes one set of labels (default: the leaderboard's set)."""
    return labels_named(asked.collection, labels_or_usual(asked.collection, asked.text("qrels")))


def other_labels(collection: Collection, first: str, chosen: str, *, sets_first: bool = False) -> str:
    """Return the name of the labels to compare with ``first``.

    These are the chosen labels, else the latest version, else another set. With ``sets_first``, another set comes
    before the latest version. If there are no other labels, returns ``first``.
    """
    if chosen:
        return chosen
    sets = list(collection.passage_labels().order_by("pk").values_list("name", flat=True))
    latest = latest_version(collection)
    versions = [f"@{latest.number}"] if latest else []
    known = sets + versions if sets_first else versions + sets
    return next((name for name in known if name != first), first)


def one_combination(asked: Asked, progress: Progress | None) -> Combination:
    """Score the runs of a request that takes one set of labels and one measure.

    Covers all queries by default, or only the public ones in a result for everyone.
    """
    everybody = asked.released and bool(private_qids(asked.collection))
    (found,) = combinations(
        collection=asked.collection,
        runs=asked.runs,
        labels=[labels_or_usual(asked.collection, asked.text("qrels"))],
        query_sets=[asked.text("queries") or ("public" if everybody else "all")],
        measures=asked.text("measure"),
        progress=progress,
    )
    return found


def _ranking_measures(names: str, labels: Labels) -> dict[str, Measure]:
    return {measure.name: ranking_measure(measure.name, labels) for measure in parse_measures(names)}


def _refuse_nothing_relevant(
    labels: Labels, asked: str, measure: Measure, query_set: str, columns: npt.NDArray[np.bool_]
) -> None:
    """Raise NothingToScore if no label of these queries is relevant for the measure, because all runs would tie."""
    least = max(1, measure.rel) if measure.graded else measure.rel
    of_set = "" if query_set == "all" else f"{query_set} "
    if not columns.any():
        raise NothingToScore(f"{labels.name} covers no {of_set}query.", "Choose other labels.")
    if not (columns[labels.query] & (labels.grades >= least)).any():
        raise NothingToScore(
            f"{labels.name} has no relevant passage for any {of_set}query: {asked} needs a grade of {least} or "
            "higher.",
            Guidance(
                "Choose other labels, or import these again under a new name with a lower minimum relevant grade: ",
                Action("import_qrels", lead=""),
            ),
        )


def _query_set_mask(labels: Labels, query_set: str, private: frozenset[str]) -> npt.NDArray[np.bool_]:
    if query_set == "all":
        return np.ones(len(labels.qids), dtype=np.bool_)
    return np.array([(qid in private) == (query_set == "private") for qid in labels.qids], dtype=np.bool_)


def combinations_asked(asked: Asked, progress: Progress | None = None) -> list[Combination]:
    """Score the runs under every combination that the request names.

    A result that everyone can read uses public queries only.
    """
    sets = list(dict.fromkeys(asked.several("queries")))
    if asked.released and private_qids(asked.collection):
        sets = ["public"]
    return combinations(
        collection=asked.collection,
        runs=asked.runs,
        labels=asked.several("qrels"),
        query_sets=sets,
        measures=asked.text("measure"),
        progress=progress,
    )
