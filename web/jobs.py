"""Background work that pages and calls of the API ask for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from accounts.models import User
from config.background.models import Job
from config.background.registry import Progress, job_kind
from config.background.services import hurry, start
from judging.jobs import close_places_key, collect_key, post_places_key, propose_gold_key
from judging.models import Campaign, WorkerMessage
from judging.rehearsal import check_crew
from judging.rehearsal import rehearse as run_rehearsal
from judging.services.campaigns import log
from judging.simulation import SimulationSettings, simulate
from pooling.models import QrelSet
from tournament import services
from tournament.errors import ChallengeUnderWay
from tournament.jobs import post_places
from tournament.models import QrelVersion
from web.errors import AnotherUnderWay
from web.services import kept_boards
from web.services.naming import challenged_queries, named_changes
from web.services.rehearsals import predicted
from web.services.release.bundle import count_release, make_release
from web.services.samples import load
from web.services.simulating import check_unmixed
from web.services.webhooks import delivering

CHALLENGE = "web.challenge"
REHEARSE = "web.rehearse"
SAMPLE = "web.load_sample"
SIMULATE = "web.simulate"
PREVIEW = "web.preview_version"
PUBLISH = "web.publish_version"
RELEASE = "web.release"
BOARDS = "web.keep_boards"
WEBHOOKS = "web.webhooks"
DELIVER = "web.deliver_webhooks"
#: How many queries a plan or a preview lists; the rest is counted.
LISTED = 100


def after_offering_less(campaign: Campaign) -> None:
    """A campaign was paused or closed: have its places taken off the crowd."""
    start("judging.close_places", key=close_places_key(campaign), arguments={"campaign_id": campaign.pk})
    hurry(Job.objects.filter(key=close_places_key(campaign)))


def after_offering_more(campaign: Campaign) -> None:
    """A campaign goes on: have what is missing offered, and what was put off tried now."""
    arguments = {"campaign_id": campaign.pk, "sweep": True}
    start("judging.collect", key=collect_key(campaign), arguments=arguments)
    hurry(Job.objects.filter(arguments__campaign_id=campaign.pk))


def try_again(job: Job) -> Job:
    """Have failed work done once more; the job that does it, or the one that goes on or did well already."""
    if job.state != Job.State.FAILED:
        return job
    later = Job.objects.filter(key=job.key, pk__gt=job.pk).exclude(state=Job.State.FAILED).order_by("-pk")
    return later.first() or start(job.kind, key=job.key, arguments=job.arguments)


def after_putting_away() -> None:
    """Somebody put failed work away: what has not moved is looked for anew, for the pages that list it."""
    start("judging.watchdog")


def after_writing(campaign: Campaign, rows: Sequence[WorkerMessage]) -> None:
    """A message to workers was kept: have the crowd deliver it."""
    workers = [row.worker_id for row in rows]
    arguments = {"campaign_id": campaign.pk, "message": rows[0].pk, "workers": workers}
    start("judging.deliver", key=f"judging.deliver:{max(row.pk for row in rows)}", arguments=arguments)


def after_launching(campaign: Campaign) -> None:
    """A campaign or its pilot was launched: have the places that are wanted offered."""
    start("judging.post_places", key=post_places_key(campaign), arguments={"campaign_id": campaign.pk})


def ring_for_gold(campaign: Campaign, *, qrels: str = "") -> Job:
    """Have gold pairs proposed, from these labels or the pool's."""
    return start(
        "judging.propose_gold",
        key=propose_gold_key(campaign),
        arguments={"campaign_id": campaign.pk, "qrels": qrels},
    )


def gold_proposals(campaign: Campaign) -> QuerySet[Job]:
    """Proposals of gold pairs for this campaign, the latest first."""
    return Job.objects.filter(key=propose_gold_key(campaign)).order_by("-pk")


def ring_for_challenge(campaign: Campaign, asked: dict[str, Any], *, who: str) -> Job:
    """Have a challenge planned and opened; raises ChallengeUnderWay when another one is being."""
    arguments = asked | {"campaign_id": campaign.pk, "who": who}
    if asked["confirm_spend"] is not None:
        arguments["confirm_spend"] = str(asked["confirm_spend"])
    job = start(CHALLENGE, key=f"{CHALLENGE}:{campaign.pk}", arguments=arguments)
    if job.arguments != arguments:
        raise ChallengeUnderWay(
            f"Another challenge of {campaign.name} is being planned.", "Ask again when it is done."
        )
    return job


def challenge_work(campaign: Campaign) -> QuerySet[Job]:
    """Challenges of this campaign that were asked for."""
    return Job.objects.filter(kind=CHALLENGE, arguments__campaign_id=campaign.pk)


