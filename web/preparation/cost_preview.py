"""The cost of a campaign with the settings of a form that is not saved yet."""

from dataclasses import dataclass, replace

from judging.campaign.campaigns import CampaignSettings
from judging.launch.forecast import Forecast, Pace, forecast_pairs
from judging.models import Campaign
from web.preparation.forms import SettingsForm


@dataclass(frozen=True)
class CostPreview:
    """The number of pairs to be judged, and the forecast of cost and time."""

    pairs: int
    forecast: Forecast


def cost_preview(
    form: SettingsForm, pairs: int, now: CampaignSettings, *, draft: Campaign | None = None
) -> CostPreview | None:
    """Return the cost with the form's settings, else those of ``now``; None if a value is invalid.

    ``draft`` is the campaign that the form changes, if there is one.
    Problems of the settings are added to the form.
    """
    if form.is_bound:
        if not form.values_are_valid:
            return None
        now = replace(now, **form.changes())
        form.say(now.problems())
        if not form.values_are_valid:
            return None
    return CostPreview(pairs, forecast_pairs(now, pairs, Pace(), draft=draft))
