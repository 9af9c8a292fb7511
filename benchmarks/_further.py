"""Further rows for the collection of benchmarks/_large.py: a draft and a graded campaign, a bundle, a webhook."""

from typing import Any

from _large import Large
from _rows import insert_rows

from judging import models as judging
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.grading.assignments import take_topic
from judging.grading.graded_campaigns import GradingSettings, create_graded_campaign
from tournament.models import QrelVersion
from web.models import WebhookDelivery, WebhookEndpoint
from web.releases.bundle import ensure_bundle

MESSAGES = 600


def write_drafts_and_extras(large: Large, version: QrelVersion, user: Any) -> None:
    """Write a draft ``next`` and graded judging over the same pool, the bundle, and a webhook with its deliveries."""
    draft = create_campaign(name="next", settings=CampaignSettings(), pool=large.pool, who=user.username)
    insert_rows(
        judging.GoldPair,
        ["campaign_id", "query_id", "relevant_id", "off_topic_id", "state"],
        (
            (draft.pk, n + 1, relevant, off_topic, "proposed" if n % 2 else "accepted")
            for n, (relevant, off_topic) in enumerate(large.gold)
        ),
    )
    graded = create_graded_campaign(
        pool=large.pool, name="graded", settings=GradingSettings(min_grade=1, placeholder_text=True)
    )
    take_topic(graded.topics.order_by("pk").first(), user)
    ensure_bundle(version)
    endpoint = WebhookEndpoint.objects.create(
        collection=large.collection, address="https://example.org/", kept_by=user
    )
    insert_rows(
        WebhookDelivery,
        ["endpoint_id", "message_id", "kind", "body", "state", "reply_code", "reply_text"],
        (
            (endpoint.pk, f"message-{n}", "version.published", "{}", "delivered", 200, "Thank you.")
            for n in range(MESSAGES)
        ),
    )
