"""The texts about screening that workers read follow the campaign's rule."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from config import clock
from judging.campaign.campaign_settings import change_settings
from judging.campaign.worker_texts import agreed_text
from judging.page.reports_and_appeals import make_appeal
from judging.people.appeal_answers import answer_times, appeals, overdue
from judging.rules.durations import after_working_days
from judging.rules.screening import RULES
from judging.rules.screening_words import screening_words
from judging.workers.identities import worker_for
from web.campaigns.pages import needs_of_campaign, watch

ONE_MISS = "If you miss one of them, we use none of your choices"


def test_every_rule_has_words_of_its_own():
    told = {screening_words(rule, gold_per_task=3, allow_undecided=False, answer_days=3) for rule in RULES}

    assert len(told) == len(RULES)
    assert sum(ONE_MISS in words for words in told) == 1


def test_without_gold_pairs_the_texts_do_not_mention_them():
    assert screening_words("rate", gold_per_task=0, allow_undecided=True, answer_days=3) == ""


def test_consent_follows_the_rule_and_is_read_again_when_it_changes(fair):
    campaign = fair.draft()
    assert ONE_MISS in agreed_text(campaign)
    assert campaign.texts_accepted_at

    change_settings(campaign, {"screen": "rate"})

    assert ONE_MISS not in agreed_text(campaign)
    assert "more of them than careful readers miss" in agreed_text(campaign)
    assert campaign.texts_accepted_at is None


def test_consent_says_when_an_objection_is_answered_and_what_undecided_means(fair):
    campaign = fair.draft(answer_days=1, allow_undecided=True)

    assert "answers within 1 working day." in agreed_text(campaign)
    assert "“Cannot decide” counts as a miss" in agreed_text(campaign)


def test_consent_without_test_pairs_has_no_gap(fair):
    campaign = fair.draft(gold_per_task=0)

    assert "miss one" not in agreed_text(campaign)
    assert "  " not in agreed_text(campaign)


@pytest.mark.parametrize("gold", [0, 2])
def test_the_consent_text_mentions_repeated_pairs_if_there_are_some(fair, gold):
    campaign = fair.draft(gold_per_task=gold, repeats_per_task=2)
    again = "Some pairs of your earlier tasks may appear again, with the sides swapped."

    assert again in agreed_text(campaign)
    assert again not in agreed_text(fair.draft_of("once"))


@pytest.mark.parametrize(
    ("made", "days", "due"),
    [
        (datetime(2026, 11, 23, 9, tzinfo=UTC), 3, datetime(2026, 11, 26, 9, tzinfo=UTC)),
        (datetime(2026, 11, 27, 9, tzinfo=UTC), 1, datetime(2026, 11, 30, 9, tzinfo=UTC)),
        (datetime(2026, 11, 28, 9, tzinfo=UTC), 1, datetime(2026, 11, 30, 9, tzinfo=UTC)),
    ],
)
def test_working_days_leave_weekends_out(made, days, due):
    assert after_working_days(made, days) == due


def test_an_objection_that_waits_longer_than_promised_is_overdue(fair):
    campaign = fair.draft(answer_days=2)
    worker = worker_for("crowd", "A1")
    make_appeal(campaign, worker, refusal="excluded", words="I read both.")
    appeal = campaign.appeals.get()
    assert not answer_times(campaign, appeal)["answer_late"]
    assert overdue([campaign]) == {}

    with time_machine.travel(clock.now() + timedelta(days=5)):
        assert answer_times(campaign, appeal)["answer_late"]
        assert overdue([campaign]) == {campaign.pk: 1}
        assert appeals(campaign)[0]["overdue"]


def test_an_overdue_objection_comes_first_on_the_campaign_s_page(fair):
    campaign = fair.opened(answer_days=2)
    make_appeal(campaign, worker_for("crowd", "A1"), refusal="excluded", words="I read both.")

    with time_machine.travel(clock.now() + timedelta(days=5)):
        first = needs_of_campaign(watch(campaign))[0]

    assert first.kind == "stop"
    assert "1 overdue: an answer was promised within 2 working days." in first.next_step
