"""Postings: which one new places go to, and the next one."""

from __future__ import annotations

from django.db.models import Max

from judging.models import Campaign, Posting, Submission
from judging.services.hourly import measured_seconds


def current_posting(campaign: Campaign) -> Posting | None:
    """Where new places go: the last posting at a crowd."""
    return campaign.postings.exclude(purpose=Posting.Purpose.TRIAL).order_by("-number").first()


def next_posting(campaign: Campaign, purpose: str = Posting.Purpose.MAIN) -> Posting:
    """A new posting after all others; two at once collide on the number (IntegrityError).

    At the first one after a pilot workers are told the usual time that was measured. It stays for all later ones:
    listing, pages and consent say the same all along, and the crowd lists all places under one heading.
    """
    main = Posting.Purpose.MAIN
    first = purpose == main and not campaign.postings.filter(purpose=main).exists()
    if first and (seconds := measured_seconds(campaign)):
        campaign.usual_seconds = seconds
        campaign.save(update_fields=["usual_seconds"])
    last = campaign.postings.aggregate(last=Max("number"))["last"] or 0
    return campaign.postings.create(number=last + 1, purpose=purpose)


def is_uncounted_pilot(campaign: Campaign, submission: Submission) -> bool:
    """Whether the submission was done in a pilot whose judgments do not count."""
    place = submission.place
    return not campaign.pilot_counts and place is not None and place.posting.purpose == Posting.Purpose.PILOT
