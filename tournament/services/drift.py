"""Compare the latest published version with the judgments that count now, after exclusions, repeats or withdrawals.

A finished challenge can also add passages to a best answer without a judgment, because they have the same text or
are its near-duplicates.

A version never changes, so after an exclusion its readers should know that publishing again would have a different
result. The comparison depends only on database rows, so undoing a decision undoes the difference. It is cached until
the next decision or submission. Whether it is outdated is found for all collections in a fixed number of database
queries.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from django.db.models import Count, Max, Q

from config.kept_objects import object_key
from config.plurals import many
from judging.exchange.cached_figures import kept_under, last_kept
from judging.models import Campaign, Exclusion, ImportedFile, Judgment, Submission
from pooling.models import Collection
from tournament.models import Challenge, QrelVersion, Resolution, VersionQuery
from tournament.outcomes import QueryOutcome
from tournament.services.changes import ChangeKind, Edition, changes_between, edition_of
from tournament.services.judged_facts import Facts, load_facts
from tournament.services.other_rooms import key_parts

#: Values read from the database. A cached comparison is outdated when they change.
Basis = tuple[Any, ...]
#: The longest comparison, in seconds, that a page waits for, estimated from the duration of the last comparison.
PATIENCE = 0.5
#: The number of queries compared per second that is assumed before the first comparison.
QUERIES_A_SECOND = 2000


@dataclass(frozen=True)
class Drift:
    """The difference between a version and current judgments.

    Without a difference, all fields but ``version`` are empty.

    - ``gone``: the number of the version's judgments that no longer count.
    - ``new``: the number of judgments that count now but are not in the version.
    - ``joined``: the number of queries whose result a challenge changed without a judgment.
    - ``queries``: the number of queries behind ``gone``, ``new`` and ``joined`` together.
    - ``excluded``: the number of workers behind ``gone`` who are excluded but did not withdraw.
    - ``withdrew``: the number of workers behind ``gone`` who withdrew their judgments.
    - ``answers``: the number of queries that would get different best answers if published again.
    - ``left``: the number of queries that publishing again would drop.
    - ``arrived``: the number of queries that publishing again would add.
    - ``campaigns``: the campaigns to publish again.
    - ``gone_on``: the qids of the queries that lost judgments.
    """

    version: int
    gone: int = 0
    new: int = 0
    joined: int = 0
    queries: int = 0
    excluded: int = 0
    withdrew: int = 0
    answers: int = 0
    left: int = 0
    arrived: int = 0
    campaigns: tuple[str, ...] = ()
    gone_on: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.gone or self.new or self.joined)

    def as_dict(self) -> dict[str, Any]:
        counts = ("gone", "new", "joined", "queries", "excluded", "withdrew", "answers", "left", "arrived")
        return {
            "version": self.version,
            "up_to_date": not self,
            "words": f"{self.words} {self.effect}" if self else f"Version {self.version} is up to date.",
            **{name: getattr(self, name) for name in counts},
            "campaigns": list(self.campaigns),
        }

    @property
    def words(self) -> str:
        """One sentence about what changed: judgments that no longer count, new ones, and equal texts."""
        who = _counts_in_words(
            (self.excluded, "worker was excluded", "workers were excluded"),
            (self.withdrew, "worker withdrew their judgments", "workers withdrew their judgments"),
        )
        gone = _counts_in_words(
            (self.gone, "of its judgments no longer counts", "of its judgments no longer count")
        )
        new = _counts_in_words((self.new, "new judgment counts", "new judgments count"))
        joined = _counts_in_words(
            (
                self.joined,
                "query has new passages with the text of its best answer",
                "queries have new passages with the text of their best answers",
            )
        )
        said = [f"{one} ({', '.join(who)})" if who else one for one in gone] + new + joined
        return f"Version {self.version} is out of date: {' and '.join(said)}."

    @property
    def effect(self) -> str:
        """One sentence about the changes that publishing again would make."""
        said = _counts_in_words(
            (self.answers, "query gets different best answers", "queries get different best answers"),
            (self.left, "query drops out", "queries drop out"),
            (self.arrived, "query is newly covered", "queries are newly covered"),
        )
        if not said:
            return "Publishing again would not change any best answer."
        return f"Publishing again would change this: {', '.join(said)}."


def _counts_in_words(*counts: tuple[int, str, str]) -> list[str]:
    """Return each count above 0 with its noun; ``counts`` are (number, singular, plural)."""
    return [many(*one) for one in counts if one[0]]


@dataclass(frozen=True)
class _LatestVersion:
    """A collection's latest version and the basis of its comparison."""

    version: QrelVersion
    decisions: Basis
    work: Basis

    @property
    def key(self) -> str:
        return object_key("drift", self.version.pk, self.version.manifest_sha256)

    def compared(self) -> Drift:
        """Return the comparison, cached or computed now."""
        return kept_under(self.key, self.decisions, self.work, partial(_compute_drift, self.version)).made

    def at_once(self) -> Drift | None:
        """Return the comparison if it is fast, otherwise the previous comparison or None."""
        known = last_kept(self.key)
        if (known.seconds if known else self.version.queries_count / QUERIES_A_SECOND) <= PATIENCE:
            return self.compared()
        return known.made if known else None

    def has_changed(self) -> bool:
        """Return whether the comparison is outdated."""
        known = last_kept(self.key)
        return known is None or (known.decisions, known.work) != (self.decisions, self.work)


