"""Screen workers on gold pairs. The work of an excluded worker does not count, and others repeat the tasks."""

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet

from judging.campaign.campaigns import log_change
from judging.models import Campaign, Exclusion, GoldAnswer, GoldPair, Submission, Task, Worker
from judging.rules.screening import screen_answers
from judging.tasks.lease_ends import lock_in_order

#: The ``reversed_by`` of an exclusion reversed by suspending a gold pair. Its other failed answers still count.
SUSPENSION = "suspension of a gold pair"


def screen_worker(campaign: Campaign, worker: Worker) -> Exclusion | None:
    """Check all of the worker's gold answers in the campaign, and exclude the worker if the rule requires it.

    Answers to suspended gold pairs, and answers that led to an exclusion that a person reversed, are ignored. Returns
    the exclusion in force, or None. Safe to repeat.
    """
    answers = answers_of(campaign, worker)
    verdict = screen_answers(
        [answer.passed for answer in answers],
        campaign.screen,
        slip_rate=campaign.slip_rate,
        gold=campaign.gold_words,
    )
    if not verdict.excluded:
        return standing_exclusion(campaign, worker)
    failed = [answers[index] for index in verdict.failed]
    return exclude(campaign, worker, campaign.screen, verdict.reason, failed=failed)


def answers_of(campaign: Campaign, worker: Worker) -> list[GoldAnswer]:
    """Return the worker's gold answers that count for screening, oldest first; all are from confirmed work."""
    return list(
        GoldAnswer.objects.confirmed()
        .filter(submission__campaign=campaign, worker=worker)
        .exclude(gold_pair__state=GoldPair.State.SUSPENDED)
        .exclude(pk__in=forgiven(campaign, worker))
        .order_by("pk")
    )


def forgiven(campaign: Campaign, worker: Worker) -> QuerySet:
    """Return the keys of gold answers that led to exclusions of the worker that a person reversed."""
    reversed_ones = Exclusion.objects.filter(campaign=campaign, worker=worker).exclude(reversed_at=None)
    by_people = reversed_ones.exclude(reversed_by=SUSPENSION)
    return by_people.exclude(gold_answers=None).values("gold_answers")


def standing_exclusion(campaign: Campaign, worker: Worker) -> Exclusion | None:
    """Return the worker's exclusion from the campaign that is in force, or None."""
    return Exclusion.objects.filter(campaign=campaign, worker=worker, reversed_at=None).first()


@transaction.atomic
def exclude(
    campaign: Campaign,
    worker: Worker,
    rule: str,
    reason: str,
    *,
    failed: Sequence[GoldAnswer] = (),
    who: str = "",
) -> Exclusion:
    """Exclude the worker from the campaign and stop counting the worker's judgments.

    ``failed`` are the gold answers that led to the exclusion. Safe to repeat: only one exclusion is recorded.
    """
    try:
        with transaction.atomic():
            exclusion = Exclusion.objects.create(
                campaign=campaign, worker=worker, rule=rule, reason=reason, decided_by=who
            )
            exclusion.gold_answers.set(failed)
            if failed:  # decided by the rule; people's decisions are logged with their name
                log_change(campaign, f"worker {worker.pk} excluded by the rule {rule}", why=reason)
    except IntegrityError:
        exclusion = Exclusion.objects.get(campaign=campaign, worker=worker, reversed_at=None)
    stop_counting(campaign, worker)
    return exclusion


@transaction.atomic
def stop_counting(campaign: Campaign, worker: Worker) -> int:
    """Mark the worker's submissions as excluded, and offer again every task that the worker holds or did.

    Submissions that our page never saw stay unknown. Returns the number of tasks offered again. Safe to repeat.
    """
    theirs = Submission.objects.filter(campaign=campaign, worker=worker)
    work = theirs.exclude(standing=Submission.Standing.UNKNOWN)
    lock_in_order(work)
    work.update(standing=Submission.Standing.EXCLUDED)
    return Task.objects.filter(campaign=campaign, holder__worker=worker).free()


def gold_record(campaign: Campaign) -> list[dict[str, Any]]:
    """Return a dict for each answered gold pair, with the numbers of answers and of failures, most failures first."""
    answers = GoldAnswer.objects.confirmed().filter(submission__campaign=campaign).values("gold_pair")
    counted = answers.annotate(answered=Count("pk"), failed=Count("pk", filter=Q(passed=False)))
    return list(counted.order_by("-failed", "gold_pair"))
