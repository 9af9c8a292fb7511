"""Handle arrivals by a link: find its campaign and posting, and lease a task on the first visit.

The link is signed, so its content can be trusted. A posting that a restored backup lacks is looked up at the crowd.
"""

from config import clock
from config.errors import Refusal
from config.monitoring.metrics import Count
from config.prepared_queries import Prepared
from judging.crowds import crowd_for
from judging.crowds.interface import Arrival
from judging.errors import CrowdNever, WorkRefused
from judging.exchange.link_tokens import Link
from judging.exchange.recovered_places import UNKNOWN_PLACES, adopt
from judging.intake.early_screening import confirm_failed
from judging.models import Campaign, Posting, Submission, Worker
from judging.page.admission import check_session, leave_earlier, limits, past_with_gold, place_of
from judging.tasks.leases import deadlines_from, lease_task
from judging.tasks.resumption import resumable
from judging.workers.identities import Newcomer, crowd_namespace, known_worker, refusal_reason
from judging.workers.work_history import Work, submissions_of

LEASES = Count("preferee_leases", "Arrivals for a new task: taken, or the reason for refusal.", ("result",))


_POSTINGS = Posting.objects.select_related("campaign")
_POSTING = Prepared(lambda campaign, key: _POSTINGS.filter(campaign=campaign, pk=key))
_NUMBERED = Prepared(lambda campaign, number: _POSTINGS.filter(campaign=campaign, number=number))


def behind(link: Link) -> tuple[Campaign, Posting | None]:
    """Return the campaign that the link was made for, and its posting if our records have it.

    Raises WorkRefused if the campaign does not exist.
    """
    find, named = (_POSTING, link.posting_id) if link.posting_id else (_NUMBERED, link.number)
    posting = find.first(link.campaign_id, named)
    campaign = posting.campaign if posting else Campaign.objects.filter(pk=link.campaign_id).first()
    if campaign is None or link.campaign_key not in ("", campaign.call_key):
        raise WorkRefused("unknown-link")
    return campaign, posting


def posting_behind(campaign: Campaign, known: Posting | None, link: Link, arrival: Arrival) -> Posting:
    """Return the posting that the link was made for: ``known``, or else one that the crowd confirms.

    A posting confirmed by the crowd is added to our records. Raises WorkRefused if there is no such posting or the
    crowd cannot be reached now.
    """
    if known is None and link.number and _crowd_knows(campaign, link, arrival):
        return campaign.postings.get(number=link.number)
    if known is None or link.purpose not in ("", known.purpose):
        raise WorkRefused("unknown-link")
    return known


def _crowd_knows(campaign: Campaign, link: Link, arrival: Arrival) -> bool:
    """Return whether the crowd confirms that the link's posting is ours; if so, add it to our records."""
    if link.purpose == Posting.Purpose.TRIAL or link.purpose not in Posting.Purpose.values:
        return False
    if not arrival.place_crowd_id:  # a crowd without places can confirm the worker's session
        check_session(campaign, arrival)
        campaign.postings.get_or_create(number=link.number, defaults={"purpose": link.purpose})
        return True
    try:
        UNKNOWN_PLACES.count(campaign)
        posted = crowd_for(campaign).place(arrival.place_crowd_id)
    except CrowdNever:
        return False
    except Refusal:
        raise WorkRefused("not-ready") from None
    if not posted.key.startswith(f"{campaign.call_key}-{link.number}-"):
        return False
    return adopt(campaign, posted, purpose=link.purpose) is not None


def open_task(posting: Posting, arrival: Arrival, *, network: str = "") -> Submission:
    """Return the submission for this arrival, leasing a task on the first visit. Raises :class:`WorkRefused`.

    ``network`` is the network address that the request came from, if known.
    """
    campaign = posting.campaign
    crowd = crowd_namespace(campaign)
    worker = known_worker(crowd, arrival.crowd_worker_id)
    work: list[Work] = []
    if worker is not None:
        work = submissions_of(campaign, worker)
        if any(one.assignment_id == arrival.assignment_id for one in work):
            return _known_task(worker, arrival)
        changed = arrival.taken_at is not None and leave_earlier(posting, work, arrival.taken_at)
        if any(one.failed for one in work):
            confirm_failed(campaign, worker)
            changed = True
        work = submissions_of(campaign, worker) if changed else work
    who = worker or Newcomer(crowd, arrival.crowd_worker_id)
    try:
        submission = _new_task(campaign, who, work, arrival, network)
    except WorkRefused as refused:
        LEASES.add(refused.reason)
        raise
    LEASES.add("taken")
    return submission


def _known_task(worker: Worker, arrival: Arrival) -> Submission:
    mine = Submission.objects.filter(assignment_id=arrival.assignment_id, worker=worker)
    submission = mine.get()
    if arrival.taken_at and submission.taken_at is None:
        mine.update(taken_at=arrival.taken_at)
    return submission


def _new_task(
    campaign: Campaign, who: Worker | Newcomer, work: list[Work], arrival: Arrival, network: str
) -> Submission:
    worker = who if isinstance(who, Worker) else None
    if reason := refusal_reason(campaign, worker, work):
        raise WorkRefused(reason, worker=worker)
    begun = arrival.taken_at is not None and any(one.begun for one in work)
    resumes = bool(worker and begun and resumable(campaign, worker).exists())
    past = past_with_gold(campaign, worker)
    if not resumes and not past.gold_is_left():
        raise WorkRefused("nothing-new")
    paced = limits(campaign, arrival, network)
    if any(limit.used_up(counted) for limit, counted in paced):
        raise WorkRefused("crowded")
    place = place_of(campaign, arrival)
    now = clock.now()
    if deadlines_from(now, campaign, place, arrival.taken_at).ours <= now:
        raise WorkRefused("lapsed")  # the crowd has offered the place to others since
    submission = lease_task(
        campaign,
        who,
        assignment_id=arrival.assignment_id,
        place=place,
        taken_at=arrival.taken_at,
        past=past,
        resumes=resumes,
        held=[one.task_id for one in work if one.task_id and one.state == Submission.State.HELD],
    )
    if submission is None:
        raise WorkRefused("no-task")
    for limit, counted in paced:
        limit.take(counted)
    return submission
