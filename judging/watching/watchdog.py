"""Finds stalled work in campaigns, with its start, its cause and the next step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Min, Q, QuerySet

from config import clock
from config.background.failures import failure_of, waits_after
from config.background.job_kinds import kind_words
from config.background.models import MOST_MESSAGE, Job
from config.background.services import START_WORKERS, nobody_at_work
from config.guidance import Action, Guidance, joined
from config.plurals import many
from judging.grading.grades import CHOOSE_PASSAGES, awaits_passages
from judging.intake.places import OFFERING, lacking
from judging.launch.closure import pending_work
from judging.models import Campaign, CrowdCall, Payment, Place, Submission, Task, TopicAssignment
from judging.money.budget import room_for
from judging.money.payments import PAYING
from judging.rules.deadlines import GRACE, offered_seconds

#: How long each step can take before it is reported as stalled.
JOB = timedelta(minutes=15)
OFFER = timedelta(minutes=15)
SCREENING = timedelta(minutes=15)
PAYMENT = timedelta(hours=1)
#: How long a failed job is reported after it ended, unless a later job with the same key replaces it.
FAILURE = timedelta(days=3)
#: Kinds of jobs whose failures are reported only before the first pilot or launch, or only until every task is done.
BEFORE_LAUNCH = frozenset({"judging.propose_gold", "web.rehearse"})
UNTIL_COMPLETE = frozenset({"web.simulate"})
#: Kinds of jobs whose refusal (such as by the crowd) is reported here, because no page waits for it. Other kinds are
#: started on a page, which shows the refusal itself. Choosing passages for an assessor belongs to no campaign.
STARTED_BY_NOBODY = frozenset(
    {
        CHOOSE_PASSAGES,
        "judging.close_places",
        "judging.collect",
        "judging.deliver",
        "judging.post_places",
        "tournament.advance_challenges",
    }
)


@dataclass(frozen=True)
class Stalled:
    """Stalled work: ``count`` items of one kind, of which the oldest has been stalled since ``since``."""

    what: str
    count: int
    since: datetime
    why: str
    next_step: str
    cause: str = ""
    """The text that identifies the error behind this, if any (see :func:`cause_of`)."""

    def words(self) -> Guidance:
        """Return the stalled work as one line of text."""
        since = f"{self.what} since {self.since:%Y-%m-%d %H:%M} UTC:"
        return joined(" ", [since, self.why, self.next_step])

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict of JSON values."""
        return {
            "what": self.what,
            "count": self.count,
            "since": self.since.isoformat(),
            "why": self.why,
            "next": self.next_step,
        }


def stalled_work(campaign: Campaign) -> list[Stalled]:
    """Return all stalled work of the campaign: jobs, places, tasks, submissions, payments and the campaign itself."""
    if campaign.launched_at is None:
        return []  # nothing was ever offered
    now = clock.now()
    watches = (
        _stalled_jobs,
        _unoffered_places,
        _expired_places,
        _overdue_tasks,
        _unlisted_submissions,
        _unscreened_submissions,
        _overdue_payments,
        _campaign_standstill,
    )
    return [found for watch in watches for found in watch(campaign, now)]


def watched_campaigns() -> list[Campaign]:
    """Return the launched campaigns that are not closed, and closed ones with pay owed or held, sorted by name."""
    owed = Payment.objects.filter(state__in=Payment.OPEN).values("submission__campaign")
    launched = Campaign.objects.exclude(launched_at=None)
    return list(launched.filter(~Q(state=Campaign.State.CLOSED) | Q(pk__in=owed)).order_by("name"))


def _count_and_oldest(rows: QuerySet[Any], field: str) -> tuple[int, datetime] | None:
    """Return the number of rows and the earliest time in their ``field``, or None if there are no rows."""
    found = rows.aggregate(count=Count("pk"), since=Min(field))
    return (found["count"], found["since"]) if found["count"] else None


