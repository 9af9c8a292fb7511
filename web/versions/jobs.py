"""Background jobs for the next version: challenges of new runs, previews, publications."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start
from judging.campaign.campaigns import log_change
from judging.jobs import ring_to_post_places
from judging.models import Campaign
from pooling.models import Passage, Query
from tournament import services
from tournament.errors import ChallengeUnderWay
from tournament.services import ChallengePlan, QueryChange
from web.boards.jobs import ring_for_boards
from web.common.sole_jobs import start_alone
from web.versions.next_version import CHALLENGE, LISTED, PREVIEW, PUBLISH


def ring_for_challenge(campaign: Campaign, asked: dict[str, Any], *, who: str) -> Job:
    """Start planning and opening a challenge. Raises ChallengeUnderWay if another challenge is being planned."""
    arguments = asked | {"campaign_id": campaign.pk, "who": who}
    if asked["confirm_spend"] is not None:
        arguments["confirm_spend"] = str(asked["confirm_spend"])
    job = start(CHALLENGE, key=f"{CHALLENGE}:{campaign.pk}", arguments=arguments)
    if job.arguments != arguments:
        raise ChallengeUnderWay(
            f"Another challenge of {campaign.name} is being planned.", "Try again when it is done."
        )
    return job


@job_kind(CHALLENGE, words="the challenge of new runs")
def challenge_job(
    *,
    progress: Progress,
    campaign_id: int,
    runs: list[str],
    rule: str,
    dry_run: bool,
    confirm_spend: str | None,
    who: str,
) -> dict[str, Any]:
    """Plan a challenge, open it unless it is a dry run, and start the job that posts its places."""
    campaign = Campaign.objects.select_related("collection", "pool").get(pk=campaign_id)
    plan = services.plan_challenge(campaign=campaign, run_tags=runs, rule=rule, progress=progress)
    if dry_run:
        listed = challenged_queries(plan, LISTED)
        return {"challenge": None, "state": "planned", "asked": 0, **plan.summary(), "listed": listed}
    agreed = None if confirm_spend is None else Decimal(confirm_spend)
    opened = services.open_challenge(plan=plan, confirm_spend=agreed)
    if opened.challenge is None:
        return {"challenge": None, "state": "done", "asked": 0, **plan.summary()}
    log_change(
        campaign, f"challenge {opened.challenge.number}", why=f"runs: {', '.join(runs)}"[:2000], who=who
    )
    if opened.advance.asked:
        ring_to_post_places(campaign)
    return {
        "challenge": opened.challenge.number,
        "state": str(opened.challenge.state),
        "asked": opened.advance.asked,
        **plan.summary(),
    }


def ring_for_preview(campaign: Campaign, *, allow_open: bool) -> Job:
    """Start a preview of what publishing the campaign would change. Raises AnotherUnderWay."""
    arguments = {"campaign_id": campaign.pk, "allow_open": allow_open}
    return start_alone(PREVIEW, f"{PREVIEW}:{campaign.pk}", arguments, f"a preview of {campaign.name}")


def ring_for_publishing(campaign: Campaign, *, allow_open: bool, as_shown: str, who: str) -> Job:
    """Start publishing the campaign as the next version. Raises AnotherUnderWay."""
    arguments = {"campaign_id": campaign.pk, "allow_open": allow_open, "as_shown": as_shown, "who": who}
    what = f"the next version of {campaign.collection.name}"
    return start_alone(PUBLISH, f"{PUBLISH}:{campaign.collection_id}", arguments, what)


@job_kind(PREVIEW, words="working out the next version")
def preview_job(*, progress: Progress, campaign_id: int, allow_open: bool) -> dict[str, Any]:
    """Return what publishing the campaign would change."""
    campaign = Campaign.objects.select_related("collection").get(pk=campaign_id)
    found = services.preview_version(campaign=campaign, allow_open=allow_open, progress=progress)
    return found.summary() | {"listed": named_changes(found.changes[:LISTED])}


@job_kind(PUBLISH, words="publishing the next version")
def publish_job(
    *, progress: Progress, campaign_id: int, allow_open: bool, as_shown: str, who: str
) -> dict[str, Any]:
    """Publish the campaign as the next version if it matches what was shown, and log who did it."""
    campaign = Campaign.objects.select_related("collection").get(pk=campaign_id)
    progress(0, 1, "Publishing")
    done = services.publish_qrels(
        campaign=campaign, allow_open=allow_open, published_by=who, as_shown=as_shown
    )
    if done.new:
        log_change(campaign, f"version {done.version.number}", why="published", who=who)
        ring_for_boards()
    return {"version": done.version.number, "new": done.new}


def challenged_queries(plan: ChallengePlan, most: int) -> list[dict[str, Any]]:
    """Return the first challenged queries of a plan, each with the pids of its best answers and challengers."""
    rows = [row for row in plan.rows if row.challenger_ids][:most]
    qids = _qid_by_key(row.query_id for row in rows)
    pid = _pid_by_key(key for row in rows for key in (*row.best_ids, *row.challenger_ids))
    return [
        {
            "qid": qids[row.query_id],
            "best": [pid[key] for key in row.best_ids],
            "challengers": [pid[key] for key in row.challenger_ids],
        }
        for row in rows
    ]


def named_changes(changes: Sequence[QueryChange]) -> list[dict[str, Any]]:
    """Return changes with qids and pids instead of keys."""
    qids = _qid_by_key(change.query for change in changes)
    pid = _pid_by_key(key for change in changes for key in (*change.before, *change.after))
    return [
        {
            "qid": qids[change.query],
            "what": str(change.what),
            "before": sorted(pid[key] for key in change.before),
            "after": sorted(pid[key] for key in change.after),
            "status_before": change.status_before,
            "status_after": change.status_after,
        }
        for change in changes
    ]


def _qid_by_key(keys: Iterable[int]) -> dict[int, str]:
    return dict(Query.objects.filter(pk__in=set(keys)).values_list("pk", "qid"))


def _pid_by_key(keys: Iterable[int]) -> dict[int, str]:
    return dict(Passage.objects.filter(pk__in=set(keys)).values_list("pk", "pid"))