@job_kind(CHALLENGE, words="the challenge of new runs")
def challenge(
    *,
    progress: Progress,
    campaign_id: int,
    runs: list[str],
    rule: str,
    dry_run: bool,
    confirm_spend: str | None,
    who: str,
) -> dict[str, Any]:
    """Plan a challenge, open it unless it is a dry run, and ring for the places it wants."""
    campaign = Campaign.objects.select_related("collection", "pool").get(pk=campaign_id)
    plan = services.plan_challenge(campaign=campaign, run_tags=runs, rule=rule, progress=progress)
    if dry_run:
        listed = challenged_queries(plan, LISTED)
        return {"challenge": None, "state": "planned", "asked": 0, **plan.summary(), "listed": listed}
    agreed = None if confirm_spend is None else Decimal(confirm_spend)
    opened = services.open_challenge(plan=plan, confirm_spend=agreed)
    if opened.challenge is None:
        return {"challenge": None, "state": "done", "asked": 0, **plan.summary()}
    log(campaign, f"challenge {opened.challenge.number}", why=f"runs: {', '.join(runs)}"[:2000], who=who)
    if opened.advance.asked:
        post_places(campaign.pk)
    return {
        "challenge": opened.challenge.number,
        "state": str(opened.challenge.state),
        "asked": opened.advance.asked,
        **plan.summary(),
    }


def ring_for_sample(user: int) -> Job:
    """Have the sample brought in for this person; it is brought in once at a time."""
    return start(SAMPLE, arguments={"user_id": user})


def sample_under_way() -> Job | None:
    """The job that brings it in, while it does."""
    return Job.objects.live().filter(kind=SAMPLE).first()


@job_kind(SAMPLE, max_attempts=1)
def load_sample(*, progress: Progress, user_id: int) -> dict[str, Any]:
    """Bring the sample in, as a collection of this person's."""
    return {"collection": load(User.objects.get(pk=user_id), progress=progress).name}


def ring_for_preview(campaign: Campaign, *, allow_open: bool) -> Job:
    """Have it worked out what publishing the campaign would change; raises AnotherUnderWay."""
    arguments = {"campaign_id": campaign.pk, "allow_open": allow_open}
    return _started(PREVIEW, f"{PREVIEW}:{campaign.pk}", arguments, f"a preview of {campaign.name}")


def ring_for_publishing(campaign: Campaign, *, allow_open: bool, as_shown: str, who: str) -> Job:
    """Have the campaign published as the next version; raises AnotherUnderWay."""
    arguments = {"campaign_id": campaign.pk, "allow_open": allow_open, "as_shown": as_shown, "who": who}
    return _started(PUBLISH, f"{PUBLISH}:{campaign.collection_id}", arguments, f"{campaign.name}")


def version_work(campaign: Campaign) -> QuerySet[Job]:
    """Previews and publications of this campaign that were asked for, the newest first."""
    return Job.objects.filter(kind__in=[PREVIEW, PUBLISH], arguments__campaign_id=campaign.pk).order_by("-pk")


def _started(kind: str, key: str, arguments: dict[str, Any], what: str) -> Job:
    job = start(kind, key=key, arguments=arguments)
    if job.arguments != arguments:
        raise AnotherUnderWay(
            f"Somebody else's work on {what} is under way.", "Wait until it is done, then ask again."
        )
    return job


@job_kind(PREVIEW, words="working out the next version")
def preview(*, progress: Progress, campaign_id: int, allow_open: bool) -> dict[str, Any]:
    """What publishing the campaign would change."""
    campaign = Campaign.objects.select_related("collection").get(pk=campaign_id)
    found = services.preview_version(campaign=campaign, allow_open=allow_open, progress=progress)
    return found.summary() | {"listed": named_changes(found.changes[:LISTED])}


@job_kind(PUBLISH, words="publishing the next version")
def publish(
    *, progress: Progress, campaign_id: int, allow_open: bool, as_shown: str, who: str
) -> dict[str, Any]:
    """Publish the campaign as the next version, if that is what was shown, and log who did it."""
    campaign = Campaign.objects.select_related("collection").get(pk=campaign_id)
    progress(0, 1, "Publishing")
    done = services.publish_qrels(
        campaign=campaign, allow_open=allow_open, published_by=who, as_shown=as_shown
    )
    if done.new:
        log(campaign, f"version {done.version.number}", why="published", who=who)
        start(BOARDS)
    return {"version": done.version.number, "new": done.new}


@job_kind(BOARDS, wanted=kept_boards.something_lacks, words="drawing leaderboards")
def keep_boards(*, progress: Progress) -> dict[str, Any]:
    """Draw the latest leaderboards that are not there: runs and versions came, and no visitor is to wait for them."""
    return {"boards": kept_boards.keep_boards(progress)}


