"""Find collections, pools, qrel sets and runs by name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db import models

from config.guidance import Action
from pooling.errors import NotFound
from pooling.models import Collection, Pool, QrelSet, Run
from pooling.rules.run_details import DOCUMENT, task_of

#: The maximum number of runs listed in a sentence.
MOST_LISTED = 20
#: With more tags than this, all runs of the collection are read.
FEW_TAGS = 500
Row = TypeVar("Row", bound=models.Model)


def _existing_names(rows: models.QuerySet, field: str) -> str:
    names = list(rows.order_by(field).values_list(field, flat=True)[:10])
    return f"{str(rows.model._meta.verbose_name_plural).capitalize()}: {', '.join(names)}." if names else ""


def _named(rows: models.QuerySet[Row], name: str, missing: str, make: Action) -> Row:
    found = rows.filter(name=name).first()
    if found is None:
        raise NotFound(missing, _existing_names(rows, "name") or make)
    return found


def collection_named(name: str) -> Collection:
    """Return the collection with this name. Raises NotFound."""
    make = Action("import_collection", lead="Make one")
    return _named(Collection.objects.all(), name, f"There is no collection {name!r}.", make)


def pool_named(name: str) -> Pool:
    """Return the pool with this name. Raises NotFound."""
    rows = Pool.objects.select_related("collection", "qrel_set")
    return _named(rows, name, f"There is no pool {name!r}.", Action("build_pool", lead="Make one"))


def qrel_set_named(collection: Collection, name: str) -> QrelSet:
    """Return the collection's qrel set with this name. Raises NotFound."""
    missing = f"Collection {collection.name} has no qrel set {name!r}."
    make = Action("import_qrels", collection.name, lead="Import one")
    return _named(collection.qrel_sets.all(), name, missing, make)


def tags_meant(collection: Collection, words: Sequence[str]) -> list[str]:
    """Return the run tags in a user's input.

    A word that is the tag of a run is that tag, even if it contains commas. Other words are tags separated by commas.
    """
    known = set(collection.runs.filter(run_tag__in=words).values_list("run_tag", flat=True))
    parts = ([word] if word in known else word.split(",") for word in words)
    return [tag for some in parts for tag in some if tag]


def runs_tagged(collection: Collection, tags: Sequence[str] | None) -> list[Run]:
    """Return the collection's runs with these tags, in that order; None: all runs, sorted by tag. Raises NotFound."""
    found = collection.runs.order_by("run_tag")
    if tags is None:
        return list(found)
    if len(tags) <= FEW_TAGS:
        found = found.filter(run_tag__in=tags)
    runs = {run.run_tag: run for run in found}
    missing = [tag for tag in tags if tag not in runs]
    if missing:
        raise NotFound(
            f"Collection {collection.name} has no run {', '.join(missing)}.",
            _existing_names(collection.runs.all(), "run_tag")
            or Action("import_runs", collection.name, lead="Import one"),
        )
    return [runs[tag] for tag in dict.fromkeys(tags)]


@dataclass(frozen=True)
class RunsOfKind:
    """Runs that retrieve what is labeled (passages or documents), and runs left out because they do not."""

    kept: list[Run]
    left_out: list[Run]
    documents: bool

    @property
    def sentence(self) -> str:
        """A sentence that says which runs were left out, and why; empty if there are none."""
        if not self.left_out:
            return ""
        other = "Passage" if self.documents else "Document"
        tags = ", ".join(run.run_tag for run in self.left_out[:MOST_LISTED])
        more = f" and {len(self.left_out) - MOST_LISTED:,} more" if len(self.left_out) > MOST_LISTED else ""
        return f"{other} runs are left out: {tags}{more}."


def runs_of_kind(runs: Iterable[Run], qrel_set: QrelSet | None) -> RunsOfKind:
    """Keep the runs that retrieve what the qrel set labels: documents or passages.

    Without a set, keep the runs that retrieve passages. If there are no such runs, all runs are kept.
    """
    documents = _are_of_documents(qrel_set)
    divided: dict[bool, list[Run]] = {True: [], False: []}
    for run in runs:
        divided[task_of(run.details) == DOCUMENT].append(run)
    if not divided[documents]:
        return RunsOfKind(divided[not documents], [], documents)
    return RunsOfKind(divided[documents], divided[not documents], documents)


def why_not_scored(run: Run, qrel_set: QrelSet | None, beside: Iterable[Run]) -> str:
    """Return why these labels do not apply to the run; empty if they do.

    Without a qrel set, the labels are those of a version. Labels are known to be of passages if the collection also
    has derived document labels. Otherwise, they count as passage labels only if a run in ``beside`` retrieves
    passages.
    """
    documents = _are_of_documents(qrel_set)
    if (task_of(run.details) == DOCUMENT) is documents:
        return ""
    known = (
        documents or QrelSet.objects.filter(collection=run.collection_id, mapped_from__isnull=False).exists()
    )
    if not known and not runs_of_kind([run, *beside], qrel_set).left_out:
        return ""
    kinds = ("passages", "documents") if documents else ("documents", "passages")
    return f"{run.run_tag} retrieves {kinds[0]}, and these are labels of {kinds[1]}."


def _are_of_documents(qrel_set: QrelSet | None) -> bool:
    return qrel_set is not None and qrel_set.mapped_from_id is not None


def known_qids(collection: Collection) -> frozenset[str]:
    return frozenset(collection.queries.values_list("qid", flat=True))
