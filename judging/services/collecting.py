"""Take in what workers submitted: judgments, screening, what is to be repeated, what is owed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from config import clock
from config.background.registry import Progress
from config.counting import first_time
from judging.crowds import crowd_for
from judging.crowds.seam import Crowd, CrowdSubmission
from judging.deadlines import GRACE, offered_seconds
from judging.errors import CrowdNever
from judging.models import (
    Appeal,
    Campaign,
    Exclusion,
    Judgment,
    Payment,
    Place,
    Submission,
    Task,
    TaskPair,
)
from judging.services.adopting import adopt, is_ours
from judging.services.answers import fill_from_form, record_answers
from judging.services.calls import Patience
from judging.services.evidence import evidence_of
from judging.services.flagging import flag_since
from judging.services.keeping import keep, work_to_keep
from judging.services.leasing import clear_place, free_lapsed, release
from judging.services.pairs import repack_unjudged
from judging.services.payments import owe
from judging.services.places import close_extra, close_place, want_places
from judging.services.postings import is_uncounted_pilot
from judging.services.reconciling import (
    note_differences,
    note_only_here,
    note_only_there,
    resolve_only_here,
)
from judging.services.screening_workers import forgiven, screen_worker, standing_exclusion
from judging.services.slots import take_up
from judging.services.unseen import block_repeater, pause_if_rising
from judging.services.workers import crowd_of, worker_for

#: A sweep through all the crowd's places is due so often, at least; larger campaigns are swept less often.
SWEEP_SECONDS = 20
#: A task that was opened this shortly before the crowd's list was read may not be held in it yet.
SETTLED = timedelta(seconds=30)
#: So long after a decision about a worker a closed campaign is collected, for what the crowd does not take at once.
DECIDED_LATELY = timedelta(days=7)


@dataclass(frozen=True)
class Collected:
    """What one collection did."""

    submissions: int
    places_wanted: int


def campaigns_to_collect() -> list[Campaign]:
    """Launched campaigns that workers may be at work on, and closed ones that still owe somebody something.

    A closed one also when a person decided about a worker lately: lists at the crowd follow, and the worker is told.
    """
    since = clock.now() - DECIDED_LATELY
    of_this = {"campaign": OuterRef("pk")}
    excluded = Exclusion.objects.filter(Q(decided_at__gte=since) | Q(reversed_at__gte=since), **of_this)
    answered = Appeal.objects.filter(settled_at__gte=since, **of_this)
    launched = Campaign.objects.exclude(launched_at=None)
    places = Place.objects.filter(posting__campaign=OuterRef("pk"), state=Place.State.OPEN)
    owed = Payment.objects.filter(submission__campaign=OuterRef("pk"), state__in=Payment.OPEN)
    live = ~Q(state=Campaign.State.CLOSED)
    return list(launched.filter(live | Exists(places) | Exists(owed) | Exists(excluded) | Exists(answered)))


def collect(campaign: Campaign, *, progress: Progress | None = None, sweep: bool = False) -> Collected:
    """Fetch what is submitted at the crowd and unknown here, count or exclude it, offer what is missing.

    Places whose worker has sent off our form are asked for first; all the others by a sweep through the
    crowd's list, which is the truth on who submitted. Safe to repeat and to race. What the crowd fails for now
    holds up nothing else; its error is raised at the end.
    """
    crowd, patience, began = crowd_for(campaign), Patience(), clock.now()
    free_lapsed(campaign)
    taken = 0
    due = list(_finished_places(campaign))
    if sweep or _sweep_is_due(campaign):
        with patience.one():
            _free_given_back(campaign, crowd)
        with patience.one():
            due += _swept_places(campaign, crowd, known={place.pk for place in due})
    for done, place in enumerate(due, start=1):
        try:
            with patience.one():
                taken += collect_place(campaign, crowd, place)
        except CrowdNever:
            # The crowd does not know this place (any more). Its task is offered on another one.
            Place.objects.filter(pk=place.pk, state=Place.State.OPEN).update(state=Place.State.GONE)
        if progress:
            progress(done, len(due), "Collecting submissions")
    taken += _keep_what_ran_out(campaign, crowd, patience)
    flag_since(campaign, began)
    note_only_here(campaign)
    pause_if_rising(campaign)
    wanted = want_places(campaign)
    with patience.one():
        close_extra(campaign, crowd)
    patience.done()
    return Collected(taken, wanted)


def _keep_what_ran_out(campaign: Campaign, crowd: Crowd, patience: Patience) -> int:
    """Take in saved work whose time at the crowd is over, where the crowd can pay for it; returns how much."""
    kept = 0
    for submission in work_to_keep(campaign):
        with patience.one():
            _take_down(campaign, crowd, submission)
            if not keep(campaign, submission):
                continue
            kept += 1
            if submission.standing == Submission.Standing.PENDING:
                settle(campaign, submission)
    return kept


def _take_down(campaign: Campaign, crowd: Crowd, submission: Submission) -> None:
    """Close the place of work that ran out, unless somebody else has it: its money pays for what was judged.

    Where the task is still wanted, another place is offered as the budget allows.
    """
    place = submission.place
    live = [Submission.State.HELD, Submission.State.FINISHED]
    if place is None or place.state != Place.State.OPEN:
        return
    if place.submissions.filter(state__in=live).exclude(pk=submission.pk).exists():
        return
    close_place(campaign, crowd, place)
    Place.objects.filter(pk=place.pk, state=Place.State.OPEN).update(state=Place.State.GONE)


def _unfilled(campaign: Campaign) -> QuerySet[Place]:
    """Places on which a submission may still turn up: also those that ran out, for the crowd may be late."""
    return Place.objects.filter(
        posting__campaign=campaign, state__in=[Place.State.OPEN, Place.State.GONE]
    ).exclude(crowd_id="")


def _finished_places(campaign: Campaign) -> QuerySet[Place]:
    """Places whose worker has sent off our form and must be about to send the crowd's."""
    since = clock.now() - timedelta(seconds=offered_seconds(campaign.assignment_seconds)) - GRACE
    sent_off = {"submissions__state": Submission.State.FINISHED, "submissions__opened_at__gte": since}
    return _unfilled(campaign).filter(**sent_off).distinct()


