"""Gold pairs while people judge: how they fare, and suspending a bad one."""

from __future__ import annotations

import re

import pytest

from judging.models import Exclusion, GoldPair, Submission
from tests.web.campaign_cast import text_of, worker

pytestmark = pytest.mark.one_database

GOLD = "/campaigns/{}/test-pairs/"


@pytest.fixture
def judged(fair, campaign):
    """One worker passes every gold pair, one fails every one and is excluded."""
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A2", pass_gold=False)
    fair.collect(campaign)
    return campaign


def test_pairs_that_people_fail_stand_first(judged, manager):
    page = text_of(manager.get(GOLD.format(judged.name)))

    shares = [float(share) for share in re.findall(r"times? \(([\d.]+)%\)", page)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] >= 50  # whichever pairs the two workers met


def test_a_bad_pair_is_suspended_with_a_reason_and_its_worker_comes_back(judged, manager):
    failed = GoldPair.objects.filter(campaign=judged, answers__passed=False).distinct()
    for gold in failed:
        address = f"{GOLD.format(judged.name)}{gold.pk}/suspend/"
        assert f"worker {worker('A2').pk}" in text_of(manager.get(address))
        assert "needs a reason" in text_of(manager.post(address, {"why": " "}), 400)
        manager.post(address, {"why": "both answer it"})

    gold = failed.first()
    assert (gold.state, gold.decided_by, gold.decided_why) == ("suspended", "ada", "both answer it")
    assert not Exclusion.objects.filter(reversed_at=None).exists()
    page = text_of(manager.get(GOLD.format(judged.name)))
    assert "by ada: both answer it" in page
    assert "no task gets it" in text_of(manager.get(address))


def test_a_worker_s_failed_pairs_lead_to_their_suspension(judged, manager):
    key = Submission.objects.filter(worker=worker("A2")).first().worker_id

    page = manager.get(f"/campaigns/{judged.name}/workers/{key}/").content.decode()

    assert "/suspend/" in page


def test_a_campaign_without_test_pairs_says_so(campaign, manager):
    GoldPair.objects.filter(campaign=campaign).update(state="dropped")

    assert "nobody is tested" in text_of(manager.get(GOLD.format(campaign.name)))
