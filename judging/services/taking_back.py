"""What simulated workers of an interrupted run left behind, taken back so that the next run goes on at once.

A run that was killed leaves tasks in the hands of workers who never come back: theirs until the time for the task
is over, and their places at the crowd with them.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils import timezone

from judging.crowds import crowd_for
from judging.errors import CampaignRefused
from judging.models import Campaign, Place, Submission, Task
from judging.services.calls import campaign_key
from judging.services.leasing import release
from judging.services.places import close_place, want_places


@contextmanager
def only_simulation(campaign: Campaign) -> Iterator[None]:
    """Hold the campaign for one run of simulated workers; the lock ends with its process, however that ends.

    Raises CampaignRefused while another run holds it. Simulated workers work on this machine's marketplace only, so
    that a lock on this machine is enough.
    """
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with (settings.DATA_DIR / f"simulation-{campaign_key(campaign)}.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CampaignRefused(
                f"Simulated workers are at work on {campaign.name} already.",
                "Wait until they are done, or stop that command and give this one again.",
            ) from None
        yield


def take_back(campaign: Campaign) -> int:
    """End the leases of simulated workers and want other places for them; returns how many. Safe to repeat.

    Only for whoever holds :func:`only_simulation`, after a collection: what the crowd's list names as submitted is
    not taken back. A place that somebody holds at the crowd can be given to nobody else, so it is closed, and another
    one is offered. Leases of people are left alone.
    """
    live = [Submission.State.HELD, Submission.State.FINISHED]
    left = Submission.objects.filter(campaign=campaign, worker__simulated=True, state__in=live)
    left = left.exclude(standing=Submission.Standing.TRIAL)
    theirs = {one.place_id for one in left if one.place_id}
    taken = sum(release(one, Submission.State.RETURNED) for one in left)
    crowd = crowd_for(campaign)
    for place in _orphaned(campaign, theirs):
        close_place(campaign, crowd, place)
        Place.objects.filter(pk=place.pk, state=Place.State.OPEN).update(state=Place.State.GONE)
    want_places(campaign)
    return taken


def _orphaned(campaign: Campaign, theirs: set[int]) -> list[Place]:
    """Places held at the crowd by simulated workers, though none is at work.

    All that are held, of a rehearsal: nobody else can be there. Of any other campaign the places of ``theirs``
    only: a person may hold a place that our page has not seen yet.
    """
    posted = crowd_for(campaign).places()
    held = {one.crowd_id for one in posted if one.held and not one.has_submission}
    offered = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN, crowd_id__in=held)
    if not campaign.rehearsal_of_id:
        offered = offered.filter(pk__in=theirs)
    return list(offered.select_related("posting"))


def held_words(campaign: Campaign) -> str:
    """Until when the tasks that somebody holds stay theirs, for people; empty when nobody holds one."""
    held = Task.objects.filter(campaign=campaign, state=Task.State.HELD).exclude(leased_until=None)
    last = held.order_by("-leased_until").values_list("leased_until", flat=True).first()
    if last is None:
        return ""
    return f"{held.count()} are held until {timezone.localtime(last):%H:%M} at the latest."