def drifts(collections: Iterable[Collection], *, wait: bool = True) -> dict[int, Drift]:
    """Return, by collection key, the difference between the latest version and current judgments.

    Collections without a version are left out. With ``wait=False``, for pages, no large version is compared now: its
    previous comparison is used, and it is left out if there is none. ``compare_versions`` compares large versions.
    """
    latest = _latest_versions([collection.pk for collection in collections])
    found = {key: one.compared() if wait else one.at_once() for key, one in latest.items()}
    return {key: drift for key, drift in found.items() if drift is not None}


def versions_changed() -> bool:
    """Return whether any version needs a new comparison."""
    return any(one.has_changed() for one in _latest_versions().values())


def compare_versions() -> int:
    """Compare latest versions with current judgments where these changed, so that no page waits; return how many."""
    changed = [one for one in _latest_versions().values() if one.has_changed()]
    for one in changed:
        one.compared()
    return len(changed)


def _latest_versions(collections: Sequence[int] | None = None) -> dict[int, _LatestVersion]:
    """Map collection keys to the latest versions, in a fixed number of database queries."""
    rows = QrelVersion.objects.defer("manifest").order_by("number")
    if collections is not None:
        rows = rows.filter(collection__in=collections)
    latest: dict[int, QrelVersion] = {}
    campaigns: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        latest[row.collection_id] = row
        campaigns[row.collection_id].add(row.campaign_id)
    bases = _campaign_bases(set().union(*campaigns.values()))

    def basis(collection: int, part: int) -> Basis:
        return tuple((key, *bases[key][part]) for key in sorted(campaigns[collection]))

    return {key: _LatestVersion(version, basis(key, 0), basis(key, 1)) for key, version in latest.items()}


def drift_of(collection: Collection) -> Drift | None:
    """Return how the collection's latest version differs from current judgments; None without a version."""
    return drifts([collection]).get(collection.pk)


def latest_version_now(collection: Collection) -> dict[str, Any] | None:
    """Compare the collection's latest version with current judgments, as JSON data; None without a version."""
    found = drift_of(collection)
    return found.as_dict() if found else None


def _campaign_bases(campaigns: set[int]) -> dict[int, tuple[Basis, Basis]]:
    """Map campaign keys to (values that change with every decision, values that change with every submission)."""
    mine = {"campaign__in": campaigns}
    excluded = Exclusion.objects.filter(**mine).values_list("campaign")
    done = Challenge.objects.filter(**mine, state=Challenge.State.DONE).values_list("campaign")
    came_in = Submission.objects.filter(**mine, state=Submission.State.SUBMITTED)
    decisions = {
        "excluded": excluded.annotate(
            last=Max("pk"), reversed=Count("pk", filter=Q(reversed_at__isnull=False))
        ),
        "challenges": done.annotate(Count("pk")),
        "resolved": Resolution.objects.filter(**mine).values_list("campaign", "ties", "count"),
    }
    work = {
        "standings": came_in.values_list("campaign", "standing").annotate(Count("pk")),
        "imported": ImportedFile.objects.filter(**mine).values_list("campaign").annotate(Count("pk")),
    }
    decided, arrived = (_figures_by_campaign(campaigns, kinds) for kinds in (decisions, work))
    return {key: (decided[key], arrived[key]) for key in campaigns}


def _figures_by_campaign(campaigns: set[int], kinds: dict[str, Any]) -> dict[int, Basis]:
    found: dict[int, list[Any]] = {key: [] for key in campaigns}
    for kind, rows in kinds.items():
        for campaign, *figures in rows.order_by():
            found[campaign].append((kind, *figures))
    return {key: tuple(sorted(figures)) for key, figures in found.items()}


@dataclass(frozen=True)
class _CampaignDrift:
    """The differences in the part of a version that one campaign decided."""

    campaign: Campaign
    gone: Sequence[tuple[int, int | None]]
    """The query and worker of each judgment that no longer counts."""
    new: list[int]
    """The query of each new judgment."""
    joined: frozenset[int]
    """The queries whose result a new challenge changed without a judgment."""
    kinds: Counter[ChangeKind]

    def __bool__(self) -> bool:
        return bool(self.gone or self.new or self.joined)


