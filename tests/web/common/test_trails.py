"""Breadcrumbs: home / collection / tab / page, on every tab of a collection and of a campaign."""

import re
from html import unescape

import pytest
from django.urls import reverse

from judging.models import Campaign
from web.templatetags.navigation import CAMPAIGN_TABS, TABS

pytestmark = pytest.mark.one_database


def trail(client, address):
    """Return the steps of the breadcrumbs, those with a link in brackets."""
    reply = client.get(address)
    assert reply.status_code == 200, address
    inside = re.search('<nav class="crumbs"[^>]*>(.*?)</nav>', reply.content.decode(), re.S)[1]
    linked = re.sub("<a [^>]*>(.*?)</a>", r"[\1]", inside)
    return unescape(re.sub("<[^>]+>", "", linked))


def test_every_tab_of_a_collection_has_the_same_trail(cast):
    for key, (words, route) in TABS.items():
        found = trail(cast.clients["owner"], reverse(route, args=["harbour"]))

        tab = "harbour" if key == "overview" else f"[harbour] / {words.lower()}"
        assert found == f"[Home] / {tab}", key


def test_every_tab_of_a_campaign_has_the_same_trail(cast):
    for key, (words, route, _) in CAMPAIGN_TABS.items():
        found = trail(cast.clients["owner"], reverse(route, args=["spring"]))

        tab = "spring" if key == "overview" else f"[spring] / {words.lower()}"
        assert found == f"[Home] / [harbour] / [campaigns] / {tab}", key


@pytest.mark.parametrize(
    ("address", "steps"),
    [
        ("/collections/harbour/members/", "[settings] / members"),
        ("/collections/harbour/teams/", "[settings] / teams and rounds"),
        ("/collections/harbour/two-runs/", "[leaderboard] / compare two runs"),
        ("/collections/harbour/queries/map/", "[queries] / query map"),
        ("/collections/harbour/versions/1/", "version 1"),
        ("/collections/harbour/runs/send/", "[runs] / upload runs"),
        ("/campaigns/spring/budget/", "[campaigns] / [spring] / [payments] / budget"),
    ],
)
def test_a_page_stands_behind_its_tab(cast, address, steps):
    assert trail(cast.clients["owner"], address) == f"[Home] / [harbour] / {steps}"


def test_a_visitor_gets_no_link_to_a_tab_of_members(cast, client):
    assert trail(client, "/collections/harbour/policy/") == "[Home] / [harbour] / submission policy"


def test_a_run_and_a_pool_stand_behind_their_tabs_by_name(cast):
    run = reverse("web:run", args=["harbour", cast.quay.pk])
    pool = reverse("web:pool", args=["harbour", cast.pool.name])

    assert trail(cast.clients["owner"], run) == "[Home] / [harbour] / [runs] / quay"
    assert trail(cast.clients["owner"], pool) == f"[Home] / [harbour] / [pools] / {cast.pool.name}"


def test_a_step_of_the_preparation_is_named(cast):
    Campaign.objects.create(name="next", collection=cast.collection, pool=cast.pool, seed=1)

    found = trail(cast.clients["owner"], "/campaigns/next/prepare/gold/")

    assert found == "[Home] / [harbour] / [campaigns] / [next] / preparation: gold pairs"


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/spending/", "spending"),
        ("/accounts/tokens/", "account"),
        ("/accounts/email/", "account"),
        ("/accounts/password/reset/", "forgotten password"),
    ],
)
def test_pages_outside_collections_have_a_trail(cast, address, page):
    assert trail(cast.clients["owner"], address) == f"[Home] / {page}"


def test_the_page_to_sign_in_has_a_trail(client, db):
    assert trail(client, "/accounts/login/") == "[Home] / sign in"
