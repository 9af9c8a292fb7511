"""A version with everything that a bundle can contain, and a reader of bundles."""

import json
import zipfile

import pytest

from judging.models import (
    CrowdIdentity,
    GoldAnswer,
    GoldPair,
    Place,
    Posting,
    Slot,
    Submission,
    Task,
)
from web.releases.bundle import ensure_bundle
from web.releases.store import open_bundle


def read(version) -> dict[str, str]:
    """Return name → text of every file in the version's bundle."""
    with open_bundle(ensure_bundle(version).name) as file, zipfile.ZipFile(file) as bundle:
        return {name.partition("/")[2]: bundle.read(name).decode() for name in bundle.namelist()}


def rows(files: dict[str, str], name: str) -> list[dict]:
    return [json.loads(line) for line in files[name].splitlines()]


@pytest.fixture
def town(published):
    """harbour with a license, a worker's identity, texts by people, and an answered gold pair."""
    published.collection.license = "CC BY 4.0"
    published.collection.save()
    CrowdIdentity.objects.create(worker=published.judge, crowd="mturk", crowd_worker_id="A1SECRETWORKER")
    campaign = published.campaign
    campaign.consent_text, campaign.instructions_text = "You agree to read.", "Read both."
    campaign.save()
    place = Place.objects.create(
        posting=Posting.objects.create(campaign=campaign, number=1), number=1, crowd_id="HITSECRET"
    )
    done = Submission.objects.create(
        campaign=campaign,
        place=place,
        worker=published.judge,
        task=Task.objects.create(campaign=campaign, number=1),
        assignment_id="ASSIGNSECRET",
        seed=1,
        state="submitted",
        standing="counted",
        submitted_at=published.version.published_at,
        comment="COMMENTSECRET",
    )
    gold = GoldPair.objects.create(
        campaign=campaign,
        query=published.query("q1"),
        relevant=published.passage("a"),
        off_topic=published.passage("off"),
        state="accepted",
        decided_by="PERSONSECRET",
        decided_why="REASONSECRET",
    )
    slot = Slot.objects.create(
        submission=done,
        worker=published.judge,
        number=1,
        gold_pair=gold,
        left=gold.relevant,
        right=gold.off_topic,
    )
    GoldAnswer.objects.create(
        slot=slot,
        submission=done,
        worker=published.judge,
        gold_pair=gold,
        preferred=gold.relevant,
        passed=True,
        recorded_at=published.version.published_at,
    )
    return published
