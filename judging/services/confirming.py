"""Ask the crowd at once about work that would exclude its worker, before the worker gets another task."""

from __future__ import annotations

import logging

from config.counting import first_time
from config.errors import Refusal
from judging.crowds import crowd_for
from judging.models import Campaign, GoldAnswer, GoldPair, Place, Submission, Worker
from judging.screening import screen
from judging.services.asking import Questions
from judging.services.collecting import collect_place
from judging.services.flagging import flag_workers
from judging.services.screening_workers import answers_of

log = logging.getLogger(__name__)
#: The crowd is asked about so many places at most while a page is opened.
MOST_PLACES = 2
#: For one worker it is asked so often at most.
AGAIN_SECONDS = 10
UNCONFIRMED_WORK = Questions("confirmed", a_minute=30)


def confirm_failed(campaign: Campaign, worker: Worker) -> None:
    """Collect what this worker sent off from our page when its answers on gold pairs, if confirmed, exclude.

    Who fails and comes for the next task right away is met by the exclusion there, not a collection later. The
    crowd alone says whose work it is: what it does not confirm, somebody may have sent under a made-up name, and
    nobody is refused for it; nor is anybody while the crowd does not answer.
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
    if not failed.exists():
        return
    unconfirmed = list(GoldAnswer.objects.filter(submission__in=failed.values("submission")).order_by("pk"))
    answers = [one.passed for one in (*answers_of(campaign, worker), *unconfirmed)]
    if not screen(answers, campaign.screen, slip_rate=campaign.slip_rate).excluded:
        return
    # Who makes addresses up could else use up the calls that paying needs.
    asked = f"confirm:{campaign.pk}:{campaign.created_at.timestamp()}:{worker.pk}"
    if not first_time(asked, seconds=AGAIN_SECONDS):
        return
    places = Place.objects.filter(submissions__in=failed.values("submission")).exclude(crowd_id="").distinct()
    for place in places.order_by("-pk")[:MOST_PLACES]:
        try:
            UNCONFIRMED_WORK.count(campaign)
            collect_place(campaign, crowd_for(campaign), place)
            flag_workers(campaign, [worker.pk])
        except Refusal as refusal:
            log.info("%s: work could not be confirmed now: %s", campaign.name, refusal)
            return  # nobody waits for a crowd that does not answer once more
