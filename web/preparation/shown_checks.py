"""The check list of a launch as its page shows it: each check with the steps that fix it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from config.errors import NotNow, Refusal
from config.guidance import Guidance
from judging.launch.check_results import Checked
from judging.launch.checks import STRATEGIES, each_check
from judging.launch.launches import Terms, amount_to_confirm, plan_offer
from judging.models import Campaign, Task
from web.preparation.forms import SettingsForm
from web.preparation.grading_words import ADVICE_FOR_GRADES
from web.preparation.preparation_steps import step_titles

#: Check → the step that fixes it, and advice if the check's own text is not enough. Other checks
#: concern the installation.
FIXED_IN = {
    "cost": ("pay", "Raise the budget, lower the pay, or build a pool with fewer queries."),
    "gold": (
        "gold",
        "Accept more gold pairs, on many questions, or lower the tasks per worker in the settings.",
    ),
    "qualifications": (
        "settings",
        "Open the tasks to all workers, or choose a qualification that the crowd supports.",
    ),
    STRATEGIES: ("gold", ""),
    "screening": ("settings", "Choose another rule for failed gold pairs."),
    "pay": ("pay", "Raise the pay for a task, or reduce the number of pairs in a task."),
    "time": ("settings", ""),
}


@dataclass(frozen=True)
class ShownCheck:
    """A check, with the steps that fix it and advice."""

    check: Checked
    steps: tuple[tuple[str, str], ...] = ()
    """(name, title) of each step that fixes the check."""
    advice: str = ""


@dataclass(frozen=True)
class CheckPage:
    """All checks, or the reason why there is nothing to launch."""

    checks: list[ShownCheck] = field(default_factory=list)
    refusal: Refusal | None = None

    @property
    def failed(self) -> int:
        """The number of checks that did not pass."""
        return sum(not one.check.passed for one in self.checks)

    @property
    def attention(self) -> list[ShownCheck]:
        """Checks that passed but need attention before the launch."""
        return [one for one in self.checks if one.check.attention]

    @property
    def weak(self) -> bool:
        """Whether only weak screening, which a person can accept, prevents a launch."""
        return self.failed == 1 and any(
            not one.check.passed and one.check.name == STRATEGIES for one in self.checks
        )

    def with_weak_screening(self) -> CheckPage:
        """Return the list as if weak screening were accepted: that check passes, but needs attention."""
        return CheckPage(
            [
                replace(one, check=replace(one.check, passed=True, attention=True))
                if one.check.name == STRATEGIES
                else one
                for one in self.checks
            ]
        )

    @property
    def ready(self) -> bool:
        """Whether a launch would succeed."""
        return self.refusal is None and not self.failed


def check_page(campaign: Campaign, user: Any) -> CheckPage:
    """Return the full check list for a launch by this person."""
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    terms = Terms(confirm_spend=amount_to_confirm(campaign))
    try:
        checks = each_check(plan_offer(campaign, left, terms, by=user))
    except NotNow:
        raise
    except Refusal as refusal:
        return CheckPage(refusal=refusal)
    return CheckPage([_check_with_step(one, campaign) for one in checks])


def _check_with_step(check: Checked, campaign: Campaign) -> ShownCheck:
    if check.passed and not check.next_step:
        return ShownCheck(check)
    if check.name not in FIXED_IN:
        return ShownCheck(check, advice=check.next_step)
    step, advice = FIXED_IN[check.name]
    advice = ADVICE_FOR_GRADES.get(check.name, advice) if campaign.grading_id else advice
    steps = ["settings", step] if not advice and _names_a_setting(check.next_step) else [step]
    titles = step_titles(campaign)
    return ShownCheck(
        check, tuple((one, titles[one]) for one in dict.fromkeys(steps)), advice or check.next_step
    )


def _names_a_setting(advice: str) -> bool:
    options = advice.options if isinstance(advice, Guidance) else ()
    return any(option.replace("-", "_") in SettingsForm.base_fields for option in options)
