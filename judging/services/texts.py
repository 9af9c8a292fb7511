"""What workers are told before they begin; a person accepts it before launch."""

from __future__ import annotations

from django.template.loader import get_template

from config import clock
from judging.errors import CampaignRefused
from judging.models import Campaign
from judging.pay import in_words
from judging.services.cost import pay_for

LONGEST = 20_000
SECONDS_PER_PAIR = 40
CONTACT = "the requester, through the site on which you took this task"


def default_texts() -> dict[str, str]:
    """The texts that ship with the project, with their places for a campaign's figures."""
    return {"consent_text": _shipped("consent"), "instructions_text": _shipped("instructions")}


def _shipped(name: str) -> str:
    template = get_template(f"judging/texts/{name}.txt")
    return str(template.template.source)  # type: ignore[attr-defined]


def set_texts(campaign: Campaign, *, consent: str | None = None, instructions: str | None = None) -> None:
    """Replace texts before launch; they have to be accepted (again)."""
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(f"The campaign {campaign.name} was launched; its texts are fixed.")
    for text in (consent, instructions):
        if text is not None and not 1 <= len(text.strip()) <= LONGEST:
            raise CampaignRefused(f"A text has between 1 and {LONGEST:,} characters.")
    changes = {"consent_text": consent, "instructions_text": instructions}
    given = {name: text.strip() for name, text in changes.items() if text is not None}
    Campaign.objects.filter(pk=campaign.pk).update(**given, texts_accepted_at=None, texts_accepted_by="")
    campaign.refresh_from_db()


def accept_texts(campaign: Campaign, *, who: str = "") -> None:
    """Record that a person read the texts and takes responsibility for them."""
    Campaign.objects.filter(pk=campaign.pk).update(texts_accepted_at=clock.now(), texts_accepted_by=who)
    campaign.refresh_from_db()


def filled(campaign: Campaign, text: str, *, pairs: int | None = None) -> str:
    """The text with the campaign's figures: {pairs}, {reward}, {pay} (sentences), {minutes}, {contact}, {days}.

    ``pairs`` of the task at hand, test pairs included: the last tasks may be a pair short. Default: of a full one.
    """
    if pairs is None:
        pairs = campaign.pairs_per_task + campaign.gold_per_task
    figures = {
        "pairs": str(pairs),
        "reward": f"{campaign.reward:.2f}",
        "pay": in_words(pay_for(campaign), pairs),
        "contact": campaign.contact or CONTACT,
        "days": str(campaign.withdrawal_days),
        "minutes": str(max(1, round(pairs * SECONDS_PER_PAIR / 60))),
    }
    for name, value in figures.items():
        text = text.replace(f"{{{name}}}", value)
    return text
