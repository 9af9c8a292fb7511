"""Notices about labels that no longer match the grades behind them.

Members see how many grades changed, and what to do. Everybody else sees a short notice, and only if labels of public
queries are affected: people who cite the labels should know this. Notices about versions are in
``outdated_versions``.
"""

from dataclasses import dataclass
from typing import Any

from config.guidance import Guidance, joined
from judging.grading.outdated_labels import outdated_labels
from pooling.labels.query_splits import private_qids
from pooling.models import Collection
from web.common.visibility import sees_everything


@dataclass(frozen=True)
class LabelNotice:
    """A notice on a qrel set, and what to do. ``next_step`` is empty for people who are not members."""

    words: str
    next_step: str = ""

    @property
    def whole(self) -> Guidance:
        return joined(" ", [self.words, self.next_step])


def label_notices(collection: Collection, user: Any) -> dict[int, LabelNotice]:
    """Return qrel set key → notice, for the outdated qrel sets whose notice this person can see."""
    found = {one.labels.qrel_set_id: one for one in outdated_labels(collection)}
    if sees_everything(user, collection):
        return {key: LabelNotice(one.words, one.next_step) for key, one in found.items()}
    private = private_qids(collection) if found else frozenset()
    return {
        key: LabelNotice(
            f"Some of the grades behind the labels {one.labels.qrel_set.name} no longer count. The labels stay as "
            "they were published."
        )
        for key, one in found.items()
        if one.qids - private
    }
