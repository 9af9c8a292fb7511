"""People's rights to be forgotten and to withdraw judgments, and the retention of personal data."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, Sum
from django.db.models.functions import Coalesce

from config import clock
from config.guidance import Action, Guidance, Option
from config.plurals import many
from config.row_keys import row_key
from config.sweep import Sweep
from judging.campaign.campaigns import log_change
from judging.errors import BadInput, CampaignRefused
from judging.intake.screened_work import exclude, standing_exclusion
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
from judging.models.submissions import FORGOTTEN
from judging.money.payments import payment_key
from judging.people import rights_journal
from judging.people.erasure import erase_ids

logger = logging.getLogger(__name__)
#: The states of submissions that ended without being submitted.
ENDED = [Submission.State.RETURNED, Submission.State.LAPSED]


@dataclass(frozen=True)
class Withdrawn:
    """The number of judgments that a withdrawal took out of the count, and the deadline that applied to it."""

    judgments: int
    until: datetime


def find_worker(word: str) -> Worker:
    """Return the worker with this number (our key) or with this id at any crowd. Raises BadInput."""
    known = Worker.objects.filter(pk=row_key(word)).first()
    found = known or Worker.objects.filter(identity__crowd_worker_id=word).first()
    if found is None:
        raise BadInput(
            f"There is no worker {word}.",
            "Enter Preferee's number for the worker (shown in the campaign's exclusions and exports) or the id "
            "at the crowd.",
        )
    return found


@transaction.atomic
def forget_worker(
    worker: Worker, *, who: str = "", why: str = "", what: str = RightsRequest.What.FORGET
) -> dict[str, int]:
    """Erase the data that link a worker to a person: crowd ids, assignments, places, texts and messages.

    Safe to repeat. Judgments stay, anonymously. Returns how many rows of each kind were erased. ``refusals_ended`` is
    the number of exclusions that no longer keep the person out, because the worker cannot be recognized anymore.
    Raises CampaignRefused while the worker holds a task or is owed money, which could no longer be paid. Raises
    BadInput if ``why`` identifies the person.
    """
    _refuse_names(worker, why)
    work = Submission.objects.filter(worker=worker)
    if work.filter(state__in=Submission.LIVE).exclude(standing=Submission.Standing.TRIAL).exists():
        raise CampaignRefused(
            f"Worker {worker.pk} still holds a task.",
            "Forget the worker once the task is submitted or its time is over.",
        )
    owed = Payment.objects.filter(submission__worker=worker, state__in=Payment.OPEN)
    if amount := owed.aggregate(sum=Sum("amount", default=Decimal(0)))["sum"]:
        raise CampaignRefused(
            f"Worker {worker.pk} is still owed ${amount:,.2f}, which cannot be paid once the worker is forgotten.",
            Guidance(
                "Collect first, then forget the worker. For payments that the crowd refuses permanently: ",
                Action(
                    "settle_payment", owed.values_list("submission__campaign__name", flat=True)[0], lead=""
                ),
            ),
        )
    known = Exclusion.objects.misconduct().filter(worker=worker, worker__identity__isnull=False)
    ids = _ids_of(worker)
    done = {
        "refusals_ended": known.count(),
        "calls": _scrub_calls(worker),  # before the identity is deleted, on which keys of calls depend
        "identities": CrowdIdentity.objects.filter(worker=worker).delete()[0],
        "comments": work.exclude(comment="").update(comment=""),
        "reports": PairReport.objects.filter(submission__worker=worker).exclude(words="").update(words=""),
        "appeals": sum(_scrub_appeal(appeal) for appeal in Appeal.objects.filter(worker=worker))
        + sum(
            _scrub_appeal_assignment(appeal)
            for appeal in Appeal.objects.filter(came_by__in=ids).exclude(worker=worker)
        ),
        "messages": WorkerMessage.objects.filter(worker=worker)
        .exclude(text="")
        .update(text="", subject="", failure=""),
        "submissions": sum(_anonymise(submission) for submission in [*work, *_handed_on(worker)]),
        "quotations": erase_ids(ids),
    }
    Worker.objects.filter(pk=worker.pk, forgotten_at=None).update(forgotten_at=clock.now())
    if any(done.values()):
        RightsRequest.objects.create(what=what, worker=worker, who=who, why=why, done=done)
        rights_journal.note_request(what, worker)
    return done


def _ids_of(worker: Worker) -> list[str]:
    """Return the worker's ids at the crowd, and the assignment ids by which the crowd could identify the worker."""
    identity = CrowdIdentity.objects.filter(worker=worker).values_list("crowd_worker_id", flat=True)
    return [*identity, *_assignments_held_last(worker)]


