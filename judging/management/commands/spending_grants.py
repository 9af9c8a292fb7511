from datetime import date
from typing import Any

from config import clock
from config.commands.console import Command as BaseCommand
from judging.campaign.spending_rights import grants_left, installation_spending
from pooling.models import SpendingGrant


class Command(BaseCommand):
    help = "List spending grants with their remaining amounts, and what is left under the installation's cap."
    example = "manage.py spending_grants"

    def act(self, **options: Any) -> dict[str, Any]:
        spending, today = installation_spending(), clock.now().date()
        rows = SpendingGrant.objects.select_related("person", "collection").order_by("pk")
        return {
            "cap": None if spending.cap is None else float(spending.cap),
            "days": spending.days,
            "reserved": float(spending.reserved),
            "left": None if spending.left is None else float(spending.left),
            "grants": [
                {
                    "grant": one.grant.pk,
                    "for": one.grant.to,
                    "amount": float(one.grant.amount),
                    "left": float(one.left) if _usable(one.grant, today) else 0.0,
                    "until": str(one.grant.last_day),
                    "revoked": one.grant.revoked_at is not None,
                }
                for one in grants_left(rows)
            ],
        }

    def show(self, result: dict[str, Any]) -> None:
        super().show({name: value for name, value in result.items() if name != "grants"})
        for row in result["grants"]:
            end = "revoked" if row["revoked"] else f"until {row['until']}"
            line = f"grant {row['grant']} for {row['for']}: ${row['left']:,.2f} of ${row['amount']:,.2f} left, {end}"
            self.out.print(line, markup=False)


def _usable(grant: SpendingGrant, today: date) -> bool:
    return grant.revoked_at is None and grant.last_day >= today
