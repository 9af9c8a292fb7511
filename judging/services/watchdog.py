"""What has not moved within its time, since when, why, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Min, Q, QuerySet

from config import clock
from config.background.failures import failure_of, waits_after
from config.background.models import Job
from config.background.registry import in_words
from config.background.services import START_WORKERS, nobody_at_work
from config.plurals import many
from judging.deadlines import GRACE, offered_seconds
from judging.models import Campaign, CrowdCall, Payment, Place, Submission, Task
from judging.services.budget import cap_of, room_for
from judging.services.closing import pending_work
from judging.services.payments import PAYING
from judging.services.places import OFFERING, lacking

#: How long a thing may take before it is named.
JOB = timedelta(minutes=15)
OFFER = timedelta(minutes=15)
SCREENING = timedelta(minutes=15)
PAYMENT = timedelta(hours=1)
#: How long a job that failed is named, unless a later one of its key did well.
FAILURE = timedelta(days=3)
#: Kinds of work whose step the launch ends, and of work that is done with once every task is.
BEFORE_LAUNCH = frozenset({"judging.propose_gold", "web.rehearse"})
UNTIL_COMPLETE = frozenset({"web.simulate"})


@dataclass(frozen=True)
class Stalled:
    """Something that stands still: ``count`` things of one kind, the oldest ``since`` then."""

    what: str
    count: int
    since: datetime
    why: str
    next_step: str

    def words(self) -> str:
        """One line for people."""
        return f"{self.what} since {self.since:%Y-%m-%d %H:%M} UTC: {self.why} {self.next_step}".strip()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "what": self.what,
            "count": self.count,
            "since": self.since.isoformat(),
            "why": self.why,
            "next": self.next_step,
        }


def stalled(campaign: Campaign) -> list[Stalled]:
    """Every job and place of the campaign (and what hangs on them) that has not moved within its time."""
    if campaign.launched_at is None:
        return []  # nothing of it was ever offered
    now = clock.now()
    watches = (_jobs, _offers, _expired_places, _leases, _unconfirmed, _unscreened, _payments, _standstill)
    return [found for watch in watches for found in watch(campaign, now)]


def watched_campaigns() -> list[Campaign]:
    """Campaigns that something may still move in: launched ones that are not closed, and closed ones that owe."""
    owed = Payment.objects.filter(state__in=Payment.OPEN).values("submission__campaign")
    launched = Campaign.objects.exclude(launched_at=None)
    return list(launched.filter(~Q(state=Campaign.State.CLOSED) | Q(pk__in=owed)).order_by("name"))


def _one(rows: QuerySet[Any], field: str) -> tuple[int, datetime] | None:
    """(how many, the oldest moment) of the rows, or None when there are none."""
    found = rows.aggregate(count=Count("pk"), since=Min(field))
    return (found["count"], found["since"]) if found["count"] else None


def _jobs(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Jobs that nobody takes, that go on being put off, or that failed."""
    mine = Job.objects.filter(arguments__campaign_id=campaign.pk)
    idle = nobody_at_work()
    for job in mine.live().filter(created_at__lte=now - JOB).order_by("created_at")[:20]:
        lapsed = job.state == Job.State.RUNNING and job.leased_until and job.leased_until <= now
        if job.state == Job.State.RUNNING and not lapsed:
            continue  # its worker is alive and keeps its lease
        why = idle or ("The worker that had it is gone." if lapsed else f"It was put off: {waits_after(job)}")
        yield Stalled(in_words(job.kind), 1, job.created_at, why, START_WORKERS if idle or lapsed else "")
    for job in failed_jobs(campaign, now):
        since = job.finished_at or job.created_at
        if failure := failure_of(job):
            yield Stalled(in_words(job.kind), 1, since, f"It failed: {failure.message}", failure.next_step)


def put_off_jobs(campaign: Campaign) -> list[Job]:
    """Jobs that were put off at least twice in a row, because the crowd is away, say; they are tried again."""
    waiting = Job.objects.filter(arguments__campaign_id=campaign.pk, state=Job.State.WAITING)
    return list(waiting.filter(put_off__gte=2).order_by("pk")[:20])


def failed_jobs(campaign: Campaign, now: datetime) -> list[Job]:
    """The last job of each key that failed in the last days, newest first.

    Not when a later one of the key did well or is under way, nor when somebody put it away, nor when its step is
    over: a rehearsal after the launch, say.
    """
    mine = Job.objects.filter(arguments__campaign_id=campaign.pk)
    failed = mine.filter(state=Job.State.FAILED, put_away_at=None, finished_at__gte=now - FAILURE)
    last: dict[str, Job] = {}
    for job in failed.order_by("-finished_at")[:50]:
        later = mine.filter(key=job.key, pk__gt=job.pk).exclude(state=Job.State.FAILED)
        if job.key not in last and not later.exists():
            last[job.key] = job
    return [job for job in last.values() if not _is_over(job.kind, campaign)]


def _is_over(kind: str, campaign: Campaign) -> bool:
    """Whether nobody needs this kind of work of the campaign any more."""
    if kind in BEFORE_LAUNCH:
        return campaign.launched_at is not None
    return kind in UNTIL_COMPLETE and not campaign.tasks.exclude(state=Task.State.DONE).exists()


def failure_in_words(job: Job) -> str:
    """Why a job failed, as everybody is told."""
    failure = failure_of(job)
    return failure.message if failure else ""


