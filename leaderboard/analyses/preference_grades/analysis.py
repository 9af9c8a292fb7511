"""Preferences compared with grades, as a table and a sentence."""

from collections.abc import Iterator

from django.db.models import QuerySet

from judging.models import Judgment
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.preference_grades.computation import (
    GradeGap,
    JudgedPair,
    all_gaps,
    preference_by_gap,
)
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis, Column, Facts, Kind, Table
from leaderboard.output.table import rows_of
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.score_facts import scoring_facts
from pooling.models import Qrel, QrelSet


def analyse_preference_grades(asked: Asked, _: Progress | None) -> Analysis:
    """Compare the campaign's counted judgments with grades. Raises NothingToScore if no pair has two grades."""
    campaign = asked.judged
    # Labels that were mapped to documents have no grades for passages.
    sets = asked.collection.qrel_sets.filter(kind=QrelSet.Kind.GRADED, mapped_from=None).order_by("-pk")
    newest = sets.first() if not asked.text("grades") else None
    graded = newest or official_set(asked.collection, asked.text("grades") or None)
    labels = Qrel.objects.filter(qrel_set=graded).order_by("-position")
    rows = labels.values_list("query_id", "passage_id", "passage__class_key", "grade")
    # Near-duplicates and equal texts share a grade. Rows are in reverse order, so the first label of a class is kept.
    grades = {(query, key or str(passage)): grade for query, passage, key, grade in rows.iterator(5000)}
    judgments = Judgment.objects.filter(campaign=campaign, kind=Judgment.Kind.PREFERENCE).counted()
    found, ungraded = preference_by_gap(_judged_passages(judgments), grades)
    if not found:
        raise NothingToScore(
            f"No judged pair of {campaign.name} has grades for both passages in {graded.name}.",
            "Choose other labels.",
        )
    queries = judgments.values("pair__query").distinct().count()
    simulated = judgments.filter(judge_kind="simulated").exists()
    labels_used = [graded.name, campaign.name]
    facts = scoring_facts(campaign.collection, [], labels_used, "judgments", queries, simulated=simulated)
    return Analysis(facts, (_gap_table(found, ungraded, facts),), (), (_grade_sentence(found, ungraded),))


def _judged_passages(counted: QuerySet[Judgment]) -> Iterator[JudgedPair]:
    rows = counted.order_by("pk").values_list(
        *("pair__query_id", "left_id", "left__class_key", "right_id", "right__class_key", "preferred_id")
    )
    for query, left, left_key, right, right_key, preferred in rows.iterator(chunk_size=5000):
        both = (query, left_key or str(left)), (query, right_key or str(right))
        first, second = both if preferred != right else both[::-1]
        yield first, second, preferred is not None


def _gap_table(found: list[GradeGap], ungraded: int, facts: Facts) -> Table:
    columns = (
        Column("gap", "difference of grades", Kind.COUNT),
        Column("judgments", "judgments", Kind.COUNT),
        Column("higher", "preferred the higher grade", Kind.SHARE_INTERVAL),
        Column("undecided", "undecided", Kind.COUNT),
    )
    caption = (
        "Judgments of pairs by the difference between the grades of the two passages, and the share that preferred "
        f"the passage with the higher grade, with Wilson 95% intervals. {ungraded:,} judgments have an ungraded "
        "passage."
    )
    return Table("preference", "Preference against grade", caption, columns, rows_of(found, columns), facts)


def _grade_sentence(found: list[GradeGap], ungraded: int) -> str:
    apart = all_gaps(found)
    graded = sum(row.judgments for row in found)
    if apart.value is None:
        return (
            f"No judgment prefers a passage of a pair with different grades; {graded:,} judgments are of pairs with "
            "two graded passages."
        )
    return (
        f"The preferred passage has the higher grade in {apart.value:.1%} of {apart.total:,} judgments of pairs with "
        f"different grades; {graded:,} of {graded + ungraded:,} judgments are of pairs with two graded passages."
    )
