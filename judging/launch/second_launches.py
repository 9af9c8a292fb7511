"""The answer to a second launch, the same for commands, pages and the API."""

from config.guidance import Action, Guidance
from judging.errors import AlreadyLaunched
from judging.models import Campaign


def check_not_launched(campaign: Campaign) -> None:
    """Raise AlreadyLaunched if the campaign has been launched."""
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise already_launched(campaign)


def already_launched(campaign: Campaign) -> AlreadyLaunched:
    """Return the answer to a second launch. If its terms are those of the first, it is no error, only told."""
    amount = campaign.confirmed_at_launch
    known = campaign.is_launched and amount is not None
    confirmed = f", launched with ${amount:,.2f} confirmed" if known else ""
    return AlreadyLaunched(
        f"Campaign {campaign.name} is already {campaign.state}{confirmed}. Nothing changed.",
        _next_step(campaign),
    )


def _next_step(campaign: Campaign) -> Guidance | str:
    if campaign.state == Campaign.State.PAUSED:
        return Guidance(Action("resume_campaign", campaign.name), ", to offer the remaining tasks.")
    if campaign.state == Campaign.State.OPEN:
        return Guidance(Action("collect", campaign.name), ", to offer the remaining tasks.")
    if campaign.is_launched:  # closing or closed
        return "Nothing more is offered."
    return "Wait until the pilot ends, or end it."
