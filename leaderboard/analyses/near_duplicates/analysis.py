"""Counts of labels by grade, with near-duplicates counted once or expanded, and every run evaluated in both ways."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from config.plurals import many
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.near_duplicates.computation import (
    Conflict,
    Grades,
    LevelCounts,
    conflicts,
    expanded_labels,
    level_counts,
    one_per_class,
    without_near_duplicates,
)
from leaderboard.analyses.shared.combinations import labels_asked
from leaderboard.analyses.two_boards.computation import TwoBoards, two_boards
from leaderboard.analyses.two_boards.figure import boards_figure
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table
from leaderboard.scoring.evaluation import Progress, ranking_measure
from leaderboard.scoring.labels import Labels
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.measures import Measure, RankedLabels, depth_needed
from leaderboard.scoring.score_facts import scoring_facts
from pooling.files.ranking import Ranking
from pooling.files.wanted_ranks import find_wanted
from pooling.models import Collection, Run
from pooling.passages.clusters import canonical_of, members_of
from pooling.storage.ranking_files import ranking_of

#: The maximum number of passages that an example of different grades lists.
MOST_LISTED = 5


@dataclass(frozen=True)
class ClassLabels:
    """Labels with one grade per class of near-duplicates, and the passages of the labeled classes.

    ``classes`` maps qid → canonical pid → grade, and ``members`` maps a canonical pid to the pids of its class.
    ``conflicts`` are the classes whose passages are labeled with different grades.
    """

    labels: Labels
    classes: Grades
    members: Mapping[str, Sequence[str]]
    conflicts: Sequence[Conflict] = ()

    @property
    def counts(self) -> list[LevelCounts]:
        """The numbers of each query's labels by grade, for classes and for their passages."""
        return level_counts(self.classes, {first: len(pids) for first, pids in self.members.items()})

    def expanded(self) -> Labels:
        """Return labels for every passage of the labeled classes."""
        return self.labels.with_entries(expanded_labels(self.classes, self.members))

    def as_qrels(self, *, expand: bool) -> bytes:
        """Return the labels as TREC qrels: one line per class, or with ``expand`` one per passage of each class."""
        rows = expanded_labels(self.classes, self.members if expand else {})
        return "".join(f"{qid} 0 {pid} {grade}\n" for qid, pid, grade in rows).encode()

    @property
    def conflict_sentences(self) -> tuple[str, ...]:
        """A sentence with the number of classes that have conflicting grades and an example; empty if none do."""
        if not self.conflicts:
            return ()
        example = self.conflicts[0]
        grades = ", ".join(f"{pid} has {grade}" for pid, grade in list(example.grades.items())[:MOST_LISTED])
        return (
            f"{many(len(self.conflicts), 'class has', 'classes have')} passages with different grades, such as for "
            f"query {example.qid}: {grades}. The highest grade counts for the whole class.",
        )

    def class_numbers(self, labels: Labels) -> np.ndarray:
        """Return, for each entry of the expanded ``labels``, a class number that is unique across queries."""
        canonical = {pid: first for first, pids in self.members.items() for pid in pids}
        numbers: dict[tuple[str, str], int] = {}
        found = [
            numbers.setdefault((qid, canonical.get(pid, pid)), len(numbers))
            for qid, pid, _ in labels.entries()
        ]
        return np.array(found, dtype=np.int64)


def class_labels(collection: Collection, labels: Labels) -> ClassLabels:
    """Return ``labels`` with one grade per class of near-duplicates of the collection."""
    canonical = canonical_of(collection, sorted(set(labels.pids)))
    grades: dict[str, dict[str, int]] = {qid: {} for qid in labels.qids}
    for qid, pid, grade in labels.entries():
        grades[qid][pid] = grade
    classes = {qid: one_per_class(of_query, canonical) for qid, of_query in grades.items()}
    members = members_of(collection, sorted(set(canonical.values())))
    return ClassLabels(labels, classes, members, conflicts(grades, canonical))


def analyse_near_duplicates(asked: Asked, progress: Progress | None) -> Analysis:
    """Compare the board without near-duplicates with the board under expanded labels.

    Also counts each query's labels by grade. Raises a Refusal if the labels or the measure are unknown.
    """
    labels = labels_asked(asked)
    name = asked.text("measure")
    measure = ranking_measure(name, labels)
    found = class_labels(asked.collection, labels)
    facts = scoring_facts(asked.collection, asked.runs, [labels], parse_measure(name).name, len(labels.qids))
    levels = _level_table(found, facts)
    if not asked.runs:
        return Analysis(facts, (levels,), sentences=(_levels_sentence(found), *found.conflict_sentences))
    once, whole = _means_of_both(asked.collection, asked.runs, found, measure, progress)
    sign = 1 if measure.higher_is_better else -1
    boards = two_boards(sign * once, sign * whole)
    board = _evaluations_table(boards, once, whole, facts)
    names = (f"{facts.mean_measure} without near-duplicates", f"{facts.mean_measure} under expanded labels")
    figure = boards_figure(two_boards(once, whole), list(facts.runs), names, board)
    sentences = (_levels_sentence(found), _boards_sentence(boards), *found.conflict_sentences)
    return Analysis(facts, (levels, board), (figure,), sentences)


