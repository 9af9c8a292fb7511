"""People's rights: to be forgotten, and to take judgments back; and how long what tells of a person is kept."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Sum
from django.db.models.functions import Coalesce

from config import clock
from config.sweep import Sweep
from judging.errors import BadInput, CampaignRefused
from judging.models import (
    Appeal,
    Campaign,
    CrowdCall,
    CrowdIdentity,
    Discrepancy,
    Exclusion,
    PairReport,
    Payment,
    RightsRequest,
    Submission,
    Worker,
    WorkerMessage,
)
from judging.screening import Verdict
from judging.services import rights_list
from judging.services.calls import campaign_key
from judging.services.campaigns import log
from judging.services.erasing import erase_ids
from judging.services.payments import key_of
from judging.services.screening_workers import exclude, standing_exclusion

logger = logging.getLogger(__name__)
#: What a forgotten submission's assignment id begins with; the rest is our own key.
FORGOTTEN = "forgotten-"
LIVE = [Submission.State.HELD, Submission.State.FINISHED]
#: What became of work that did not come in.
ENDED = [Submission.State.RETURNED, Submission.State.LAPSED]


@dataclass(frozen=True)
class Withdrawn:
    """What a withdrawal took out: judgments that counted, and the day until which it could be asked."""

    judgments: int
    until: datetime


def find_worker(word: str) -> Worker:
    """The worker with our number, or with this id at any crowd; raises CampaignRefused."""
    known = (
        Worker.objects.filter(pk=int(word)) if word.isdecimal() and len(word) < 19 else Worker.objects.none()
    )
    found = known.first() or Worker.objects.filter(identity__crowd_worker_id=word).first()
    if found is None:
        raise BadInput(
            f"There is no worker {word}.",
            "Give our number (exclusions and exports of the campaign's page show it) or the id at the crowd.",
        )
    return found


@transaction.atomic
def forget_worker(
    worker: Worker, *, who: str = "", why: str = "", what: str = RightsRequest.What.FORGET
) -> dict[str, int]:
    """Erase what links a worker to a person: crowd ids, assignments, places, words, messages. Safe to repeat.

    Judgments stay, as anonymous ones. Returns how much of each was erased, and how many exclusions ended with it:
    nothing is kept by which they would be known again. Raises CampaignRefused while the worker holds a task or is
    owed money, which could not be paid any more, and when ``why`` would keep who it was.
    """
    _refuse_names(worker, why)
    work = Submission.objects.filter(worker=worker)
    if work.filter(state__in=LIVE).exclude(standing=Submission.Standing.TRIAL).exists():
        raise CampaignRefused(
            f"Worker {worker.pk} has a task in hand.", "Forget them when it has come in or its time is over."
        )
    owed = Payment.objects.filter(submission__worker=worker, state__in=Payment.OPEN)
    if amount := owed.aggregate(sum=Sum("amount", default=Decimal(0)))["sum"]:
        raise CampaignRefused(
            f"Worker {worker.pk} is still owed ${amount:,.2f}, which cannot be paid without the crowd's id.",
            "Collect first, then forget. What the crowd refuses for good: "
            f"manage.py settle_payment {owed.values_list('submission__campaign__name', flat=True)[0]}",
        )
    known = Exclusion.objects.misconduct().filter(worker=worker, worker__identity__isnull=False)
    ids = _ids_of(worker)
    done = {
        "refusals_ended": known.count(),
        "identities": CrowdIdentity.objects.filter(worker=worker).delete()[0],
        "comments": work.exclude(comment="").update(comment=""),
        "reports": PairReport.objects.filter(submission__worker=worker).exclude(words="").update(words=""),
        "appeals": sum(_scrub_appeal(appeal) for appeal in Appeal.objects.filter(worker=worker))
        + sum(_scrub_way(appeal) for appeal in Appeal.objects.filter(came_by__in=ids).exclude(worker=worker)),
        "messages": WorkerMessage.objects.filter(worker=worker)
        .exclude(text="")
        .update(text="", subject="", failure=""),
        "calls": _scrub_calls(worker),
        "submissions": sum(_anonymise(submission) for submission in [*work, *_handed_on(worker)]),
        "quotations": erase_ids(ids),
    }
    Worker.objects.filter(pk=worker.pk, forgotten_at=None).update(forgotten_at=clock.now())
    if any(done.values()):
        RightsRequest.objects.create(what=what, worker=worker, who=who, why=why, done=done)
        rights_list.note(what, worker)
    return done


def _ids_of(worker: Worker) -> list[str]:
    """What the crowd calls the worker, and the assignments that it would name the worker for."""
    identity = CrowdIdentity.objects.filter(worker=worker).values_list("crowd_worker_id", flat=True)
    return [*identity, *_assignments(worker)]


def _assignments(worker: Worker) -> list[str]:
    """Those that the worker held last: one that was handed on is the next worker's, and is still needed for pay."""
    mine = Submission.objects.filter(worker=worker).exclude(assignment_id__startswith=FORGOTTEN)
    ids = set(mine.values_list("assignment_id", flat=True))
    others = Submission.objects.filter(assignment_id__in=ids).exclude(worker=worker)
    return sorted(ids - set(others.exclude(state__in=ENDED).values_list("assignment_id", flat=True)))


