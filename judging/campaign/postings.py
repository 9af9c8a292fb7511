"""Postings: the current one, to which new places are added, and the next one."""

from django.db.models import Max

from judging.campaign.hourly_pay import measured_seconds
from judging.models import Campaign, Posting, Submission


def current_posting(campaign: Campaign) -> Posting | None:
    """Return the last posting at a crowd, to which new places are added."""
    return campaign.postings.exclude(purpose=Posting.Purpose.TRIAL).order_by("-number").first()


def next_posting(campaign: Campaign, purpose: str = Posting.Purpose.MAIN) -> Posting:
    """Create the campaign's next posting. If two calls run at once, one raises IntegrityError.

    At the first main posting, the usual time for a task is set to the time measured in a pilot, if any. Later
    postings keep it, so that listing, pages and consent agree, and the crowd lists all places under one heading.
    """
    main = Posting.Purpose.MAIN
    first = purpose == main and not campaign.postings.filter(purpose=main).exists()
    if first and (seconds := measured_seconds(campaign)):
        campaign.usual_seconds = seconds
        campaign.save(update_fields=["usual_seconds"])
    last = campaign.postings.aggregate(last=Max("number"))["last"] or 0
    return campaign.postings.create(number=last + 1, purpose=purpose)


def is_uncounted_pilot(campaign: Campaign, submission: Submission) -> bool:
    """Return whether the submission was done in a pilot whose judgments do not count."""
    place = submission.place
    return not campaign.pilot_counts and place is not None and place.posting.purpose == Posting.Purpose.PILOT