def _stalled_jobs(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Yield jobs that no process runs, jobs that are postponed again and again, and failed jobs."""
    mine = Job.objects.filter(arguments__campaign_id=campaign.pk)
    idle = nobody_at_work()
    for job in mine.live().filter(created_at__lte=now - JOB).order_by("created_at")[:20]:
        lapsed = job.state == Job.State.RUNNING and job.leased_until and job.leased_until <= now
        if job.state == Job.State.RUNNING and not lapsed:
            continue  # the process that runs the job is alive and extends the lease
        if idle or lapsed:
            why = idle or "Its worker process is gone."
            yield Stalled(kind_words(job.kind), 1, job.created_at, why, START_WORKERS)
            continue
        put_off = waits_after(job)
        why = f"It was put off: {put_off}"
        yield Stalled(kind_words(job.kind), 1, job.created_at, why, job.next_step, cause_of(put_off))
    for job in failed_jobs(campaign, now):
        since = job.finished_at or job.created_at
        if failure := failure_of(job):
            why, cause = joined(" ", ["It failed:", failure.message]), cause_of(failure.message)
            yield Stalled(kind_words(job.kind), 1, since, why, failure.next_step, cause)


def cause_of(message: str) -> str:
    """Return the beginning of an error message, which identifies the error. Waiting jobs store only this part."""
    return str(message)[:MOST_MESSAGE]


def put_off_jobs(campaign: Campaign) -> list[Job]:
    """Return the jobs that were postponed at least twice in a row, such as while the crowd does not respond."""
    waiting = Job.objects.filter(arguments__campaign_id=campaign.pk, state=Job.State.WAITING)
    return list(waiting.filter(put_off__gte=2).order_by("pk")[:20])


def failed_jobs(campaign: Campaign, now: datetime) -> list[Job]:
    """Return the campaign's failed jobs of the last FAILURE days, newest first, with only the last of each key.

    A topic waits for its next passages however long ago their choice failed, because a refused one is not retried.
    Jobs are left out in these cases:

    - A later job with the same key is waiting, is running or succeeded.
    - Somebody hid the job.
    - The campaign no longer needs it, such as a rehearsal after the launch.
    - It was refused, and the page that started it shows the refusal (see STARTED_BY_NOBODY).
    """
    mine = Job.objects.filter(arguments__campaign_id=campaign.pk)
    failed = mine.filter(state=Job.State.FAILED, put_away_at=None)
    failed = failed.filter(Q(finished_at__gte=now - FAILURE) | Q(kind=CHOOSE_PASSAGES))
    failed = failed.exclude(~Q(kind__in=STARTED_BY_NOBODY), fault=Job.Fault.REFUSED)
    last: dict[str, Job] = {}
    for job in failed.order_by("-finished_at")[:50]:
        later = mine.filter(key=job.key, pk__gt=job.pk).exclude(state=Job.State.FAILED)
        if job.key not in last and not later.exists():
            last[job.key] = job
    return [job for job in last.values() if not _is_obsolete(job, campaign)]


def _is_obsolete(job: Job, campaign: Campaign) -> bool:
    """Return whether the campaign no longer needs this job."""
    if job.kind == CHOOSE_PASSAGES:
        topic = TopicAssignment.objects.filter(pk=job.arguments["assignment_id"]).first()
        return topic is None or not awaits_passages(topic)
    if job.kind in BEFORE_LAUNCH:
        return campaign.launched_at is not None
    return job.kind in UNTIL_COMPLETE and not campaign.tasks.exclude(state=Task.State.DONE).exists()


def failure_in_words(job: Job) -> str:
    """Return why the job failed, in the words that all pages show; empty if it has not failed."""
    failure = failure_of(job)
    return failure.message if failure else ""


def _unoffered_places(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Yield the places that should have been offered to the crowd by now, as one :class:`Stalled`."""
    wanted = Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED)
    found = _count_and_oldest(wanted.filter(wanted_at__lte=now - _time_to_offer(wanted.count())), "wanted_at")
    if not found or campaign.state in (Campaign.State.PAUSED, Campaign.State.PILOTED):
        return
    trouble = _call_trouble(campaign, OFFERING, "The job that offers places has not reached them.")
    yield Stalled(f"{many(found[0], 'place')} waiting to be offered", *found, *trouble)


def _time_to_offer(count: int) -> timedelta:
    """Return how long it can take to offer this many places at the configured rate of calls."""
    rate = settings.CROWD_CALLS_PER_SECOND or 3
    return OFFER + timedelta(seconds=2 * count / rate)


def _call_trouble(campaign: Campaign, operations: Sequence[str], otherwise: str) -> tuple[str, str, str]:
    """Return why calls to the crowd are not made, the next step, and the cause (see cause_of).

    The reason is the crowd's last error. If there is none, it is that no process runs jobs, or else ``otherwise``.
    """
    calls = CrowdCall.objects.filter(campaign=campaign, operation__in=operations).exclude(error_class="")
    call = calls.exclude(state=CrowdCall.State.DONE).order_by("-last_tried_at", "-pk").first()
    if call is None:
        idle = nobody_at_work()
        return (idle, START_WORKERS, "") if idle else (otherwise, _collect_guidance(campaign), "")
    final = call.state == CrowdCall.State.FAILED
    again = Guidance(Action("ask_again", campaign.name, lead="Then"), ".") if final else ""
    next_step = joined(" ", [call.next_step, again])
    return f"The crowd reports: {call.error_message}", next_step, cause_of(call.error_message)


