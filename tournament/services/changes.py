"""The differences between two versions of the preference qrels, query by query, and their causes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from judging.models import Campaign, Exclusion, Judgment
from pooling.models import Collection
from tournament.models import PreferenceQrel, QrelVersion, VersionQuery

#: The manifest parameters that define how judgments are interpreted, with their labels.
RULES = {"ties": "ties", "count": "count", "judgments_per_pair": "judgments per pair"}


class ChangeKind(StrEnum):
    """Kinds of change between two versions: a query is new, is gone, or has other best answers or another status."""

    ARRIVED = "arrived"
    LEFT = "left"
    ANSWERS = "answers"
    STATUS = "status"


@dataclass(frozen=True)
class QueryChange:
    """A query on which two versions differ.

    ``before`` and ``after``: the keys of the query's best answers in each version. The status is empty for a version
    that lacks the query.
    """

    query: int
    what: ChangeKind
    before: frozenset[int]
    after: frozenset[int]
    status_before: str
    status_after: str


@dataclass(frozen=True)
class Cause:
    """The cause of a change in a query's result.

    - ``judgments_new``: the number of judgments that only the later edition uses.
    - ``judgments_gone``: the number of judgments that only the earlier edition uses.
    - ``excluded``: the number of workers behind ``judgments_gone`` who are excluded but did not withdraw.
    - ``withdrew``: the number of workers behind ``judgments_gone`` who withdrew.
    - ``challenges``: the numbers of the challenges that only the later edition includes.
    - ``run_tags``: the tags of the runs in these challenges.
    - ``challengers``: the pids of the challengers in these challenges.
    - ``twins``: the pids of other passages in the classes of these challenges' best answers.
    - ``rules``: the changed parameters, as (label, before, after).
    - ``campaigns``: the names of the two deciding campaigns, if they differ.
    """

    judgments_new: int = 0
    judgments_gone: int = 0
    excluded: int = 0
    withdrew: int = 0
    challenges: tuple[int, ...] = ()
    run_tags: tuple[str, ...] = ()
    challengers: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    rules: tuple[tuple[str, str, str], ...] = ()
    campaigns: tuple[str, str] | None = None


@dataclass(frozen=True)
class Edition:
    """A version or draft: its manifest (``content``), and each query's best answers and status, by query key."""

    collection: Collection
    number: int
    campaign: Campaign
    content: Mapping[str, Any] = field(repr=False)
    best: Mapping[int, frozenset[int]] = field(repr=False)
    status: Mapping[int, str] = field(repr=False)

    @cached_property
    def judgments(self) -> frozenset[int]:
        """The ids of the judgments of the edition's own campaign."""
        return frozenset(self.content["judgments"])

    @cached_property
    def challenges(self) -> dict[int, dict[str, Any]]:
        """The sides of each challenged query in the manifest, by challenge number and then by qid."""
        return {
            challenge["number"]: {row["qid"]: row for row in challenge["queries"]}
            for challenge in self.content["challenges"]
        }


def edition_of(version: QrelVersion) -> Edition:
    """Return the edition of a published version."""
    rows = PreferenceQrel.objects.filter(version=version).values_list("query_id", "passage_id")
    status = VersionQuery.objects.filter(version=version).values_list("query_id", "status")
    return Edition(
        version.collection,
        version.number,
        version.campaign,
        version.content,
        passages_by_query(rows.iterator(chunk_size=20_000)),
        dict(status),
    )