def _handed_on(worker: Worker) -> list[Submission]:
    """Submissions of others that ended before the worker got the assignment: the crowd says whose it became."""
    ended = Submission.objects.filter(assignment_id__in=_assignments(worker), state__in=ENDED)
    return list(ended.exclude(worker=worker))


def _refuse_names(worker: Worker, why: str) -> None:
    """Reasons are kept for good, so none may say who it was."""
    identity = CrowdIdentity.objects.filter(worker=worker).first()
    if "@" in why or (identity and identity.crowd_worker_id.lower() in why.lower()):
        raise BadInput(
            "The reason names the person, and it is kept for good.",
            "Give one without an address or a worker id, such as: asked by mail on 3 May.",
        )


def _anonymise(submission: Submission) -> int:
    """Without assignment and place, whose worker the crowd could name, and without the receipt made of them."""
    if submission.assignment_id.startswith(FORGOTTEN):
        return 0
    receipts = Discrepancy.objects.filter(submission=submission, kind=Discrepancy.Kind.ONLY_HERE)
    receipts.update(detail={})
    changes = {"assignment_id": f"{FORGOTTEN}{submission.pk}", "place": None}
    return Submission.objects.filter(pk=submission.pk).update(**changes)


def _scrub_appeal(appeal: Appeal) -> int:
    """An appeal without its words, and without the assignment in the address by which its worker came."""
    told = {"words": appeal.words, "came_by": appeal.came_by}
    kept = {"words": "", "came_by": _came_by(appeal)}
    return 0 if told == kept else Appeal.objects.filter(pk=appeal.pk).update(**kept)


def _scrub_way(appeal: Appeal) -> int:
    """Somebody else's appeal without the assignment in the address, which is a forgotten worker's."""
    return Appeal.objects.filter(pk=appeal.pk).update(came_by=_came_by(appeal))


def _came_by(appeal: Appeal) -> str:
    """What stands for the assignment of an appeal: appeals of one worker are told apart by it."""
    return f"{FORGOTTEN}{appeal.pk}" if appeal.came_by else ""


def _scrub_calls(worker: Worker) -> int:
    """Calls about the worker's submissions name their assignments: keep that they were made, not for whom.

    The key of a bonus is made of the assignment and stands in the reason that the crowd shows, so it goes, too.
    """
    payments = Payment.objects.filter(submission__worker=worker)
    bonuses = payments.exclude(kind=Payment.Kind.REWARD).select_related("submission__campaign")
    named_after = [key_of(payment.submission.campaign, payment) for payment in bonuses]
    keys = [
        f"{campaign_key(submission.campaign)}-{operation}-{submission.pk}"
        for submission in Submission.objects.filter(worker=worker).select_related("campaign")
        for operation in ("pay", "reject", "override")
    ]
    calls = CrowdCall.objects.filter(key__in=[*keys, *named_after])
    named = calls | CrowdCall.objects.filter(pk__in=payments.values("call"))
    erased = {"request": {}, "reply": {}, "error_message": ""}
    count = CrowdCall.objects.filter(pk__in=named.values("pk")).exclude(request={}).update(**erased)
    for call in CrowdCall.objects.filter(pk__in=bonuses.values("call")) | calls.filter(key__in=named_after):
        CrowdCall.objects.filter(pk=call.pk).update(key=f"{FORGOTTEN}{call.pk}")
    return count


def withdrawal_until(campaign: Campaign, worker: Worker) -> datetime:
    """The end of the time in which the worker may take judgments back; raises CampaignRefused for a stranger."""
    work = Submission.objects.filter(campaign=campaign, worker=worker)
    last = work.aggregate(last=Max(Coalesce("submitted_at", "finished_at", "opened_at")))["last"]
    if last is None:
        raise CampaignRefused(f"Worker {worker.pk} has not worked on {campaign.name}.")
    return last + timedelta(days=campaign.withdrawal_days)


