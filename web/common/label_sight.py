"""Rules for withheld qrel sets: the labels and values that each person can see.

Under a withheld set, non-members see a board with rounded values, in the order of the exact values. Only members
(``see everything``) see its labels, per-query values and analyses. A policy can make per-query values public.

Passages that only withheld labels contain are shown only to members (``web.common.visibility``). If such a passage is
a best answer of a version, the version reveals the label and is withheld too (``tournament.services.label_reveals``).
``leaderboard.analyses.runner`` refuses analyses under withheld labels to non-members.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leaderboard.errors import MembersOnly
from pooling.labels.withheld_labels import published_decimals
from pooling.models import Collection, QrelSet, SubmissionPolicy
from pooling.teams.submission_policies import policy_of
from tournament.services.label_reveals import plain_labels, withheld_labels
from web.common.visibility import sees_everything


@dataclass(frozen=True)
class LabelSight:
    """A person's access to the labels of one collection, and to values under them."""

    collection: Collection
    everything: bool

    @cached_property
    def withheld(self) -> frozenset[str]:
        """The names of qrel sets withheld from this person, and of versions (``@n``) that reveal their labels."""
        return frozenset() if self.everything else withheld_labels(self.collection)

    @property
    def withheld_sets(self) -> list[str]:
        """The names of the withheld qrel sets, without versions."""
        return sorted(name for name in self.withheld if not name.startswith("@"))

    @cached_property
    def policy(self) -> SubmissionPolicy | None:
        return policy_of(self.collection)

    def shows_set(self, qrel_set: QrelSet) -> bool:
        """Return whether the set's labels and grades are shown."""
        return self.everything or not qrel_set.withheld

    def shows_labels(self, name: str) -> bool:
        """Return whether the labels and grades of a named set, or of a version (``@n``), are shown."""
        return plain_labels(name) not in self.withheld

    def shows_queries(self, name: str) -> bool:
        """Return whether per-query values under these labels are shown."""
        return self.shows_labels(name) or bool(self.policy and self.policy.per_query_values)

    def decimals(self, *, withheld: bool, queries: int) -> int | None:
        """Return the number of decimals shown for a mean over ``queries`` queries; None means all."""
        if self.everything:
            return None
        return published_decimals(self.policy, withheld=withheld, queries=queries)

    def require_queries(self, name: str) -> None:
        """Raise MembersOnly unless per-query values under these labels are shown."""
        if not self.shows_queries(name):
            raise MembersOnly(
                f"{self._why(name)}, so only members see per-query values.",
                "Look at the leaderboard, or choose other labels.",
            )

    def require_usual(self, name: str, usual: Sequence[str], *, asked: bool) -> None:
        """Raise MembersOnly if these labels are withheld and the requested measure is not a usual one.

        ``usual``: the usual measures, for the message. ``asked``: whether the requested measure is one of them.
        """
        if not (asked or self.shows_labels(name)):
            raise MembersOnly(
                f"{self._why(name)}, so their boards show only the standard measures.",
                f"Choose one of: {', '.join(usual)}.",
            )

    def _why(self, name: str) -> str:
        if name.startswith("@"):
            sets = ", ".join(self.withheld_sets)
            return f"Version {name[1:]} would reveal some of the withheld labels {sets}"
        return f"The labels {name} are withheld"


def label_sight(collection: Collection, user: Any) -> LabelSight:
    """Return which labels and values of the collection this person can see."""
    return LabelSight(collection, sees_everything(user, collection))
