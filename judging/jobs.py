"""Background jobs of judging, and functions that start them. Each job is safe to run twice."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from config import clock
from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import TryLater, hurry, start, start_for
from config.sweep import Sweep
from judging.campaign import duplicate_classes, gold_proposals
from judging.campaign.duplicate_classes import CLUSTER_PASSAGES, clustering_key
from judging.errors import CrowdLater, CrowdMoney, CrowdNever
from judging.exchange.calls import Patience, got_through
from judging.grading import crowd_grading
from judging.grading.grades import CHOOSE_PASSAGES, awaits_passages, choose_next, choosing_job, choosing_key
from judging.intake import collection, places
from judging.launch import closure, pilots
from judging.models import Campaign, Grade, TopicAssignment, Worker, WorkerMessage
from judging.money import held_pay, payments, rejections
from judging.people import gold_suspension, rights, rights_replay
from judging.watching import watchdog
from judging.workers import block_lists, notices
from judging.workers.messages import send_message
from pooling.models import Collection
from pooling.passages.clusters import cluster_set_of
from pooling.rules.near_duplicates import Likeness

log = logging.getLogger(__name__)
#: Seconds until the retry after a first temporary failure of the crowd. They double with each further failure in a
#: row, up to LONGEST_LATER_SECONDS.
LATER_SECONDS = 5
LONGEST_LATER_SECONDS = 300
#: Seconds until the retry of a job that stopped because the crowd account has too little money.
MONEY_SECONDS = 600


def post_places_key(campaign: Campaign) -> str:
    """Return the job key that lets only one job at a time offer the campaign's places."""
    return f"judging.post_places:{campaign.pk}"


def collect_key(campaign: Campaign) -> str:
    """Return the job key that lets only one job at a time collect the campaign's work."""
    return f"judging.collect:{campaign.pk}"


def close_places_key(campaign: Campaign) -> str:
    """Return the job key that lets only one job at a time withdraw the campaign's places from the crowd."""
    return f"judging.close_places:{campaign.pk}"


def ring_to_post_places(campaign: Campaign) -> Job:
    """Start the job that posts the campaign's wanted places at the crowd."""
    return start("judging.post_places", key=post_places_key(campaign), arguments={"campaign_id": campaign.pk})


def ring_to_collect(campaign: Campaign, *, sweep: bool = False) -> Job:
    """Start the job that collects submitted work. With ``sweep``, it also checks all open places at the crowd."""
    arguments = {"campaign_id": campaign.pk} | ({"sweep": True} if sweep else {})
    return start("judging.collect", key=collect_key(campaign), arguments=arguments)


def ring_to_continue(campaign: Campaign) -> Job:
    """Start the job that collects work and posts missing places, and run the campaign's postponed jobs now."""
    job = ring_to_collect(campaign, sweep=True)
    hurry(Job.objects.filter(arguments__campaign_id=campaign.pk))
    return job


def continue_if_launched(campaign: Campaign) -> None:
    """Start the due work of a campaign once it was offered: post freed tasks, notify workers, pay, finish closing."""
    if campaign.launched_at is not None:
        ring_to_continue(campaign)


def ring_to_close_places(campaign: Campaign) -> Job:
    """Start the job that withdraws a paused or closed campaign's places from the crowd, without any wait."""
    job = start(
        "judging.close_places", key=close_places_key(campaign), arguments={"campaign_id": campaign.pk}
    )
    hurry(Job.objects.filter(key=close_places_key(campaign)))
    return job


def ring_to_deliver(campaign: Campaign, rows: Sequence[WorkerMessage]) -> Job:
    """Start the job that sends a stored message through the crowd. ``rows`` has one row for each of its workers."""
    workers = [row.worker_id for row in rows]
    arguments = {"campaign_id": campaign.pk, "message": rows[0].pk, "workers": workers}
    return start("judging.deliver", key=f"judging.deliver:{max(row.pk for row in rows)}", arguments=arguments)


def ring_for_gold(campaign: Campaign, *, qrels: str = "") -> Job:
    """Start the job that proposes gold pairs, with answers from ``qrels`` or else the pool's qrel set."""
    return start(
        "judging.propose_gold",
        key=gold_proposals.propose_gold_key(campaign),
        arguments={"campaign_id": campaign.pk, "qrels": qrels},
    )


def ring_watchdog() -> Job:
    """Start the job that checks all campaigns for stalled work."""
    return start("judging.watchdog")


