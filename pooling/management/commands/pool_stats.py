from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from typing import Any

from rich.table import Table

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from config.plurals import many
from pooling.collections.lookups import pool_named
from pooling.pools import pools
from pooling.pools.pool_runs import RunCriteria
from pooling.rules.shallow import Prices


class Command(BaseCommand):
    help = "Show a pool's size, the passages that each run and the qrels added, and the cost of judging it."
    example = "manage.py pool_stats spring"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pool", help="name of the pool")
        parser.add_argument("--pairs-per-task", type=int, default=10, help="pairs in a task (default: 10)")
        parser.add_argument("--judgments-per-pair", type=int, default=1, help="workers per pair (default: 1)")
        parser.add_argument("--reward", default="2.00", help="dollars per task (default: 2.00)")
        parser.add_argument(
            "--fee", default="0.20", help="the crowd site's fee as a share of the reward (default: 0.20)"
        )

    def act(
        self,
        *,
        pool: str,
        pairs_per_task: int,
        judgments_per_pair: int,
        reward: str,
        fee: str,
        **options: Any,
    ) -> dict[str, Any]:
        try:
            prices = Prices(pairs_per_task, judgments_per_pair, Decimal(reward), Decimal(fee))
        except InvalidOperation:
            raise UsageError("--reward and --fee must be numbers.") from None
        if pairs_per_task < 1 or judgments_per_pair < 1:
            raise UsageError("--pairs-per-task and --judgments-per-pair must be at least 1.")
        found = pool_named(pool)
        summary = pools.pool_stats(pool=found, prices=prices)
        named = found.pool_runs.filter(named=True).values_list("run__run_tag", flat=True)
        return {
            "pool": pool,
            "depth": found.depth,
            "priority": found.priority,
            "round": found.round,
            "named": list(named.order_by("run__run_tag")),
            **asdict(summary.stats),
            "cost": float(summary.stats.cost),
            "runs": {tag: asdict(brought) for tag, brought in summary.runs.items()},
            "qrel": asdict(summary.qrel),
            "pooled": summary.pooled,
            "share_no_passage": list(summary.apart),
        }

    def show(self, result: dict[str, Any]) -> None:
        self.out.print(
            f"{many(result['queries'], 'query', 'queries')}, {many(result['passages'], 'passage')}. "
            f"Pool size: mean {result['mean']:.4f}, median {result['median']:g}, largest {result['max']}; "
            f"{many(result['singletons'], 'singleton')}. "
            f"The qrel adds a passage for {many(result['qrel_added'], 'query', 'queries')}.\n"
            f"{many(result['pairs'], 'pair')}, {many(result['tasks'], 'task')}, "
            f"${result['cost']:,.2f} with fee.\n"
        )
        if criteria := RunCriteria(result["priority"], result["round"]):
            named = f", and {len(result['named']):,} named" if result["named"] else ""
            self.out.print(f"Runs {criteria}{named}.\n")
        sizes = Table("size", "queries", "", box=None, pad_edge=False)
        largest = max(result["histogram"].values(), default=1)
        for size, count in result["histogram"].items():
            sizes.add_row(str(size), f"{count:,}", "█" * round(40 * count / largest))
        self.out.print(sizes, "")
        brought = Table("source", "passages", "only from this source", box=None, pad_edge=False)
        for tag, run in [*result["runs"].items(), ("(qrel)", result["qrel"])]:
            brought.add_row(tag, f"{run['passages']:,}", f"{run['unique']:,}")
        self.out.print(brought)
