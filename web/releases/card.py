"""The prose of a bundle: its data card, its licenses, and how people were paid."""

from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string

from config.plurals import many
from judging.campaign.cost import pay_for
from judging.models import Campaign
from web.releases.scope import Scope


def pay_text(campaign: Campaign) -> str:
    """Return how the campaign paid, in words."""
    pay = pay_for(campaign)
    pairs, gold = campaign.pairs_per_task, campaign.gold_per_task
    again = (
        f", and up to {many(campaign.repeats_per_task, 'repeated pair')}" if campaign.repeats_per_task else ""
    )
    lines = [f"A task of {many(pairs, 'pair')} and up to {many(gold, 'gold pair')}{again} pays ${pay.whole}."]
    if pay.bonus:
        lines.append(f"${pay.base} of it is for submitting the task; the rest depends on the pairs judged.")
    if campaign.minimum_hourly is not None:
        lines.append(f"At least ${campaign.minimum_hourly} an hour was promised.")
    lines.append("Excluded workers are paid like others. Software never rejects work with a judged pair.")
    return "\n".join(lines) + "\n"


def license_text(scope: Scope) -> str:
    """Return the bundle's terms of use, as far as the collection states them."""
    return render_to_string("web/releases/LICENSES.md", {"collection": scope.collection})


def data_card(scope: Scope, facts: Mapping[str, Any]) -> str:
    """Return the data card: purpose, collection, judges, pay, screening, known problems, fields."""
    agreement = facts["agreement"]
    campaigns = [_campaign_card(campaign, facts["campaigns"][campaign.name]) for campaign in scope.campaigns]
    context = {
        "collection": scope.collection,
        "version": scope.version,
        "versions": len(scope.chain),
        "counts": {name: str(count) for name, count in facts["counts"].items()},
        "campaigns": campaigns,
        "all_imported": all(campaign["imported"] for campaign in campaigns),
        "agreement": agreement,
        "agreement_words": _share_in_words(agreement, "agreement"),
        "left_words": _share_in_words(agreement, "left_share"),
        "left_out": [(what, str(number)) for what, number in facts["left_out"].items() if number],
    }
    return render_to_string("web/releases/DATA_CARD.md", context)


def _campaign_card(campaign: Campaign, facts: Mapping[str, Any]) -> dict[str, Any]:
    return dict(facts) | {
        "imported": is_imported(facts["judges"]),
        "crowd_words": crowd_sentence(facts["crowd"], facts["judges"]),
        "launched": _date_part(facts["launched_at"]),
        "first": _date_part(facts["first_judgment"]),
        "last": _date_part(facts["last_judgment"]),
        "slip_rate": f"{campaign.slip_rate:g}",
        "pay_words": " ".join(pay_text(campaign).split()),
    }


def is_imported(judges: Mapping[str, int]) -> bool:
    """Return whether all judgments were made elsewhere, so nobody read the campaign's texts or got its pay."""
    return set(judges) == {"imported"}


def crowd_sentence(crowd: str, judges: Mapping[str, int]) -> str:
    """Return a phrase about who judged: people, simulated workers, or people elsewhere (imported judgments)."""
    total, simulated, imported = sum(judges.values()), judges.get("simulated", 0), judges.get("imported", 0)
    if is_imported(judges):
        return "unknown: the judgments were made elsewhere and imported"
    words = crowd or "an unknown crowd"
    if imported:
        words += f"; {imported} of {total} judgments were made elsewhere and imported"
    if not simulated:
        return words
    if simulated == total:
        return f"**simulated workers only** (programs, not people), at {words}"
    return (
        f"{words}; **{simulated} of {total} judgments were made by simulated workers** (programs, not people)"
    )


def _date_part(moment: str | None) -> str:
    return moment[:10] if moment else "(not known)"


def _share_in_words(found: Mapping[str, Any], name: str) -> str:
    """Return a share in percent, with its interval if known; empty if the share is unknown."""
    if found[name] is None:
        return ""
    words = f"{found[name]:.1%}"
    low, high = found[f"{name}_low"], found[f"{name}_high"]
    return words if low is None else f"{words} (95% interval {low:.1%} to {high:.1%})"
