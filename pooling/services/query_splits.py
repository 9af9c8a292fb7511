"""Public and private queries of a collection: from a list of qids, or drawn at random."""

from __future__ import annotations

import hashlib
from collections.abc import Collection as Group
from pathlib import Path

import numpy as np
from django.db import IntegrityError, transaction

from pooling.errors import SplitRefused
from pooling.models import Collection, PrivateQuery, QuerySplit


def split_by_list(*, collection: Collection, path: Path) -> QuerySplit:
    """Make the queries of a file (one qid a line) the private ones. Raises SplitRefused."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SplitRefused(
            f"{path} can't be read: {error}.", "Give a text file with one qid a line."
        ) from None
    qids = [line.split()[0] for line in lines if line.strip()]
    return _keep(collection, qids, share=None, seed=None)


def split_at_random(*, collection: Collection, share: float, seed: int) -> QuerySplit:
    """Draw a share of the queries to be the private ones: the same from the same seed. Raises SplitRefused."""
    if not 0 < share < 1:
        raise SplitRefused(f"{share:g} is no share of private queries.", "Give one between 0 and 1.")
    if seed < 0:
        raise SplitRefused(f"{seed} is no seed.", "Give one from 0.")
    qids = list(collection.queries.order_by("position", "qid").values_list("qid", flat=True))
    drawn = np.random.default_rng(seed).permutation(len(qids))[: round(share * len(qids))]
    return _keep(collection, [qids[place] for place in drawn], share=share, seed=seed)


def private_qids(collection: Collection) -> frozenset[str]:
    """qids of the private queries; none where there is no split."""
    rows = PrivateQuery.objects.filter(split__collection=collection)
    return frozenset(rows.values_list("query__qid", flat=True))


def _keep(collection: Collection, qids: Group[str], *, share: float | None, seed: int | None) -> QuerySplit:
    """Store the split once. The same again is no change; another one would make private results public."""
    there = dict(collection.queries.values_list("qid", "pk"))
    _refuse(collection, qids, there)
    sha256 = hashlib.sha256("\n".join(sorted(qids)).encode()).hexdigest()
    try:
        with transaction.atomic():
            split = QuerySplit.objects.create(collection=collection, sha256=sha256, share=share, seed=seed)
            PrivateQuery.objects.bulk_create(
                [PrivateQuery(split=split, query_id=there[qid]) for qid in qids], batch_size=1000
            )
    except IntegrityError:
        split = QuerySplit.objects.get(collection=collection)
        if split.sha256 != sha256:
            raise SplitRefused(
                f"{collection.name} has other private queries already.",
                "They stay as they are: results on them would become public.",
            ) from None
    return split


def _refuse(collection: Collection, qids: Group[str], there: dict[str, int]) -> None:
    unknown = [qid for qid in qids if qid not in there]
    if unknown:
        raise SplitRefused(
            f"{collection.name} has no query {', '.join(unknown[:10])}{' …' if len(unknown) > 10 else ''}.",
            "Take them out of the file, or import the queries first.",
        )
    if len(set(qids)) < len(qids):
        raise SplitRefused("The file names a query twice.", "Name each private query once.")
    if not 0 < len(qids) < len(there):
        raise SplitRefused(
            f"{len(qids)} of {len(there)} queries would be private.", "Keep some public and some private."
        )
