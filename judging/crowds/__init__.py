"""The crowds. Each has one module that implements the interface in :mod:`judging.crowds.interface`."""

from collections.abc import Callable

from django.utils.module_loading import import_string

from judging.crowds.interface import Crowd
from judging.models import Campaign

#: Maps a campaign's ``crowd`` to the function that creates that crowd's client for an endpoint.
FACTORIES: dict[str, str | Callable[[str], Crowd]] = {"mturk": "judging.crowds.mturk.MTurk"}


def crowd_for(campaign: Campaign) -> Crowd:
    """Return the client of the crowd at which this campaign is launched."""
    return crowd_at(campaign.crowd, campaign.endpoint)


def crowd_at(name: str, endpoint: str) -> Crowd:
    """Return the client of the crowd called ``name`` (a key of FACTORIES) at ``endpoint``."""
    factory = FACTORIES[name]
    made: Crowd = (import_string(factory) if isinstance(factory, str) else factory)(endpoint)
    return made
