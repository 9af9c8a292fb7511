"""The part of a version's qrels file that a person can see, and its hash."""

from collections.abc import Container, Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from config import kept_objects
from pooling.labels.query_splits import private_qids
from pooling.models import Collection, PooledPassage, Run
from tournament.manifest import sha256, trec_qrels
from tournament.models import ChallengedQuery, PreferenceQrel, QrelVersion
from tournament.services.passage_visibility import Sight, sight_of, sight_on_answers
from web.common.visibility import hidden_queries, sees_everything

KEPT_SECONDS = 600
#: The columns of a qrel that decide whether it is shown, and that its line is made of.
COLUMNS = ("query_id", "passage_id", "query__position", "query__qid", "passage__pid")
Columns = tuple[int, int, int, str, str]


def released_qrels(version: QrelVersion, user: Any, sight: Sight | None = None) -> tuple[bytes, int, str]:
    """Return the visible part of the version's qrels file, the number of omitted lines, and the part's SHA-256.

    For non-members, files omit what public pages hide: passages supplied only by runs that are not public, passages
    that may come from withheld labels, and results on private queries.
    ``sight``: the visibility of these queries, if already known.
    """
    rows = list(version.qrels.values_list(*COLUMNS))
    sight = sight or sight_on_answers(version, None, user)
    content = _visible_part(rows, hidden_queries(version.collection, user), sight)
    return content, len(rows) - content.count(b"\n"), sha256(content)


def shown_qrels_sha256(collection: Collection, user: Any) -> dict[int, str]:
    """Return version number → SHA-256 of the part of the version's qrels file that this person can see.

    The hash of the whole file is for those who see the whole file: it confirms guesses of the lines left out.
    """
    versions = QrelVersion.objects.filter(collection=collection)
    if sees_everything(user, collection):
        return dict(versions.values_list("number", "qrels_sha256"))
    key = kept_objects.object_key("released-qrels", *_inputs_of_hashes(collection))
    found: dict[int, str] | None = kept_objects.kept(key)
    if found is None:
        found = _compute_hashes(collection, user)
        kept_objects.keep_object(key, found, KEPT_SECONDS)
    return found


def _visible_part(rows: Iterable[Columns], hidden: Container[str], sight: Sight) -> bytes:
    """Return the qrels file of the rows that can be seen; ``hidden`` are qids of private queries."""
    return trec_qrels(
        (position, qid, pid)
        for query, passage, position, qid, pid in rows
        if qid not in hidden and sight.sees(query, passage)
    )


def _compute_hashes(collection: Collection, user: Any) -> dict[int, str]:
    """Compute the hashes for all versions together, with a fixed number of database queries."""
    best = PreferenceQrel.objects.filter(version__collection=collection)
    sight = sight_of(collection, None, user, passages=best.values("passage"))
    hidden = hidden_queries(collection, user)
    rows = best.order_by("version__number").values_list("version__number", *COLUMNS).iterator(5000)
    hashes = {
        number: sha256(_visible_part((row[1:] for row in of_version), hidden, sight))
        for number, of_version in groupby(rows, key=itemgetter(0))
    }
    numbers = QrelVersion.objects.filter(collection=collection).values_list("number", flat=True)
    return {number: hashes.get(number, sha256(b"")) for number in numbers}


def _inputs_of_hashes(collection: Collection) -> list[Any]:
    """Return everything that decides which lines non-members see. Pools and challenges only grow."""
    versions = QrelVersion.objects.filter(collection=collection).order_by("number")
    runs = Run.objects.filter(collection=collection).order_by("pk")
    return [
        collection.pk,
        sorted(private_qids(collection)),
        list(versions.values_list("number", "manifest_sha256")),
        list(runs.values_list("pk", "release")),
        list(collection.qrel_sets.order_by("pk").values_list("pk", "sha256", "withheld")),
        PooledPassage.objects.filter(pool__collection=collection).count(),
        ChallengedQuery.objects.filter(challenge__campaign__collection=collection).count(),
    ]