def ring_to_cluster(collection: Collection, likeness: Likeness, *, who: str) -> Job:
    """Start the job that finds near-duplicates. Errors that can be found before the job runs are raised at once."""
    duplicate_classes.check_clustering(collection, likeness)
    arguments = {
        "collection_id": collection.pk,
        "threshold": likeness.threshold,
        "shingle": likeness.shingle,
        "who": who,
    }
    return start_for(CLUSTER_PASSAGES, key=clustering_key(collection), arguments=arguments)


def ring_to_choose(assignment: TopicAssignment) -> Job:
    """Start the job that chooses the next passages for an assessor or a crowd."""
    arguments = {"assignment_id": assignment.pk}
    if assignment.crowd_id:
        arguments["campaign_id"] = assignment.crowd_id  # so that the campaign shows a failure
    return start(CHOOSE_PASSAGES, key=choosing_key(assignment), arguments=arguments)


def ring_to_choose_if_needed(assignment: TopicAssignment, *, again: bool = False) -> Job | None:
    """Return the job that chooses the next passages, and start it if needed; after a failure, only if ``again``.

    Return None if the assignment does not wait for passages.
    """
    if not awaits_passages(assignment):
        return None
    last = choosing_job(assignment)
    if last is None or last.state == Job.State.DONE or (last.state == Job.State.FAILED and again):
        return ring_to_choose(assignment)
    return last


def _was_refused_before(assignment: TopicAssignment) -> bool:
    """Return whether the last job that chose passages for the topic was refused, and nothing was judged since."""
    last = choosing_job(assignment)
    if last is None or last.state != Job.State.FAILED or last.fault != Job.Fault.REFUSED:
        return False
    return not Grade.objects.filter(item__assignment=assignment, given_at__gt=last.finished_at).exists()


@job_kind(CHOOSE_PASSAGES, words="choosing the next passages of a topic")
def choose_passages_job(*, progress: Progress, assignment_id: int, **_: Any) -> dict[str, Any]:
    """Choose the next passages of a topic by active learning. If a crowd judges the topic, request its judgments."""
    assignment = TopicAssignment.objects.get(pk=assignment_id)
    chosen = choose_next(assignment, progress=progress)
    if assignment.crowd is not None and crowd_grading.request_judgments(assignment.crowd):
        places.want_places(assignment.crowd)
        if places.any_wanted(assignment.crowd):
            ring_to_post_places(assignment.crowd)
    return {"chosen": chosen}


@job_kind(CLUSTER_PASSAGES, words="finding near-duplicates")
def cluster_passages_job(
    *, progress: Progress, collection_id: int, threshold: float, shingle: int, who: str
) -> dict[str, Any]:
    """Find a collection's near-duplicates, unless they are already stored for the same parameters."""
    found = Collection.objects.get(pk=collection_id)
    stored = cluster_set_of(found)
    asked = {"threshold": threshold, "shingle": shingle}
    if stored is None or asked.items() - stored.parameters.items():
        stored = duplicate_classes.cluster_texts(
            found, Likeness(threshold, shingle), who=who, progress=progress
        )
    return {"classes": stored.classes, "members": stored.members}


@job_kind("judging.post_places", words="offering places")
def post_places_job(*, progress: Progress, campaign_id: int) -> dict[str, Any]:
    """Post the wanted places at the crowd."""
    campaign = Campaign.objects.get(pk=campaign_id)
    with _retried(campaign):
        return {"posted": places.post_places(campaign, progress=progress)}


@job_kind("judging.collect", words="collecting work")
def collect_job(*, progress: Progress, campaign_id: int, sweep: bool = False) -> dict[str, Any]:
    """Collect submitted work, pay what is owed, and take the campaign's other regular steps at the crowd."""
    campaign, patience, swept = Campaign.objects.get(pk=campaign_id), Patience(), False
    result: dict[str, Any] = {}
    with _retried(campaign):
        with patience.one():
            sweep = sweep or campaign.state == Campaign.State.CLOSING
            gold_suspension.suspend_suspicious(campaign)
            collected = collection.collect(campaign, progress=progress, sweep=sweep)
            result |= {"submissions": collected.submissions, "places_wanted": collected.places_wanted}
            swept = sweep
        if campaign.grading_id:
            for assignment in crowd_grading.carry_grades(campaign):
                if not _was_refused_before(assignment):
                    ring_to_choose(assignment)
            places.want_places(campaign)
        with patience.one():
            held_pay.reject_unjudged(campaign)
            rejections.carry_out_rejections(campaign)
        with patience.one():
            held_pay.note_paid_by_the_crowd(campaign)
        with patience.one():
            result |= {"paid": payments.pay_owed(campaign, progress=progress)}
        if places.any_wanted(campaign):
            ring_to_post_places(campaign)
        with patience.one():
            block_lists.sync_blocks(campaign)
        with patience.one():
            block_lists.hide_from_finished(campaign)
        with patience.one():
            notices.send_notices(campaign)
        with patience.one():
            _take_automatic_step(campaign, swept=swept)
        patience.done()
    return result


