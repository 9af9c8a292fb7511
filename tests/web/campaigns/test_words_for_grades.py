"""Pages of a campaign whose workers grade single passages: they mention no pairs."""

import re

import pytest
from django.urls import reverse

from judging.models import GoldPair
from pooling.models import Membership
from tests.factories import grant_to
from tests.judging.grading.conftest import make_campaign as make_campaign, reef as reef
from tests.judging.grading.test_crowd_grading import reef_fair as reef_fair


@pytest.fixture
def owner(client, reef, django_user_model):
    user = django_user_model.objects.create_user("olga")
    Membership.objects.create(collection=reef, user=user, role="owner")
    grant_to(collection=reef)
    client.force_login(user)
    return client


def words_of(reply) -> str:
    """Return the page's text, with the texts of attributes and without code."""
    page = reply.content.decode()
    spoken = " ".join(re.findall(r'(?:aria-label|title|placeholder)="([^"]*)"', page))
    seen = re.sub(r"<script.*?</script>|<style.*?</style>|<code>.*?</code>|<[^>]*>", " ", page, flags=re.S)
    return " ".join(f"{seen} {spoken}".split())


def mentions_of_pairs(reply) -> list[str]:
    assert reply.status_code == 200
    return re.findall(r".{0,60}\b[Pp]airs?\b.{0,20}", words_of(reply))


@pytest.mark.parametrize("page", ["prepare_pilot", "prepare_check", "prepare_launch"])
def test_the_preparation_of_grading_mentions_no_pairs(reef_fair, owner, page):
    draft = reef_fair.draft()

    shown = owner.get(reverse(f"web:{page}", args=[draft.name]))

    assert mentions_of_pairs(shown) == []
    assert "test passage" in words_of(shown).lower()


def test_a_live_campaign_of_grades_mentions_no_pairs(reef_fair, owner):
    campaign = reef_fair.opened()
    reef_fair.do_task(campaign, "W1", pass_gold=False)
    reef_fair.collect(campaign)
    gold = GoldPair.objects.filter(campaign=campaign).first()
    GoldPair.objects.filter(pk=gold.pk).update(kind="")

    live = owner.get(reverse("web:campaign", args=[campaign.name]))
    listed = owner.get(reverse("web:campaign_gold", args=[campaign.name]))
    people, reports, file = (
        owner.get(reverse(f"web:campaign_{page}", args=[campaign.name]))
        for page in ("workers", "reports", "judgments")
    )
    asked = owner.get(reverse("web:suspend_gold", args=[campaign.name, gold.pk]))
    done = owner.post(asked.request["PATH_INFO"], {"why": "it is unclear"}, follow=True)

    assert "failed 1 of 1 test passage" in words_of(people)
    for reply in (live, listed, asked, done, people, reports, file):
        assert mentions_of_pairs(reply) == []
    assert "Test passages passed, %" in words_of(live)
    assert f"Suspend test passage {gold.pk}" in words_of(listed)
    assert f"Test passage {gold.pk} is suspended" in words_of(done)


def test_the_page_of_texts_says_what_its_placeholders_mean(reef_fair, owner):
    words = words_of(owner.get(reverse("web:prepare_texts", args=[reef_fair.draft().name])))

    assert "(the number of passages)" in words
    assert "the effects of a missed test passage" in words
    assert "Show instructions and passages" in words
    assert "gold pair" not in words
