"""Derive a published version again from its manifest, to compare it with its file or to explain a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from config.guidance import Action, Guidance
from judging.models import Campaign, Judgment
from pooling.models import Collection, Passage, Query
from tournament.contests import Contest
from tournament.derivation import Parameters, derive
from tournament.errors import RebuildDiffers
from tournament.manifest import RULE_VERSION, sha256, trec_qrels
from tournament.models import QrelVersion
from tournament.outcomes import QueryOutcome, outcome_reason
from tournament.schedule import Rule, Sides
from tournament.services.judged_facts import Classes, Judgments, entrants_from, judgments_of
from tournament.services.other_rooms import key_parts
from tournament.services.publication import export_qrels, judgments_sha256, version_numbered
from tournament.services.resolution import pids_by_key


@dataclass(frozen=True)
class RebuiltVersion:
    """A version that was rebuilt byte for byte, its qrels file (``content``) and its number of judgments."""

    version: QrelVersion
    content: bytes
    judgments: int


def rebuild_qrels(*, collection: Collection, number: int | None = None) -> RebuiltVersion:
    """Rebuild a version from its manifest and compare the bytes with the published file.

    Later judgments and exclusions have no effect. Raises :class:`RebuildDiffers` if the manifest, a judgment or the
    stored qrels have changed, or if the version was published under another rule version.
    """
    version = version_numbered(collection, number)
    answers = _best_answers(version, {})
    position = dict(Query.objects.filter(collection=collection).values_list("qid", "position"))
    content = trec_qrels((position[qid], qid, pid) for qid, pids in answers.items() for pid in pids)
    if sha256(content) != version.qrels_sha256:
        raise RebuildDiffers(
            f"The rebuilt version {version.number} differs from the published one.",
            Guidance(
                "Compare the two: ",
                Action("export_qrels", collection.name, lead=""),
                ". The stored version was not changed.",
            ),
        )
    if export_qrels(collection=collection, number=version.number)[1] != content:
        raise RebuildDiffers(
            f"The stored rows of version {version.number} have changed since it was published.",
            "Restore the database from a backup.",
        )
    return RebuiltVersion(version, content, len(version.content["judgments"]))


def _best_answers(version: QrelVersion, seen: dict[int, dict[str, list[str]]]) -> dict[str, list[str]]:
    """Map qids to pids of the best answers and the members of their classes; ``seen`` caches them by version."""
    if version.number in seen:
        return seen[version.number]
    if sha256(version.manifest) != version.manifest_sha256:
        raise RebuildDiffers(
            f"The manifest of version {version.number} has changed since it was published.",
            "Restore the database from a backup.",
        )
    manifest = version.content
    if manifest["rule_version"] != RULE_VERSION:
        raise RebuildDiffers(
            f"Version {version.number} was published under rule version {manifest['rule_version']}; "
            f"this software has rule version {RULE_VERSION}.",
            "Rebuild it with the release that published it.",
        )
    answers = _own_answers(version, manifest)
    for qid, origin in manifest["carried"].items():
        source = _best_answers(version_numbered(version.collection, origin), seen)
        answers[qid] = source[qid]
    seen[version.number] = answers
    return answers


def _own_answers(version: QrelVersion, manifest: dict[str, Any]) -> dict[str, list[str]]:
    """Return the best answers of the queries that this version decided itself."""
    keys = Keys.of(version.collection, manifest)
    judgments = named_judgments(version.campaign, manifest, version.number)
    outcomes = _outcomes_of_manifest(keys, manifest, judgments)
    allow_open = manifest["parameters"]["allow_open"]
    classes = keys.classes(manifest)
    keys.add_members(classes, manifest)
    return {
        keys.qid[query]: [
            keys.pid[member] for best in outcome.best for member in classes[query].get(best, [best])
        ]
        for query, outcome in outcomes.items()
        if outcome.is_published(allow_open=allow_open)
    }


def _outcomes_of_manifest(keys: Keys, manifest: dict[str, Any], used: Judgments) -> dict[int, QueryOutcome]:
    """Derive the outcomes of the manifest's queries, by query key, from these judgments."""
    parameters = manifest["parameters"]
    return derive(
        entrants_from(keys.classes(manifest)),
        used.judged,
        [keys.contest(challenge) for challenge in manifest["challenges"]],
        Parameters.named(parameters["ties"], parameters["count"], wanted=parameters["judgments_per_pair"]),
    ).outcomes


