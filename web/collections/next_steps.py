"""The check list on a collection's page: finished steps and the next step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from accounts.roles import permits, who_can
from config.plurals import many
from judging.models import Campaign
from pooling.collections.members import role_of
from pooling.models import Collection
from web.boards.board_choices import LABELS_ALONE
from web.common.campaign_rows import Progress
from web.grading.summaries import GradedProgress


@dataclass(frozen=True)
class Holdings:
    """Counts and lists of a collection's contents, from which its next step follows."""

    queries: int
    passage_files: int
    runs: int
    qrel_sets: int
    pools: int
    campaigns: Sequence[Progress]
    """Campaigns that people judge: neither archived nor rehearsals."""
    versions: int
    new_runs: int
    graded: Sequence[GradedProgress] = ()
    """Graded campaigns, newest first."""
    clusters: int = 0
    """The number of classes of near-duplicates."""
    classes_fixed: bool = False
    """Whether pairs, judgments or assigned topics depend on the classes, so that none can be found any more."""

    @property
    def has_imports(self) -> bool:
        """Whether a campaign has imported judgments, which need no pool."""
        return any(one.imported for one in self.campaigns)

    @property
    def campaigns_of_pairs(self) -> list[Progress]:
        return [one for one in self.campaigns if one.campaign.grading_id is None]


@dataclass(frozen=True)
class Step:
    """One step from queries to a published version."""

    title: str
    done: bool
    words: str
    needed: str
    """The permission that the step requires."""
    action: str = ""
    address: str = ""
    optional: bool = False
    is_next: bool = False
    who: str = ""
    """Who can take the next step, if this person cannot."""


def collection_steps(collection: Collection, held: Holdings, user: Any) -> list[Step]:
    """Return the steps in order, with actions for those that the person can take.

    The next step is the first unfinished one that is not optional. If the person cannot take it, its ``who`` names
    the roles that can.
    """
    role = role_of(user, collection)
    steps = [
        *_material_steps(collection, held),
        *_judging_steps(collection, held),
    ]
    steps = [step if permits(role, step.needed) else replace(step, action="", address="") for step in steps]
    coming = next((step for step in steps if not step.done and not step.optional), None)
    if coming and not permits(role, coming.needed):
        steps[steps.index(coming)] = coming = replace(coming, who=who_can(coming.needed))
    return [replace(step, is_next=step is coming) for step in steps]


def _material_steps(collection: Collection, held: Holdings) -> list[Step]:
    at = [collection.name]
    runs = many(held.runs, "run", "runs") if held.runs else "Search results to compare."
    labels = (
        many(held.qrel_sets, "qrel set", "qrel sets")
        if held.qrel_sets
        else "Known relevant passages. Runs and labels are enough for a leaderboard."
    )
    pools = (
        many(held.pools, "pool", "pools")
        if held.pools
        else "The passages to judge: the top passage of every run, and the known relevant one."
    )
    files, send, plan = (
        reverse(route, args=at) for route in ("web:add_files", "web:send_runs", "web:pool_plan")
    )
    queries = many(held.queries, "query", "queries")
    if held.passage_files:
        queries += f", {many(held.passage_files, 'passage file')}"
    return [
        Step("Queries", held.queries > 0, queries, "add files", "Add passages", files),
        Step("Runs", held.runs > 0, runs, "upload run", "Upload runs", send),
        Step("Labels", held.qrel_sets > 0, labels, "add files", "Add labels", files),
        *_near_duplicates_step(collection, held),
        Step(
            "Pool", held.pools > 0, pools, "prepare campaign", "Plan a pool", plan, optional=held.has_imports
        ),
    ]


def _near_duplicates_step(collection: Collection, held: Holdings) -> list[Step]:
    """Return the optional step for near-duplicates; none if it is too late to find them."""
    page = reverse("web:near_duplicates", args=[collection.name])
    if held.clusters:
        words = f"{many(held.clusters, 'class', 'classes')} of near-duplicates, each judged once"
        return [Step("Near-duplicates", True, words, "see everything", "Show classes", page)]
    if held.classes_fixed:
        return []
    words = "Optional, before anything is judged: passages with nearly the same text are then judged once."
    action = "Find near-duplicates"
    return [Step("Near-duplicates", False, words, "add files", action, page, optional=True)]


