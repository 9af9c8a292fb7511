from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from pooling.collections.lookups import collection_named, qrel_set_named, runs_tagged, tags_meant
from pooling.files.texts import read_qids
from pooling.pools import pools
from pooling.pools.pool_runs import RunCriteria, count_without_priority, runs_for_pool
from pooling.storage.decompressed_size import content_of


class Command(BaseCommand):
    help = "Pool the top passages of runs and the qrel of each query, and fetch their texts."
    example = "manage.py build_pool mine --pool tops --all-runs --qrels official"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("--pool", required=True, help="name of the new pool")
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument(
            "--runs",
            action="append",
            default=[],
            metavar="A,B",
            help="tags of the runs, separated by commas; pass a tag that contains a comma separately",
        )
        chosen.add_argument(
            "--all-runs",
            action="store_true",
            help="all runs that retrieve passages, or documents if the set of --qrels labels documents (the default)",
        )
        parser.add_argument(
            "--priority",
            type=int,
            metavar="N",
            help="only the runs with priority 1 to N, and those of --runs; name runs without a priority there",
        )
        parser.add_argument(
            "--round", default="", metavar="NAME", help="only the runs of this round, and those of --runs"
        )
        parser.add_argument("--qrels", metavar="SET", help="add the qrel of each query from this set")
        parser.add_argument("--depth", type=int, default=1, help="passages taken from each run (default: 1)")
        queries = parser.add_mutually_exclusive_group()
        queries.add_argument(
            "--queries", type=Path, metavar="FILE", help="only the queries listed in this file"
        )
        queries.add_argument("--sample", type=int, metavar="N", help="number of queries to draw at random")
        parser.add_argument(
            "--labeled-only",
            action="store_true",
            help="leave out queries without a relevant passage in the --qrels set",
        )
        parser.add_argument(
            "--seed", type=int, metavar="S", help="seed of the sample; required with --sample"
        )
        parser.add_argument(
            "--min-size",
            type=int,
            default=1,
            metavar="N",
            help="leave out queries with fewer passages (default: 1)",
        )
        parser.add_argument(
            "--fraction",
            type=int,
            metavar="N",
            help="pool the runs as if the corpus contained only one in N of its passages, the same for every query",
        )
        parser.add_argument(
            "--fraction-seed", type=int, metavar="S", help="seed of the fraction; required with --fraction"
        )

    def act(self, *, collection: str, pool: str, **options: Any) -> dict[str, Any]:
        if options["sample"] is not None and options["seed"] is None:
            raise UsageError("--sample needs --seed, so that the same queries can be drawn again.")
        if min(options["depth"], options["min_size"], options["sample"] or 1) < 1:
            raise UsageError("--depth, --min-size and --sample must be at least 1.")
        chosen = collection_named(collection)
        tags = tags_meant(chosen, options["runs"]) or None
        if options["runs"] and tags is None:
            raise UsageError("--runs is empty.")
        if options["labeled_only"] and not options["qrels"]:
            raise UsageError("--labeled-only needs --qrels, the labels that the queries must have.")
        qrel_set = qrel_set_named(chosen, options["qrels"]) if options["qrels"] else None
        criteria = RunCriteria(options["priority"], options["round"])
        if options["all_runs"] and criteria:
            raise UsageError("--all-runs cannot be combined with --priority or --round.")
        named = runs_tagged(chosen, tags) if tags else []
        everything = runs_tagged(chosen, None)
        pooled = runs_for_pool(chosen, everything, named, qrel_set, criteria)
        qids = read_qids(content_of(options["queries"])) if options["queries"] else None
        choice = pools.Choice(
            pools.labeled_qids(qrel_set, qids) if qrel_set and options["labeled_only"] else qids,
            options["sample"],
            options["seed"],
            options["min_size"],
            options["fraction"],
            options["fraction_seed"],
            criteria.priority,
            criteria.round,
        )
        with self.progress(f"Building pool {pool}") as update:
            built = pools.build_pool(
                collection=chosen,
                name=pool,
                runs=pooled.kept,
                qrel_set=qrel_set,
                depth=options["depth"],
                choice=choice,
                who=self.who,
                progress=update,
            )
        summary = pools.pool_stats(pool=built)
        return {
            "pool": pool,
            "queries": summary.stats.queries,
            "passages": summary.stats.passages,
            "pairs": summary.stats.pairs,
            "runs": len(pooled.kept),
            "without_text": pools.without_text(built),
            "without_priority": count_without_priority(chosen, everything, pooled.kept, criteria),
            "left_out": [run.run_tag for run in pooled.left_out],
            "share_no_passage": list(summary.apart),
        }