def passages_by_query(rows: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    """Group (query key, passage key) rows: map query keys to passage keys."""
    found: dict[int, set[int]] = defaultdict(set)
    for query, passage in rows:
        found[query].add(passage)
    return {query: frozenset(passages) for query, passages in found.items()}


def changes_between(before: Edition | None, after: Edition) -> list[QueryChange]:
    """Return every query on which the two editions differ, sorted by query key.

    If ``before`` is None, these are all queries of ``after``.
    """
    known: Mapping[int, str] = before.status if before else {}
    answers: Mapping[int, frozenset[int]] = before.best if before else {}
    found = []
    for query in sorted(known.keys() | after.status.keys()):
        sides = (answers.get(query, frozenset()), after.best.get(query, frozenset()))
        statuses = (known.get(query, ""), after.status.get(query, ""))
        if what := _kind_of_change(sides, statuses):
            found.append(QueryChange(query, what, *sides, *statuses))
    return found


def _kind_of_change(
    sides: tuple[frozenset[int], frozenset[int]], statuses: tuple[str, str]
) -> ChangeKind | None:
    if not statuses[0]:
        return ChangeKind.ARRIVED
    if not statuses[1]:
        return ChangeKind.LEFT
    if sides[0] != sides[1]:
        return ChangeKind.ANSWERS
    return ChangeKind.STATUS if statuses[0] != statuses[1] else None


def causes(before: Edition | None, after: Edition, queries: Sequence[tuple[int, str]]) -> dict[int, Cause]:
    """Return query key → the cause of the change, for each (query key, qid).

    Reads each deciding version once.
    """
    origins = _Origins(after.collection)
    deciding = {
        key: (origins.of(before, qid) if before else None, origins.of(after, qid)) for key, qid in queries
    }
    campaigns = {
        edition.campaign.pk for sides in deciding.values() for edition in sides if edition is not None
    }
    judged: dict[int, list[tuple[int, int | None, int]]] = defaultdict(list)
    rows = Judgment.objects.filter(campaign__in=campaigns, pair__query__in=list(deciding))
    for pk, worker, query, campaign in rows.values_list("pk", "worker", "pair__query", "campaign"):
        judged[query].append((pk, worker, campaign))
    standing = Exclusion.objects.standing().filter(campaign__in=campaigns)
    excluded = {
        (campaign, worker): rule
        for campaign, worker, rule in standing.values_list("campaign", "worker", "rule")
    }
    return {key: _cause_of_change(*deciding[key], qid, judged[key], excluded) for key, qid in queries}


def _cause_of_change(
    before: Edition | None,
    after: Edition | None,
    qid: str,
    judged: Sequence[tuple[int, int | None, int]],
    excluded: Mapping[tuple[int, int | None], str],
) -> Cause:
    old = before.judgments if before else frozenset()
    new = after.judgments if after else frozenset()
    gone = [(campaign, worker) for pk, worker, campaign in judged if pk in old and pk not in new]
    out = {place for place in gone if place in excluded}
    withdrew = {place for place in out if excluded[place] == Exclusion.WITHDRAWN}
    fresh = _fresh_challenges(before, after, qid)
    return Cause(
        judgments_new=sum(pk in new and pk not in old for pk, _, _ in judged),
        judgments_gone=len(gone),
        excluded=len(out - withdrew),
        withdrew=len(withdrew),
        challenges=tuple(number for number, _, _ in fresh),
        run_tags=tuple(sorted({tag for _, tags, _ in fresh for tag in tags})),
        challengers=tuple(sorted({pid for _, _, row in fresh for pid in row["challengers"]})),
        twins=tuple(sorted({pid for _, _, row in fresh for pid in _pids_with_best_text(row)})),
        rules=_changed_rules(before, after),
        campaigns=(before.campaign.name, after.campaign.name)
        if before and after and before.campaign.pk != after.campaign.pk
        else None,
    )


def _fresh_challenges(
    before: Edition | None, after: Edition | None, qid: str
) -> list[tuple[int, list[str], dict[str, Any]]]:
    """Return (number, run tags, sides) of each challenge of this query that only the later edition includes."""
    if after is None:
        return []
    same = before is not None and before.campaign.pk == after.campaign.pk
    known = before.challenges if before and same else {}
    tags = {challenge["number"]: challenge["runs"] for challenge in after.content["challenges"]}
    return [
        (number, tags[number], rows[qid])
        for number, rows in after.challenges.items()
        if qid in rows and qid not in known.get(number, {})
    ]


def _pids_with_best_text(row: dict[str, Any]) -> list[str]:
    """Return the pids of the other passages in the classes of a challenged query's best answers."""
    return [pid for best in row["best"] for pid in row["members"].get(best, [])]


def _changed_rules(before: Edition | None, after: Edition | None) -> tuple[tuple[str, str, str], ...]:
    if before is None or after is None:
        return ()
    one, other = before.content, after.content
    found = [
        (words, str(one["parameters"][key]), str(other["parameters"][key]))
        for key, words in RULES.items()
        if one["parameters"][key] != other["parameters"][key]
    ]
    if one["rule_version"] != other["rule_version"]:
        found.append(("rule version", str(one["rule_version"]), str(other["rule_version"])))
    return tuple(found)


class _Origins:
    """The earlier editions from which an edition carried queries over. Each edition is read only once."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.read: dict[int, Edition] = {}

    def of(self, edition: Edition, qid: str) -> Edition:
        number = edition.content["carried"].get(qid, edition.number)
        if number == edition.number:
            return edition
        if number not in self.read:
            found = QrelVersion.objects.select_related("campaign", "collection").get(
                collection=self.collection, number=number
            )
            self.read[number] = Edition(self.collection, number, found.campaign, found.content, {}, {})
        return self.read[number]
