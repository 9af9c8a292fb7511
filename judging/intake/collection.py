"""Collect submitted work: record judgments, screen workers, repeat tasks, and record what is owed."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from config import clock
from config.background.job_kinds import Progress
from config.rate_limits import first_time
from judging.campaign.pairs import repack_unjudged
from judging.campaign.postings import is_uncounted_pilot
from judging.crowds import crowd_for
from judging.crowds.interface import Crowd, CrowdSubmission
from judging.errors import CrowdNever
from judging.exchange.calls import Patience
from judging.exchange.recovered_places import adopt, is_ours
from judging.intake.kept_work import (
    accept_kept_work,
    accepted_but_unsettled,
    is_over,
    work_to_keep,
)
from judging.intake.places import close_extra, close_place, want_places
from judging.intake.raised_flags import flag_since
from judging.intake.screened_work import forgiven, screen_worker, standing_exclusion
from judging.intake.unseen_work import block_repeater, pause_if_rising
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
from judging.money.discrepancies import note_differences, note_only_here, note_only_there, resolve_only_here
from judging.money.payments import owe
from judging.rules.deadlines import GRACE, offered_seconds
from judging.tasks.answers import fill_from_form, record_answers
from judging.tasks.evidence import evidence_of
from judging.tasks.lease_ends import clear_place, end_submission, free_lapsed, lock_in_order
from judging.tasks.slots import take_up
from judging.workers.identities import crowd_namespace, worker_for

#: The shortest interval between sweeps, which read the crowd's whole list of places. Large campaigns wait longer.
SWEEP_SECONDS = 20
#: If a task was opened less than this time ago, the crowd's list may not show yet that it is held.
SETTLED = timedelta(seconds=30)
#: How long a closed campaign is still collected after a decision about a worker, in case the crowd is slow.
DECIDED_LATELY = timedelta(days=7)


@dataclass(frozen=True)
class Collected:
    """The numbers of submissions recorded and of places newly wanted in one run of :func:`collect`."""

    submissions: int
    places_wanted: int


def campaigns_to_collect() -> list[Campaign]:
    """Return launched campaigns on which people may be working, and closed ones with pay still owed or held.

    After a recent decision about a worker, a closed campaign is also returned. Then its block lists are updated, and
    the worker is notified.
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
    """Fetch new submissions from the crowd, decide which of them count, and record the places still needed.

    Places whose worker submitted our form are collected every time. Other places are found by a sweep through the
    crowd's list of places, if one is due or ``sweep`` is true. Safe to repeat and to call concurrently. A temporary
    failure of the crowd does not stop the other steps unless several follow in a row (:class:`Patience`); its error
    is raised at the end.
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
            # The crowd no longer lists this place. Its task is offered on another one.
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
    """Accept saved work that can no longer be submitted, if the crowd can pay for it; return the number accepted."""
    kept = 0
    for submission in accepted_but_unsettled(campaign):
        settle_submission(campaign, submission)
    for submission in work_to_keep(campaign):
        with patience.one():
            if not is_over(crowd, submission) or _is_listed(campaign, crowd, submission):
                continue
            _take_down(campaign, crowd, submission)
            if not accept_kept_work(campaign, submission):
                continue
            kept += 1
            if submission.standing == Submission.Standing.PENDING:
                settle_submission(campaign, submission)
    return kept


def _is_listed(campaign: Campaign, crowd: Crowd, submission: Submission) -> bool:
    """Return whether the worker submitted this work at the crowd, which then pays for it; if so, collect it.

    The sweep that should have found the submission can fail or lag behind.
    """
    try:
        found = crowd.submission(submission.assignment_id)
    except CrowdNever:
        return False
    if worker_for(crowd_namespace(campaign), found.crowd_worker_id) != submission.worker:
        return False  # the crowd gave this assignment to somebody else
    if submission.place is not None:
        take_in(campaign, submission.place, found)
    return True


def _take_down(campaign: Campaign, crowd: Crowd, submission: Submission) -> None:
    """Close the place of kept work, because its pay is now spent on this work. A place that others hold stays open.

    If the task is still needed, another place is offered within the budget.
    """
    place = submission.place
    if place is None or place.state != Place.State.OPEN:
        return
    if place.submissions.filter(state__in=Submission.LIVE).exclude(pk=submission.pk).exists():
        return
    close_place(campaign, crowd, place)
    Place.objects.filter(pk=place.pk, state=Place.State.OPEN).update(state=Place.State.GONE)


def _unfilled(campaign: Campaign) -> QuerySet[Place]:
    """Return posted places without a submission, including expired ones, because the crowd's list can lag behind."""
    return Place.objects.filter(
        posting__campaign=campaign, state__in=[Place.State.OPEN, Place.State.GONE]
    ).exclude(crowd_id="")


