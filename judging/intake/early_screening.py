"""Collect work early if it would exclude its worker, before the worker gets another task."""

import logging

from django.db.models import QuerySet

from config.errors import Refusal
from config.rate_limits import first_time
from judging.crowds import crowd_for
from judging.errors import WorkRefused
from judging.exchange.lookup_limits import LookupLimit
from judging.intake.collection import collect_place
from judging.intake.raised_flags import flag_workers
from judging.intake.screened_work import answers_of
from judging.models import Campaign, GoldAnswer, GoldPair, Place, Submission, Worker
from judging.rules.screening import screen_answers

log = logging.getLogger(__name__)
#: The maximum number of places to look up at the crowd while a page is opened.
MOST_PLACES = 2
#: The shortest time between two checks of one worker, in seconds.
AGAIN_SECONDS = 10
UNCONFIRMED_WORK = LookupLimit("confirmed", a_minute=30)


def confirm_failed(campaign: Campaign, worker: Worker) -> None:
    """Collect this worker's submitted work if its gold answers, once confirmed, lead to an exclusion.

    A worker who fails and asks for another task then sees the exclusion at once, not after the next collection. Only
    the crowd knows whose work it is, since a visitor can make up a worker's id. So nobody is refused for unconfirmed
    work, or while the crowd does not respond, unless the crowd signed the arrival for that work. Then WorkRefused
    tells the worker to wait until the work is collected. Otherwise, a worker could return each finished task at the
    crowd, which lists no returned tasks, and go on after failing.
    """
    failed = (
        GoldAnswer.objects.filter(
            submission__campaign=campaign,
            submission__state=Submission.State.FINISHED,
            worker=worker,
            passed=False,
        )
        .exclude(gold_pair__state=GoldPair.State.SUSPENDED)
        .exclude(submission__standing=Submission.Standing.TRIAL)
    )
    if not _would_exclude(campaign, worker, failed):
        return
    # Without this limit, made-up addresses could use up the calls needed for payments.
    if first_time(f"confirm:{campaign.call_key}:{worker.pk}", seconds=AGAIN_SECONDS):
        _collect_failed(campaign, worker, failed)
    if _would_exclude(campaign, worker, failed.exclude(submission__taken_at=None)):
        raise WorkRefused("not-ready", worker=worker)


def _would_exclude(campaign: Campaign, worker: Worker, failed: QuerySet[GoldAnswer]) -> bool:
    """Return whether the worker would be excluded if the work with these failed answers were confirmed."""
    if not failed.exists():
        return False
    unconfirmed = GoldAnswer.objects.filter(submission__in=failed.values("submission")).order_by("pk")
    answers = [one.passed for one in (*answers_of(campaign, worker), *unconfirmed)]
    return screen_answers(answers, campaign.screen, slip_rate=campaign.slip_rate).excluded


def _collect_failed(campaign: Campaign, worker: Worker, failed: QuerySet[GoldAnswer]) -> None:
    places = Place.objects.filter(submissions__in=failed.values("submission")).exclude(crowd_id="").distinct()
    for place in places.order_by("-pk")[:MOST_PLACES]:
        try:
            UNCONFIRMED_WORK.count(campaign)
            collect_place(campaign, crowd_for(campaign), place)
            flag_workers(campaign, [worker.pk])
        except Refusal as refusal:
            log.info("%s: work could not be confirmed now: %s", campaign.name, refusal)
            return  # do not wait for another call that may fail
