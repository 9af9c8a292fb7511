"""Publish the next version of a collection's preference qrels from one campaign's judgments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction

from config import clock
from config.background import events
from config.guidance import Action, Guidance, Option
from judging.models import Campaign, Exclusion
from pooling.models import Collection, Query
from tournament.errors import NoSuchVersion, NotAsShown, NothingToPublish, OnlyRehearsed
from tournament.manifest import RULE_VERSION, canonical_json, sha256, trec_qrels
from tournament.models import PreferenceQrel, QrelVersion, VersionQuery
from tournament.outcomes import QueryOutcome, Status
from tournament.services.judged_facts import Judgments
from tournament.services.other_rooms import key_parts
from tournament.services.resolution import Resolved, pids_by_key, resolve_as_before

ATTEMPTS = 10
#: The kind of the event that records the publication of a version.
VERSION_PUBLISHED = "version.published"


@dataclass(frozen=True)
class Publication:
    """The collection's latest version after a publication.

    ``new``: True if this publication created it, False if nothing had changed since it was published.
    """

    version: QrelVersion
    new: bool


@dataclass(frozen=True)
class Draft:
    """A version before it gets its number. ``content``: the manifest without its number and parent."""

    content: dict[str, Any]
    queries: list[VersionQuery]
    qrels: list[PreferenceQrel]
    simulated: bool

    def fingerprint(self, parent: QrelVersion | None) -> str:
        """Return a hash of the content and its parent: drafts with equal fingerprints give the same version."""
        after = parent.manifest_sha256 if parent else ""
        return sha256(f"{after}\n{canonical_json(self.content)}")


def publish_qrels(
    *, campaign: Campaign, allow_open: bool = False, published_by: str = "", as_shown: str = ""
) -> Publication:
    """Resolve the campaign with its latest parameters and publish its settled queries as the next version.

    Queries that the campaign does not cover are carried over from the latest version. If nothing changed, the latest
    version is returned.

    - Raises :class:`NothingToPublish` if no query can be published, or if others keep publishing at the same time.
    - Raises :class:`OnlyRehearsed` for a rehearsal, because it shares the collection of the campaign that it copies.
    - Raises :class:`NotAsShown` if ``as_shown``, the fingerprint of a preview, no longer matches the draft.
    """
    refuse_rehearsal(campaign)
    resolved = resolve_as_before(campaign=campaign)
    for _ in range(ATTEMPTS):
        parent = latest_version(campaign.collection)
        draft = draft_version(resolved, parent, allow_open)
        if parent and content_of(parent) == draft.content:
            return Publication(parent, new=False)
        if as_shown and draft.fingerprint(parent) != as_shown:
            raise NotAsShown(
                f"The draft of {campaign.name} has changed since the preview: new judgments arrived, or another "
                "version was published. Nothing was published.",
                "Review the new preview, then publish it.",
            )
        try:
            return Publication(_save_version(campaign, parent, draft, published_by), new=True)
        except IntegrityError:
            if latest_version(campaign.collection) == parent:
                raise
            # Somebody else published this number in the meantime. Their version is now the parent.
    raise NothingToPublish(
        "Nothing was published, because others are publishing versions of this collection at the same time.",
        "Try again in a moment.",
    )


def refuse_rehearsal(campaign: Campaign) -> None:
    """Raise :class:`OnlyRehearsed` if the campaign is a rehearsal."""
    if campaign.rehearsal_of:
        raise OnlyRehearsed(
            f"{campaign.name} is a rehearsal of {campaign.rehearsal_of.name}: simulated workers judged it.",
            Guidance(
                "Publish the campaign with human judgments: ",
                Action("publish_qrels", campaign.rehearsal_of.name, lead=""),
            ),
        )


def latest_version(collection: Collection) -> QrelVersion | None:
    """Return the collection's newest version, or None."""
    return QrelVersion.objects.filter(collection=collection).order_by("-number").first()


def version_numbered(collection: Collection, number: int | None) -> QrelVersion:
    """Return the version with this number, or the latest; raises :class:`NoSuchVersion`."""
    versions = QrelVersion.objects.filter(collection=collection).order_by("-number")
    version = versions.first() if number is None else versions.filter(number=number).first()
    if version is None:
        what = "published version" if number is None else f"version {number}"
        raise NoSuchVersion(
            f"{collection.name} has no {what} yet.",
            Action("publish_qrels", rest="CAMPAIGN", lead="Publish one"),
        )
    return version


def content_of(version: QrelVersion) -> dict[str, Any]:
    """Return a version's manifest without its number and parent."""
    return {key: value for key, value in version.content.items() if key not in ("number", "parent")}