def _finished_places(campaign: Campaign) -> QuerySet[Place]:
    """Return places whose worker submitted our form, so that the crowd should soon list a submission."""
    since = clock.now() - timedelta(seconds=offered_seconds(campaign.assignment_seconds)) - GRACE
    sent_off = {"submissions__state": Submission.State.FINISHED, "submissions__opened_at__gte": since}
    return _unfilled(campaign).filter(**sent_off).distinct()


def _sweep_is_due(campaign: Campaign) -> bool:
    places = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN).count()
    seconds = SWEEP_SECONDS * max(1, places // 1000)
    swept = f"sweep:{campaign.call_key}"
    return bool(places) and first_time(swept, seconds=seconds)


def _swept_places(campaign: Campaign, crowd: Crowd, known: set[int]) -> list[Place]:
    """Return places, other than the ``known`` ones, that have a submission in the crowd's list.

    Expired places that nobody holds are marked as gone. Places of the campaign that are missing from our records are
    added. At a crowd that signs arrivals, tasks whose place nobody holds are released.
    """
    began = clock.now()
    here = {place.crowd_id: place for place in _unfilled(campaign).exclude(pk__in=known)}
    ours = set(Place.objects.filter(posting__campaign=campaign).values_list("crowd_id", flat=True))
    due, gone, free = [], [], []
    seen: set[int] = set()  # the list can contain a row twice
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
    """Release tasks on places that nobody holds at the crowd (``free``); return how many were released.

    The workers returned these tasks before the time ran out, so nothing is submitted or paid.
    """
    held = Submission.objects.filter(campaign=campaign, place__in=free, state=Submission.State.HELD)
    left = held.filter(opened_at__lt=before, ends_at__gt=clock.now(), taken_at__isnull=False)
    return sum(end_submission(submission, Submission.State.RETURNED) for submission in left)


def _free_given_back(campaign: Campaign, crowd: Crowd) -> int:
    """Release tasks whose assignments ended at the crowd without a submission; return the number released."""
    live = Submission.objects.filter(campaign=campaign, state__in=Submission.LIVE)
    held = list(live.exclude(standing=Submission.Standing.TRIAL).order_by("pk"))
    back = set(crowd.given_back([submission.assignment_id for submission in held])) if held else set()
    gone = [submission for submission in held if submission.assignment_id in back]
    return sum(end_submission(submission, Submission.State.RETURNED) for submission in gone)


def collect_place(campaign: Campaign, crowd: Crowd, place: Place) -> int:
    """Record the crowd's submissions for one place; return their number. Safe to repeat and call concurrently."""
    found = crowd.submissions(place.crowd_id)
    for submission in found:
        take_in(campaign, place, submission)
    if found:
        _unfilled(campaign).filter(pk=place.pk).update(state=Place.State.FILLED)
    return len(found)


def take_in(campaign: Campaign, place: Place, found: CrowdSubmission) -> Submission:
    """Record a submission that the crowd lists: its answers, whether it counts, and the pay owed. Safe to repeat."""
    worker = worker_for(crowd_namespace(campaign), found.crowd_worker_id)
    with transaction.atomic():
        submission = _submission(campaign, place, found, worker.pk)
        work = evidence_of(submission, found)
        if submission.collected_at is None:
            lock_in_order(Submission.objects.filter(Q(pk=submission.pk) | Q(place=place)))
            if not work.complete:
                note_only_there(submission, answered=work.claimed, saved=work.judged)
            if submission.slots.exists():  # else our page never saw it, or nobody consented there
                take_up(submission)
                note_differences(submission, found.answers)
                if work.signed:
                    fill_from_form(submission, found.answers, sent_at=found.submitted_at or clock.now())
                record_answers(submission)
            Submission.objects.filter(pk=submission.pk).update(
                state=Submission.State.SUBMITTED,
                place=place,
                left_early=work.judged < work.shown,  # even if the form skipped our last page
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
        settle_submission(campaign, submission)
    if not work.complete:
        block_repeater(campaign, worker)
    return submission


def _submission(campaign: Campaign, place: Place, found: CrowdSubmission, worker_id: int) -> Submission:
    known = Submission.objects.select_related("worker", "task", "campaign").filter(
        assignment_id=found.assignment_id, worker_id=worker_id
    )
    if submission := known.first():
        return submission
    # We have no record that this submission was opened on our page. Nothing counts. A person decides about the pay
    # unless the form carries our signature.
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
def settle_submission(campaign: Campaign, submission: Submission) -> None:
    """Decide whether a collected submission counts (its ``standing``), and update its task. Safe to repeat."""
    standing = _screened_standing(campaign, submission)
    # Set the standing first. A concurrent exclusion has either changed it already (then nothing is left to do here),
    # or waits for this row and then takes the task back.
    pending = Submission.objects.filter(pk=submission.pk, standing=Submission.Standing.PENDING)
    if not pending.update(standing=standing):
        submission.refresh_from_db(fields=["standing"])
        return
    submission.standing = standing
    if standing == Submission.Standing.COUNTED:
        _count_or_keep_as_surplus(submission)
    else:
        Task.objects.filter(holder=submission).free()


def _count_or_keep_as_surplus(submission: Submission) -> None:
    """Count the submission's judgments, or keep them as surplus if another submission has its task."""
    if not _claim_task(submission):
        Submission.objects.filter(pk=submission.pk).update(standing=Submission.Standing.SURPLUS)
        submission.standing = Submission.Standing.SURPLUS
        return
    judged = Judgment.objects.filter(submission=submission).values_list("pair_id", flat=True)
    repack_unjudged(submission, set(judged))


def _screened_standing(campaign: Campaign, submission: Submission) -> Submission.Standing:
    screen_worker(campaign, submission.worker)
    if standing_exclusion(campaign, submission.worker):
        return Submission.Standing.EXCLUDED
    if not submission.slots.exists():
        return Submission.Standing.UNKNOWN  # the page was opened, but nobody consented there
    gold = submission.slots.exclude(gold_pair=None)
    if gold.filter(gold_answer=None).exists():
        return Submission.Standing.UNFINISHED
    failed = gold.filter(gold_answer__passed=False).exclude(gold_pair__state="suspended")
    if failed.exclude(gold_answer__in=forgiven(campaign, submission.worker)).exists():
        return Submission.Standing.EXCLUDED  # rate or two-strikes: repeat this task; its worker can stay
    if is_uncounted_pilot(campaign, submission):
        return Submission.Standing.PILOT
    return Submission.Standing.COUNTED


def _claim_task(submission: Submission) -> bool:
    """Mark the task as done by this submission, unless another one has taken it over; return whether it is marked."""
    if submission.task_id is None:
        return False
    task = Task.objects.filter(pk=submission.task_id)
    if task.filter(state__in=[Task.State.HELD, Task.State.DONE], holder=submission).update(
        state=Task.State.DONE
    ):
        return True
    # The lease lapsed. If somebody else held the task since, some pairs may have moved to a new task. Do not count
    # them twice.
    shown = set(submission.slots.exclude(pair=None).values_list("pair_id", flat=True))
    if shown != set(TaskPair.objects.filter(task=submission.task).values_list("pair_id", flat=True)):
        return False
    return bool(task.filter(state=Task.State.WAITING).update(state=Task.State.DONE, holder=submission))
