"""Postings: which one new places go to, and the next one."""

from __future__ import annotations

from django.db.models import Max

from judging.models import Campaign, Posting


def current_posting(campaign: Campaign) -> Posting | None:
    """Where new places go: the last posting at a crowd."""
    return campaign.postings.exclude(purpose=Posting.Purpose.TRIAL).order_by("-number").first()


def next_posting(campaign: Campaign, purpose: str = Posting.Purpose.MAIN) -> Posting:
    """A new posting after all others; two at once collide on the number (IntegrityError)."""
    last = campaign.postings.aggregate(last=Max("number"))["last"] or 0
    return campaign.postings.create(number=last + 1, purpose=purpose)