def reason_in(version: QrelVersion, query: Query) -> str:
    """Return the query's outcome in the version as a sentence; empty if the version did not decide it itself."""
    content = _manifest_of_query(version.content, query.qid)
    if not content["queries"]:
        return ""
    own = Judgment.objects.filter(campaign=version.campaign_id, pair__query=query)
    used = own.filter(pk__in=[pk for pk in own.values_list("pk", flat=True) if pk in version.judgment_keys])
    keys = Keys.of(version.collection, content)
    outcome = _outcomes_of_manifest(keys, content, judgments_of(used)).get(query.pk)
    return outcome_reason(outcome, pids_by_key(set(outcome.best)).__getitem__) if outcome else ""


def _manifest_of_query(content: dict[str, Any], qid: str) -> dict[str, Any]:
    """Return the part of the manifest's content that concerns one query."""
    challenges = [
        challenge | {"queries": [row for row in challenge["queries"] if row["qid"] == qid]}
        for challenge in content["challenges"]
    ]
    return content | {
        "queries": [row for row in content["queries"] if row["qid"] == qid],
        "challenges": [challenge for challenge in challenges if challenge["queries"]],
    }


def named_judgments(campaign: Campaign, manifest: dict[str, Any], number: int) -> Judgments:
    """Return the judgments that the manifest lists, whether or not they still count.

    Raises :class:`RebuildDiffers` if they have changed.
    """
    every = judgments_of(Judgment.objects.filter(campaign=campaign))
    named = every.only(np.isin(every.id, np.array(manifest["judgments"], dtype=np.int64)))
    if judgments_sha256(named) != manifest["judgments_sha256"]:
        raise RebuildDiffers(
            f"The judgments of version {number} have changed since it was published.",
            "Restore the database from a backup.",
        )
    return named


@dataclass(frozen=True)
class Keys:
    """The keys in this database of a manifest's qids and pids, and the qids and pids of these keys."""

    query: dict[str, int]
    passage: dict[str, int]
    qid: dict[int, str]
    pid: dict[int, str]

    @classmethod
    def of(cls, collection: Collection, manifest: dict[str, Any]) -> Keys:
        """Look up the keys of all qids and pids in the manifest."""
        qids = {row["qid"] for row in manifest["queries"]}
        query: dict[str, int] = {}
        for part in key_parts(qids):
            found = Query.objects.filter(collection=collection, qid__in=part)
            query.update(found.values_list("qid", "pk"))
        passage: dict[str, int] = {}
        for part in key_parts(_pids_of(manifest)):
            named = Passage.objects.filter(collection=collection, pid__in=part)
            passage.update(named.values_list("pid", "pk"))
        return cls(
            query, passage, {pk: qid for qid, pk in query.items()}, {pk: pid for pid, pk in passage.items()}
        )

    def classes(self, manifest: dict[str, Any]) -> Classes:
        """Return the classes of each query's first tournament."""
        return {
            self.query[row["qid"]]: {
                self.passage[pids[0]]: [self.passage[pid] for pid in pids] for pids in row["classes"]
            }
            for row in manifest["queries"]
        }

    def add_members(self, classes: Classes, manifest: dict[str, Any]) -> None:
        """Add to ``classes`` the passages that challenges added to them."""
        for challenge in manifest["challenges"]:
            for row in challenge["queries"]:
                known = classes[self.query[row["qid"]]]
                for rep, further in row["members"].items():
                    passages = known.setdefault(self.passage[rep], [self.passage[rep]])
                    passages += [self.passage[p] for p in further if self.passage[p] not in passages]

    def contest(self, challenge: dict[str, Any]) -> Contest:
        """Convert a challenge from the manifest to the input that :func:`tournament.derivation.derive` takes."""
        sides = {
            self.query[row["qid"]]: Sides(
                tuple(self.passage[pid] for pid in row["best"]),
                tuple(self.passage[pid] for pid in row["challengers"]),
            )
            for row in challenge["queries"]
        }
        return Contest(challenge["number"], Rule(challenge["rule"]), sides)


def _pids_of(manifest: dict[str, Any]) -> set[str]:
    found = {pid for row in manifest["queries"] for members in row["classes"] for pid in members}
    for challenge in manifest["challenges"]:
        for row in challenge["queries"]:
            found.update(row["best"], row["challengers"], row["members"], *row["members"].values())
    return found