def draft_version(resolved: Resolved, parent: QrelVersion | None, allow_open: bool) -> Draft:
    """Return the draft of the next version. Raises :class:`NothingToPublish`."""
    outcomes = {
        query: outcome
        for query, outcome in resolved.derivation.outcomes.items()
        if outcome.is_published(allow_open=allow_open)
    }
    asked = any(outcome.status is Status.OPEN for outcome in resolved.derivation.outcomes.values())
    if not outcomes or (asked and not allow_open and not len(resolved.facts.judgments.id)):
        raise NothingToPublish(
            f"No judgment has settled a query of the campaign {resolved.facts.campaign.name} yet.",
            Guidance(
                "Wait for judgments, or publish the best answers so far with ", Option("allow-open"), "."
            ),
        )
    queries, qrels = _decided_rows(resolved, outcomes)
    carried = _carried_queries(resolved, parent, outcomes)
    content = _manifest(resolved, outcomes, {row.query.qid: origin for row, origin in carried}, allow_open)
    if parent:
        queries += [row for row, _ in carried]
        qrels += _carried_qrels(parent, {row.query_id for row, _ in carried})
    content["qrels_sha256"] = sha256(qrels_bytes(qrels))
    simulated = content["simulated"] or _simulated_origin(parent, {origin for _, origin in carried})
    return Draft(content, queries, qrels, simulated)


def _decided_rows(
    resolved: Resolved, outcomes: dict[int, QueryOutcome]
) -> tuple[list[VersionQuery], list[PreferenceQrel]]:
    """Return rows for the queries that this campaign decides.

    Every member of a best answer's class becomes a qrel.
    """
    known = {query.pk: query for query in queries_by_key(outcomes)}
    queries, qrels = [], []
    for key, outcome in outcomes.items():
        queries.append(
            VersionQuery(
                query=known[key], status=outcome.status, tied=len(outcome.best) > 1, cycle=outcome.cycle
            )
        )
        for best in outcome.best:
            members = resolved.facts.classes.get(key, {}).get(best, [best])
            qrels += [
                PreferenceQrel(query=known[key], passage_id=member, propagated=member != best)
                for member in members
            ]
    return queries, qrels


def queries_by_key(keys: Iterable[int]) -> list[Query]:
    """Return the queries with these keys, for any number of keys."""
    return [query for part in key_parts(keys) for query in Query.objects.filter(pk__in=part)]


def _carried_queries(
    resolved: Resolved, parent: QrelVersion | None, outcomes: dict[int, QueryOutcome]
) -> list[tuple[VersionQuery, int]]:
    """Return the parent's queries to carry over, each with the number of the version that decided it.

    An open query whose best answers this campaign decided in an earlier version is not carried over. For instance,
    an exclusion may have removed judgments that they rely on.
    """
    if parent is None:
        return []
    origins = parent.content["carried"]
    own_versions = set(
        QrelVersion.objects.filter(campaign=resolved.facts.campaign).values_list("number", flat=True)
    )
    rows = []
    for row in parent.queries.select_related("query").order_by("pk"):
        origin = origins.get(row.query.qid, parent.number)
        reopened = row.query_id in resolved.derivation.outcomes and origin in own_versions
        if row.query_id in outcomes or reopened:
            continue
        carried = VersionQuery(
            query=row.query, status=row.status, tied=row.tied, cycle=row.cycle, carried=True
        )
        rows.append((carried, origin))
    return rows


def _carried_qrels(parent: QrelVersion, queries: set[int]) -> list[PreferenceQrel]:
    return [
        PreferenceQrel(query=row.query, passage=row.passage, propagated=row.propagated)
        for row in parent.qrels.select_related("query", "passage")
        if row.query_id in queries
    ]


def _simulated_origin(parent: QrelVersion | None, origins: set[int]) -> bool:
    """Return whether a version that decided a carried query uses simulated judgments."""
    if parent is None or not origins:
        return False
    versions = QrelVersion.objects.filter(collection=parent.collection, number__in=origins)
    return any(version.content["simulated"] for version in versions)


def _manifest(
    resolved: Resolved, outcomes: dict[int, QueryOutcome], carried: dict[str, int], allow_open: bool
) -> dict[str, Any]:
    """Return the manifest, except its number and parent: everything needed to derive the version again.

    It identifies queries and passages by qid and pid, and judgments by id.
    """
    facts, parameters = resolved.facts, resolved.parameters
    used = facts.judgments.only(np.isin(facts.judgments.judged.query, list(outcomes)))
    names = _Names.of(resolved, outcomes, used)
    exclusions = Exclusion.objects.filter(campaign=facts.campaign, reversed_at=None).order_by("pk")
    return {
        "format": 1,
        "rule_version": RULE_VERSION,
        "collection": facts.campaign.collection.name,
        "campaign": facts.campaign.name,
        "parameters": {
            "ties": str(parameters.ties),
            "count": str(parameters.count),
            "judgments_per_pair": parameters.wanted,
            "allow_open": allow_open,
        },
        "queries": names.pools(facts.entrants, outcomes),
        "challenges": [names.challenge(challenge, outcomes) for challenge in facts.challenges],
        "judgments": sorted(used.id.tolist()),
        "judgments_sha256": judgments_sha256(used),
        "exclusions": [
            {"id": row.pk, "rule": row.rule, "decided_at": row.decided_at.isoformat()} for row in exclusions
        ],
        "simulated": bool(used.simulated.any()),
        "carried": carried,
    }


