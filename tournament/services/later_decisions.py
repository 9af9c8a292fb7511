"""Queries that another campaign decided in an earlier version, and that a new version decides again."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from config.plurals import many
from judging.models import Campaign
from tournament.models import QrelVersion, VersionQuery


@dataclass(frozen=True)
class Redecided:
    """Queries that one campaign decided in an earlier version, and another campaign decides again.

    - ``version``: the number of the earlier version.
    - ``before``, ``now``: the names of the earlier and the later campaign.
    - ``queries``: the number of these queries.
    - ``changed``: the number of these queries that get different best answers.
    """

    version: int
    before: str
    now: str
    queries: int
    changed: int

    @property
    def words(self) -> str:
        verb = "is" if self.queries == 1 else "are"
        return (
            f"{many(self.queries, 'query', 'queries')} that {self.before} decided in version {self.version} "
            f"{verb} now decided by {self.now}; {self.changed:,} got different best answers."
        )


def redecided_queries(
    parent: QrelVersion | None, campaign: Campaign, rows: Iterable[VersionQuery], changed: Collection[int]
) -> list[Redecided]:
    """Count the queries that a version or draft takes over from other campaigns, by earlier version.

    ``rows`` are the queries of the version or draft. ``changed`` has the keys of the queries whose best answers
    differ from those in ``parent``.
    """
    if parent is None:
        return []
    covered = set(parent.queries.values_list("query_id", flat=True))
    carried = parent.content["carried"]
    queries, others = Counter[int](), Counter[int]()
    for row in rows:
        if not row.carried and row.query_id in covered:
            number = carried.get(row.query.qid, parent.number)
            queries[number] += 1
            others[number] += row.query_id in changed
    versions = QrelVersion.objects.filter(collection=parent.collection, number__in=list(queries))
    named = versions.exclude(campaign=campaign).order_by("number").values_list("number", "campaign__name")
    return [Redecided(number, name, campaign.name, queries[number], others[number]) for number, name in named]


def redecided_by(version: QrelVersion) -> list[Redecided]:
    """Count the queries that a published version takes over from other campaigns, by earlier version."""
    if version.parent is None:
        return []
    rows = version.queries.select_related("query")
    return redecided_queries(version.parent, version.campaign, rows, _changed_queries(version))


def _changed_queries(version: QrelVersion) -> set[int]:
    """Return the keys of queries whose best answers differ from those of the version's parent."""
    now, before = (
        set(one.qrels.values_list("query_id", "passage_id")) for one in (version, version.parent) if one
    )
    return {query for query, _ in now ^ before}
