"""Agreement of assessors: the first grades of passages compared with second opinions."""

from django.db.models import Exists, OuterRef

from judging.models import GradedCampaign, GradedItem, TopicAssignment
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.label_disagreement.analysis import compare_labels
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.labels import Labels, labels_of_rows


def analyse_assessor_agreement(asked: Asked, _: Progress | None) -> Analysis:
    """Compare the first grades with the second opinions of a graded campaign (default: the newest).

    Topics whose two assessments are by the same assessor are left out. Raises NothingToScore if there is no such
    campaign, or no passage was graded by two assessors.
    """
    collection, campaign = asked.collection, asked.text("graded")
    campaigns = GradedCampaign.objects.filter(collection=collection).order_by("-pk")
    found = (campaigns.filter(name=campaign) if campaign else campaigns).first()
    if found is None:
        named = f" {campaign!r}" if campaign else ""
        raise NothingToScore(f"{collection.name} has no graded campaign{named}.", "Create one first.")
    first, second = (_grades_as_labels(found, second=second) for second in (False, True))
    if not second.pids:
        raise NothingToScore(
            f"Nobody gave a second opinion in {found.name}.",
            "Take second opinions on the graded campaign's page first.",
        )
    return compare_labels(collection, _only_sampled(first, second), second)


def _grades_as_labels(campaign: GradedCampaign, *, second: bool) -> Labels:
    items = GradedItem.objects.filter(
        assignment__topic__campaign=campaign,
        assignment__second=second,
        assignment__over_at=None,
        grade__isnull=False,
    ).order_by("assignment__topic__query__position", "position")
    if second:
        first = TopicAssignment.objects.filter(
            topic=OuterRef("assignment__topic"),
            assessor=OuterRef("assignment__assessor"),
            second=False,
            over_at=None,
        )
        items = items.exclude(Exists(first))
    rows = items.values_list("assignment__topic__query__qid", "passage__pid", "grade")
    name = f"{campaign.name}, {'second opinions' if second else 'first grades'}"
    known = [(qid, pid, grade) for qid, pid, grade in rows if grade is not None]
    return labels_of_rows(name, campaign.min_grade, known)


def _only_sampled(first: Labels, second: Labels) -> Labels:
    """Return the first grades of the passages that also have a second opinion."""
    sampled = {(qid, pid) for qid, pid, _ in second.entries()}
    return first.with_entries([one for one in first.entries() if one[:2] in sampled])
