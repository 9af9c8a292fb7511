"""Items that need a person's attention: for each collection, what the person can do, and on which page."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.urls import reverse

from accounts.roles import Role, permits
from config.background.models import Job
from config.plurals import many
from judging.campaign.gold_pairs import needed_gold
from judging.models import Campaign, GoldPair
from judging.money import held_pay
from judging.money.budget import budget_low
from judging.people import appeal_answers
from pooling.collections.members import roles_of
from pooling.models import Collection, TeamApplication
from tournament.models import QrelVersion
from web.campaigns.needs import suspended_lately
from web.common.campaign_rows import Progress
from web.common.outdated_versions import Outdated, should_publish_again
from web.common.row_counts import count_by
from web.runs.pages import new_runs
from web.webhooks import pages as listing


@dataclass(frozen=True)
class HomeNeed:
    """An item: its subject, what to do, and the page where it is done."""

    about: str
    words: str
    address: str
    urgent: bool = False


def needs_of(
    user: Any, campaigns: Sequence[Progress], outdated: Mapping[int, Outdated] | None = None
) -> list[HomeNeed]:
    """Return the items that need this person, urgent items first.

    ``campaigns`` are those that the person sees; ``outdated`` are notices about collections' latest versions.
    """
    roles = roles_of(user)
    if not roles:
        return []
    mine = [one for one in campaigns if one.campaign.collection_id in roles]
    found = [
        *_standstill_needs(mine, roles),
        *_held_pay_needs(mine, roles),
        *_report_and_appeal_needs(mine, roles),
        *_low_budget_needs(mine, roles),
        *_gold_pair_needs(mine, roles),
        *_outdated_version_needs(mine, roles, outdated or {}),
        *_new_run_needs(roles),
        *_team_application_needs(roles),
        *_webhook_needs(roles),
    ]
    return sorted(found, key=lambda need: not need.urgent)


def _with_right(mine: Sequence[Progress], roles: dict[int, Role], action: str) -> dict[int, Progress]:
    """Return key → campaign, without rehearsals, where the person's role permits the action."""
    return {
        one.campaign.pk: one
        for one in mine
        if permits(roles[one.campaign.collection_id], action) and one.campaign.rehearsal_of_id is None
    }


def _campaign_address(campaign: Campaign, part: str = "") -> str:
    return reverse("web:campaign", args=[campaign.name]) + part


