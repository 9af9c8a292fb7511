"""The data that an analysis depends on, as values to hash. While the values stay the same, so does the result."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from django.db.models import Max

from judging.models import Campaign, Grade, GradedCampaign, Judgment, Pair, TopicAssignment
from pooling.models import AnnouncedRun, ClusterSet, Collection, Passage, QrelSet, Run
from pooling.rules.run_details import task_of
from tournament.models import Challenge, QrelVersion
from tournament.services.judged_facts import latest_resolution, settled_rounds


def runs_inputs(runs: Sequence[Run]) -> list[Any]:
    """Return, for each run in order, the fields that tables show or that decide whether it is scored."""
    return [
        [
            *(run.pk, run.run_tag, run.sha256, str(run.order), run.baseline, run.team, str(run.submitted_on)),
            task_of(run.details),
        ]
        for run in runs
    ]


def descriptions_inputs(collection: Collection, runs: Sequence[Run]) -> list[Any]:
    """Return the structured descriptions of the runs and of all announced runs."""
    announced = AnnouncedRun.objects.filter(collection=collection, run=None).order_by("run_tag")
    return [[[run.run_tag, run.details] for run in runs], list(announced.values_list("run_tag", "said"))]


def set_inputs(qrel_set: QrelSet) -> list[Any]:
    return [qrel_set.name, qrel_set.sha256, qrel_set.min_grade]


def labels_inputs(collection: Collection) -> list[Any]:
    """Return values that change with the collection's qrel sets and versions, and with its leaderboard's set."""
    sets = QrelSet.objects.filter(collection=collection).order_by("pk")
    versions = QrelVersion.objects.filter(collection=collection).order_by("number")
    chosen = [collection.board_labels_id] if collection.board_labels_id else []
    return [
        [set_inputs(one) for one in sets],
        list(map(list, versions.values_list("number", "manifest_sha256"))),
        *chosen,
    ]


def labels_in_words(collection: Collection) -> list[str]:
    """Return the names of the qrel sets and versions in :func:`labels_inputs`, in the same order."""
    sets = QrelSet.objects.filter(collection=collection).order_by("pk").values_list("name", flat=True)
    numbers = QrelVersion.objects.filter(collection=collection).order_by("number")
    return [*sets, *(f"version {number}" for number in numbers.values_list("number", flat=True))]


def clusters_inputs(collection: Collection) -> str:
    """Return the hash of the collection's classes of near-duplicates; empty if it has none."""
    stored = ClusterSet.objects.filter(collection=collection).first()
    return stored.sha256 if stored else ""


def graded_inputs(collection: Collection) -> list[Any]:
    """Return values that change with the collection's graded campaigns. Grades are only added, never changed."""
    given = Grade.objects.filter(item__assignment__topic__campaign__collection=collection)
    held = TopicAssignment.objects.filter(topic__campaign__collection=collection)
    return [
        given.aggregate(last=Max("pk"))["last"],
        held.exclude(over_at=None).count(),
        GradedCampaign.objects.filter(collection=collection).aggregate(last=Max("pk"))["last"],
    ]


def campaign_inputs(campaign: Campaign) -> list[Any]:
    """Return values that change with the counted judgments, the tournament's rules and the passages' known texts.

    A challenge that is still in progress changes no analysis, so it is left out.
    """
    rounds = settled_rounds(campaign)
    counted = Judgment.objects.filter(campaign=campaign, pair__round__in=rounds).counted().order_by("pk")
    rows = [list(row) for row in counted.values_list("pk", "worker_id", "phase").iterator(chunk_size=20_000)]
    last = latest_resolution(campaign)
    challenges = Challenge.objects.filter(campaign=campaign, state=Challenge.State.DONE).order_by("number")
    with_text = Passage.objects.filter(collection=campaign.collection_id).exclude(class_key="")
    return [
        [campaign.pk, campaign.name, campaign.seed, campaign.pool_id, campaign.judgments_per_pair],
        hashlib.sha256(json.dumps(rows).encode()).hexdigest(),
        [str(last.ties), str(last.count)],
        [[one.number, str(one.rule), one.run_tags] for one in challenges],
        Pair.objects.filter(campaign=campaign, round__in=rounds).count(),
        with_text.count(),
    ]
