"""Change a campaign's settings before launch. Tasks are repacked if they depend on a changed setting."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.db import transaction

from config.guidance import Action, Guidance
from judging.campaign.campaigns import (
    PRESETS,
    CampaignSettings,
    check_graded,
    limit_workers,
    log_change,
    usual_limit,
)
from judging.campaign.pairs import pair_ids, request_pairs
from judging.campaign.screening_forecast import recommended_rule
from judging.campaign.setting_names import setting_names
from judging.campaign.worker_texts import default_texts
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, Pair, Task

#: The log entry for changed settings.
SETTINGS_CHANGED = "settings changed"
#: Settings that the packing of tasks depends on.
PACKING = frozenset({"pairs_per_task", "judgments_per_pair", "seed"})
#: Settings shown to workers: after a change, somebody has to accept the texts again.
TOLD = frozenset(
    {
        "pairs_per_task", "gold_per_task", "repeats_per_task", "reward", "pay", "base_reward", "contact",
        "withdrawal_days", "language", "minimum_age", "content_warning", "ethics_approval", "screen", "answer_days",
        "allow_undecided",
    }
)  # fmt: skip
MOST_HOURLY = Decimal(10_000)
#: The value that selects the screening rule recommended by the launch checks.
RECOMMENDED = "recommended"


def settings_of(campaign: Campaign) -> CampaignSettings:
    return CampaignSettings(
        **{name: getattr(campaign, name) for name in CampaignSettings.__dataclass_fields__}
    )


def is_prepared(campaign: Campaign) -> bool:
    """Return whether people can still prepare the campaign.

    It must have a pool and be neither launched, closed nor a rehearsal. A pilot, even a running one, is no launch.
    """
    asks = campaign.pool_id is not None and campaign.rehearsal_of_id is None
    return asks and not campaign.is_launched


def check_changeable(campaign: Campaign) -> None:
    """Raise CampaignRefused if the campaign was launched or closed, is a rehearsal, has no pool or is in a pilot."""
    check_for_people(campaign)
    if campaign.state == Campaign.State.PILOTING:
        raise CampaignRefused(
            f"The pilot of {campaign.name} is running, so its settings cannot change.",
            Guidance("Wait until it ends, or ", Action("pause_campaign", campaign.name, lead=""), "."),
        )
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(
            f"Campaign {campaign.name} is {campaign.state}, so its settings cannot change.",
            "Create another campaign for the same pool.",
        )


def check_for_people(campaign: Campaign) -> None:
    """Raise CampaignRefused if people cannot judge the campaign: it has no pool, or is a rehearsal copy."""
    if campaign.pool_id is None or campaign.rehearsal_of_id:
        raise CampaignRefused(
            f"Campaign {campaign.name} is a rehearsal or has no pool, so people cannot judge it."
        )


@transaction.atomic
def change_settings(campaign: Campaign, changes: dict[str, Any], *, who: str = "") -> list[str]:
    """Change the given settings and return the names of those that changed.

    The screening rule can be :data:`RECOMMENDED`: the rule that is now recommended for the campaign. Tasks are
    repacked if they depend on a changed setting, and a default task limit is adjusted. Default texts change with the
    language. Texts that show a changed setting have to be accepted again. Raises the errors of
    :func:`check_changeable`, and CampaignRefused for the first invalid setting or if tasks that somebody has seen (in
    a pilot or a trial) would change.
    """
    check_changeable(campaign)
    # Lock the row first, so that concurrent changes repack the tasks one at a time.
    Campaign.objects.filter(pk=campaign.pk, state__in=Campaign.BEFORE_LAUNCH).update(seed=campaign.seed)
    campaign.refresh_from_db()
    check_changeable(campaign)
    before = settings_of(campaign)
    if changes.get("screen") == RECOMMENDED:
        changes = changes | {"screen": recommended_rule(campaign)}
    wanted = replace(before, **changes)
    wanted.check()
    if campaign.grading_id:
        check_graded(wanted)
    fields = wanted.values()
    changed = [name for name, value in before.values().items() if fields[name] != value]
    if not changed:
        return []
    if PACKING.intersection(changed) and campaign.submissions.exists():
        raise CampaignRefused(
            "Somebody has already seen tasks of this campaign, in a pilot or a trial, so the tasks cannot change.",
            "Keep pairs per task, judgments per pair and the seed as they are, or create another campaign.",
        )
    limit_was_chosen = campaign.max_tasks_per_worker != usual_limit(campaign)
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
    if not limit_was_chosen and "max_tasks_per_worker" not in changed:
        limit_workers(campaign)
    names = setting_names(graded=campaign.grades > 0)
    why = ", ".join(names[name][:1].lower() + names[name][1:] for name in changed)
    log_change(campaign, SETTINGS_CHANGED, why=why, who=who)
    return changed


def _texts_in(campaign: Campaign, language: str) -> dict[str, str]:
    """Return, in ``language``, each of the campaign's texts that is still the default."""
    graded = campaign.grades > 0
    now, then = default_texts(campaign.language, graded=graded), default_texts(language, graded=graded)
    return {name: then[name] for name in now if getattr(campaign, name).strip() == now[name].strip()}


def _pack_anew(campaign: Campaign) -> None:
    asked = list(pair_ids(campaign))
    Task.objects.filter(campaign=campaign).delete()
    Pair.objects.filter(campaign=campaign).delete()
    request_pairs(campaign, asked, judgments=campaign.judgments_per_pair, round=0)


def promise_hourly(campaign: Campaign, least: Decimal | None, *, who: str = "") -> bool:
    """Set the minimum hourly pay that the launch checks enforce; None removes it. Return whether it changed."""
    check_changeable(campaign)
    if least is not None and not (least.is_finite() and 0 <= least <= MOST_HOURLY):
        raise BadInput(f"The minimum hourly pay must be between $0.00 and ${MOST_HOURLY:,.2f}.")
    if campaign.minimum_hourly == least:
        return False
    Campaign.objects.filter(pk=campaign.pk).update(minimum_hourly=least)
    campaign.refresh_from_db()
    words = "nothing" if least is None else f"${least:,.2f}"
    log_change(campaign, "minimum hourly pay changed", why=words, who=who)
    return True