def _standstill_needs(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[HomeNeed]:
    """Yield campaigns with work that the watchdog's last check found stalled."""
    watched = (
        Job.objects.filter(kind="judging.watchdog", state=Job.State.DONE).order_by("-finished_at").first()
    )
    found = (watched.result or {}) if watched else {}
    for one in _with_right(mine, roles, "see everything").values():
        if things := found.get(one.campaign.name):
            what = ", ".join(thing["what"] for thing in things[:3])
            address = _campaign_address(one.campaign, "#live-needs")
            yield HomeNeed(one.campaign.name, f"is stalled: {what}", address, True)


def _held_pay_needs(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[HomeNeed]:
    """Yield each campaign's held pay, and what will happen to it, and when, unless somebody decides."""
    able = _with_right(mine, roles, "spend money")
    for key, held in sorted(held_pay.held_by_campaign(able).items()):
        words = (
            f"pay for {many(len(held), 'submission')} held until you decide. {held_pay.undecided_words(held)}"
        )
        campaign = able[key].campaign
        yield HomeNeed(
            campaign.name, words.strip(), reverse("web:campaign_payments", args=[campaign.name]), True
        )


def _report_and_appeal_needs(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[HomeNeed]:
    able = _with_right(mine, roles, "judge workers")
    reports, appeals = appeal_answers.waiting(able).values()
    overdue = appeal_answers.overdue([one.campaign for one in able.values() if appeals[one.campaign.pk]])
    for key, one in able.items():
        said = [many(reports[key], "report of a pair", "reports of pairs")] if reports[key] else []
        if appeals[key]:
            late = f", {overdue[key]:,} overdue" if overdue[key] else ""
            said.append(many(appeals[key], "appeal", "appeals") + late)
        if said:
            address = reverse("web:campaign_reports", args=[one.campaign.name])
            yield HomeNeed(one.campaign.name, f"{' and '.join(said)} to look at", address, overdue[key] > 0)


def _low_budget_needs(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[HomeNeed]:
    for one in _with_right(mine, roles, "spend money").values():
        undone = one.tasks - one.tasks_done
        if low := budget_low(one.campaign, used=one.spent + one.owed + one.held, undone=undone):
            words = f"its budget of ${low.cap:,.2f} does not cover all tasks, which cost ${low.needed:,.2f}"
            yield HomeNeed(one.campaign.name, words, _campaign_address(one.campaign))


def _gold_pair_needs(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[HomeNeed]:
    able = {
        key: one
        for key, one in _with_right(mine, roles, "prepare campaign").items()
        if one.campaign.archived_at is None
    }
    pairs = GoldPair.objects.filter(campaign__in=able)
    proposed = count_by(
        pairs.filter(state=GoldPair.State.PROPOSED, campaign__state__in=Campaign.BEFORE_LAUNCH), "campaign"
    )
    suspended = count_by(suspended_lately(able), "campaign")
    accepted = count_by(pairs.filter(state=GoldPair.State.ACCEPTED, campaign__in=list(proposed)), "campaign")
    for key, one in able.items():
        if proposed[key] and (lacking := needed_gold(one.campaign) - accepted[key]) > 0:
            words = f"{many(min(proposed[key], lacking), one.campaign.gold_words)} to accept"
            yield HomeNeed(one.campaign.name, words, reverse("web:prepare_gold", args=[one.campaign.name]))
        if number := suspended[key]:
            words = f"{many(number, one.campaign.gold_words)} suspended automatically"
            yield HomeNeed(one.campaign.name, words, reverse("web:campaign_gold", args=[one.campaign.name]))


def _outdated_version_needs(
    mine: Sequence[Progress], roles: dict[int, Role], outdated: Mapping[int, Outdated]
) -> Iterator[HomeNeed]:
    """Yield versions that no longer match the judgments that count; a person decides whether to publish again."""
    for one in _with_right(mine, roles, "publish version").values():
        said = outdated.get(one.campaign.collection_id)
        if said and should_publish_again(said, one.campaign):
            words = f"{said.words} {said.effect}"
            yield HomeNeed(one.campaign.name, words, reverse("web:publish", args=[one.campaign.name]))


def _new_run_needs(roles: dict[int, Role]) -> Iterator[HomeNeed]:
    """Yield the number of runs that are in no pool or challenge; their top passages might beat the best answers."""
    able = [key for key, role in roles.items() if permits(role, "plan challenge")]
    judged = QrelVersion.objects.filter(collection__in=able).values("collection")
    collections = {one.pk: one for one in Collection.objects.filter(pk__in=judged)}
    fresh = count_by(new_runs(list(collections.values())), "collection") if collections else Counter()
    for key, number in sorted(fresh.items()):
        told = ("new run whose top passages may be unjudged", "new runs whose top passages may be unjudged")
        words = many(number, *told)
        name = collections[key].name
        yield HomeNeed(name, words, reverse("web:runs", args=[name]) + "?show=new")


def _team_application_needs(roles: dict[int, Role]) -> Iterator[HomeNeed]:
    able = [key for key, role in roles.items() if permits(role, "manage teams")]
    waiting = TeamApplication.objects.filter(collection__in=able, state=TeamApplication.State.WAITING)
    counted = waiting.values_list("collection__name").annotate(Count("pk"))
    for name, number in counted.order_by("collection__name"):
        words = f"{many(number, 'application of a team', 'applications of teams')} to decide"
        yield HomeNeed(name, words, reverse("web:teams", args=[name]))


def _webhook_needs(roles: dict[int, Role]) -> Iterator[HomeNeed]:
    """Yield webhooks that were switched off automatically or have abandoned messages, so that events are missed."""
    able = [key for key, role in roles.items() if permits(role, "manage webhooks")]
    for one in listing.troubles(able):
        name = one.endpoint.collection.name
        yield HomeNeed(name, one.words, reverse("web:webhook", args=[name, one.endpoint.pk]), True)