def _offers(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Places that are wanted and not offered."""
    wanted = Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED)
    found = _one(wanted.filter(wanted_at__lte=now - _time_to_offer(wanted.count())), "wanted_at")
    if not found or campaign.state in (Campaign.State.PAUSED, Campaign.State.PILOTED):
        return
    why, next_step = _call_trouble(campaign, OFFERING) or (nobody_at_work(), START_WORKERS)
    yield Stalled(
        f"{many(found[0], 'place')} waiting to be offered",
        *found,
        why or "The job that offers them has not come to them.",
        next_step if why else f"Run: manage.py collect {campaign.name}",
    )


def _time_to_offer(count: int) -> timedelta:
    """How long offering so many places may take at the rate that is set."""
    rate = settings.CROWD_CALLS_PER_SECOND or 3
    return OFFER + timedelta(seconds=2 * count / rate)


def _call_trouble(campaign: Campaign, operations: Sequence[str]) -> tuple[str, str] | None:
    """(what the crowd last said, what to do) of calls of these kinds that did not work."""
    calls = CrowdCall.objects.filter(campaign=campaign, operation__in=operations).exclude(error_class="")
    call = calls.exclude(state=CrowdCall.State.DONE).order_by("-last_tried_at", "-pk").first()
    if call is None:
        return None
    again = f" Then: manage.py ask_again {campaign.name}." if call.state == CrowdCall.State.FAILED else ""
    return f"The crowd says: {call.error_message}", f"{call.next_step}{again}".strip()


def _expired_places(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Places that nobody can work on any more and that the crowd's list was not seen to end."""
    over = now - timedelta(seconds=offered_seconds(campaign.assignment_seconds)) - 2 * GRACE
    live = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN)
    if found := _one(live.filter(expires_at__lte=over), "expires_at"):
        yield Stalled(
            f"{many(found[0], 'place')} that ran out",
            *found,
            nobody_at_work() or "The crowd's list does not show what became of them.",
            f"Run: manage.py collect {campaign.name}",
        )


def _leases(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Tasks whose holder's time is over and that were not freed."""
    held = Task.objects.filter(campaign=campaign, state=Task.State.HELD)
    if found := _one(held.filter(leased_until__lte=now - 2 * GRACE), "leased_until"):
        yield Stalled(
            f"{many(found[0], 'task')} held beyond the time",
            *found,
            nobody_at_work() or "No collection has freed them.",
            f"Run: manage.py collect {campaign.name}",
        )


def _unconfirmed(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Work sent off from our page that the crowd's list does not have."""
    work = Submission.objects.filter(campaign=campaign, state=Submission.State.FINISHED)
    work = work.exclude(standing=Submission.Standing.TRIAL)
    if found := _one(work.filter(finished_at__lte=now - 2 * GRACE), "finished_at"):
        yield Stalled(
            f"{many(found[0], 'submission')} sent off from our page",
            *found,
            nobody_at_work() or "The crowd's list does not name them: its own form was not sent.",
            f"Run: manage.py collect {campaign.name}. When their time is over the tasks go to others.",
        )


def _unscreened(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Work that came in and has no standing."""
    work = Submission.objects.filter(
        campaign=campaign, state=Submission.State.SUBMITTED, standing=Submission.Standing.PENDING
    )
    if found := _one(work.filter(collected_at__lte=now - SCREENING), "collected_at"):
        yield Stalled(
            f"{many(found[0], 'submission')} not screened",
            *found,
            "A collection was interrupted.",
            f"Run: manage.py collect {campaign.name}",
        )


def _payments(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """Money that is owed for longer than paying takes."""
    owed = Payment.objects.filter(submission__campaign=campaign, state=Payment.State.OWED)
    found = _one(owed.filter(owed_at__lte=now - PAYMENT - timedelta(hours=campaign.hold_hours)), "owed_at")
    if not found:
        return
    why, next_step = _call_trouble(campaign, PAYING) or (
        nobody_at_work(),
        START_WORKERS,
    )
    yield Stalled(
        f"{many(found[0], 'payment')} owed",
        *found,
        why or "No collection has paid them.",
        next_step if why else f"Run: manage.py collect {campaign.name}",
    )


def _standstill(campaign: Campaign, now: datetime) -> Iterator[Stalled]:
    """A campaign as a whole: tasks without places, and a closing that takes longer than any holder may."""
    if campaign.state in Campaign.OFFERING and (missing := lacking(campaign)) > 0:
        since = _last_moved(campaign)
        if since <= now - OFFER:
            spent = cap_of(campaign) is not None and not room_for(campaign)
            why = "The budget is used up." if spent else nobody_at_work() or "No collection wanted them."
            next_step = f"Run: manage.py {'raise_budget' if spent else 'collect'} {campaign.name}"
            yield Stalled(f"{many(missing, 'task')} without a place", missing, since, why, next_step)
    if campaign.state != Campaign.State.CLOSING:
        return
    closing = campaign.changes.filter(what=Campaign.State.CLOSING).order_by("-pk").first()
    longest = timedelta(seconds=offered_seconds(campaign.assignment_seconds)) + 2 * GRACE
    if closing and closing.happened_at <= now - longest:
        pending = pending_work(campaign).words()
        why = f"It waits for {pending}." if pending else nobody_at_work() or "No collection has closed it."
        yield Stalled("the closing", 1, closing.happened_at, why, f"Run: manage.py collect {campaign.name}")


def _last_moved(campaign: Campaign) -> datetime:
    """When a place was wanted, work came in, or the campaign was changed, last."""
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
