"""Where two sets of labels disagree: grade by grade, query by query, passage by passage."""

from dataclasses import dataclass

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.label_disagreement.computation import Confusion, Kappa, confusion
from leaderboard.analyses.label_disagreement.figure import confusion_figure
from leaderboard.analyses.shared.combinations import labels_or_usual, other_labels
from leaderboard.errors import NothingToScore, WrongSetting
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.labels import Labels, labels_named
from leaderboard.scoring.score_facts import scoring_facts
from pooling.models import Collection

NOT_LABELED = "not labeled"
COUNTED = ("common", "grades", "relevance", "only_first", "only_second")
Grades = dict[tuple[str, str], int]


@dataclass(frozen=True)
class _GradedSide:
    labels: Labels
    grades: Grades

    def relevant(self, key: tuple[str, str]) -> bool:
        return self.grades[key] >= self.labels.min_grade


def analyse_label_disagreement(asked: Asked, _: Progress | None) -> Analysis:
    """Compare two qrel sets or versions.

    Raises WrongSetting if both are the same, and NothingToScore if they label no passage in common.
    """
    collection = asked.collection
    first = labels_or_usual(collection, asked.text("qrels"))
    second = other_labels(collection, first, asked.text("against"), sets_first=True)
    if first == second:
        raise WrongSetting(f"Both sets of labels are {first}.", "Choose other labels.")
    return compare_labels(collection, labels_named(collection, first), labels_named(collection, second))


def compare_labels(collection: Collection, first: Labels, second: Labels) -> Analysis:
    """Compare the grades of two sets of labels. Raises NothingToScore if they label no passage in common."""
    one, two = _graded_side(first), _graded_side(second)
    found = confusion(one.grades, two.grades)
    if not found.common:
        raise NothingToScore(
            f"{first.title} and {second.title} label no passage in common.", "Choose other labels."
        )
    labels = [f"{side.title} (relevant from grade {side.min_grade})" for side in (first, second)]
    queries = len(set(first.qids) & set(second.qids))
    simulated = first.simulated or second.simulated
    facts = scoring_facts(collection, [], labels, "labels", queries, simulated=simulated)
    grades = _confusion_table(found, one, two, facts)
    return Analysis(
        facts=facts,
        tables=(
            _kappa_table(found, one, two, facts),
            grades,
            _query_disagreement_table(one, two, facts),
            _passage_table(one, two, facts),
        ),
        figures=(confusion_figure(found, (one.labels.title, two.labels.title), facts, grades),),
        sentences=(_kappa_sentence(found, one, two),),
    )


def _graded_side(labels: Labels) -> _GradedSide:
    return _GradedSide(labels, {(qid, pid): grade for qid, pid, grade in labels.entries()})


def _kappa_table(found: Confusion, one: _GradedSide, two: _GradedSide, facts: Facts) -> Table:
    least = one.labels.min_grade, two.labels.min_grade
    rows = tuple(
        Row.of(
            labels=words,
            common=found.common,
            observed=kappa.observed,
            expected=kappa.expected,
            kappa=kappa.value,
        )
        for words, kappa in (
            ("grades as they are", found.kappa()),
            ("relevant or not", found.relevance_kappa(*least)),
        )
    )
    columns = (
        Column("labels", "labels"),
        Column("common", "labeled by both", Kind.COUNT, "passages"),
        Column("observed", "equal", Kind.SHARE, "passages"),
        Column("expected", "equal by chance", Kind.SHARE, "passages"),
        Column("kappa", "κ", Kind.MEASURE),
    )
    caption = (
        "Cohen's κ (1960) on the passages of a query that both sets label, for the grades and for relevant or not, "
        "with each set's own lowest relevant grade. No κ: both sets give every passage the same label."
    )
    return Table("agreement", "Agreement of the labels", caption, columns, rows, facts)


