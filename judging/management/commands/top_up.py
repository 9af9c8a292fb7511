from typing import Any

from config.commands.console import CommandParser
from judging.management.amounts import dollars_option
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from judging.money.top_ups import owe_top_ups, plan_top_up


class Command(CampaignCommand):
    help = (
        "Compare a task's pay with the median time that tasks actually took, and pay the difference to the minimum "
        "hourly pay as bonuses. Running it again pays only new differences."
    )
    example = "manage.py top_up spring --minimum-hourly 15 --dry-run"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--minimum-hourly", help="the minimum in dollars an hour (default: the campaign's)"
        )
        parser.add_argument("--dry-run", action="store_true", help="show what it would pay, and pay nothing")

    def act_on(
        self, found: Campaign, *, minimum_hourly: str | None, dry_run: bool, **options: Any
    ) -> dict[str, Any]:
        least = dollars_option("--minimum-hourly", minimum_hourly) if minimum_hourly else None
        plan = plan_top_up(found, least) if dry_run else owe_top_ups(found, least, who=self.who)
        if plan.owed and not dry_run:
            self.collect(found, "Paying")
        return {
            "campaign": found.name,
            "median_seconds": round(plan.median_seconds, 1),
            "hourly": float(plan.hourly),
            "minimum_hourly": float(plan.minimum_hourly),
            "bonuses": len(plan.owed),
            "amount": float(plan.amount),
            "fees": float(plan.fees),
            "paid": bool(plan.owed) and not dry_run,
        }
