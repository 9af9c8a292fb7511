from typing import Any

from config.commands.console import result_words
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.watching.status import campaign_status
from tournament.services import latest_version_now


class Command(CampaignCommand):
    help = (
        "Show a campaign's tasks and places, its required, counted and excluded judgments, workers, exclusions, "
        "money, the next step, and whether the latest version is up to date."
    )
    example = "manage.py campaign_status spring --json"

    def act_on(self, found: Campaign, **options: Any) -> dict[str, Any]:
        return campaign_status(found) | {"latest_version": latest_version_now(found.collection)}

    def show(self, result: dict[str, Any]) -> None:
        super().show({key: _value_in_words(key, value) for key, value in result.items()})


def _value_in_words(key: str, value: Any) -> str:
    if key == "pilot":
        return _pilot_in_words(value)
    if key == "latest_version":
        return str(value["words"]) if value else "none"
    if key in ("spent", "owed", "held", "committed"):
        return f"${value:,.2f}"
    if isinstance(value, list):
        return "\n".join(_row_in_words(key, row) for row in value) or "none"
    return result_words(value)


def _row_in_words(key: str, row: Any) -> str:
    match key:
        case "exclusion_reasons":
            return f"worker {row['worker']}: {row['reason']}"
        case "flagged_workers":
            return f"worker {row['worker']}: {', '.join(row['flags'])}"
        case "stalled":
            return str(row["words"])
        case "gold_failed":
            return f"gold pair {row['gold_pair']}: {row['failed']} of {row['answered']}"
    return str(row)


def _pilot_in_words(told: dict[str, Any]) -> str:
    line = f"{told['submitted']} of {told['wanted']} tasks"
    if told["hourly"] is None:
        return line
    minutes = told["seconds_per_task"] / 60
    return f"{line}, median {minutes:.1f} minutes a task, ${told['hourly']:,.2f} an hour"