def ring_for_release(version: QrelVersion, *, only_count: bool) -> Job:
    """Have a version's bundle counted through, or made; raises AnotherUnderWay."""
    arguments = {"version_id": version.pk, "only_count": only_count}
    return _started(RELEASE, f"{RELEASE}:{version.pk}", arguments, f"the bundle of version {version.number}")


def release_work(version: QrelVersion) -> QuerySet[Job]:
    """What was asked for about this version's bundle, the newest first."""
    return Job.objects.filter(kind=RELEASE, arguments__version_id=version.pk).order_by("-pk")


@job_kind(RELEASE, words="the bundle")
def release(*, progress: Progress, version_id: int, only_count: bool) -> dict[str, Any]:
    """Count what a version's bundle has and leaves out, and unless that is all, make it and keep it."""
    version = QrelVersion.objects.select_related("collection", "campaign").get(pk=version_id)
    if only_count:
        return count_release(version, progress)
    made = make_release(version, progress)
    return {"sha256": made.sha256, "size": made.size}


def ring_for_rehearsal(campaign: Campaign, truth: QrelSet, settings: SimulationSettings, *, who: str) -> Job:
    """Have a campaign rehearsed; while one rehearsal is under way, asking again is asking for that one."""
    check_crew(settings)
    arguments = {"campaign_id": campaign.pk, "truth_id": truth.pk, "settings": asdict(settings), "who": who}
    return start(REHEARSE, key=f"{REHEARSE}:{campaign.pk}", arguments=arguments)


def rehearsals_asked_for(campaign: Campaign) -> QuerySet[Job]:
    """Rehearsals of this campaign that were asked for here, the latest first."""
    return Job.objects.filter(key=f"{REHEARSE}:{campaign.pk}").order_by("-pk")


@job_kind(REHEARSE, max_attempts=3, words="the rehearsal")
def rehearse(
    *, progress: Progress, campaign_id: int, truth_id: int, settings: dict[str, Any], who: str
) -> dict[str, Any]:
    """Rehearse a campaign, and say what that foretells."""
    campaign = Campaign.objects.select_related("collection", "pool").get(pk=campaign_id)
    truth, crew = QrelSet.objects.get(pk=truth_id), SimulationSettings(**settings)
    progress(0, campaign.tasks.count(), "Simulated workers sign up")
    rehearsed = run_rehearsal(campaign, truth, crew, who=who, progress=progress)
    return predicted(campaign, rehearsed, truth, crew)


@job_kind(WEBHOOKS, wanted=delivering.something_to_do)
def webhooks(**_: Any) -> dict[str, Any]:
    """Make messages of what happened, and ring for each address that has some to be sent."""
    made = delivering.write_messages()
    due = delivering.due_endpoints()
    for key in due:
        ring_for_webhook(key)
    return {"messages": made, "addresses": len(due)}


def ring_for_webhook(endpoint_id: int) -> Job:
    """Have what is due at this address sent: one address, one job, so that a slow one holds up no other."""
    return start(DELIVER, key=f"{DELIVER}:{endpoint_id}", arguments={"endpoint_id": endpoint_id})


@job_kind(DELIVER)
def deliver_webhooks(*, progress: Progress, endpoint_id: int) -> dict[str, Any]:
    """Send what is due at one address."""
    arrived = delivering.deliver(endpoint_id, rng=random.SystemRandom(), progress=progress)
    return {"arrived": arrived}


@job_kind("web.forget_webhooks")
def forget_webhooks(**_: Any) -> dict[str, Any]:
    """Delete what was sent longer ago than the setting says."""
    return {"deleted": delivering.forget_old()}


def ring_for_simulation(campaign: Campaign, truth: QrelSet, settings: SimulationSettings, *, who: str) -> Job:
    """Have simulated workers judge a launched campaign; while they do, asking again is asking for the same."""
    check_crew(settings)
    arguments = {"campaign_id": campaign.pk, "truth_id": truth.pk, "settings": asdict(settings), "who": who}
    return start(SIMULATE, key=f"{SIMULATE}:{campaign.pk}", arguments=arguments)


def simulation_of(campaign: Campaign) -> Job | None:
    """The simulated workers that were asked for last."""
    return Job.objects.filter(key=f"{SIMULATE}:{campaign.pk}").order_by("-pk").first()


@job_kind(SIMULATE, max_attempts=3, words="the simulated workers")
def judged_by_software(
    *, progress: Progress, campaign_id: int, truth_id: int, settings: dict[str, Any], who: str
) -> dict[str, Any]:
    """Simulated workers judge what is left; interrupted, the next attempt goes on."""
    campaign = Campaign.objects.select_related("collection", "pool").get(pk=campaign_id)
    check_unmixed(campaign)
    log(campaign, "simulated workers began", who=who)
    done = simulate(
        campaign, QrelSet.objects.get(pk=truth_id), SimulationSettings(**settings), progress=progress
    )
    return {"tasks": done.tasks, "judgments": done.judgments}
