"""The words of a bundle: its data card, its licences, how people were paid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string

from judging.models import Campaign
from judging.services.cost import pay_for
from web.services.release.scope import Scope


def pay_text(campaign: Campaign) -> str:
    """How the campaign paid, in words."""
    pay = pay_for(campaign)
    pairs, gold = campaign.pairs_per_task, campaign.gold_per_task
    again = f", and up to {campaign.repeats_per_task} repeated pairs" if campaign.repeats_per_task else ""
    lines = [f"A task of {pairs} pairs and up to {gold} test pairs{again} pays ${pay.whole}."]
    if pay.bonus:
        lines.append(f"${pay.base} of it is for sending the task off, the rest goes by pairs judged.")
    if campaign.minimum_hourly is not None:
        lines.append(f"At least ${campaign.minimum_hourly} an hour was promised.")
    lines.append("Work of excluded workers is paid like other work; nothing is rejected by software.")
    return "\n".join(lines) + "\n"


def licences(scope: Scope) -> str:
    """What the parts may be used for, as far as the collection says."""
    return render_to_string("web/release/LICENCES.md", {"collection": scope.collection})


def data_card(scope: Scope, facts: Mapping[str, Any]) -> str:
    """Purpose, how it was collected, by whom, for what pay, how screened, what is known to be wrong, the fields."""
    agreement = facts["agreement"]
    context = {
        "collection": scope.collection,
        "version": scope.version,
        "versions": len(scope.chain),
        "counts": {name: str(count) for name, count in facts["counts"].items()},
        "campaigns": [_campaign(campaign, facts["campaigns"][campaign.name]) for campaign in scope.campaigns],
        "agreement": agreement,
        "agreement_words": _share(agreement, "agreement"),
        "left_words": _share(agreement, "left_share"),
        "left_out": [(what, str(number)) for what, number in facts["left_out"].items() if number],
    }
    return render_to_string("web/release/DATA_CARD.md", context)


def _campaign(campaign: Campaign, facts: Mapping[str, Any]) -> dict[str, Any]:
    return dict(facts) | {
        "crowd_words": crowd_sentence(facts["crowd"], facts["judges"]),
        "launched": _day(facts["launched_at"]),
        "first": _day(facts["first_judgment"]),
        "last": _day(facts["last_judgment"]),
        "slip_rate": f"{facts['slip_rate']:g}",
        "pay_words": " ".join(pay_text(campaign).split()),
    }


def crowd_sentence(crowd: str, judges: Mapping[str, int]) -> str:
    """Who judged. Simulated workers are no people, wherever they worked; imported judgments were made elsewhere."""
    total, simulated, imported = sum(judges.values()), judges.get("simulated", 0), judges.get("imported", 0)
    if total and total == imported:
        return "not known here: the judgments were made elsewhere and imported"
    words = crowd or "a crowd that is not known"
    if imported:
        words += f"; {imported} of {total} judgments were made elsewhere and imported"
    if not simulated:
        return words
    if simulated == total:
        return f"**simulated workers alone** (programs, no people), at {words}"
    return (
        f"{words}; **{simulated} of {total} judgments were made by simulated workers** (programs, no people)"
    )


def _day(moment: str | None) -> str:
    return moment[:10] if moment else "(not known)"


def _share(found: Mapping[str, Any], name: str) -> str:
    """A share in percent with its interval, as far as they are known."""
    if found[name] is None:
        return ""
    words = f"{found[name]:.1%}"
    low, high = found[f"{name}_low"], found[f"{name}_high"]
    return words if low is None else f"{words} (95 % interval {low:.1%} to {high:.1%})"
