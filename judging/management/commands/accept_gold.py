from typing import Any

from rich.table import Table

from config.commands.console import CommandParser, UsageError
from judging.campaign.gold_pairs import decide_gold, needed_gold, reopen_gold
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign, GoldPair


class Command(CampaignCommand):
    help = "Review proposed gold pairs side by side, or accept (with --drop: drop) the given pairs or --all."
    example = "manage.py accept_gold spring           # one by one; or: accept_gold spring 12 15; or: --all"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ids", nargs="*", type=int, help="gold pairs by number (--list shows them)")
        parser.add_argument("--all", action="store_true", help="every proposed pair")
        parser.add_argument("--drop", action="store_true", help="drop instead of accept")
        parser.add_argument("--list", action="store_true", help="only show the proposed pairs")
        parser.add_argument(
            "--accepted",
            action="store_true",
            help="with --drop --all, before the launch: accepted pairs, too",
        )

    def act_on(
        self, found: Campaign, *, ids: list[int], all: bool, drop: bool, list: bool, **options: Any
    ) -> dict[str, Any]:
        if options["accepted"]:
            self.reopen_accepted(found, dropping=drop and all)
        changed = 0
        if ids or all:
            changed = decide_gold(found, ids or None, accept=not drop, who=self.who)
        else:
            changed = self.ask(found, only_show=list)
        accepted = found.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
        return {"changed": changed, "accepted": accepted, "needed": needed_gold(found)}

    def reopen_accepted(self, campaign: Campaign, *, dropping: bool) -> None:
        """Propose the accepted pairs again, so that they are dropped with the others."""
        if not dropping:
            raise UsageError("--accepted requires --drop and --all.")
        accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
        reopen_gold(campaign, [*accepted.values_list("pk", flat=True)])

    def ask(self, campaign: Campaign, *, only_show: bool) -> int:
        """Show each proposed pair and ask whether to accept it. Return the number of pairs decided."""
        proposed = campaign.gold_pairs.filter(state=GoldPair.State.PROPOSED)
        changed = 0
        for gold in proposed.select_related("query", "relevant", "off_topic").order_by("pk"):
            self.show_pair(gold)
            if only_show:
                continue
            try:
                answer = input("[a]ccept, [d]rop, [s]kip, [q]uit? ").strip().lower()[:1]
            except EOFError:
                raise UsageError(
                    "There is no terminal for answers. Pass gold pairs by number, or --all."
                ) from None
            if answer == "q":
                break
            if answer in ("a", "d"):
                changed += decide_gold(campaign, [gold.pk], accept=answer == "a", who=self.who)
        return changed

    def show_pair(self, gold: GoldPair) -> None:
        """Print the two passages of a gold pair side by side on stderr."""
        about = f"{gold.kind}: {gold.why}" if gold.kind else gold.why
        table = Table(title=f"{gold.pk}: {gold.query.text}", caption=about, title_justify="left", expand=True)
        table.add_column(f"relevant: {gold.relevant.pid}", ratio=1)
        table.add_column(f"off topic: {gold.off_topic.pid}", ratio=1)
        table.add_row(gold.relevant.text or "(no text)", gold.off_topic.text or "(no text)")
        self.err.print(table)
