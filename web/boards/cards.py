"""Leaderboards as cards: one for each collection, with its three best runs."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.errors import NotNow, Refusal
from leaderboard.board.boards import PublishedBoard
from leaderboard.board.standings import BoardRow
from pooling.collections.members import visible_to
from pooling.models import Collection, QrelSet
from tournament.models import QrelVersion
from web.boards.board_choices import Wish
from web.boards.pages import published_board
from web.common.outdated_versions import Outdated, outdated_for
from web.errors import BoardBeingDrawn

logger = logging.getLogger(__name__)
ROWS_OF_A_CARD = 3


@dataclass(frozen=True)
class BoardCard:
    """A collection's leaderboard in brief. ``published`` is None while the board cannot be computed."""

    collection: Collection
    version: QrelVersion | None
    published: PublishedBoard | None
    outdated: Outdated | None = None
    missing: str = ""
    """The reason why ``published`` is None."""

    @property
    def rows(self) -> list[BoardRow]:
        """The best runs, without the perfect run."""
        rows = self.published.board.rows if self.published else ()
        return [row for row in rows if not row.perfect][:ROWS_OF_A_CARD]


def collections_with_board(collections: Sequence[Collection]) -> list[Collection]:
    """Return the collections that have runs and labels, those with a version first."""
    keys = [one.pk for one in collections]
    labeled = QrelSet.objects.filter(collection__in=keys, collection__runs__isnull=False)
    scorable = set(labeled.values_list("collection", flat=True))
    versioned = set(QrelVersion.objects.filter(collection__in=keys).values_list("collection", flat=True))
    found = [one for one in collections if one.pk in scorable]
    return sorted(found, key=lambda one: one.pk not in versioned)


def board_cards(
    collections: Sequence[Collection], user: Any, told: Mapping[int, Outdated] | None = None
) -> list[BoardCard]:
    """Return the cards of these collections, without collections that have nothing to show to this person.

    ``told``: notices about the latest versions, if already known.
    """
    keys = [one.pk for one in collections]
    seen = set(visible_to(user, results=True).filter(pk__in=keys).values_list("pk", flat=True))
    collections = [one for one in collections if one.pk in seen]
    versions = QrelVersion.objects.filter(collection__in=[one.pk for one in collections]).defer("manifest")
    latest = {version.collection_id: version for version in versions.order_by("number")}
    if told is None:
        told = outdated_for(user, [one for one in collections if one.pk in latest])
    cards = []
    for collection in collections:
        board, missing = None, ""
        try:
            board = published_board(collection, Wish(), user)
        except BoardBeingDrawn as later:
            missing = later.message
        except NotNow as away:
            # The reason names servers, so it is only logged.
            logger.warning("the leaderboard of %s cannot be computed now: %s", collection.name, away)
            missing = "The leaderboard is temporarily unavailable."
        except Refusal:
            continue
        cards.append(
            BoardCard(collection, latest.get(collection.pk), board, told.get(collection.pk), missing)
        )
    return cards
