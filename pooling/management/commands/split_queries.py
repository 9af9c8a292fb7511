from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections.lookups import collection_named
from pooling.labels.query_splits import keep_split, plan_split, split_by_list

SEED = 20220


class Command(BaseCommand):
    help = (
        "Make some queries of a collection private, permanently. Runs are scored on all queries; non-members see "
        "results on public queries only."
    )
    example = "manage.py split_queries mine --private-share 0.5 --seed 7"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument(
            "--private", type=Path, metavar="FILE", help="qids of the private queries, one per line"
        )
        how.add_argument(
            "--private-share", type=float, metavar="SHARE", help="draw this share of the queries at random"
        )
        parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the draw (default: {SEED})")

    def act(
        self, *, collection: str, private: Path | None, private_share: float | None, seed: int, **options: Any
    ) -> dict[str, Any]:
        chosen, who = collection_named(collection), self.who
        if private is not None:
            split = split_by_list(collection=chosen, path=private, who=who)
        else:
            split = keep_split(chosen, plan_split(chosen, share=private_share, seed=seed), who=who)
        count = split.private_queries.count()
        return {
            "collection": chosen.name,
            "public": chosen.queries.count() - count,
            "private": count,
            "seed": split.seed,
            "sha256": split.sha256,
        }
