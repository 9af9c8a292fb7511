"""A whole rehearsal: a copy of the campaign, launched at the built-in marketplace, judged by software, closed.

Beside the simulation, and not a service: it rings for jobs and attends them. The command and the page both run it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from config import launcher
from config.background.attending import attend
from config.background.registry import Progress
from config.background.services import start
from judging.errors import BadInput
from judging.jobs import close_places_key, collect_key, post_places_key
from judging.models import Campaign
from judging.services.check_list import check_rehearsable
from judging.services.checked import Checked
from judging.services.closing import close
from judging.services.launching import Terms, launch, plan_of
from judging.services.rehearsing import (
    check_can_be_rehearsed,
    keep_people_out,
    record_rehearsal,
    rehearsal_of,
)
from judging.services.status import campaign_status
from judging.services.taking_back import only_simulation
from judging.simulation import Simulated, SimulationSettings, simulate
from pooling.models import QrelSet

MOST_WORKERS = 200


@dataclass(frozen=True)
class Rehearsed:
    """What a rehearsal came to."""

    copy: Campaign
    done: Simulated
    status: dict[str, Any]
    """Of the copy, before it was closed."""


def check_crew(settings: SimulationSettings) -> None:
    """Raises CampaignRefused for simulated workers that cannot be."""
    if not 1 <= settings.workers <= MOST_WORKERS:
        raise BadInput(f"Between 1 and {MOST_WORKERS} simulated workers can judge.")
    if not 0 <= settings.careless <= settings.workers:
        raise BadInput("Careless workers are some of the workers: between none and all.")
    if not (0 <= settings.error <= 1 and 0 <= settings.gold_error <= 1):
        raise BadInput("An error rate is a share between 0 and 1.")


def truth_named(campaign: Campaign, name: str) -> QrelSet:
    """The qrel set whose grades simulated workers follow; refused when there is none."""
    qrel_set = QrelSet.objects.filter(collection=campaign.collection, name=name).first()
    if qrel_set is None:
        raise BadInput(f"The collection {campaign.collection} has no qrel set called {name!r}.")
    return qrel_set


def rehearse(
    campaign: Campaign,
    truth: QrelSet,
    settings: SimulationSettings,
    *,
    who: str = "",
    progress: Progress | None = None,
    tell: Callable[[Checked], None] | None = None,
) -> Rehearsed:
    """Rehearse the campaign; one that was interrupted goes on with the same copy.

    ``tell`` hears of each check that passed. Raises CampaignRefused (also while another rehearsal of it is under
    way), NotReady and whatever stops the crowd.
    """
    check_crew(settings)
    # Held before there is a copy: a second rehearsal would make one anew that the first is just launching.
    with only_simulation(campaign):
        return _rehearse(campaign, truth, settings, who=who, progress=progress, tell=tell)


def _rehearse(
    campaign: Campaign,
    truth: QrelSet,
    settings: SimulationSettings,
    *,
    who: str,
    progress: Progress | None,
    tell: Callable[[Checked], None] | None,
) -> Rehearsed:
    # Said of the campaign, before there is a copy. Only simulated workers come, so that texts may be missing.
    check_can_be_rehearsed(campaign)
    check_rehearsable(plan_of(campaign, campaign.tasks.count(), Terms(placeholder_text=True)))
    copy = rehearsal_of(campaign, who=who)
    arguments = {"campaign_id": copy.pk}
    with launcher.crowd_running(), launcher.judging_pages_running():
        if copy.state == Campaign.State.DRAFT:
            keep_people_out(copy)
            launch(copy, who=who, tell=tell)
        attend(start("judging.post_places", key=post_places_key(copy), arguments=arguments))
        done = simulate(copy, truth, settings, progress=progress)
        status = campaign_status(copy)
        # Before the copy is closed: interrupted in between, the next run finds what is left to do.
        record_rehearsal(campaign, copy, who=who)
        close(copy, why="the rehearsal is over", who=who)
        attend(start("judging.close_places", key=close_places_key(copy), arguments=arguments))
        attend(start("judging.collect", key=collect_key(copy), arguments=arguments | {"sweep": True}))
    return Rehearsed(copy, done, status)
