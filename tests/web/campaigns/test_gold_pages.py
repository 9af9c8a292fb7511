"""Gold pairs while people judge: their results, and suspending a bad one."""

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


def test_the_most_failed_pairs_are_first(judged, manager):
    lines = manager.get(GOLD.format(judged.name)).context["lines"]

    shares = [line.failed_share for line in lines if line.seen]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] >= 0.5  # whichever pairs the two workers got
    assert [line.seen for line in lines[len(shares) :]] == [0] * (len(lines) - len(shares))


@pytest.mark.parametrize(
    ("sort", "value"),
    [
        ("pair", lambda line: line.gold.pk),
        ("-query", lambda line: line.gold.query.qid),
        ("-seen", lambda line: line.seen),
        ("failed", lambda line: line.failed),
        ("state", lambda line: line.gold.state),
    ],
)
def test_pairs_are_sorted_as_the_address_says(judged, manager, sort, value):
    reply = manager.get(GOLD.format(judged.name), {"sort": sort})

    found = [value(line) for line in reply.context["lines"]]
    assert found == sorted(found, reverse=sort.startswith("-"))
    state = "descending" if sort.startswith("-") else "ascending"
    assert reply.content.decode().count(f'aria-sort="{state}"') == 1


def test_an_unknown_order_shows_the_most_failed_first(judged, manager):
    usual = manager.get(GOLD.format(judged.name)).context["lines"]

    lines = manager.get(GOLD.format(judged.name), {"sort": "x"}).context["lines"]
    assert [line.gold.pk for line in lines] == [line.gold.pk for line in usual]


def test_the_share_of_failures_has_one_digit(judged, manager):
    line = manager.get(GOLD.format(judged.name)).context["lines"][0]

    page = text_of(manager.get(GOLD.format(judged.name)))
    assert f'<td class="number">{100 * line.failed_share:.1f}</td>' in page


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

    assert "no worker is tested" in text_of(manager.get(GOLD.format(campaign.name)))
