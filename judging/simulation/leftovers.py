"""Release tasks held by simulated workers of an interrupted run, so that the next can start at once.

If a run is killed, its workers never come back. Unless released, their tasks and places at the crowd stay held until
their time runs out.
"""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.utils import timezone

from config.plurals import many
from judging.crowds import crowd_for
from judging.errors import CampaignRefused
from judging.intake.places import close_place, want_places
from judging.models import Campaign, Place, Submission, Task
from judging.tasks.lease_ends import end_submission


@contextmanager
def only_simulation(campaign: Campaign) -> Iterator[None]:
    """Hold a lock on the campaign during one run of simulated workers. Even a crash of the process releases it.

    Raises CampaignRefused while another run holds the lock. Simulated workers work on this machine's marketplace
    only, so a lock on this machine is enough.
    """
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with _lock_path(campaign).open("a+") as file:
        if not (_lock(file, fcntl.LOCK_EX) or _lock_later(file)):
            raise CampaignRefused(
                f"Simulated workers are already working on {campaign.name}.",
                "Wait until they finish, or stop the other simulation and try again.",
            )
        yield


def simulation_running(campaign: Campaign) -> bool:
    """Return whether a run of simulated workers, started by a command or a job, is working on the campaign."""
    try:
        with _lock_path(campaign).open() as file:
            return not _lock(file, fcntl.LOCK_SH)
    except (FileNotFoundError, PermissionError):  # never started, or started by another user of this machine
        return False


def _lock_path(campaign: Campaign) -> Path:
    return Path(settings.DATA_DIR / f"simulation-{campaign.call_key}.lock")


def _lock(file: IO[str], kind: int) -> bool:
    """Lock the file until it is closed, if nobody else holds it; return whether it is locked."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_later(file: IO[str]) -> bool:
    """Wait a moment and try to lock the file again, because :func:`simulation_running` locks it briefly."""
    time.sleep(0.1)
    return _lock(file, fcntl.LOCK_EX)


def end_leftover_leases(campaign: Campaign) -> int:
    """End the leases of simulated workers, and request new places for their tasks. Safe to repeat.

    Returns the number of leases ended. Leases of people are not affected. Call it while holding
    :func:`only_simulation`, after a collection, so that submissions in the crowd's list are not ended. A place held
    at the crowd cannot go to anybody else, so it is closed and another is offered.
    """
    left = Submission.objects.filter(campaign=campaign, worker__simulated=True, state__in=Submission.LIVE)
    left = left.exclude(standing=Submission.Standing.TRIAL)
    theirs = {one.place_id for one in left if one.place_id}
    taken = sum(end_submission(one, Submission.State.RETURNED) for one in left)
    crowd = crowd_for(campaign)
    for place in _orphaned(campaign, theirs):
        close_place(campaign, crowd, place)
        Place.objects.filter(pk=place.pk, state=Place.State.OPEN).update(state=Place.State.GONE)
    want_places(campaign)
    return taken


def _orphaned(campaign: Campaign, theirs: set[int]) -> list[Place]:
    """Return the open places that simulated workers of an interrupted run still hold at the crowd.

    In a rehearsal, these are all held places, since no person can hold one. In any other campaign, a person may hold
    a place without having opened our page yet. So only places with the keys ``theirs`` are returned.
    """
    posted = crowd_for(campaign).places()
    held = {one.crowd_id for one in posted if one.held and not one.has_submission}
    offered = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN, crowd_id__in=held)
    if not campaign.rehearsal_of_id:
        offered = offered.filter(pk__in=theirs)
    return list(offered.select_related("posting"))


def held_words(campaign: Campaign) -> str:
    """Return a sentence on how many tasks are held, and until when; empty if none are."""
    held = Task.objects.filter(campaign=campaign, state=Task.State.HELD).exclude(leased_until=None)
    last = held.order_by("-leased_until").values_list("leased_until", flat=True).first()
    if last is None:
        return ""
    return f"{many(held.count(), 'task is', 'tasks are')} held until {timezone.localtime(last):%H:%M} at the latest."