def _judging_steps(collection: Collection, held: Holdings) -> list[Step]:
    """Return the steps of the newest campaign of pairs and of the newest graded campaign, the newer first."""
    pairs, graded = held.campaigns_of_pairs, held.graded
    of_pairs = [_campaign_step(collection, held, pairs), *_version_steps(collection, held)]
    if not graded:
        return of_pairs
    of_grades = [_graded_campaign_step(collection, held), _graded_labels_step(collection, graded)]
    if not pairs and not held.versions:
        return of_grades
    newer = not pairs or graded[0].campaign.created_at > pairs[0].campaign.created_at
    return [*of_grades, *of_pairs] if newer else [*of_pairs, *of_grades]


def _graded_campaign_step(collection: Collection, held: Holdings) -> Step:
    """Return the step of the newest graded campaign, or of a newer draft whose workers will grade topics."""
    crowds = [one for one in held.campaigns if one.campaign.grading_id is not None]
    latest, newest = next(iter(crowds), None), held.graded[0]
    if latest is None or newest.campaign.created_at > latest.campaign.created_at:
        return _grading_step(collection, newest)
    if latest.campaign.state in Campaign.BEFORE_LAUNCH:
        return _draft_step("Graded campaign", latest.campaign.name)
    judged = next(one for one in held.graded if one.campaign.pk == latest.campaign.grading_id)
    return _grading_step(collection, judged)


def _campaign_step(collection: Collection, held: Holdings, campaigns: Sequence[Progress]) -> Step:
    """Return the step of the newest campaign of pairs, or the step that creates a first campaign."""
    latest = next(iter(campaigns), None)
    if latest is None:
        words = "People compare the pooled passages two at a time, or grade them one at a time."
        make = reverse("web:new_campaign", args=[collection.name]) if held.pools else ""
        return Step("Campaign", False, words, "prepare campaign", "New campaign" if held.pools else "", make)
    name = latest.campaign.name
    if latest.campaign.state in Campaign.BEFORE_LAUNCH and not latest.imported:
        return _draft_step("Campaign", name)
    done = latest.imported or latest.campaign.state in Campaign.OVER or 0 < latest.wanted <= latest.counted
    words = f"{name}: {latest.counted:,} of {many(latest.wanted, 'judgment', 'judgments')}"
    return Step(
        "Campaign", done, words, "see everything", f"Open {name}", reverse("web:campaign", args=[name])
    )


def _draft_step(title: str, name: str) -> Step:
    prepare = reverse("web:prepare", args=[name])
    return Step(
        title, False, f"{name} has not been launched yet.", "prepare campaign", f"Prepare {name}", prepare
    )


def _grading_step(collection: Collection, graded: GradedProgress) -> Step:
    name = graded.campaign.name
    words = (
        f"{name}: {many(graded.judged, 'passage')} judged, {graded.decided:,} of {many(graded.topics, 'topic')} "
        "decided"
    )
    address = reverse("web:graded_campaign", args=[collection.name, name])
    return Step("Graded campaign", graded.done, words, "see everything", f"Open {name}", address)


def _graded_labels_step(collection: Collection, graded: Sequence[GradedProgress]) -> Step:
    ready = next((one for one in graded if one.accepted and not one.labels), None)
    published = [name for one in graded for name in one.labels]
    if published and not ready:
        board = reverse("web:leaderboard", args=[collection.name])
        board += f"?{urlencode({'version': LABELS_ALONE, 'official': published[0]})}"
        words = f"{many(len(published), 'qrel set')} from graded campaigns"
        return Step("Graded labels", True, words, "see everything", "Open the leaderboard", board)
    words = "The grades of accepted topics become labels that every run is scored with."
    address = ""
    if ready:
        address = reverse("web:graded_campaign", args=[collection.name, ready.campaign.name]) + "#h-labels"
    return Step("Graded labels", False, words, "add files", "Create labels" if ready else "", address)


def _version_steps(collection: Collection, held: Holdings) -> list[Step]:
    judged = next((one for one in held.campaigns_of_pairs if one.counted), None)
    publish = reverse("web:publish", args=[judged.campaign.name]) if judged else ""
    if not held.versions:
        words = "The best answers become labels that every run is scored with."
        return [
            Step("Version", False, words, "publish version", "Publish a version" if judged else "", publish)
        ]
    board = reverse("web:leaderboard", args=[collection.name])
    published = many(held.versions, "version", "versions")
    steps = [Step("Version", True, published, "see everything", "Open the leaderboard", board)]
    if held.new_runs:
        words = f"{many(held.new_runs, 'new run has', 'new runs have')} top passages that nobody has judged."
        plan = reverse("web:challenge_with", args=[collection.name])
        steps.append(Step("New runs", False, words, "plan challenge", "Plan a challenge", plan))
    return steps