def _assignments_held_last(worker: Worker) -> list[str]:
    """Return the ids of assignments that the worker was the last to hold.

    An assignment is left out if it is needed to pay another worker: one who holds it or has submitted it, or whose
    finished task the crowd never listed, so that it can still be paid by its receipt.
    """
    mine = Submission.objects.filter(worker=worker).exclude(assignment_id__startswith=FORGOTTEN)
    ids = set(mine.values_list("assignment_id", flat=True))
    others = Submission.objects.filter(assignment_id__in=ids).exclude(worker=worker)
    paid = Payment.objects.filter(submission=OuterRef("pk")).exclude(state__in=Payment.OPEN)
    unpaid = Q(~Exists(paid), state=Submission.State.LAPSED, finished_at__isnull=False)
    needed = others.filter(~Q(state__in=ENDED) | unpaid)
    return sorted(ids - set(needed.values_list("assignment_id", flat=True)))


def _handed_on(worker: Worker) -> list[Submission]:
    """Return other workers' submissions under assignments that this worker was the last to hold."""
    ended = Submission.objects.filter(assignment_id__in=_assignments_held_last(worker), state__in=ENDED)
    return list(ended.exclude(worker=worker))


def _refuse_names(worker: Worker, why: str) -> None:
    """Raise BadInput for a reason that identifies the person, because reasons are kept permanently."""
    identity = CrowdIdentity.objects.filter(worker=worker).first()
    if "@" in why or (identity and identity.crowd_worker_id.lower() in why.lower()):
        raise BadInput(
            "The reason identifies the person, but reasons are kept permanently.",
            "Leave out e-mail addresses and worker ids. Example: requested by e-mail on May 3.",
        )


def _anonymise(submission: Submission) -> int:
    """Remove a submission's assignment, place and noted receipts; return how many submissions changed.

    By the assignment and the place, the crowd could identify the worker.
    """
    if submission.assignment_id.startswith(FORGOTTEN):
        return 0
    receipts = Discrepancy.objects.filter(submission=submission, kind=Discrepancy.Kind.ONLY_HERE)
    receipts.update(detail={})
    changes = {"assignment_id": f"{FORGOTTEN}{submission.pk}", "place": None}
    return Submission.objects.filter(pk=submission.pk).update(**changes)


def _scrub_appeal(appeal: Appeal) -> int:
    """Remove the text and the assignment id of a forgotten worker's appeal; return how many rows changed."""
    told = {"words": appeal.words, "came_by": appeal.came_by}
    kept = {"words": "", "came_by": _anonymous_assignment(appeal)}
    return 0 if told == kept else Appeal.objects.filter(pk=appeal.pk).update(**kept)


def _scrub_appeal_assignment(appeal: Appeal) -> int:
    """Remove a forgotten worker's assignment id from somebody else's appeal; return how many rows changed."""
    return Appeal.objects.filter(pk=appeal.pk).update(came_by=_anonymous_assignment(appeal))


def _anonymous_assignment(appeal: Appeal) -> str:
    """Return a replacement for an appeal's assignment id that is unique to the appeal; empty if it has none."""
    return f"{FORGOTTEN}{appeal.pk}" if appeal.came_by else ""


