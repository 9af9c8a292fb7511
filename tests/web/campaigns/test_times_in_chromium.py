"""Exact times are shown in the reader's time zone, which is named, or in UTC without scripts."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import expect

from judging.models import CampaignChange
from pooling.models import Membership

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
AT = datetime(2026, 1, 31, 1, 47, tzinfo=UTC)


@pytest.mark.parametrize("scripts", [True, False])
def test_exact_times_are_in_the_readers_zone(window, live_server, client, campaign, scripts):
    ada = get_user_model().objects.create_user("ada")
    Membership.objects.create(collection=campaign.collection, user=ada, role="manager")
    client.force_login(ada)
    why = "works until 2026-07-31 12:00 UTC"
    CampaignChange.objects.create(campaign=campaign, what="trial link", why=why, happened_at=AT)
    context = window(timezone_id="America/New_York", java_script_enabled=scripts)
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()

    page.goto(f"{live_server.url}/campaigns/fair/activity/?q=trial")

    row = page.locator("tbody tr")
    shown = "2026-01-30 20:47 EST" if scripts else "2026-01-31 01:47 UTC"
    expect(row.locator("th time")).to_have_text(shown)
    expect(row).to_contain_text("works until 2026-07-31 08:00 EDT" if scripts else why)
    page.goto(f"{live_server.url}/campaigns/fair/")
    zone = re.compile(r"As of [-0-9]+ [0-9:]+ (EST|EDT);" if scripts else r"As of [-0-9]+ [0-9:]+ UTC;")
    expect(page.locator("#live-progress")).to_contain_text(zone)