def _means_of_both(
    collection: Collection,
    runs: Sequence[Run],
    found: ClassLabels,
    measure: Measure,
    progress: Progress | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return two means per run: without near-duplicates, and of the unchanged run under expanded labels."""
    rows = [(qid, pid, grade) for qid, grades in found.classes.items() for pid, grade in grades.items()]
    canonical, whole = found.labels.with_entries(rows), found.expanded()
    means = []
    for done, run in enumerate(runs):
        ranking = ranking_of(run)
        once = _deduplicated_ranks(collection, ranking, canonical)
        top = ranking_of(run, depth_needed([measure]))
        means.append(
            (
                _mean_or_zero(measure, canonical, once),
                _mean_or_zero(measure, whole, find_wanted(top, whole.wanted).rank),
            )
        )
        if progress:
            progress(done + 1, len(runs))
    first, second = np.array(means, dtype=np.float64).T
    return first, second


def _deduplicated_ranks(collection: Collection, ranking: Ranking, labels: Labels) -> np.ndarray:
    frame = ranking.frame().filter(pl.col("qid").is_in(list(labels.qids)))
    known = canonical_of(collection, frame["pid"].unique().to_list())
    classes = pl.DataFrame(
        {"pid": list(known), "canonical": list(known.values())},
        schema={"pid": pl.String, "canonical": pl.String},
    )
    ranked = without_near_duplicates(frame, classes)
    pairs = [(qid, pid) for qid, pid, _ in labels.entries()]
    wanted = pl.DataFrame(pairs, schema={"qid": pl.String, "pid": pl.String}, orient="row")
    joined = wanted.join(ranked, on=["qid", "pid"], how="left", maintain_order="left")
    return joined["rank"].fill_null(0).to_numpy().astype(np.int64)


def _mean_or_zero(measure: Measure, labels: Labels, rank: np.ndarray) -> float:
    values = measure.values(RankedLabels(len(labels.qids), labels.query, labels.grades, rank))
    mean = measure.mean(values)
    return 0.0 if mean != mean else mean


def _level_table(found: ClassLabels, facts: Facts) -> Table:
    counts = found.counts
    levels = sorted({grade for one in counts for grade in one.judged_at if grade > 0})
    least = found.labels.min_grade
    columns = (
        Column("qid", "query"),
        Column("total_judged", "judged", Kind.COUNT, "all labels"),
        Column("total_expanded", "expanded", Kind.COUNT, "all labels"),
        *(
            Column(f"level{level}_{side}", side, Kind.COUNT, f"grade {level}")
            for level in levels
            for side in ("judged", "expanded")
        ),
        Column("density", "relevant", Kind.SHARE),
    )
    rows = [_level_row(one, levels, least) for one in counts]
    sums: dict[str, int] = {
        column.key: sum(int(str(row.values[column.key])) for row in rows) for column in columns[1:-1]
    }
    relevant = sum(one.relevant(least) for one in counts)
    share = relevant / sums["total_judged"] if sums["total_judged"] else None
    total = Row({"qid": "all", **sums, "density": share}, faint=True)
    caption = (
        "Labels with each class of near-duplicates counted once (judged), and with every passage of the class "
        f"(expanded). Relevant: the share of judged classes of grade {least} or more."
    )
    return Table("levels", "Labels by grade", caption, columns, (*rows, total), facts)


def _level_row(one: LevelCounts, levels: Sequence[int], least: int) -> Row:
    cells: dict[str, str | int | float | None] = {
        "qid": one.qid,
        "total_judged": one.judged,
        "total_expanded": one.expanded,
    }
    for level in levels:
        cells[f"level{level}_judged"] = one.judged_at.get(level, 0)
        cells[f"level{level}_expanded"] = one.expanded_at.get(level, 0)
    return Row(cells | {"density": one.density(least)})


def _evaluations_table(boards: TwoBoards, once: np.ndarray, whole: np.ndarray, facts: Facts) -> Table:
    columns = (
        Column("run", "run"),
        Column("once", "without near-duplicates", Kind.MEASURE, facts.mean_measure),
        Column("expanded", "expanded labels", Kind.MEASURE, facts.mean_measure),
        Column("rank_once", "without near-duplicates", Kind.COUNT, "rank"),
        Column("rank_expanded", "expanded labels", Kind.COUNT, "rank"),
        Column("shift", "shift", Kind.SHIFT, "rank"),
    )
    order = sorted(range(len(facts.runs)), key=lambda place: (boards.first_ranks[place], facts.runs[place]))
    rows = tuple(
        Row.of(
            run=facts.runs[place],
            once=float(once[place]),
            expanded=float(whole[place]),
            rank_once=int(boards.first_ranks[place]),
            rank_expanded=int(boards.second_ranks[place]),
            shift=int(boards.shifts[place]),
        )
        for place in order
    )
    caption = (
        "Runs of which only the first passage of each class is kept, under the labels of canonical passages; and "
        "runs as they are, under labels expanded to every passage of a class."
    )
    return Table("boards", "Two evaluations", caption, columns, rows, facts)


def _levels_sentence(found: ClassLabels) -> str:
    counts = found.counts
    judged, whole = sum(one.judged for one in counts), sum(one.expanded for one in counts)
    most = max((one.density(found.labels.min_grade) for one in counts), default=0.0)
    return (
        f"{many(judged, 'judged class represents', 'judged classes represent')} {many(whole, 'passage')}. The "
        f"largest share of relevant classes of a query is {most:.4f}."
    )


def _boards_sentence(boards: TwoBoards) -> str:
    tau = boards.kendall.tau_b
    moved = int(np.count_nonzero(boards.shifts))
    agreement = "is undefined" if tau is None else f"is {tau:.4f}"
    moves = many(moved, "run changes its", "runs change their")
    return f"Kendall's τ-b of the two evaluations {agreement}; {moves} rank."