@dataclass(frozen=True)
class _Names:
    """The qids and pids of database keys: names that are valid outside this database."""

    qid: dict[int, str]
    pid: dict[int, str]

    @classmethod
    def of(cls, resolved: Resolved, outcomes: dict[int, QueryOutcome], used: Judgments) -> _Names:
        """Return the names of the covered queries and all their passages."""
        passages = {
            member
            for query in outcomes
            for members in resolved.facts.classes.get(query, {}).values()
            for member in members
        }
        passages.update(used.judged.left.tolist(), used.judged.right.tolist())
        return cls({query.pk: query.qid for query in queries_by_key(outcomes)}, pids_by_key(passages))

    def pools(self, entrants: Any, outcomes: dict[int, QueryOutcome]) -> list[dict[str, Any]]:
        """Return each covered query with the classes of its first tournament, representatives first."""
        classes: dict[int, dict[int, list[str]]] = {query: {} for query in outcomes}
        for query, passage, rep in zip(
            entrants.query.tolist(), entrants.passage.tolist(), entrants.representative.tolist(), strict=True
        ):
            if query in classes:
                members = classes[query].setdefault(rep, [self.pid[rep]])
                members += [self.pid[passage]] if passage != rep else []
        rows = [
            {"qid": self.qid[query], "classes": sorted(by_rep.values())} for query, by_rep in classes.items()
        ]
        return sorted(rows, key=lambda row: str(row["qid"]))

    def challenge(self, challenge: Any, outcomes: dict[int, QueryOutcome]) -> dict[str, Any]:
        """Return the manifest's entry of a challenge, with the sides of the covered queries."""
        rows = [
            {
                "qid": self.qid[row.query_id],
                "best": [self.pid[passage] for passage in row.best_ids],
                "challengers": [self.pid[passage] for passage in row.challenger_ids],
                "members": {
                    self.pid[int(rep)]: [self.pid[passage] for passage in further]
                    for rep, further in row.members.items()
                },
            }
            for row in challenge.queries.all()
            if row.query_id in outcomes
        ]
        return {
            "number": challenge.number,
            "rule": challenge.rule,
            "runs": sorted(challenge.run_tags),
            "queries": sorted(rows, key=lambda row: str(row["qid"])),
        }


def judgments_sha256(used: Judgments) -> str:
    """Return a hash of the judgments' content, which detects changed rows."""
    judged = used.judged
    columns = (used.id, judged.query, judged.left, judged.right, judged.preferred, judged.round)
    table = np.stack(columns, axis=1).astype("<i8")
    return sha256(table[np.argsort(used.id, kind="stable")].tobytes())


def _save_version(
    campaign: Campaign, parent: QrelVersion | None, draft: Draft, published_by: str
) -> QrelVersion:
    """Number and save the version. Raises IntegrityError if somebody else has just saved that number."""
    number = parent.number + 1 if parent else 1
    named = {"number": parent.number, "manifest_sha256": parent.manifest_sha256} if parent else None
    manifest = canonical_json({**draft.content, "number": number, "parent": named})
    with transaction.atomic():
        version = QrelVersion.objects.create(
            collection=campaign.collection,
            number=number,
            campaign=campaign,
            parent=parent,
            manifest=manifest,
            manifest_sha256=sha256(manifest),
            qrels_sha256=draft.content["qrels_sha256"],
            simulated=draft.simulated,
            queries_count=len(draft.queries),
            qrels_count=len(draft.qrels),
            published_by=published_by,
            published_at=clock.now(),
        )
        for query in draft.queries:
            query.version = version
        for qrel in draft.qrels:
            qrel.version = version
        VersionQuery.objects.bulk_create(draft.queries, batch_size=500)
        PreferenceQrel.objects.bulk_create(draft.qrels, batch_size=500)
        events.record_event(
            VERSION_PUBLISHED, collection_id=version.collection_id, facts=_version_event(version)
        )
    return version


def _version_event(version: QrelVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "parent": version.parent.number if version.parent else None,
        "campaign": version.campaign.name,
        "queries": version.queries_count,
        "qrels": version.qrels_count,
        "simulated": version.simulated,
        "qrels_sha256": version.qrels_sha256,
    }


def qrels_bytes(rows: Iterable[PreferenceQrel]) -> bytes:
    """Return the qrels file of these rows, sorted by query position, then qid, then pid."""
    rows = list(rows)
    pid_of = pids_by_key({row.passage_id for row in rows})
    return trec_qrels((row.query.position, row.query.qid, pid_of[row.passage_id]) for row in rows)


def export_qrels(*, collection: Collection, number: int | None = None) -> tuple[QrelVersion, bytes]:
    """Return the qrels file of a version (the latest by default): ``qid 0 pid 1``, by query position, then pid."""
    version = version_numbered(collection, number)
    return version, qrels_bytes(version.qrels.select_related("query"))
