"""Run a whole rehearsal: copy the campaign, launch the copy at the marketplace, let software judge it, and close it.

The command and the page use this module. It enqueues jobs and also runs them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from config.background.followed_jobs import attend
from config.background.job_kinds import Progress
from config.process import launcher
from judging.campaign.rehearsal_copy import (
    check_can_be_rehearsed,
    keep_people_out,
    record_rehearsal,
    rehearsal_of,
)
from judging.errors import BadInput, CampaignRefused
from judging.jobs import ring_to_close_places, ring_to_collect, ring_to_post_places
from judging.launch.check_results import Checked
from judging.launch.checks import check_rehearsable
from judging.launch.closure import close
from judging.launch.launches import Terms, launch_campaign, plan_offer
from judging.models import Campaign, Task
from judging.simulation.leftovers import only_simulation
from judging.simulation.simulated_workers import Simulated, SimulationSettings, simulate_workers
from judging.watching.status import campaign_status
from pooling.models import QrelSet

MOST_WORKERS = 200


@dataclass(frozen=True)
class Rehearsed:
    copy: Campaign
    done: Simulated
    status: dict[str, Any]
    """The copy's status before it was closed."""


def check_crew(settings: SimulationSettings) -> None:
    """Raise BadInput for invalid settings of simulated workers."""
    if not 1 <= settings.workers <= MOST_WORKERS:
        raise BadInput(f"Choose between 1 and {MOST_WORKERS} simulated workers.")
    if not 0 <= settings.careless <= settings.workers:
        raise BadInput("The number of careless workers must be between 0 and the number of workers.")
    if not (0 <= settings.error <= 1 and 0 <= settings.gold_error <= 1):
        raise BadInput("Error rates must be between 0 and 1.")


def truth_named(campaign: Campaign, name: str) -> QrelSet:
    """Return the collection's qrel set with this name, which simulated workers will follow.

    Raises BadInput if it does not exist.
    """
    qrel_set = QrelSet.objects.filter(collection=campaign.collection, name=name).first()
    if qrel_set is None:
        raise BadInput(f"The collection {campaign.collection} has no qrel set called {name!r}.")
    return qrel_set


def rehearse_campaign(
    campaign: Campaign,
    truth: QrelSet,
    settings: SimulationSettings,
    *,
    who: str = "",
    progress: Progress | None = None,
    tell: Callable[[Checked], None] | None = None,
) -> Rehearsed:
    """Rehearse the campaign with simulated workers who follow the labels ``truth``.

    An interrupted rehearsal continues with the same copy. ``tell`` is called with the result of each launch check.
    Raises BadInput for invalid settings, CampaignRefused (for example while another rehearsal is running), NotReady,
    and any error of the crowd.
    """
    check_crew(settings)
    # Take the lock before the copy exists. Otherwise a second rehearsal could replace a copy that is launching.
    with only_simulation(campaign):
        return _rehearse(campaign, truth, settings, who=who, progress=progress, tell=tell)


def stop_rehearsal(campaign: Campaign, *, who: str = "") -> None:
    """Stop the campaign's running rehearsal. Its forecast is then based on the tasks done so far.

    Raises CampaignRefused if no rehearsal is being judged.
    """
    copy = campaign.rehearsals.filter(state__in=Campaign.OFFERING).first()
    if copy is None:
        raise CampaignRefused(
            f"No rehearsal of {campaign.name} has started judging yet.", "Wait a few seconds, then try again."
        )
    close(copy, why="the rehearsal was stopped", who=who)


def _rehearse(
    campaign: Campaign,
    truth: QrelSet,
    settings: SimulationSettings,
    *,
    who: str,
    progress: Progress | None,
    tell: Callable[[Checked], None] | None,
) -> Rehearsed:
    # Check the campaign before it is copied. Texts can be missing, since only simulated workers see them.
    check_can_be_rehearsed(campaign)
    check_rehearsable(plan_offer(campaign, campaign.tasks.count(), Terms(placeholder_text=True)))
    copy = rehearsal_of(campaign, who=who)
    with launcher.crowd_running(), launcher.judging_pages_running():
        if copy.state == Campaign.State.DRAFT:
            keep_people_out(copy)
            launch_campaign(copy, who=who, tell=tell)
        attend(ring_to_post_places(copy), progress=progress)
        done = simulate_workers(copy, truth, settings, progress=progress)
        status = campaign_status(copy)
        # Record the result before closing the copy. After an interruption in between, the next run does the rest.
        record_rehearsal(campaign, copy, who=who)
        if copy.state not in Campaign.OVER:
            close(copy, why="the rehearsal is over", who=who)
        if progress:
            progress(1, 1, "The last work is being collected and paid")
        attend(ring_to_close_places(copy), progress=progress)
        attend(ring_to_collect(copy, sweep=True), progress=progress)
    if done.stopped and not copy.tasks.filter(state=Task.State.DONE).exists():
        raise CampaignRefused(
            f"The rehearsal of {campaign.name} ended before a task was done, so there is no forecast.",
            "Rehearse again.",
        )
    return Rehearsed(copy, done, status)