def _scrub_calls(worker: Worker) -> int:
    """Erase the details of crowd calls about the worker's submissions, but keep the rows; return their number.

    The key of a bonus's call depends on the assignment and is part of the reason that the crowd shows, so it is
    replaced too.
    """
    payments = Payment.objects.filter(submission__worker=worker)
    bonuses = payments.exclude(kind=Payment.Kind.REWARD).select_related("submission__campaign")
    named_after = [payment_key(payment.submission.campaign, payment) for payment in bonuses]
    keys = [
        f"{submission.campaign.call_key}-{operation}-{submission.pk}"
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
    """Return the deadline for withdrawing the worker's judgments from the campaign.

    Raises CampaignRefused if the worker has no submission in the campaign.
    """
    work = Submission.objects.filter(campaign=campaign, worker=worker)
    last = work.aggregate(last=Max(Coalesce("submitted_at", "finished_at", "opened_at")))["last"]
    if last is None:
        raise CampaignRefused(f"Worker {worker.pk} has not worked on {campaign.name}.")
    return last + timedelta(days=campaign.withdrawal_days)


@transaction.atomic
def withdraw_worker(
    campaign: Campaign, worker: Worker, *, why: str = "", who: str = "", late: bool = False
) -> Withdrawn:
    """Withdraw the worker's judgments from the campaign, with the effect of an exclusion: others repeat the tasks.

    The work stays paid. Published versions stay as they are; the next version leaves the judgments out. Raises
    CampaignRefused if the worker has already withdrawn or the deadline is over (unless ``late``), and BadInput if
    ``why`` identifies the person.
    """
    _refuse_names(worker, why)
    until = withdrawal_until(campaign, worker)
    if clock.now() > until and not late:
        raise CampaignRefused(
            f"Worker {worker.pk} could withdraw judgments until {until:%Y-%m-%d}, "
            f"{many(campaign.withdrawal_days, 'day')} after the last task.",
            Guidance("To withdraw them anyway: ", Option("late"), "."),
        )
    if has_withdrawn(campaign, worker):
        raise CampaignRefused(f"Worker {worker.pk} has already withdrawn from {campaign.name}.")
    judgments = worker.judgments.filter(campaign=campaign).counted().count()
    if standing_exclusion(campaign, worker) is None:
        words = why.strip() or "the worker withdrew the judgments"
        exclude(campaign, worker, Exclusion.WITHDRAWN, words, who=who)
    log_change(campaign, f"worker {worker.pk} withdrew", why=why, who=who)
    done = {"judgments": judgments}
    RightsRequest.objects.create(
        what=RightsRequest.What.WITHDRAW, campaign=campaign, worker=worker, who=who, why=why, done=done
    )
    rights_journal.note_request(RightsRequest.What.WITHDRAW, worker, campaign)
    return Withdrawn(judgments, until)


def has_withdrawn(campaign: Campaign, worker: Worker) -> bool:
    """Return whether the worker has withdrawn the judgments in this campaign.

    Withdrawn judgments can never count again.
    """
    asked = RightsRequest.objects.filter(campaign=campaign, worker=worker)
    return asked.filter(what=RightsRequest.What.WITHDRAW).exists()


def enforce_retention() -> dict[str, int]:
    """Forget workers and erase workers' texts after the retention periods in the settings. Safe to repeat.

    Workers are forgotten some time after their last task, but not while a campaign of theirs runs or money is owed.
    Texts are erased some time after they were written. Returns the numbers of workers forgotten and texts erased. A
    failing step does not stop the others; SweepFailed is raised at the end.
    """
    done, sweep, now = {"forgotten": 0, "comments": 0}, Sweep("Retention"), clock.now()
    if days := settings.KEEP_IDENTITIES_DAYS:
        for worker in _idle_since(now - timedelta(days=days)):
            with sweep.step(f"worker {worker.pk}"):
                done["forgotten"] += _forget_idle(worker, days)
    if days := settings.KEEP_COMMENTS_DAYS:
        with sweep.step("workers' texts"):
            done["comments"] = _retain_words(now, days)
    sweep.end()
    return done


def _forget_idle(worker: Worker, days: int) -> bool:
    try:
        forget_worker(worker, why=f"kept for {many(days, 'day')}", what=RightsRequest.What.RETENTION)
    except CampaignRefused as refusal:
        logger.warning("A worker's identity is kept longer than PREFEREE_KEEP_IDENTITIES_DAYS: %s", refusal)
        return False
    return True


@transaction.atomic
def _retain_words(now: datetime, days: int) -> int:
    erased = _erase_words(now - timedelta(days=days))
    if any(erased.values()):
        RightsRequest.objects.create(
            what=RightsRequest.What.RETENTION, why=f"kept for {many(days, 'day')}", done=erased
        )
    return sum(erased.values())


def _erase_words(before: datetime) -> dict[str, int]:
    """Erase what workers wrote in tasks and appeals older than ``before``; return the number of texts by kind."""
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
