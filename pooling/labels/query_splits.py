"""Divide a collection's queries into public and private queries, by a list of qids or at random."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.db import IntegrityError, transaction

from config.plurals import many
from pooling.collections.members import log
from pooling.errors import AlreadySplit, SplitRefused
from pooling.models import Collection, PrivateQuery, QuerySplit


@dataclass(frozen=True)
class PlannedSplit:
    """A split that is not stored yet: the private queries, and the share and seed of a random draw."""

    qids: tuple[str, ...]
    share: float | None = None
    seed: int | None = None


def plan_split(
    collection: Collection, *, qids: Sequence[str] = (), share: float | None = None, seed: int = 0
) -> PlannedSplit:
    """Plan which queries become private: the given ones, or a share drawn at random. Raises SplitRefused.

    The same seed draws the same queries.
    """
    there = list(collection.queries.order_by("position", "qid").values_list("qid", flat=True))
    if qids and share is not None:
        raise SplitRefused("A share and a list of queries cannot be combined.", "Use only one of them.")
    if share is None:
        _refuse_bad_split(collection, qids, there)
        return PlannedSplit(tuple(qids))
    if not 0 < share < 1:
        raise SplitRefused(
            f"The share must be between 0 and 1, not {share:g}.", "Choose a share such as 0.2."
        )
    if seed < 0:
        raise SplitRefused(f"The seed must be 0 or more, not {seed}.", "Choose a seed of 0 or more.")
    places = np.random.default_rng(seed).permutation(len(there))[: round(share * len(there))]
    drawn = tuple(there[place] for place in places)
    _refuse_bad_split(collection, drawn, there)
    return PlannedSplit(drawn, share, seed)


def qids_in(text: str) -> list[str]:
    """Return the qids in a text: the first word of each line."""
    return [line.split()[0] for line in text.splitlines() if line.strip()]


def split_by_list(*, collection: Collection, path: Path, who: str = "") -> QuerySplit:
    """Make the queries listed in a file (one qid per line) private. Raises SplitRefused."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SplitRefused(
            f"{path} cannot be read: {error}.", "Pass a text file with one qid per line."
        ) from None
    return keep_split(collection, plan_split(collection, qids=qids_in(text)), who=who)


def private_qids(collection: Collection) -> frozenset[str]:
    """Return the qids of the collection's private queries; empty without a split."""
    rows = PrivateQuery.objects.filter(split__collection=collection)
    return frozenset(rows.values_list("query__qid", flat=True))


def keep_split(collection: Collection, wanted: PlannedSplit, *, who: str = "") -> QuerySplit:
    """Store the split, which is permanent. Storing the same split again changes nothing.

    Raises AlreadySplit for a different split, because it could make private results public.
    """
    there = dict(collection.queries.values_list("qid", "pk"))
    sha256 = hashlib.sha256("\n".join(sorted(wanted.qids)).encode()).hexdigest()
    how = {"sha256": sha256, "share": wanted.share, "seed": wanted.seed}
    try:
        with transaction.atomic():
            split = QuerySplit.objects.create(collection=collection, **how)
            PrivateQuery.objects.bulk_create(
                [PrivateQuery(split=split, query_id=there[qid]) for qid in wanted.qids], batch_size=1000
            )
            log(collection, f"{many(len(wanted.qids), 'query', 'queries')} made private permanently", who=who)
    except IntegrityError:
        split = QuerySplit.objects.get(collection=collection)
        if split.sha256 != sha256:
            raise AlreadySplit(
                f"{collection.name} already has other private queries.",
                "They cannot become public, because that would publish their results.",
            ) from None
    return split


def _refuse_bad_split(collection: Collection, qids: Sequence[str], there: Sequence[str]) -> None:
    known = frozenset(there)
    unknown = [qid for qid in qids if qid not in known]
    if unknown:
        raise SplitRefused(
            f"Not in {collection.name}: {', '.join(unknown[:10])}{' …' if len(unknown) > 10 else ''}.",
            "Remove them from the list.",
        )
    if len(set(qids)) < len(qids):
        raise SplitRefused("The list contains a query twice.", "List each private query once.")
    if not 0 < len(qids) < len(there):
        raise SplitRefused(
            f"{len(qids)} of {len(there)} queries would be private.", "Keep some public and some private."
        )
