"""Find or import a collection's near-duplicates, apply them to its passages, and remove them.

``Passage.class_key`` identifies the class of a passage. By default, it is the key of the passage's text. A passage in
a class of near-duplicates has its canonical passage's key instead, even if it has no text.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from config.guidance import Action
from config.plurals import many
from pooling.collections.members import log
from pooling.errors import AlreadyImported, ClustersRefused, NotFound
from pooling.files.cluster_files import read_clusters
from pooling.files.formats import Progress
from pooling.models import ClusteredPassage, ClusterSet, Collection, Passage
from pooling.rules.near_duplicates import (
    PERMUTATIONS,
    SEED,
    Likeness,
    by_pid,
    group_near_duplicates,
)
from pooling.rules.passage_text import canonical_key, class_key
from pooling.storage import bulk
from pooling.storage.decompressed_size import content_of

KEYS_A_QUERY = 10_000
ROWS_AT_ONCE = 20_000
#: The number of classes in a summary, and of passages listed for each besides the canonical passage.
LARGEST, OTHERS = 10, 24


@dataclass(frozen=True)
class Classes:
    """Classes of near-duplicates that are not stored yet. ``canonical``: pid → canonical pid of its class."""

    method: ClusterSet.Method
    canonical: Mapping[str, str]
    parameters: dict[str, Any]
    texts: int | None = None


def check_likeness(likeness: Likeness) -> None:
    """Raise ClustersRefused for an invalid threshold or shingle size."""
    if not 0.5 <= likeness.threshold <= 1:
        raise ClustersRefused(
            f"The threshold cannot be {likeness.threshold:g}.", "Enter a number from 0.5 to 1."
        )
    if not 1 <= likeness.shingle <= 20:
        raise ClustersRefused(
            f"A shingle cannot have {likeness.shingle} words.", "Enter a whole number from 1 to 20."
        )


def find_classes(
    texts: Iterable[tuple[str, str]], likeness: Likeness, progress: Progress | None = None, total: int = 0
) -> Classes:
    """Find the classes of near-duplicates among ``texts``, tuples of pid and text. Raises ClustersRefused."""
    check_likeness(likeness)

    def shown(done: int) -> None:
        if progress:
            progress(done, max(total, done))

    folder = Path(settings.PREFEREE_DATA_DIR)
    found = group_near_duplicates(texts, likeness, folder=folder, shown=shown)
    parameters = {
        "threshold": likeness.threshold,
        "shingle": likeness.shingle,
        "permutations": PERMUTATIONS,
        "band": likeness.rows,
        "seed": SEED,
        "software": f"rensa {version('rensa')}",
    }
    return Classes(ClusterSet.Method.MINHASH, found.canonical, parameters, found.texts)


def classes_in_file(path: Path, *, name: str = "", progress: Progress | None = None) -> Classes:
    """Read classes from a file (pooling.files.cluster_files). Raises InvalidClusterFile."""
    content = content_of(path, name, progress)
    canonical = read_clusters(content)
    parameters = {"file": name or path.name, "file_sha256": content.sha256}
    return Classes(ClusterSet.Method.FILE, canonical, parameters)


def count_recorded(collection: Collection, pids: Iterable[str]) -> int:
    """Return how many of these passages the collection has rows for, from its runs, labels and pools."""
    parts = bulk.parts(pids, KEYS_A_QUERY)
    return sum(collection.passages.filter(pid__in=some).count() for some in parts)


def store_classes(collection: Collection, classes: Classes, *, who: str = "") -> ClusterSet:
    """Store the classes and apply them to the collection's passages. Raises AlreadyImported, ClustersRefused."""
    if not classes.canonical:
        raise ClustersRefused("No two passages are near-duplicates.", "Nothing was changed.")
    refuse_if_clustered(collection)
    canonical = classes.canonical
    try:
        with transaction.atomic():
            stored = ClusterSet.objects.create(
                collection=collection,
                method=classes.method,
                parameters=classes.parameters,
                sha256=_classes_sha256(canonical),
                texts=classes.texts,
                classes=len(set(canonical.values())),
                members=len(canonical),
                summary=_summary(canonical),
                made_by=who,
            )
            rows = ((stored.pk, pid, first) for pid, first in canonical.items())
            bulk.insert(ClusteredPassage, ("cluster_set_id", "pid", "canonical"), rows)
            _give_keys(collection, canonical)
            log(collection, f"{many(stored.classes, 'class', 'classes')} of near-duplicates stored", who=who)
    except IntegrityError:
        refuse_if_clustered(collection)
        raise
    return stored