@transaction.atomic
def withdraw_worker(
    campaign: Campaign, worker: Worker, *, why: str = "", who: str = "", late: bool = False
) -> Withdrawn:
    """Take the worker's judgments out of the campaign, as an exclusion does; others repeat the tasks.

    They were asked for and are paid. Versions that are published stay as they are; the next one is without them.
    Raises CampaignRefused when it was done before, or after the campaign's days for it (unless ``late``).
    """
    _refuse_names(worker, why)
    until = withdrawal_until(campaign, worker)
    if clock.now() > until and not late:
        raise CampaignRefused(
            f"Worker {worker.pk} could take judgments back until {until:%Y-%m-%d}, "
            f"{campaign.withdrawal_days} days after the last task.",
            "To do it all the same: --late.",
        )
    standing = standing_exclusion(campaign, worker)
    if has_withdrawn(campaign, worker):
        raise CampaignRefused(f"Worker {worker.pk} has withdrawn from {campaign.name} already.")
    judgments = worker.judgments.filter(campaign=campaign).counted().count()
    if standing is None:
        words = why.strip() or "the worker took the judgments back"
        exclusion = exclude(campaign, worker, Verdict(True, Exclusion.WITHDRAWN, words, ()), [])
        Exclusion.objects.filter(pk=exclusion.pk).update(decided_by=who)
    log(campaign, f"worker {worker.pk} withdrew", why=why, who=who)
    done = {"judgments": judgments}
    RightsRequest.objects.create(
        what=RightsRequest.What.WITHDRAW, campaign=campaign, worker=worker, who=who, why=why, done=done
    )
    rights_list.note(RightsRequest.What.WITHDRAW, worker, campaign)
    return Withdrawn(judgments, until)


def has_withdrawn(campaign: Campaign, worker: Worker) -> bool:
    """Whether the worker ever took the campaign's judgments back: then nothing makes them count again."""
    asked = RightsRequest.objects.filter(campaign=campaign, worker=worker)
    return asked.filter(what=RightsRequest.What.WITHDRAW).exists()


def enforce_retention() -> dict[str, int]:
    """Forget workers, and erase what they wrote, that were kept as long as the settings say. Safe to repeat.

    Days count from a worker's last task. Nobody is forgotten while a campaign that they worked on is under way, or
    while money is owed. A worker or a step that fails holds up no other: SweepFailed is raised at the end.
    """
    done, sweep, now = {"forgotten": 0, "comments": 0}, Sweep("Retention"), clock.now()
    if days := settings.KEEP_IDENTITIES_DAYS:
        for worker in _idle_since(now - timedelta(days=days)):
            with sweep.step(f"worker {worker.pk}"):
                done["forgotten"] += _forget_idle(worker, days)
    if days := settings.KEEP_COMMENTS_DAYS:
        with sweep.step("what workers wrote"):
            done["comments"] = _retain_words(now, days)
    sweep.end()
    return done


def _forget_idle(worker: Worker, days: int) -> bool:
    try:
        forget_worker(worker, why=f"kept for {days} days", what=RightsRequest.What.RETENTION)
    except CampaignRefused as refusal:
        logger.warning("A worker is kept longer than PREFEREE_KEEP_IDENTITIES_DAYS: %s", refusal)
        return False
    return True


@transaction.atomic
def _retain_words(now: datetime, days: int) -> int:
    erased = _erase_words(now - timedelta(days=days))
    if any(erased.values()):
        RightsRequest.objects.create(
            what=RightsRequest.What.RETENTION, why=f"kept for {days} days", done=erased
        )
    return sum(erased.values())


def _erase_words(before: datetime) -> dict[str, int]:
    """Erase what workers wrote before ``before``; how many comments, reports and appeals that were."""
    submissions = Submission.objects.filter(opened_at__lt=before)
    return {
        "comments": submissions.exclude(comment="").update(comment=""),
        "reports": PairReport.objects.filter(submission__in=submissions).exclude(words="").update(words=""),
        "appeals": Appeal.objects.filter(made_at__lt=before).exclude(words="").update(words=""),
    }


def _idle_since(moment: datetime) -> list[Worker]:
    over = [Campaign.State.CLOSED, Campaign.State.DRAFT]
    known = Worker.objects.filter(identity__isnull=False, created_at__lt=moment)
    busy = Submission.objects.exclude(campaign__state__in=over).values("worker")
    recent = Submission.objects.filter(opened_at__gte=moment).values("worker")
    owed = Payment.objects.filter(state__in=Payment.OPEN).values("submission__worker")
    return list(known.exclude(pk__in=busy).exclude(pk__in=recent).exclude(pk__in=owed).order_by("pk"))