def _compute_drift(version: QrelVersion) -> Drift:
    """Compare a version with current judgments, separately for each campaign that decided some of its queries."""
    version = QrelVersion.objects.select_related("collection", "campaign").get(pk=version.pk)
    said = edition_of(version)
    qid_of = dict(VersionQuery.objects.filter(version=version).values_list("query_id", "query__qid"))
    taken: dict[int, set[int]] = {version.number: set()}
    for query, qid in qid_of.items():
        taken.setdefault(said.content["carried"].get(qid, version.number), set()).add(query)
    earlier = QrelVersion.objects.filter(collection=version.collection, number__in=taken).exclude(
        pk=version.pk
    )
    origins = [version, *earlier.select_related("campaign")]
    parts = [_drift_of_campaign(origin, frozenset(taken[origin.number]), said) for origin in origins]
    parts = [part for part in parts if part]
    kinds = sum((part.kinds for part in parts), Counter[ChangeKind]())
    rules = [rule for part in parts for rule in _exclusion_rules(part)]
    gone_on = {query for part in parts for query, _ in part.gone}
    return Drift(
        version.number,
        gone=sum(len(part.gone) for part in parts),
        new=sum(len(part.new) for part in parts),
        joined=sum(len(part.joined) for part in parts),
        queries=len(gone_on.union(*(part.new for part in parts), *(part.joined for part in parts))),
        excluded=sum(rule != Exclusion.WITHDRAWN for rule in rules),
        withdrew=rules.count(Exclusion.WITHDRAWN),
        answers=kinds[ChangeKind.ANSWERS],
        left=kinds[ChangeKind.LEFT],
        arrived=kinds[ChangeKind.ARRIVED],
        campaigns=tuple(sorted({part.campaign.name for part in parts})),
        gone_on=frozenset(qid_of[query] for query in gone_on),
    )


def _drift_of_campaign(origin: QrelVersion, taken: frozenset[int], said: Edition) -> _CampaignDrift:
    """Compare a version (``said``) with one campaign's current judgments.

    ``taken`` are the keys of the queries that ``said`` takes from ``origin``, a version of that campaign. If
    ``origin`` is ``said`` itself, queries that the campaign has settled since are included. Otherwise they are
    ignored, because another campaign may have decided them since.
    """
    facts = load_facts(origin.campaign)
    allow_open = origin.content["parameters"]["allow_open"]
    settled = {
        query: outcome
        for query, outcome in facts.derive_as_resolved().outcomes.items()
        if outcome.is_published(allow_open=allow_open) and (query in taken or origin.number == said.number)
    }
    covered = taken | settled.keys()
    judged, published = facts.judgments, np.array(origin.content["judgments"], dtype=np.int64)
    new = np.isin(judged.judged.query, list(covered)) & ~np.isin(judged.id, published)
    gone = np.setdiff1d(published, judged.id).tolist()
    rows = [
        row
        for part in key_parts(gone)
        for row in Judgment.objects.filter(pk__in=part).values_list("pair__query", "worker")
        if row[0] in taken
    ]
    now = Edition(
        said.collection,
        said.number,
        origin.campaign,
        {},
        _answers_with_members(facts, settled),
        {query: str(outcome.status) for query, outcome in settled.items()},
    )
    before = replace(
        said,
        best={query: passages for query, passages in said.best.items() if query in covered},
        status={query: status for query, status in said.status.items() if query in covered},
    )
    changes = [change for change in changes_between(before, now) if change.what != ChangeKind.STATUS]
    new_on: list[int] = judged.judged.query[new].tolist()
    joined = _challenged_since(origin, facts).intersection(change.query for change in changes)
    joined -= {*new_on, *(query for query, _ in rows)}
    return _CampaignDrift(origin.campaign, rows, new_on, joined, Counter(change.what for change in changes))


def _challenged_since(origin: QrelVersion, facts: Facts) -> frozenset[int]:
    """Return the queries of the campaign's finished challenges that the version does not include."""
    known = {challenge["number"] for challenge in origin.content["challenges"]}
    return frozenset(
        row.query_id
        for challenge in facts.challenges
        if challenge.number not in known
        for row in challenge.queries.all()
    )


def _exclusion_rules(part: _CampaignDrift) -> list[str]:
    """Return the rule of each current exclusion of a worker whose judgments no longer count."""
    workers = {worker for _, worker in part.gone}
    standing = Exclusion.objects.standing().filter(campaign=part.campaign).values_list("worker", "rule")
    return [rule for worker, rule in standing if worker in workers]


def _answers_with_members(facts: Facts, settled: Mapping[int, QueryOutcome]) -> dict[int, frozenset[int]]:
    """Map query keys to the keys of the best answers and of all members of their classes."""
    return {
        query: frozenset(
            member for best in outcome.best for member in facts.classes.get(query, {}).get(best, [best])
        )
        for query, outcome in settled.items()
    }