def _sweep_is_due(campaign: Campaign) -> bool:
    places = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN).count()
    seconds = SWEEP_SECONDS * max(1, places // 1000)
    swept = f"sweep:{campaign.pk}:{campaign.created_at.timestamp()}"
    return bool(places) and first_time(swept, seconds=seconds)


def _swept_places(campaign: Campaign, crowd: Crowd, known: set[int]) -> list[Place]:
    """Open places on which the crowd's list shows a submission; those that ran out become ``gone``.

    What the list has of the campaign's and we do not is recorded on the way.
    """
    began = clock.now()
    here = {place.crowd_id: place for place in _unfilled(campaign).exclude(pk__in=known)}
    ours = set(Place.objects.filter(posting__campaign=campaign).values_list("crowd_id", flat=True))
    due, gone, free = [], [], []
    seen: set[int] = set()  # the list may say a row twice
    for posted in crowd.places():
        place = here.get(posted.crowd_id)
        if place is None:
            missed = posted.crowd_id not in ours and is_ours(campaign, posted)
            if missed and (adopted := adopt(campaign, posted)) and posted.has_submission:
                due.append(adopted)
            continue
        if place.pk in seen:
            continue
        seen.add(place.pk)
        if posted.has_submission:
            due.append(place)
        elif not posted.open and not posted.held:
            gone.append(place.pk)
        elif not posted.held:
            free.append(place.pk)
        if len(seen) == len(here):
            break
    Place.objects.filter(pk__in=gone, state=Place.State.OPEN).update(state=Place.State.GONE)
    if crowd.signs_arrivals:
        _note_returned(campaign, free, before=began - SETTLED)
    return due


def _note_returned(campaign: Campaign, free: list[int], *, before: datetime) -> int:
    """Offer the tasks again that workers held on places which nobody holds at the crowd; returns how many.

    A task that is returned is not one whose time ran out: nothing of it is sent off or paid.
    """
    held = Submission.objects.filter(campaign=campaign, place__in=free, state=Submission.State.HELD)
    left = held.filter(opened_at__lt=before, ends_at__gt=clock.now(), taken_at__isnull=False)
    return sum(release(submission, Submission.State.RETURNED) for submission in left)


def _free_given_back(campaign: Campaign, crowd: Crowd) -> int:
    """Offer the tasks of assignments again that ended at the crowd without a submission; returns how many."""
    live = Submission.objects.filter(
        campaign=campaign, state__in=[Submission.State.HELD, Submission.State.FINISHED]
    ).exclude(standing=Submission.Standing.TRIAL)
    held = list(live.order_by("pk"))
    back = set(crowd.given_back([submission.assignment_id for submission in held])) if held else set()
    gone = [submission for submission in held if submission.assignment_id in back]
    return sum(release(submission, Submission.State.RETURNED) for submission in gone)


def collect_place(campaign: Campaign, crowd: Crowd, place: Place) -> int:
    """Take in what the crowd's list has of one place; returns how many submissions. Safe to repeat and to race."""
    found = crowd.submissions(place.crowd_id)
    for submission in found:
        take_in(campaign, place, submission)
    if found:
        _unfilled(campaign).filter(pk=place.pk).update(state=Place.State.FILLED)
    return len(found)


def take_in(campaign: Campaign, place: Place, found: CrowdSubmission) -> Submission:
    """Record a submission that the crowd confirms: answers, standing, what is owed. Safe to repeat."""
    worker = worker_for(crowd_of(campaign), found.crowd_worker_id)
    with transaction.atomic():
        submission = _submission(campaign, place, found, worker.pk)
        work = evidence_of(submission, found)
        if submission.collected_at is None:
            if not work.complete:
                note_only_there(submission, answered=work.claimed, saved=work.judged)
            if submission.slots.exists():  # else our page never saw it, or nobody agreed to the task there
                take_up(submission)
                note_differences(submission, found.answers)
                if work.signed:
                    fill_from_form(submission, found.answers, sent_at=found.submitted_at or clock.now())
                record_answers(submission)
            Submission.objects.filter(pk=submission.pk).update(
                state=Submission.State.SUBMITTED,
                place=place,
                submitted_at=found.submitted_at or clock.now(),
                auto_approval_at=found.auto_approval_at,
                collected_at=clock.now(),
            )
            resolve_only_here(submission)
            submission.place = place
            clear_place(submission)
        owe(campaign, submission, work)
    submission.refresh_from_db()
    if submission.standing == Submission.Standing.PENDING:
        settle(campaign, submission)
    if not work.complete:
        block_repeater(campaign, worker)
    return submission


def _submission(campaign: Campaign, place: Place, found: CrowdSubmission, worker_id: int) -> Submission:
    known = Submission.objects.select_related("worker", "task", "campaign").filter(
        assignment_id=found.assignment_id, worker_id=worker_id
    )
    if submission := known.first():
        return submission
    # Somebody submitted at the crowd whom our page never saw: nothing to count, and a person decides about the pay.
    try:
        with transaction.atomic():
            return Submission.objects.create(
                campaign=campaign,
                place=place,
                worker_id=worker_id,
                assignment_id=found.assignment_id,
                seed=0,
                standing=Submission.Standing.UNKNOWN,
            )
    except IntegrityError:
        return known.get()


@transaction.atomic
def settle(campaign: Campaign, submission: Submission) -> None:
    """Give a submission that came in its standing, and its task what follows. Safe to repeat."""
    standing = _standing(campaign, submission)
    # The standing goes first: an exclusion decided meanwhile has changed it (then nothing is left to do here), or
    # waits for this row and then takes the task back.
    pending = Submission.objects.filter(pk=submission.pk, standing=Submission.Standing.PENDING)
    if not pending.update(standing=standing):
        submission.refresh_from_db(fields=["standing"])
        return
    submission.standing = standing
    if standing == Submission.Standing.COUNTED:
        _count(submission)
    else:
        Task.objects.filter(holder=submission).update(
            state=Task.State.WAITING, holder=None, leased_until=None
        )


def _count(submission: Submission) -> None:
    """Let the submission's judgments count, or keep them as surplus when another has done its task."""
    if not _claim_task(submission):
        Submission.objects.filter(pk=submission.pk).update(standing=Submission.Standing.SURPLUS)
        submission.standing = Submission.Standing.SURPLUS
        return
    judged = Judgment.objects.filter(submission=submission).values_list("pair_id", flat=True)
    repack_unjudged(submission, set(judged))


def _standing(campaign: Campaign, submission: Submission) -> Submission.Standing:
    screen_worker(campaign, submission.worker)
    if standing_exclusion(campaign, submission.worker):
        return Submission.Standing.EXCLUDED
    if not submission.slots.exists():
        return Submission.Standing.UNKNOWN  # the page was opened, and nobody agreed to the task there
    gold = submission.slots.exclude(gold_pair=None)
    if gold.filter(gold_answer=None).exists():
        return Submission.Standing.UNFINISHED
    failed = gold.filter(gold_answer__passed=False).exclude(gold_pair__state="suspended")
    if failed.exclude(gold_answer__in=forgiven(campaign, submission.worker)).exists():
        return Submission.Standing.EXCLUDED  # rate screening: this task is repeated, its worker may stay
    if is_uncounted_pilot(campaign, submission):
        return Submission.Standing.PILOT
    return Submission.Standing.COUNTED


def _claim_task(submission: Submission) -> bool:
    """Make the submission the one that did its task: it holds it, or its lease lapsed and nobody took it."""
    if submission.task_id is None:
        return False
    task = Task.objects.filter(pk=submission.task_id)
    if task.filter(state__in=[Task.State.HELD, Task.State.DONE], holder=submission).update(
        state=Task.State.DONE
    ):
        return True
    # A task that somebody else had in between may have lost pairs to a new one: those must not count twice.
    shown = set(submission.slots.exclude(pair=None).values_list("pair_id", flat=True))
    if shown != set(TaskPair.objects.filter(task=submission.task).values_list("pair_id", flat=True)):
        return False
    return bool(task.filter(state=Task.State.WAITING).update(state=Task.State.DONE, holder=submission))
