"""Preview the changes that publishing a campaign would make."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from config.background.job_kinds import Progress
from judging.models import Campaign
from tournament.models import QrelVersion
from tournament.outcomes import Status
from tournament.services.changes import (
    ChangeKind,
    Edition,
    QueryChange,
    changes_between,
    edition_of,
    passages_by_query,
)
from tournament.services.later_decisions import Redecided, redecided_queries
from tournament.services.publication import (
    Draft,
    content_of,
    draft_version,
    latest_version,
    refuse_rehearsal,
)
from tournament.services.resolution import resolve_as_before


@dataclass(frozen=True)
class Preview:
    """A preview of the next version.

    Publishing compares ``fingerprint`` with that of its own draft. ``new`` says whether the draft differs from the
    latest version. ``open`` counts queries whose best answers are not settled; they are left out unless
    ``allow_open`` is set.
    """

    campaign: Campaign
    parent: QrelVersion | None
    allow_open: bool
    fingerprint: str
    new: bool
    statuses: Counter[str]
    qrels: int
    carried: int
    open: int
    simulated: bool
    changes: list[QueryChange]
    redecided: list[Redecided]
    """Queries that other campaigns decided before and that this campaign decides now."""

    def summary(self) -> dict[str, Any]:
        kinds = Counter(change.what for change in self.changes)
        return {
            "campaign": self.campaign.name,
            "number": self.parent.number + 1 if self.parent else 1,
            "parent": self.parent.number if self.parent else None,
            "allow_open": self.allow_open,
            "fingerprint": self.fingerprint,
            "new": self.new,
            "queries": sum(self.statuses.values()),
            "closed": self.statuses[Status.CLOSED],
            "singletons": self.statuses[Status.SINGLETON],
            "open": self.open,
            "qrels": self.qrels,
            "carried": self.carried,
            "simulated": self.simulated,
            "redecided": [one.words for one in self.redecided],
            **{str(what): kinds[what] for what in ChangeKind},
        }


def preview_version(
    *, campaign: Campaign, allow_open: bool = False, progress: Progress | None = None
) -> Preview:
    """Resolve the campaign with its latest parameters and compare the draft with the latest version.

    Publishes nothing. Raises :class:`NothingToPublish`, :class:`OnlyRehearsed`.
    """
    refuse_rehearsal(campaign)
    steps = progress or _ignore_progress
    steps(0, 3, "Resolving")
    resolved = resolve_as_before(campaign=campaign)
    parent = latest_version(campaign.collection)
    steps(1, 3, "Drafting the version")
    draft = draft_version(resolved, parent, allow_open)
    steps(2, 3, "Comparing it with the latest version")
    found = changes_between(
        edition_of(parent) if parent else None, _edition_of_draft(campaign, parent, draft)
    )
    return Preview(
        campaign=campaign,
        parent=parent,
        allow_open=allow_open,
        fingerprint=draft.fingerprint(parent),
        new=parent is None or content_of(parent) != draft.content,
        statuses=Counter(row.status for row in draft.queries),
        qrels=len(draft.qrels),
        carried=sum(row.carried for row in draft.queries),
        open=sum(outcome.status is Status.OPEN for outcome in resolved.derivation.outcomes.values()),
        simulated=draft.simulated,
        changes=found,
        redecided=redecided_queries(
            parent,
            campaign,
            draft.queries,
            {change.query for change in found if change.what == ChangeKind.ANSWERS},
        ),
    )


def _edition_of_draft(campaign: Campaign, parent: QrelVersion | None, draft: Draft) -> Edition:
    return Edition(
        campaign.collection,
        parent.number + 1 if parent else 1,
        campaign,
        draft.content,
        passages_by_query((row.query_id, row.passage_id) for row in draft.qrels),
        {row.query_id: row.status for row in draft.queries},
    )


def _ignore_progress(done: int, total: int, message: str = "") -> None:
    """Do nothing. Used if the caller does not follow the progress."""
