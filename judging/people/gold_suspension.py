"""Suspend a bad gold pair, and reverse the exclusions that depend on it."""

from dataclasses import dataclass

from django.db import transaction

from config import clock
from judging.campaign.campaigns import log_change
from judging.errors import BadInput, CampaignRefused
from judging.intake.screened_work import SUSPENSION, answers_of
from judging.models import Campaign, Exclusion, GoldAnswer, GoldPair, Submission, Worker
from judging.people.exclusions import PERSON, count_again
from judging.people.rights import has_withdrawn
from judging.rules.gold_suspicion import suspicious
from judging.rules.screening import screen_answers


@dataclass(frozen=True)
class Suspended:
    """A suspended gold pair, its key and the reason, and the effect of its suspension.

    ``reinstated`` is the number of workers whose exclusion was reversed. ``reopened`` is the number of other
    submissions whose standing was decided again.
    """

    gold_pair: int
    why: str
    reinstated: int
    reopened: int


def suspend_suspicious(campaign: Campaign) -> list[Suspended]:
    """Suspend gold pairs that too many workers fail although they pass all their other gold pairs. Safe to repeat.

    The rule is :func:`judging.rules.gold_suspicion.suspicious`.
    """
    answers = GoldAnswer.objects.confirmed().filter(
        submission__campaign=campaign, gold_pair__state=GoldPair.State.ACCEPTED
    )
    rows = answers.order_by("pk").values_list("gold_pair_id", "worker_id", "passed")
    found = suspicious(rows, slip_rate=campaign.slip_rate)
    return [
        suspend_gold_pair(campaign, GoldPair.objects.get(pk=one.gold), why=one.words(campaign.gold_words))
        for one in found
    ]


@transaction.atomic
def suspend_gold_pair(campaign: Campaign, gold: GoldPair, *, why: str, who: str = "") -> Suspended:
    """Suspend a gold pair, so that no further task shows it, and reverse the exclusions that depend on it.

    Work that did not count only because of this gold pair counts again, or is surplus if others did the task. Raises
    BadInput without a reason, and CampaignRefused for a gold pair that is not in use.
    """
    if not why.strip():
        raise BadInput("A suspension needs a reason.", "Add a reason. It is stored with the decision.")
    changes = {"decided_at": clock.now(), "decided_by": who, "decided_why": why.strip()}
    in_use = GoldPair.objects.filter(pk=gold.pk, campaign=campaign, state=GoldPair.State.ACCEPTED)
    if not in_use.update(state=GoldPair.State.SUSPENDED, **changes):
        words = campaign.gold_words
        raise CampaignRefused(
            f"{words.capitalize()} {gold.pk} is not one of {campaign.name}'s accepted {words}s."
        )
    log_change(campaign, f"{campaign.gold_words} {gold.pk} suspended", why=why, who=who)
    reinstated = [one for one in resting_on(campaign, gold) if _reverse(campaign, one, gold)]
    failed = GoldAnswer.objects.filter(gold_pair=gold, passed=False).values("submission")
    excluded = Submission.objects.filter(pk__in=failed, standing=Submission.Standing.EXCLUDED)
    alone = excluded.exclude(worker__exclusions__campaign=campaign, worker__exclusions__reversed_at=None)
    reopened = len(count_again(campaign, alone))
    return Suspended(gold.pk, why, len(reinstated), reopened)


def resting_on(campaign: Campaign, gold: GoldPair) -> list[Exclusion]:
    """Return the screening rule's active exclusions that count a failure on this gold pair."""
    standing = Exclusion.objects.filter(campaign=campaign, reversed_at=None, gold_answers__gold_pair=gold)
    return list(standing.exclude(rule__in=[PERSON, Exclusion.WITHDRAWN]).select_related("worker"))


def _reverse(campaign: Campaign, exclusion: Exclusion, gold: GoldPair) -> bool:
    """Reverse the exclusion if the worker would not be excluded without this gold pair; return whether it was."""
    worker: Worker = exclusion.worker
    if has_withdrawn(campaign, worker):
        return False
    passed = [answer.passed for answer in answers_of(campaign, worker)]
    if screen_answers(passed, campaign.screen, slip_rate=campaign.slip_rate).excluded:
        return False
    changes = {"reversed_by": SUSPENSION, "reversed_why": f"{campaign.gold_words} {gold.pk} was suspended"}
    Exclusion.objects.filter(pk=exclusion.pk).update(reversed_at=clock.now(), **changes)
    log_change(campaign, f"worker {worker.pk} reinstated", why=changes["reversed_why"])
    work = Submission.objects.filter(campaign=campaign, worker=worker, standing=Submission.Standing.EXCLUDED)
    count_again(campaign, work)
    return True