def _take_automatic_step(campaign: Campaign, *, swept: bool) -> None:
    """Take the campaign's next automatic step. It becomes closed only if this collection ``swept`` all its work."""
    pilots.finish_pilot(campaign)
    if campaign.state == Campaign.State.CLOSING:
        closure.settle_tried_places(campaign)
        if swept:  # otherwise, work can wait at the crowd on places whose time is over
            closure.finish_closing(campaign)
    if campaign.state not in Campaign.OFFERING and places.places_offered(campaign).exists():
        start("judging.close_places", key=close_places_key(campaign), arguments={"campaign_id": campaign.pk})


@job_kind("judging.close_places", words="withdrawing places")
def close_places_job(*, progress: Progress, campaign_id: int) -> dict[str, Any]:
    """Withdraw a paused or closed campaign's places from the crowd."""
    campaign = Campaign.objects.get(pk=campaign_id)
    with _retried(campaign):
        return {"closed": places.close_places(campaign, progress=progress)}


@job_kind("judging.deliver", words="sending messages to workers")
def deliver_job(*, campaign_id: int, message: int, workers: list[int], **_: Any) -> dict[str, Any]:
    """Send a stored message to workers. If it does not reach a worker, that worker's row records why."""
    campaign = Campaign.objects.get(pk=campaign_id)
    kept = WorkerMessage.objects.get(pk=message, campaign=campaign)
    people = list(Worker.objects.filter(pk__in=workers).order_by("pk"))
    words = {"subject": kept.subject, "text": kept.text}
    with _retried(campaign), suppress(CrowdNever):  # recorded in the rows
        send_message(campaign, people, who=kept.who, **words)
    sent = WorkerMessage.objects.filter(campaign=campaign, worker__in=people, sent_at__isnull=False, **words)
    return {"sent": sent.count(), "workers": len(people)}


@job_kind("judging.propose_gold", words="proposing gold pairs")
def propose_gold_job(*, progress: Progress, campaign_id: int, qrels: str = "") -> dict[str, Any]:
    """Propose gold pairs until there are enough or no candidate is left. Once there are enough, a run adds none."""
    progress(0, 1, "Looking for gold pairs")
    return {"proposed": gold_proposals.propose_gold(Campaign.objects.get(pk=campaign_id), qrels=qrels)}


@job_kind("judging.collect_open_campaigns")
def collect_open_campaigns(**_: Any) -> dict[str, Any]:
    """Start one collection job for each of :func:`judging.intake.collection.campaigns_to_collect`."""
    campaigns = collection.campaigns_to_collect()
    for campaign in campaigns:
        ring_to_collect(campaign)
    return {"campaigns": len(campaigns)}


@job_kind("judging.retention")
def enforce_retention_job(**_: Any) -> dict[str, Any]:
    """Erase data past its retention period, and reapply erasures and withdrawals that a restored backup lacks."""
    done: dict[str, Any] = {}
    sweep = Sweep("Retention")
    with sweep.step("data past its retention period"):
        done |= rights.enforce_retention()
    with sweep.step("data that a backup brought back"):
        done["done_again"] = rights_replay.reapply_rights().applied
    sweep.end()
    return done


@job_kind("judging.watchdog")
def watchdog_job(**_: Any) -> dict[str, Any]:
    """Log a warning for all stalled work, and return it by campaign."""
    found = {campaign.name: watchdog.stalled_work(campaign) for campaign in watchdog.watched_campaigns()}
    for name, things in found.items():
        for thing in things:
            log.warning("campaign %s: %s", name, thing.words())
    return {name: [thing.as_dict() for thing in things] for name, things in found.items() if things}


@contextmanager
def _retried(campaign: Campaign) -> Iterator[None]:
    """Postpone the job if the block raises an error of the crowd that a retry can fix. Other errors are passed on."""
    began = clock.now()
    try:
        yield
    except CrowdLater as error:
        got_on = got_through(campaign, began)
        raise TryLater(
            error.message, seconds=LATER_SECONDS, longest=LONGEST_LATER_SECONDS, got_on=got_on
        ) from error
    except CrowdMoney as error:
        raise TryLater(error.message, next_step=error.next_step, seconds=MONEY_SECONDS) from error