def _collect_guidance(campaign: Campaign) -> Guidance:
    return Guidance(Action("collect", campaign.name))


def _expired_places(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Yield places that are still recorded as open although their time at the crowd is over."""
    over = now - timedelta(seconds=offered_seconds(campaign.assignment_seconds)) - 2 * GRACE
    live = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN)
    if found := _count_and_oldest(live.filter(expires_at__lte=over), "expires_at"):
        yield Stalled(
            f"{many(found[0], 'expired place')}",
            *found,
            nobody_at_work() or "The crowd's list does not show what became of them.",
            _collect_guidance(campaign),
        )


def _overdue_tasks(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Yield tasks that are still held although the worker's time is over."""
    held = Task.objects.filter(campaign=campaign, state=Task.State.HELD)
    if found := _count_and_oldest(held.filter(leased_until__lte=now - 2 * GRACE), "leased_until"):
        yield Stalled(
            f"{many(found[0], 'task')} held past the deadline",
            *found,
            nobody_at_work() or "The job that collects work has not freed them.",
            _collect_guidance(campaign),
        )


def _unlisted_submissions(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Yield submissions that workers submitted on our page but that the crowd's list does not contain."""
    work = Submission.objects.filter(campaign=campaign, state=Submission.State.FINISHED)
    work = work.exclude(standing=Submission.Standing.TRIAL)
    if found := _count_and_oldest(work.filter(finished_at__lte=now - 2 * GRACE), "finished_at"):
        yield Stalled(
            f"{many(found[0], 'submission')} submitted on our page",
            *found,
            nobody_at_work()
            or "The crowd's list does not include them. Perhaps the crowd's own form was not sent.",
            _collect_guidance(campaign)
            + ". After the crowd's deadline, the work is kept and paid if the crowd allows it. "
            "Tasks that do not count are offered to others.",
        )


def _unscreened_submissions(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Yield collected submissions whose standing is still pending."""
    work = Submission.objects.filter(
        campaign=campaign, state=Submission.State.SUBMITTED, standing=Submission.Standing.PENDING
    )
    if found := _count_and_oldest(work.filter(collected_at__lte=now - SCREENING), "collected_at"):
        yield Stalled(
            f"{many(found[0], 'submission')} not screened",
            *found,
            "The job that collects work has not screened them.",
            _collect_guidance(campaign),
        )


def _overdue_payments(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Yield payments that should have been made by now."""
    owed = Payment.objects.filter(submission__campaign=campaign, state=Payment.State.OWED)
    due = now - PAYMENT - timedelta(hours=campaign.hold_hours)
    found = _count_and_oldest(owed.filter(owed_at__lte=due), "owed_at")
    if not found:
        return
    trouble = _call_trouble(campaign, PAYING, "The job that collects work has not paid them.")
    yield Stalled(f"{many(found[0], 'payment')} owed", *found, *trouble)


def _campaign_standstill(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Yield problems of the whole campaign: tasks without places, or a campaign that takes too long to close."""
    if campaign.state in Campaign.OFFERING and (missing := lacking(campaign)) > 0:
        since = _last_moved(campaign)
        if since <= now - OFFER:
            spent = room_for(campaign) == 0
            why = (
                "The budget is used up."
                if spent
                else nobody_at_work() or "The job that collects work has not requested places."
            )
            next_step = Guidance(Action("raise_budget" if spent else "collect", campaign.name))
            yield Stalled(f"{many(missing, 'task')} without a place", missing, since, why, next_step)
    if campaign.state != Campaign.State.CLOSING:
        return
    closing = campaign.changes.filter(what=Campaign.State.CLOSING).order_by("-pk").first()
    longest = timedelta(seconds=offered_seconds(campaign.assignment_seconds)) + 2 * GRACE
    if closing and closing.happened_at <= now - longest:
        pending = pending_work(campaign).words()
        idle = nobody_at_work() or "The job that collects work has not closed it."
        why = f"It waits for {pending}." if pending else idle
        yield Stalled("the closing", 1, closing.happened_at, why, _collect_guidance(campaign))


def _last_moved(campaign: Campaign) -> datetime:
    """Return the latest time at which a place was requested, a submission was collected or the campaign changed."""
    moments = [
        Place.objects.filter(posting__campaign=campaign)
        .order_by("-wanted_at")
        .values_list("wanted_at", flat=True),
        Submission.objects.filter(campaign=campaign)
        .order_by(F("collected_at").desc(nulls_last=True))
        .values_list("collected_at", flat=True),
        campaign.changes.order_by("-happened_at").values_list("happened_at", flat=True),
    ]
    return max((moment for rows in moments if (moment := rows.first())), default=campaign.created_at)
