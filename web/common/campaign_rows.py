from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, F, Max, Q, Sum

from accounts.roles import Role, permits
from config import kept_objects
from judging.models import Campaign, Exclusion, Judgment, Payment, Submission, Task, TaskPair
from judging.watching.status import is_complete
from pooling.collections.members import may, roles_of
from pooling.models import Collection
from web.common.campaign_steps import step_after_judging
from web.common.directions import Direction
from web.common.row_counts import count_by

#: How long the numbers of pairs are cached, in seconds.
KEEP_SECONDS = 86400
#: Campaigns of a published collection that everybody sees: launched ones, and imported judgments. Drafts, pilots
#: and rehearsals are not among them.
_SHOWN_TO_EVERYBODY = Q(pool=None) | (
    Q(launched_at__isnull=False, rehearsal_of=None) & ~Q(state__in=Campaign.UNLAUNCHED)
)


@dataclass(frozen=True)
class Progress:
    """A campaign in a list, with its judgments, tasks, dollars and exclusions."""

    campaign: Campaign
    counted: int
    wanted: int
    tasks_done: int
    tasks: int
    spent: Decimal
    owed: Decimal
    held: Decimal
    exclusions: int
    simulated: bool
    everything: bool
    """Whether the reader is a member; others do not see money."""
    role: Role | None
    """The reader's role in the collection."""

    @property
    def imported(self) -> bool:
        """Whether the campaign's judgments were imported; it then offers no tasks."""
        return self.campaign.pool_id is None

    @property
    def moving(self) -> bool:
        """Whether the progress can change while the page is open."""
        return self.campaign.state in (*Campaign.OFFERING, Campaign.State.CLOSING)

    @property
    def next_step(self) -> Direction | None:
        """The next step of an open campaign whose judgments are all in, for members only.

        The campaign's page shows the same step.
        """
        done = self.campaign.state == Campaign.State.OPEN and 0 < self.tasks == self.tasks_done
        if not (self.everything and done and is_complete(self.campaign)):
            return None
        return step_after_judging(self.campaign).for_role(self.role)


@dataclass(frozen=True)
class CampaignLists:
    """The campaigns of a page: first the current ones, then rehearsals and archived ones in folded sections."""

    current: list[Progress]
    rehearsals: list[Progress]
    archived: list[Progress]

    @property
    def folded(self) -> list[tuple[str, list[Progress]]]:
        """The lists that pages show folded, with their titles."""
        parts = [("Rehearsals", self.rehearsals), ("Archived", self.archived)]
        return [(title, rows) for title, rows in parts if rows]


def sorted_into_lists(campaigns: Sequence[Progress]) -> CampaignLists:
    """Divide the campaigns into the lists of a page, each in the given order.

    A rehearsal of an archived campaign is also listed as archived.
    """
    archived = {one.campaign.pk for one in campaigns if one.campaign.archived_at}
    lists = CampaignLists([], [], [])
    for one in campaigns:
        if archived & {one.campaign.pk, one.campaign.rehearsal_of_id}:
            lists.archived.append(one)
        elif one.campaign.rehearsal_of_id:
            lists.rehearsals.append(one)
        else:
            lists.current.append(one)
    return lists


def campaigns_progress(campaigns: Sequence[Campaign], user: Any) -> list[Progress]:
    """Return the progress of many campaigns as this person sees it.

    The campaigns share the database queries, except for numbers of pairs that are not cached.
    """
    keys = [campaign.pk for campaign in campaigns]
    roles = roles_of(user)
    counted, imported, simulated = _judgment_counts(keys)
    excluded = count_by(Exclusion.objects.misconduct().filter(campaign__in=keys), "campaign")
    tasks = _task_counts(keys)
    money = _paid_by_state(keys)
    return [
        Progress(
            campaign=campaign,
            counted=counted.get(campaign.pk, 0),
            wanted=tasks[campaign.pk].pairs + imported.get(campaign.pk, 0),
            tasks_done=tasks[campaign.pk].done,
            tasks=tasks[campaign.pk].all,
            spent=money.get((campaign.pk, Payment.State.PAID), Decimal(0)),
            owed=money.get((campaign.pk, Payment.State.OWED), Decimal(0)),
            held=money.get((campaign.pk, Payment.State.HELD), Decimal(0)),
            exclusions=excluded.get(campaign.pk, 0),
            simulated=bool(simulated.get(campaign.pk)),
            everything=permits(roles.get(campaign.collection_id), "see everything"),
            role=roles.get(campaign.collection_id),
        )
        for campaign in campaigns
    ]


