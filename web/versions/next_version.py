"""Data of the pages that lead to the next version: publishing previews and challenges by new runs."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, QuerySet

from config.background.models import Job
from judging.models import Campaign, Judgment, TaskPair
from pooling.collections.members import may
from pooling.models import Collection, Passage, Query, Run
from tournament.models import Challenge, ChallengedQuery
from tournament.services import latest_version
from tournament.services.challenges import beyond_budget
from tournament.services.other_rooms import takes_real_money
from web.common.job_progress import Work
from web.common.row_counts import count_by
from web.versions.version_changes import WORDS

CHALLENGE = "web.challenge"
PREVIEW = "web.preview_version"
PUBLISH = "web.publish_version"
LISTED = 100
TEXTS_SHOWN = 20


@dataclass(frozen=True)
class ChallengeLine:
    """A challenge and its progress.

    ``asked``: number of judgments requested so far. ``judged``: number of judgments counted. ``queries``: number of
    its queries that have challengers.
    """

    challenge: Challenge
    asked: int
    judged: int
    queries: int


@dataclass(frozen=True)
class Meeting:
    """A query whose best answers are to be compared with challengers, with the texts that people would read."""

    query: Query
    best: list[Passage]
    challengers: list[Passage]


def version_work(campaign: Campaign) -> QuerySet[Job]:
    """Return this campaign's preview and publication jobs, newest first."""
    return Job.objects.filter(kind__in=[PREVIEW, PUBLISH], arguments__campaign_id=campaign.pk).order_by("-pk")


def challenge_work(campaign: Campaign) -> QuerySet[Job]:
    return Job.objects.filter(kind=CHALLENGE, arguments__campaign_id=campaign.pk)


def publish_page(campaign: Campaign, user: Any) -> dict[str, Any]:
    newest = version_work(campaign).first()
    work = Work(newest) if newest else None
    kind = newest.kind if newest and newest.state == Job.State.DONE else ""
    published = work.result if work and kind == PUBLISH else None
    preview = work.result if work and kind == PREVIEW else None
    return {
        "campaign": campaign,
        "collection": campaign.collection,
        "latest": latest_version(campaign.collection),
        "work": work,
        "published": published,
        "preview": preview,
        "counts": [(words, preview[str(what)]) for what, words in WORDS.items()] if preview else [],
        "listed": _rows_with_queries(campaign.collection, preview["listed"]) if preview else [],
        "most_listed": LISTED,
        "may_publish": may(user, "publish version", campaign.collection),
        "asking": Challenge.objects.filter(campaign=campaign, state=Challenge.State.ASKING).first(),
    }


