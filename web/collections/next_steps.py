"""The check list on a collection's page: finished steps and the next step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse

from accounts.roles import permits, who_can
from config.plurals import many
from judging.models import Campaign
from pooling.models import Collection
from pooling.services.members import role_of
from web.common.campaign_rows import Progress
from web.grading.summaries import GradedProgress


@dataclass(frozen=True)
class Holdings:
    """The contents of a collection that decide its next step."""

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
    is_next: bool = False
    who: str = ""
    """Who can take the next step, if this person cannot."""


def collection_steps(collection: Collection, held: Holdings, user: Any) -> list[Step]:
    """Return the steps in order; only steps that the person can take have actions. The first undone step is next.

    If the person cannot take the next step, its ``who`` names the roles that can.
    """
    role = role_of(user, collection)
    steps = [
        *_material_steps(collection, held),
        _campaign_step(collection, held),
        *_publication_steps(collection, held),
    ]
    steps = [step if permits(role, step.needed) else replace(step, action="", address="") for step in steps]
    coming = next((step for step in steps if not step.done), None)
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
        Step("Pool", held.pools > 0, pools, "prepare campaign", "Plan a pool", plan),
    ]


def _campaign_step(collection: Collection, held: Holdings) -> Step:
    """Return the step of the newest campaign, of pairs or of grades. A crowd's grades count for their topics."""
    latest = held.campaigns[0] if held.campaigns else None
    if latest and latest.campaign.grading_id and latest.campaign.state not in Campaign.BEFORE_LAUNCH:
        graded = next(one for one in held.graded if one.campaign.pk == latest.campaign.grading_id)
        return _grading_step(collection, graded)
    if held.graded and (latest is None or held.graded[0].campaign.created_at > latest.campaign.created_at):
        return _grading_step(collection, held.graded[0])
    if latest is None:
        words = "People compare the pooled passages two at a time, or grade them one at a time."
        make = reverse("web:new_campaign", args=[collection.name]) if held.pools else ""
        return Step("Campaign", False, words, "prepare campaign", "New campaign" if held.pools else "", make)
    name = latest.campaign.name
    if latest.campaign.state in Campaign.BEFORE_LAUNCH and not latest.imported:
        prepare = reverse("web:prepare", args=[name])
        return Step(
            "Campaign", False, f"{name} is not launched yet.", "prepare campaign", f"Prepare {name}", prepare
        )
    done = latest.imported or latest.campaign.state in Campaign.OVER or 0 < latest.wanted <= latest.counted
    words = f"{name}: {latest.counted:,} of {many(latest.wanted, 'judgment', 'judgments')}"
    return Step(
        "Campaign", done, words, "see everything", f"Open {name}", reverse("web:campaign", args=[name])
    )


def _grading_step(collection: Collection, graded: GradedProgress) -> Step:
    name = graded.campaign.name
    words = (
        f"{name}: {many(graded.judged, 'passage')} judged, {graded.decided:,} of {many(graded.topics, 'topic')} "
        "decided"
    )
    address = reverse("web:graded_campaign", args=[collection.name, name])
    return Step("Campaign", graded.done, words, "see everything", f"Open {name}", address)


def _graded_labels_step(collection: Collection, graded: Sequence[GradedProgress]) -> Step:
    ready = next((one for one in graded if one.accepted and not one.labels), None)
    published = sum(one.labels for one in graded)
    if published and not ready:
        board = reverse("web:leaderboard", args=[collection.name])
        words = f"{many(published, 'qrel set')} from graded campaigns"
        return Step("Graded labels", True, words, "see everything", "Open the leaderboard", board)
    words = "The grades of accepted topics become labels that every run is scored with."
    address = reverse("web:graded_campaign", args=[collection.name, ready.campaign.name]) if ready else ""
    return Step("Graded labels", False, words, "add files", "Publish the labels" if ready else "", address)


def _publication_steps(collection: Collection, held: Holdings) -> list[Step]:
    if held.graded and not held.versions and not held.campaigns_of_pairs:
        return [_graded_labels_step(collection, held.graded)]
    judged = next((one for one in held.campaigns_of_pairs if one.counted), None)
    publish = reverse("web:publish", args=[judged.campaign.name]) if judged else ""
    if not held.versions:
        words = "The winners become labels that every run is scored with."
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
