"""A campaign's settings before launch: changed as often as one likes; its tasks are packed anew where they differ."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.db import transaction

from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, Pair, Task
from judging.services.campaigns import PRESETS, CampaignSettings, log
from judging.services.pairs import pairs_of, request_pairs
from judging.services.texts import default_texts

#: What tasks are packed by.
PACKING = frozenset({"pairs_per_task", "judgments_per_pair", "seed"})
#: What workers read of a campaign's settings: whoever accepted the texts has to look again.
TOLD = frozenset(
    {
        "pairs_per_task", "gold_per_task", "repeats_per_task", "reward", "pay", "base_reward", "contact",
        "withdrawal_days", "language", "minimum_age", "content_warning", "ethics_approval", "screen", "answer_days",
        "allow_undecided",
    }
)  # fmt: skip
MOST_HOURLY = Decimal(10_000)


def settings_of(campaign: Campaign) -> CampaignSettings:
    """What the campaign is set to now."""
    return CampaignSettings(
        **{name: getattr(campaign, name) for name in CampaignSettings.__dataclass_fields__}
    )


def is_prepared(campaign: Campaign) -> bool:
    """Whether the campaign is on its way to launch, in a pilot or before."""
    asks = campaign.pool_id is not None and campaign.rehearsal_of_id is None
    return asks and campaign.state in (*Campaign.BEFORE_LAUNCH, Campaign.State.PILOTING)


def check_changeable(campaign: Campaign) -> None:
    """Raises CampaignRefused for a campaign that was launched, asks nobody, or is a rehearsal's copy."""
    check_for_people(campaign)
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(
            f"The campaign {campaign.name} is {campaign.state}; it is prepared before it is launched.",
            "Make another campaign over the same pool.",
        )


def check_for_people(campaign: Campaign) -> None:
    """Raises CampaignRefused for a campaign that asks nobody, or is a rehearsal's copy."""
    if campaign.pool_id is None or campaign.rehearsal_of_id:
        raise CampaignRefused(f"{campaign.name} is no campaign that is prepared for people.")


@transaction.atomic
def change_settings(campaign: Campaign, changes: dict[str, Any], *, who: str = "") -> list[str]:
    """Set what is given, leave the rest; returns the names of the settings that changed.

    Tasks are packed anew where they depend on it, default texts follow the language, and texts that tell something
    that changed have to be accepted again. Raises CampaignRefused for the first setting that cannot be, after launch,
    and for other tasks once somebody has seen those that are there (a pilot, a trial).
    """
    check_changeable(campaign)
    # The row is taken first, so that two who save at once pack one after the other.
    Campaign.objects.filter(pk=campaign.pk, state__in=Campaign.BEFORE_LAUNCH).update(seed=campaign.seed)
    campaign.refresh_from_db()
    check_changeable(campaign)
    before = settings_of(campaign)
    wanted = replace(before, **changes)
    wanted.check()
    fields = wanted.values()
    changed = [name for name, value in before.values().items() if fields[name] != value]
    if not changed:
        return []
    if PACKING.intersection(changed) and campaign.submissions.exists():
        raise CampaignRefused(
            "Somebody has seen tasks of this campaign already, in a pilot or a trial: they cannot be packed anew.",
            "Leave pairs in a task, judgments of a pair and the seed as they are, or make another campaign.",
        )
    fields = {name: fields[name] for name in changed}
    if "preset" in changed:
        fields["qualifications"] = PRESETS[wanted.preset]
    if "language" in changed:
        fields |= _texts_in(campaign, wanted.language)
    if TOLD.intersection(changed):
        fields |= {"texts_accepted_at": None, "texts_accepted_by": ""}
    Campaign.objects.filter(pk=campaign.pk).update(**fields)
    campaign.refresh_from_db()
    if PACKING.intersection(changed):
        _pack_anew(campaign)
    log(campaign, "settings changed", why=", ".join(name.replace("_", " ") for name in changed), who=who)
    return changed


def _texts_in(campaign: Campaign, language: str) -> dict[str, str]:
    """The default texts of another language, in place of those that are still the defaults."""
    now, then = default_texts(campaign.language), default_texts(language)
    return {name: then[name] for name in now if getattr(campaign, name).strip() == now[name].strip()}


def _pack_anew(campaign: Campaign) -> None:
    assert campaign.pool is not None
    Task.objects.filter(campaign=campaign).delete()
    Pair.objects.filter(campaign=campaign).delete()
    request_pairs(campaign, pairs_of(campaign.pool), judgments=campaign.judgments_per_pair, round=0)


def promise_hourly(campaign: Campaign, least: Decimal | None, *, who: str = "") -> None:
    """Keep the least pay in an hour that the check list holds the campaign to; None promises nothing."""
    check_changeable(campaign)
    if least is not None and not (least.is_finite() and 0 <= least <= MOST_HOURLY):
        raise BadInput(f"The least hourly pay is an amount between $0.00 and ${MOST_HOURLY:,.2f}.")
    if campaign.minimum_hourly == least:
        return
    Campaign.objects.filter(pk=campaign.pk).update(minimum_hourly=least)
    campaign.refresh_from_db()
    words = "nothing" if least is None else f"${least:,.2f}"
    log(campaign, "least hourly pay changed", why=words, who=who)