class _TaskCounts(NamedTuple):
    all: int = 0
    done: int = 0
    pairs: int = 0


def _task_counts(keys: list[int]) -> dict[int, _TaskCounts]:
    """Count tasks and their pairs by campaign. Pair counts are cached until tasks are added or built again."""
    counts = {
        "made": Count("pk"),
        "ended": Count("pk", filter=Q(state=Task.State.DONE)),
        "last": Max("pk"),
    }
    rows = Task.objects.filter(campaign__in=keys).values_list("campaign", "campaign__created_at")
    found = dict.fromkeys(keys, _TaskCounts())
    for campaign, since, made, ended, last in rows.annotate(**counts).order_by():
        key = kept_objects.object_key("pairs-of-tasks", campaign, since.timestamp(), made, last)
        pairs: int | None = kept_objects.kept(key)
        if pairs is None:
            pairs = TaskPair.objects.filter(task__campaign=campaign).count()
            kept_objects.keep_object(key, pairs, KEEP_SECONDS)
        found[campaign] = _TaskCounts(made, ended, pairs)
    return found


def _judgment_counts(keys: list[int]) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """Return counted, imported and simulated judgments by campaign, in two database queries."""
    counted: Counter[int] = Counter()
    imported: Counter[int] = Counter()
    simulated: Counter[int] = Counter()
    rows = Judgment.objects.filter(campaign__in=keys)
    by_standing = rows.values_list("campaign", "submission__standing", "judge_kind").annotate(Count("pk"))
    for campaign, standing, kind, count in by_standing.order_by():
        counted[campaign] += count if standing == Submission.Standing.COUNTED else 0
        imported[campaign] += count if standing is None else 0
        simulated[campaign] += count if kind == Judgment.JudgeKind.SIMULATED else 0
    # An exclusion changes the standing of submissions; imported judgments have no submission.
    without = rows.filter(submission=None).counted().values_list("campaign").annotate(Count("pk"))
    counted.update(dict(without.order_by()))
    return counted, imported, simulated


def campaigns_of(collections: Sequence[Collection], user: Any) -> list[Campaign]:
    """Return the campaigns of these collections that this person can see, newest first."""
    rows = Campaign.objects.filter(collection__in=[collection.pk for collection in collections])
    published = Q(collection__visibility=Collection.Visibility.PUBLISHED)
    rows = rows.filter(Q(collection__in=_collections_seen_whole(user)) | (_SHOWN_TO_EVERYBODY & published))
    return list(rows.select_related("collection", "pool").order_by("-created_at", "-pk"))


def shown_to_everybody(collection: Collection) -> int:
    """Return how many of the collection's campaigns non-members see once it is published."""
    return Campaign.objects.filter(_SHOWN_TO_EVERYBODY, collection=collection).count()


def sees_campaign(user: Any, campaign: Campaign) -> bool:
    if may(user, "see everything", campaign.collection):
        return True
    published = campaign.collection.visibility == Collection.Visibility.PUBLISHED
    return published and Campaign.objects.filter(_SHOWN_TO_EVERYBODY, pk=campaign.pk).exists()


def _collections_seen_whole(user: Any) -> set[int]:
    """Return the keys of collections in which this person sees everything."""
    return {key for key, role in roles_of(user).items() if permits(role, "see everything")}


def _paid_by_state(campaigns: list[int]) -> dict[tuple[int, str], Decimal]:
    rows = (
        Payment.objects.filter(submission__campaign__in=campaigns)
        .values_list("submission__campaign", "state")
        .annotate(total=Sum(F("amount") + F("fee")))
        .order_by()
    )
    return {(campaign, state): total for campaign, state, total in rows}