def refuse_if_clustered(collection: Collection) -> None:
    """Raise AlreadyImported if the collection has classes of near-duplicates."""
    if cluster_set_of(collection) is not None:
        raise AlreadyImported(
            f"{collection.name} already has classes of near-duplicates.",
            Action("cluster_passages", collection.name, "--remove", lead="Remove them first"),
        )


def remove_classes(collection: Collection, *, who: str = "") -> ClusterSet:
    """Remove the classes of near-duplicates. Then only passages with the same text share a class. Raises NotFound."""
    with transaction.atomic():
        stored = cluster_set_of(collection)
        if stored is None:
            raise NotFound(
                f"{collection.name} has no classes of near-duplicates.",
                Action("cluster_passages", collection.name, lead="Find them"),
            )
        recorded = collection.passages.order_by("pk").values_list("pk", "pid", "text", "class_key")
        waiting = recorded.iterator(chunk_size=ROWS_AT_ONCE)
        while batch := list(islice(waiting, ROWS_AT_ONCE)):
            texts = ((pk, class_key(text), key) for pk, _, text, key in batch)
            _save_keys((pk, new) for pk, new, key in texts if new != key)
        ClusteredPassage.objects.filter(cluster_set=stored).delete()
        stored.delete()
        log(collection, f"{many(stored.classes, 'class', 'classes')} of near-duplicates removed", who=who)
    return stored


def cluster_set_of(collection: Collection) -> ClusterSet | None:
    """Return the collection's classes of near-duplicates, if it has any."""
    return ClusterSet.objects.filter(collection=collection).first()


def canonical_of(collection: Collection, pids: Iterable[str]) -> dict[str, str]:
    """Return pid → canonical pid for passages in a class of near-duplicates."""
    stored = cluster_set_of(collection)
    found: dict[str, str] = {}
    for some in bulk.parts(pids, KEYS_A_QUERY) if stored else ():
        rows = ClusteredPassage.objects.filter(cluster_set=stored, pid__in=some)
        found.update(rows.values_list("pid", "canonical"))
    return found


def keys_of(collection: Collection, pids: Iterable[str]) -> dict[str, str]:
    """Return pid → class key for passages in a class of near-duplicates."""
    return {pid: canonical_key(first) for pid, first in canonical_of(collection, pids).items()}


def members_of(collection: Collection, canonical: Iterable[str]) -> dict[str, list[str]]:
    """Return canonical pid → the sorted pids of its class, for the given canonical pids."""
    stored = cluster_set_of(collection)
    found: dict[str, list[str]] = {}
    for some in bulk.parts(canonical, KEYS_A_QUERY) if stored else ():
        rows = ClusteredPassage.objects.filter(cluster_set=stored, canonical__in=some)
        for first, pid in rows.order_by("canonical", "pid").values_list("canonical", "pid").iterator():
            found.setdefault(first, []).append(pid)
    return found


def _give_keys(collection: Collection, canonical: Mapping[str, str]) -> None:
    recorded = collection.passages.order_by("pk").values_list("pk", "pid").iterator(chunk_size=ROWS_AT_ONCE)
    while batch := list(islice(recorded, ROWS_AT_ONCE)):
        _save_keys((pk, canonical_key(canonical[pid])) for pk, pid in batch if pid in canonical)


def _save_keys(keys: Iterable[tuple[int, str]]) -> None:
    Passage.objects.bulk_update(
        [Passage(pk=pk, class_key=key) for pk, key in keys], ["class_key"], batch_size=1000
    )


def _summary(canonical: Mapping[str, str]) -> dict[str, Any]:
    sizes = Counter(canonical.values())
    by_size = Counter(sizes.values())
    largest = sorted(sizes, key=lambda first: (-sizes[first], by_pid(first)))[:LARGEST]
    shown: dict[str, list[str]] = {first: [] for first in largest}
    for pid, first in canonical.items():
        if pid != first and first in shown:
            shown[first].append(pid)
    return {
        "sizes": {str(size): by_size[size] for size in sorted(by_size)},
        "largest": [
            {"canonical": one, "size": sizes[one], "others": sorted(shown[one], key=by_pid)[:OTHERS]}
            for one in largest
        ],
    }


def _classes_sha256(canonical: Mapping[str, str]) -> str:
    hashed = hashlib.sha256()
    for pid in sorted(canonical):
        hashed.update(f"{pid}\t{canonical[pid]}\n".encode())
    return hashed.hexdigest()