def _confusion_table(found: Confusion, one: _GradedSide, two: _GradedSide, facts: Facts) -> Table:
    grades = [str(grade) for grade in found.second]
    group = two.labels.title
    columns = (
        Column("grade", one.labels.title),
        *(Column(f"grade_{grade}", grade, Kind.COUNT, group) for grade in grades),
        Column("outside", NOT_LABELED, Kind.COUNT, group),
        Column("all", "all", Kind.COUNT),
    )
    rows = []
    lines = zip(found.first, found.counts.tolist(), found.only_first.tolist(), strict=True)
    for first, counts, outside in lines:
        cells = {f"grade_{grade}": count for grade, count in zip(grades, counts, strict=True)}
        rows.append(Row({"grade": str(first), **cells, "outside": outside, "all": sum(counts) + outside}))
    only = found.only_second.tolist()
    cells = {f"grade_{grade}": count for grade, count in zip(grades, only, strict=True)}
    rows.append(Row({"grade": NOT_LABELED, **cells, "outside": None, "all": sum(only)}))
    caption = (
        f"Passages by their grade in {one.labels.title} (rows) and in {two.labels.title} (columns). Passages of "
        "queries that only one of the two covers are not labeled in the other."
    )
    return Table("confusion", "Confusion of grades", caption, columns, tuple(rows), facts)


def _query_disagreement_table(one: _GradedSide, two: _GradedSide, facts: Facts) -> Table:
    """Return a table of the queries that both sets cover, by descending disagreement about relevance."""
    covered = set(two.labels.qids)
    found = {qid: dict.fromkeys(COUNTED, 0) for qid in one.labels.qids if qid in covered}
    for key in {**one.grades, **two.grades}:
        if key[0] not in found:
            continue
        counts = found[key[0]]
        if key in one.grades and key in two.grades:
            counts["common"] += 1
            counts["grades"] += one.grades[key] != two.grades[key]
            counts["relevance"] += one.relevant(key) != two.relevant(key)
        else:
            counts["only_first" if key in one.grades else "only_second"] += 1
    order = sorted(found, key=lambda qid: (-found[qid]["relevance"], -found[qid]["grades"]))
    rows = tuple(Row({"qid": qid, **found[qid]}) for qid in order)
    labels = (
        "labeled by both",
        "of different grades",
        "relevant in one only",
        f"in {one.labels.title} only",
        f"in {two.labels.title} only",
    )
    columns = (
        Column("qid", "query"),
        *(Column(key, label, Kind.COUNT, "passages") for key, label in zip(COUNTED, labels, strict=True)),
    )
    caption = "Queries that both sets cover, with how many passages both sets or only one label as relevant."
    return Table("queries", "Disagreement query by query", caption, columns, rows, facts)


def _passage_table(one: _GradedSide, two: _GradedSide, facts: Facts) -> Table:
    """Return a table of the passages with different grades in the two sets, in the order of the first set."""
    rows = tuple(
        Row.of(
            qid=key[0],
            pid=key[1],
            first=str(grade),
            second=str(two.grades[key]),
            relevant_in=_relevant_in(one, two, key),
        )
        for key, grade in one.grades.items()
        if key in two.grades and grade != two.grades[key]
    )
    columns = (
        Column("qid", "query"),
        Column("pid", "passage"),
        Column("first", one.labels.title, Kind.TEXT, "grade"),
        Column("second", two.labels.title, Kind.TEXT, "grade"),
        Column("relevant_in", "relevant in"),
    )
    caption = "Passages that both sets label with different grades."
    return Table("passages", "Disagreement passage by passage", caption, columns, rows, facts)


def _relevant_in(one: _GradedSide, two: _GradedSide, key: tuple[str, str]) -> str:
    match one.relevant(key), two.relevant(key):
        case True, True:
            return "both"
        case False, False:
            return "neither"
        case True, False:
            return one.labels.title
    return two.labels.title


def _kappa_sentence(found: Confusion, one: _GradedSide, two: _GradedSide) -> str:
    def said(kappa: Kappa) -> str:
        return "not defined" if kappa.value is None else f"{kappa.value:.2f}"

    relevance = found.relevance_kappa(one.labels.min_grade, two.labels.min_grade)
    equal = found.kappa()
    return (
        f"{one.labels.title} and {two.labels.title} both label {found.common:,} passages: {equal.observed:.1%} with "
        f"the same grade (Cohen's kappa {said(equal)}), {relevance.observed:.1%} alike as relevant or not "
        f"({said(relevance)})."
    )