def _rows_with_queries(collection: Collection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    queries = _queries_by_qid(collection, rows)
    words = {str(what): said for what, said in WORDS.items()}
    return [
        row | {"query": queries[row["qid"]], "words": words.get(row.get("what", ""), "")}
        for row in rows
        if row["qid"] in queries
    ]


def challenge_page(campaign: Campaign, user: Any, tags: list[str]) -> dict[str, Any]:
    """Return the data of the page where new runs challenge a campaign's best answers."""
    newest = challenge_work(campaign).order_by("-pk").first()
    work = Work(newest) if newest else None
    before: dict[str, Any] = newest.arguments if newest else {"runs": [], "rule": Challenge.Rule.LEAD2}
    done = work.result if work and work.done else None
    plan = done if done and done["state"] == "planned" else None
    real = takes_real_money(campaign)
    cost = Decimal(str(plan["cost"]["most"])).quantize(Decimal("0.01")) if plan else None
    return {
        "campaign": campaign,
        "collection": campaign.collection,
        "work": work,
        "plan": plan,
        "opened": done if done and done["state"] != "planned" else None,
        "cost": cost,
        "beyond": beyond_budget(campaign, cost) if cost is not None else None,
        "may_spend": may(user, "spend money", campaign.collection),
        "meetings": _challenge_meetings(campaign.collection, plan["listed"][:TEXTS_SHOWN]) if plan else [],
        "runs": _run_choices(campaign.collection, tags or list(before["runs"])),
        "rule": before["rule"],
        "rules": RULES,
        "challenges": challenge_lines(campaign),
        "over": campaign.state in Campaign.OVER,
        "others": challengeable(campaign.collection) if campaign.state in Campaign.OVER else [],
        "may_make": may(user, "prepare campaign", campaign.collection),
        "may_plan": may(user, "plan challenge", campaign.collection),
        "may_open": may(user, "open challenge", campaign.collection)
        and (not real or may(user, "spend money", campaign.collection)),
        "real_money": real,
    }


def problem_with_runs(tags: list[str], collection: Collection) -> str:
    """Return the problem with the challenging runs; empty if there is none."""
    if not tags:
        return "No run is chosen. Choose the new runs, then press the button."
    known = {tag for tag in tags if "\0" not in tag}
    there = set(collection.runs.filter(run_tag__in=known).values_list("run_tag", flat=True))
    missing = [tag.replace("\0", "") for tag in tags if tag not in there]
    if not missing:
        return ""
    return f"{collection.name} has no run {', '.join(missing[:5])}. Choose runs from the list, then press the button."


RULES = [
    (Challenge.Rule.LEAD2, "until a side leads by 2, or five judgments are in"),
    (Challenge.Rule.SINGLE, "one judgment per pair"),
]


def _run_choices(collection: Collection, tags: list[str]) -> list[tuple[Run, bool]]:
    """Return every run and whether it is chosen: chosen runs first, then the newest."""
    chosen = set(tags)
    rows = Run.objects.filter(collection=collection).order_by("-created_at", "-pk").defer("report")
    return sorted(((run, run.run_tag in chosen) for run in rows), key=lambda choice: not choice[1])


def _challenge_meetings(collection: Collection, rows: list[dict[str, Any]]) -> list[Meeting]:
    queries = _queries_by_qid(collection, rows)
    pids = {pid for row in rows for pid in (*row["best"], *row["challengers"])}
    passages = {one.pid: one for one in Passage.objects.filter(collection=collection, pid__in=pids)}
    return [
        Meeting(
            queries[row["qid"]],
            [passages[pid] for pid in row["best"] if pid in passages],
            [passages[pid] for pid in row["challengers"] if pid in passages],
        )
        for row in rows
        if row["qid"] in queries
    ]


def _queries_by_qid(collection: Collection, rows: list[dict[str, Any]]) -> dict[str, Query]:
    wanted = [row["qid"] for row in rows]
    return {query.qid: query for query in Query.objects.filter(collection=collection, qid__in=wanted)}


def challenge_lines(campaign: Campaign) -> list[ChallengeLine]:
    """Return the campaign's challenges, newest first, in a fixed number of database queries."""
    asked = count_by(TaskPair.objects.filter(task__campaign=campaign, pair__round__gt=0), "pair__round")
    judged = count_by(Judgment.objects.filter(campaign=campaign, pair__round__gt=0).counted(), "pair__round")
    queries = dict(
        ChallengedQuery.objects.filter(challenge__campaign=campaign)
        .exclude(challenger_ids=[])  # the run's new top passages have the same text as judged ones
        .values_list("challenge")
        .annotate(Count("pk"))
        .order_by()
    )
    rows = Challenge.objects.filter(campaign=campaign).order_by("-number")
    return [ChallengeLine(one, asked[one.number], judged[one.number], queries.get(one.pk, 0)) for one in rows]


def challengeable(collection: Collection) -> list[Campaign]:
    """Return the collection's campaigns that can still ask people, newest first."""
    rows = Campaign.objects.filter(collection=collection, rehearsal_of=None, pool__isnull=False, grading=None)
    return list(rows.exclude(state__in=Campaign.OVER).exclude(launched_at=None).order_by("-pk"))
