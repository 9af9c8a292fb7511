from datetime import timedelta

import pytest

from config import clock
from judging.errors import CrowdAlready, CrowdLater, CrowdMoney, CrowdNever
from judging.exchange.calls import perform
from judging.models import Campaign, CrowdCall


class Effect:
    """An effect at a crowd that must happen once."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.acted = self.looked = 0
        self.found = None

    def act(self):
        self.acted += 1
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def find(self, already):
        self.looked += 1
        return self.found


@pytest.fixture
def campaign(fair):
    return fair.draft()


def do(campaign, effect):
    return perform(
        campaign=campaign, operation="test", key="key", request={}, act=effect.act, find=effect.find
    )


def test_recorded_effect_is_not_had_again(campaign):
    effect = Effect({"id": "X"})

    assert do(campaign, effect) == do(campaign, effect) == {"id": "X"}
    assert effect.acted == 1
    assert CrowdCall.objects.get(key="key").attempts == 1


def test_lost_reply_is_tried_again_and_the_thing_found(campaign):
    effect = Effect(CrowdLater("no answer"), CrowdAlready("it exists"))
    effect.found = {"id": "X"}

    with pytest.raises(CrowdLater):
        do(campaign, effect)
    intended = CrowdCall.objects.get(key="key")
    assert (intended.state, intended.error_class) == ("intended", "later")

    assert do(campaign, effect) == {"id": "X"}
    done = CrowdCall.objects.get(key="key")
    assert (done.state, done.error_class, done.attempts) == ("done", "", 2)


def test_thing_that_exists_but_is_not_listed_yet_is_looked_up_later(campaign):
    effect = Effect(CrowdAlready("it exists"))

    with pytest.raises(CrowdLater, match="does not list it yet"):
        do(campaign, effect)


def test_after_a_day_the_crowd_is_asked_before_anything_is_done_again(campaign):
    effect = Effect(CrowdLater("no answer"))
    with pytest.raises(CrowdLater):
        do(campaign, effect)
    effect.found = {"id": "X"}

    with clock.shifted(timedelta(hours=25)):
        assert do(campaign, effect) == {"id": "X"}

    assert effect.acted == 1


def test_within_a_day_the_token_is_trusted_without_looking(campaign):
    effect = Effect(CrowdLater("no answer"), {"id": "X"})
    with pytest.raises(CrowdLater):
        do(campaign, effect)

    with clock.shifted(timedelta(hours=20)):
        do(campaign, effect)

    assert (effect.acted, effect.looked) == (2, 0)


@pytest.mark.parametrize(
    ("error", "state", "kind"),
    [(CrowdNever("no"), "failed", "never"), (CrowdMoney("broke"), "intended", "money")],
)
def test_permanent_errors_are_distinguished_from_temporary_ones(campaign, error, state, kind):
    with pytest.raises(type(error)):
        do(campaign, Effect(error))

    call = CrowdCall.objects.get(key="key")
    assert (call.state, call.error_class) == (state, kind)


def test_no_two_campaigns_have_the_same_keys_and_a_new_secret_changes_none(campaign, fair, settings):
    key = campaign.call_key
    settings.SECRET_KEY = "the next one"

    assert Campaign.objects.get(pk=campaign.pk).call_key == key
    assert fair.draft_of("another").call_key != key
