"""Pay, time, size and languages: in the crowd's list, on the pages, after submitting, on the receipt."""

import re
from decimal import Decimal

import pytest

from config.crowd_endpoints import KNOWN
from judging.campaign.worker_texts import agreed_text, usual_minutes
from judging.intake.places import kind_of_place
from judging.launch.launches import launch_campaign
from judging.models import Campaign, Payment
from judging.money.discrepancies import receipt_of
from judging.money.offer_words import description_of, keywords_of, offer_of, title_of
from judging.rules.pay import Pay, offer_in_words
from pooling.models import Collection
from tests.judging.launch.test_pilots import collect_by_job, piloted, timed
from tests.judging.visitor import Visitor, text

__all__ = ["timed"]
pytestmark = pytest.mark.one_database


def said(response) -> str:
    """Return a page's text in one line."""
    return " ".join(re.sub(r"<[^>]+>", "", text(response)).split())


def test_the_hourly_pay_fits_the_total_and_the_minutes():
    assert (
        offer_in_words(Pay(Decimal("0.20"), Decimal("1.80")), 12)
        == "$2.00 for about 12 minutes, $10.00 an hour"
    )
    assert (
        offer_in_words(Pay(Decimal("2.00"), Decimal("0.00")), 1)
        == "$2.00 for about 1 minute, $120.00 an hour"
    )


def test_campaigns_in_different_languages_are_distinguished(fair):
    campaign = fair.draft(language="de")
    english = title_of(campaign)
    Collection.objects.update(language="pt-BR")
    campaign = Campaign.objects.get(pk=campaign.pk)

    assert english.endswith("? · 5 pairs · English passages · page in German · $2.00")
    assert "5 pairs · Brazilian Portuguese passages · page in German" in title_of(campaign)
    assert "Passages are in Brazilian Portuguese and the page is in German." in description_of(campaign)
    assert (
        keywords_of(campaign)
        == "pairs:5, minutes:4, limit:60, promise:answer, bonus:1.80, language:pt-BR, page-language:de"
    )


def test_repeated_pairs_make_the_size_a_range_until_the_task_is_known(fair):
    campaign = fair.draft(repeats_per_task=2)

    assert " · 5 to 7 pairs in English · " in title_of(campaign)
    assert "better, 5 to 7 times." in description_of(campaign)
    assert keywords_of(campaign).startswith("pairs:5-7, ")
    assert offer_of(campaign).startswith("5 to 7 pairs · ")
    assert offer_of(campaign, 5).startswith("5 pairs · ")
    assert "There are 5 to 7 pairs." in agreed_text(campaign)
    assert "There are 6 pairs." in agreed_text(campaign, pairs=6)


@pytest.mark.parametrize(("endpoint", "told"), [("http://127.0.0.1:8411", False), (next(iter(KNOWN)), True)])
def test_listings_that_state_the_pay_need_no_pay_in_the_title(fair, endpoint, told):
    campaign = fair.draft()
    campaign.crowd, campaign.endpoint = "mturk", endpoint

    assert ("$2.00" in title_of(campaign)) is told
    assert ("$2.00 for about 4 minutes" in description_of(campaign)) is told


@pytest.mark.parametrize(
    ("length", "told"), [(90, " · 5 pairs in English · $2.00"), (105, " · 5 pairs in English"), (120, "")]
)
def test_a_long_title_leaves_out_what_does_not_fit(fair, length, told):
    campaign = fair.draft()
    campaign.title = "x" * length

    assert title_of(campaign) == "x" * length + told


def test_work_without_pay_is_offered_without_an_hourly_rate(fair):
    campaign = fair.draft(reward=Decimal("0.00"), base_reward=Decimal("0.00"))

    assert offer_of(campaign, 5) == "5 pairs · passages in English"
    assert "$" not in title_of(campaign) + description_of(campaign)


