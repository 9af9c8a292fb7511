"""What needs a person now: of each collection, what the person may do something about, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.urls import reverse

from accounts.roles import Role, permits
from config.background.models import Job
from config.plurals import many
from judging.models import Campaign, GoldPair
from judging.services import holding, voices
from judging.services.budget import budget_low
from pooling.models import Collection, Membership
from tournament.models import QrelVersion
from web.services.campaigns import Progress
from web.services.outdated import Outdated, needs_somebody
from web.services.runs import new_runs
from web.services.webhooks import listing

UNDER_WAY = (*Campaign.OFFERING, Campaign.State.PAUSED)


@dataclass(frozen=True)
class Need:
    """Something to be done: what it is about, what, and the page where it is done."""

    about: str
    words: str
    address: str
    urgent: bool = False


def needs_of(
    user: Any, campaigns: Sequence[Progress], outdated: Mapping[int, Outdated] | None = None
) -> list[Need]:
    """What waits for this person, the urgent first. ``campaigns`` are those the person sees, ``outdated`` what is
    said of the latest versions of collections."""
    roles = _roles(user)
    if not roles:
        return []
    mine = [one for one in campaigns if one.campaign.collection_id in roles]
    found = [
        *_warnings(mine, roles),
        *_held(mine, roles),
        *_voices(mine, roles),
        *_budgets(mine, roles),
        *_gold(mine, roles),
        *_versions(mine, roles, outdated or {}),
        *_runs(roles),
        *_webhooks(roles),
    ]
    return sorted(found, key=lambda need: not need.urgent)


def _roles(user: Any) -> dict[int, Role]:
    """Collection → what the person is there."""
    if not user.is_authenticated or not user.is_active:
        return {}
    if user.is_superuser:
        return dict.fromkeys(Collection.objects.values_list("pk", flat=True), Role.OWNER)
    rows = Membership.objects.filter(user=user).values_list("collection", "role")
    return {collection: Role(role) for collection, role in rows}


def _able(mine: Sequence[Progress], roles: dict[int, Role], action: str) -> dict[int, Progress]:
    return {
        one.campaign.pk: one
        for one in mine
        if permits(roles[one.campaign.collection_id], action) and one.campaign.rehearsal_of_id is None
    }


def _page(campaign: Campaign, part: str = "") -> str:
    return reverse("web:campaign", args=[campaign.name]) + part


def _warnings(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[Need]:
    """What the watchdog found when it last looked."""
    watched = (
        Job.objects.filter(kind="judging.watchdog", state=Job.State.DONE).order_by("-finished_at").first()
    )
    found = (watched.result or {}) if watched else {}
    for one in _able(mine, roles, "see everything").values():
        if things := found.get(one.campaign.name):
            what = ", ".join(thing["what"] for thing in things[:3])
            yield Need(
                one.campaign.name, f"has not moved in time: {what}", _page(one.campaign, "#live-needs"), True
            )


def _held(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[Need]:
    """Pay that waits for a person, and when the crowd will have paid by itself."""
    able = _able(mine, roles, "spend money")
    for key, (number, first) in sorted(holding.next_to_pay_itself(list(able)).items()):
        by_itself = f"; the crowd pays the first by itself on {first:%Y-%m-%d %H:%M} UTC" if first else ""
        words = f"pay for {many(number, 'submission')} held until you decide{by_itself}"
        campaign = able[key].campaign
        yield Need(campaign.name, words, reverse("web:campaign_payments", args=[campaign.name]), True)


def _voices(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[Need]:
    able = _able(mine, roles, "judge workers")
    reports, appeals = voices.waiting(able).values()
    overdue = voices.overdue([one.campaign for one in able.values() if appeals[one.campaign.pk]])
    for key, one in able.items():
        said = [many(reports[key], "report of a pair", "reports of pairs")] if reports[key] else []
        if appeals[key]:
            late = f", {overdue[key]:,} overdue" if overdue[key] else ""
            said.append(many(appeals[key], "appeal", "appeals") + late)
        if said:
            address = reverse("web:campaign_reports", args=[one.campaign.name])
            yield Need(one.campaign.name, f"{' and '.join(said)} to look at", address, True)


def _budgets(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[Need]:
    for one in _able(mine, roles, "spend money").values():
        undone = one.tasks - one.tasks_done
        if low := budget_low(one.campaign, used=one.spent + one.owed + one.held, undone=undone):
            words = (
                f"its budget of ${low.cap:,.2f} does not pay for all tasks, which come to ${low.needed:,.2f}"
            )
            yield Need(one.campaign.name, words, _page(one.campaign), True)


def _gold(mine: Sequence[Progress], roles: dict[int, Role]) -> Iterator[Need]:
    able = _able(mine, roles, "prepare campaign")
    pairs = GoldPair.objects.filter(campaign__in=able)
    proposed = _counted(
        pairs.filter(state=GoldPair.State.PROPOSED, campaign__state__in=Campaign.BEFORE_LAUNCH), "campaign"
    )
    suspended = _counted(
        pairs.filter(state=GoldPair.State.SUSPENDED, campaign__state__in=UNDER_WAY), "campaign"
    )
    for key, one in able.items():
        if number := proposed[key]:
            words = f"{many(number, 'test pair', 'test pairs')} to approve"
            yield Need(one.campaign.name, words, reverse("web:prepare_gold", args=[one.campaign.name]))
        if number := suspended[key]:
            words = f"{many(number, 'test pair', 'test pairs')} suspended, by the rule or a person"
            yield Need(one.campaign.name, words, reverse("web:campaign_gold", args=[one.campaign.name]), True)


def _versions(
    mine: Sequence[Progress], roles: dict[int, Role], outdated: Mapping[int, Outdated]
) -> Iterator[Need]:
    """Versions that no longer equal what counts: somebody publishes the next one, or decides not to."""
    for one in _able(mine, roles, "publish version").values():
        said = outdated.get(one.campaign.collection_id)
        if said and needs_somebody(said, one.campaign):
            words = f"{said.words} {said.effect}"
            yield Need(one.campaign.name, words, reverse("web:publish", args=[one.campaign.name]))


def _runs(roles: dict[int, Role]) -> Iterator[Need]:
    """Runs that came after everything was judged: their top passages may be better than the best known."""
    able = [key for key, role in roles.items() if permits(role, "plan challenge")]
    judged = QrelVersion.objects.filter(collection__in=able).values("collection")
    collections = {one.pk: one for one in Collection.objects.filter(pk__in=judged)}
    fresh = _counted(new_runs(list(collections.values())), "collection") if collections else Counter()
    for key, number in sorted(fresh.items()):
        words = f"{many(number, 'new run', 'new runs')} with top passages that nobody has judged yet"
        name = collections[key].name
        yield Need(name, words, reverse("web:runs", args=[name]) + "?show=new")


def _webhooks(roles: dict[int, Role]) -> Iterator[Need]:
    """Messages that nobody took: somebody believes to be told, and is not."""
    able = [key for key, role in roles.items() if permits(role, "manage webhooks")]
    for one in listing.troubles(able):
        name = one.endpoint.collection.name
        yield Need(name, one.words, reverse("web:webhook", args=[name, one.endpoint.pk]), True)


def _counted(rows: QuerySet[Any], path: str) -> Counter[int]:
    return Counter(dict(rows.values_list(path).annotate(Count("pk")).order_by()))
