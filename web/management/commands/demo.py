import time
from typing import Any

from django.conf import settings
from rich.table import Table

from config.commands.console import Command as BaseCommand
from config.plurals import many
from web.demo import Demo, moved_runs


class Command(BaseCommand):
    help = "Run the whole loop once on the sample, with simulated workers: pool, campaign, versions, leaderboards."
    example = "manage.py demo"

    def act(self, **options: Any) -> dict[str, Any]:
        started = time.monotonic()
        self.note(
            "Preferee's demo. Its judges are simulated workers; none of its judgments come from people."
        )
        demo = Demo(say=self.note)
        result = demo.run()
        result["moved"] = moved_runs(result["version_1"], result["version_2"])
        result["seconds"] = round(time.monotonic() - started, 1)
        return result

    def show(self, result: dict[str, Any]) -> None:
        table = Table(title="Preference MRR@10 (judges were simulated)", title_justify="left")
        table.add_column("run", overflow="fold", min_width=max(len(row["run"]) for row in result["moved"]))
        for head in ("rank by label", "rank v1", "rank v2", "value v1", "value v2"):
            table.add_column(head, justify="right")
        for row in sorted(result["moved"], key=lambda row: row["rank"]):
            before = "–" if row["value_before"] is None else f"{row['value_before']:.4f}"
            table.add_row(
                row["run"],
                str(row["rank_official"]),
                "–" if row["rank_before"] is None else str(row["rank_before"]),
                str(row["rank"]),
                before,
                f"{row['value']:.4f}",
            )
        self.out.print(table)
        asked = result["challenge"]
        self.out.print(
            f"New runs: {', '.join(result['later_runs'])}. Only unseen top passages were judged: "
            f"{many(asked.get('queries', 0), 'query', 'queries')} challenged."
        )
        self.out.print(f"Done in {result['seconds']} s. Run `make run`, then open {settings.PUBLIC_URL}/")