def test_the_usual_time_is_measured_by_the_pilot_and_stays_while_the_campaign_is_open(fair, timed, crowd):
    campaign = piloted(fair, tasks=3)
    assert "minutes:4," in kind_of_place(campaign).keywords
    for worker, seconds in (("A1", 700), ("A2", 720), ("A3", 5000)):
        timed(campaign, worker, seconds)
    collect_by_job(campaign)
    assert usual_minutes(campaign, 5) == 4  # the time stated to its workers

    launch_campaign(campaign)

    campaign = Campaign.objects.get(pk=campaign.pk)
    assert "minutes:12," in kind_of_place(campaign).keywords
    assert "$2.00 for about 12 minutes, $10.00 an hour" in kind_of_place(campaign).description
    assert offer_of(campaign, 5).endswith("$2.00 for about 12 minutes, $10.00 an hour")
    assert usual_minutes(campaign, 4) == 10


def test_two_tasks_are_too_few_to_measure(fair, timed):
    campaign = piloted(fair, tasks=2)
    for worker in ("A1", "A2"):
        timed(campaign, worker, 720)
    collect_by_job(campaign)

    launch_campaign(campaign)

    assert usual_minutes(campaign, 5) == 4


def test_preview_consent_and_task_state_the_same_offer(martha, crowd_site):
    pages = [martha.arrive(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE"), martha.arrive()]
    pages.append(martha.client.post(f"{martha.page}consent", follow=True))

    for page in pages:
        assert "5 pairs · passages in English · $2.00 for about 4 minutes, $30.00 an hour" in said(page)
    assert "Most people need about 4 minutes." in said(pages[1])
    assert "The time limit is 1 hour." in said(pages[0])


@pytest.mark.parametrize(
    ("chosen", "judged", "told", "promised"),
    [
        (
            {},
            5,
            "$0.20 is paid when your task is approved, and a bonus of $1.80 right after that. That usually",
            "2.00",
        ),
        ({}, 2, "$0.20 is paid when your task is approved, and a bonus of $0.72 right after that.", "0.92"),
        (
            {"pay": "whole"},
            5,
            "$2.00 is paid when your task is approved. That usually takes a few minutes.",
            "2.00",
        ),
        ({"hold_hours": 48}, 5, "The requester can look at your work for 2 days before that.", "2.00"),
        ({"pay": "whole"}, 2, None, "undecided"),
    ],
)
def test_after_submitting_the_page_states_what_is_paid_when(
    fair, crowd, crowd_site, chosen, judged, told, promised
):
    visitor = Visitor(crowd, fair.opened(**chosen))
    visitor.begin()
    for slot in visitor.slots()[:judged]:
        visitor.save(slot=slot.number)

    if judged == 5:
        visitor.client.post(f"{visitor.page}finish")
    else:
        visitor.client.post(f"{visitor.page}leave", {"confirmed": "1"})

    page = visitor.client.get(visitor.page)
    assert (told in said(page)) if told else ("paid-when" not in text(page))
    assert f'name="pay_promised" value="{promised}"' in text(page)


@pytest.mark.parametrize("pass_gold", [True, False])
def test_the_receipt_stays_readable_and_says_what_was_paid(fair, crowd, crowd_site, pass_gold, settings):
    """The crowd's form names the receipt; the page has the same text whether or not the submission counts."""
    visitor = Visitor(crowd, fair.opened())
    last = text(visitor.do_task(pass_gold=pass_gold))
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', last))
    assert fields["receipt"] == receipt_of(visitor.submission)
    assert fields["receipt_address"] == settings.PUBLIC_URL + visitor.page
    crowd.hand_in(visitor.taken, fields)
    fair.collect(visitor.campaign)

    page = said(visitor.client.get(visitor.page))

    assert f"Receipt for this task: {fields['receipt']}. You have judged 5 of 5 pairs." in page
    assert "Reward: $0.20. Paid. Bonus: $1.80. Paid. Paid so far: $2.00." in page


def test_a_receipt_names_undecided_pay(fair, crowd, crowd_site):
    visitor = Visitor(crowd, fair.opened())
    visitor.do_task()
    fair.hand_in(visitor.submission)
    fair.collect(visitor.campaign)
    Payment.objects.filter(kind=Payment.Kind.BONUS).update(state=Payment.State.HELD)

    page = said(visitor.client.get(visitor.page))

    assert "Bonus: $1.80. The requester decides whether it is paid." in page
    assert "Paid so far: $0.20." in page
