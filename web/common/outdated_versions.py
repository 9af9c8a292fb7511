"""Notices about a version that no longer matches the judgments that count.

Members see how many judgments, queries and best answers are affected, and a link to preview the next version.
Everybody else sees a short notice, and only when a published collection's version lost judgments on public queries:
people who cite a version should know this. Reasons, workers and numbers are for members only, like exclusions and
unpublished judgments. Judgments on private queries are never hinted at.
"""

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.roles import permits
from judging.models import Campaign
from pooling.collections.members import roles_of
from pooling.models import Collection, PrivateQuery
from tournament.services import Drift, drifts


@dataclass(frozen=True)
class Outdated:
    """A notice about an outdated version. ``campaigns``: the campaigns whose next version members can preview.

    ``lost``: whether some of the version's judgments no longer count. ``joined``: whether a finished challenge found
    passages with the text of a best answer. If neither, there are only new judgments.
    """

    version: int
    words: str
    lost: bool
    effect: str = ""
    campaigns: tuple[str, ...] = ()
    joined: bool = False


def outdated_notices(collections: Sequence[Collection], members: Container[int]) -> dict[int, Outdated]:
    """Return collection key → notice on its latest version.

    ``members``: keys of the collections in which the reader sees everything.
    """
    found = {key: drift for key, drift in drifts(collections, wait=False).items() if drift}
    told = {key: _notice_for_members(drift) for key, drift in found.items() if key in members}
    lost = {key: drift for key, drift in found.items() if key not in members and drift.gone}
    private: dict[int, set[str]] = defaultdict(set)
    if lost:
        rows = PrivateQuery.objects.filter(split__collection__in=list(lost))
        for key, qid in rows.values_list("split__collection", "query__qid"):
            private[key].add(qid)
    return told | {
        key: _notice_for_everybody(drift) for key, drift in lost.items() if drift.gone_on - private[key]
    }


def outdated_for(user: Any, collections: Sequence[Collection]) -> dict[int, Outdated]:
    """Return collection key → the notice on its latest version that this person can see."""
    roles = roles_of(user)
    return outdated_notices(
        collections, {key for key, role in roles.items() if permits(role, "see everything")}
    )


def should_publish_again(said: Outdated | None, campaign: Campaign) -> bool:
    """Return whether to suggest publishing the campaign again. Ongoing work alone is no reason."""
    if said is None or campaign.name not in said.campaigns:
        return False
    return said.lost or said.joined or campaign.state not in Campaign.OFFERING


def _notice_for_members(drift: Drift) -> Outdated:
    return Outdated(
        drift.version,
        drift.words,
        bool(drift.gone),
        drift.effect,
        drift.campaigns,
        joined=bool(drift.joined),
    )


def _notice_for_everybody(drift: Drift) -> Outdated:
    words = (
        f"Some of the judgments behind version {drift.version} no longer count. The version stays as it was "
        "published; the next one may differ."
    )
    return Outdated(drift.version, words, lost=True)
