"""The steps that prepare a campaign, with the progress of each."""

from dataclasses import dataclass

from config.plurals import many
from judging.campaign.cost import tasks_asked
from judging.campaign.gold_pairs import needed_gold
from judging.campaign.rehearsal_copy import rehearsal_is_under_way, rehearses_here, was_rehearsed
from judging.errors import NotReady
from judging.launch.gold_checks import require_gold, unfit_to_screen
from judging.models import Campaign, GoldPair
from web.preparation.grading_words import STEPS_FOR_GRADES

STEPS = {
    "settings": "Settings",
    "gold": "Gold pairs",
    "texts": "Texts",
    "pay": "Pay",
    "rehearsal": "Rehearsal",
    "pilot": "Pilot",
    "check": "Check list",
    "launch": "Launch",
}


@dataclass(frozen=True)
class Step:
    """A step in the list. ``state`` is done, needed, weak, optional or empty."""

    name: str
    title: str
    words: str
    state: str
    now: bool


def preparation_steps(campaign: Campaign, current: str) -> list[Step]:
    """Return every step with its progress in a few words."""
    piloted = {Campaign.State.PILOTED: "done", Campaign.State.PILOTING: "under way"}.get(
        Campaign.State(campaign.state), ""
    )
    told = {
        "settings": (many(tasks_asked(campaign), "task"), "done"),
        "gold": _gold_progress(campaign),
        "texts": ("accepted", "done") if campaign.texts_accepted_at else ("not accepted yet", "needed"),
        "pay": (f"${campaign.reward:,.2f} a task", "done"),
        "rehearsal": _rehearsal_progress(campaign),
        "pilot": (piloted, "done" if piloted == "done" else "needed")
        if piloted
        else ("can be skipped", "optional"),
        "check": ("", ""),
        "launch": ("", ""),
    }
    titles = step_titles(campaign)
    return [Step(name, title, *told[name], name == current) for name, title in titles.items()]


def _gold_progress(campaign: Campaign) -> tuple[str, str]:
    """Return the number of accepted gold pairs in a few words, and the state of the step: done, weak or needed."""
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
    needed = needed_gold(campaign)
    words = f"{accepted} accepted" if accepted > needed else f"{accepted} of {needed} accepted"
    if accepted < needed:
        return words, "needed"
    if why_gold_is_refused(campaign):
        return f"{words}, some tasks have too few", "needed"
    return (f"{words}, weak screening", "weak") if has_weak_screening(campaign) else (words, "done")


def why_gold_is_refused(campaign: Campaign) -> str:
    """Return why the check list refuses the accepted gold pairs, or ""."""
    try:
        require_gold(campaign)
    except NotReady as refusal:
        return refusal.message
    return ""


def has_weak_screening(campaign: Campaign) -> bool:
    """Return whether workers who do not read can pass the gold pairs, and nobody has accepted that yet.

    This is False if only simulated workers judge.
    """
    accepted = campaign.accept_weak_screening or campaign.placeholder_text
    return not accepted and bool(unfit_to_screen(campaign))


def _rehearsal_progress(campaign: Campaign) -> tuple[str, str]:
    """Return the rehearsal's progress in a few words, and the state of its step."""
    if rehearsal_is_under_way(campaign):
        return "under way", "optional"
    if was_rehearsed(campaign):
        return "done", "done"
    return "can be skipped" if rehearses_here() else "not with this crowd", "optional"


def step_titles(campaign: Campaign) -> dict[str, str]:
    """Return step → title. A campaign that only simulated workers judge has no pilot."""
    titles = STEPS | STEPS_FOR_GRADES if campaign.grading_id else STEPS
    people = not campaign.placeholder_text or campaign.state == Campaign.State.PILOTING
    return {name: title for name, title in titles.items() if people or name != "pilot"}


def step_after(campaign: Campaign, step: str) -> str:
    """Return the step that follows this one in the campaign; after the last step, the last step itself."""
    names, own = list(STEPS), step_titles(campaign)
    return next((name for name in names[names.index(step) + 1 :] if name in own), names[-1])
