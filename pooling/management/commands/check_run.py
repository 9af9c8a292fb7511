from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from config.plurals import many
from pooling.collections.lookups import collection_named
from pooling.errors import InvalidFile
from pooling.models import Run
from pooling.runs import runs
from pooling.runs.run_problems import each_refusal
from pooling.storage.decompressed_size import run_content_of


class Command(BaseCommand):
    help = (
        "Check a run file without importing it. Unlike import_runs, this does not check the submission policy and "
        "the candidates. Up to a hundred problems are listed."
    )
    example = "manage.py check_run bm25.trec.gz --collection mine"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the run file")
        parser.add_argument(
            "--collection", metavar="NAME", help="also check its queries against this collection"
        )
        parser.add_argument(
            "--order",
            default="",
            choices=Run.Order.values,
            help="order of the passages (default: by score for TREC files, by rank for MS MARCO files)",
        )
        parser.add_argument(
            "--tag",
            dest="run_tag",
            default="",
            metavar="TAG",
            help="the run's tag, instead of the file's own",
        )
        parser.add_argument("--skip-unknown", action="store_true", help="allow lines of unknown queries")

    def act(
        self, *, file: Path, collection: str | None, skip_unknown: bool, **options: Any
    ) -> dict[str, Any]:
        found = collection_named(collection) if collection else None
        with self.progress(f"Checking {file.name}") as update:
            content = run_content_of(file, progress=update)
            try:
                checked = runs.check_run(content, collection=found, skip_unknown=skip_unknown, **options)
            except InvalidFile as refusal:
                refused = each_refusal(refusal, content, collection=found, skip_unknown=skip_unknown)
                return {"run": None, "refused": [str(one) for one in refused]}
        return runs.checked_run_summary(checked) | {"refused": []}

    def refusals(self, result: dict[str, Any]) -> list[str]:
        return list(result["refused"])

    def show(self, result: dict[str, Any]) -> None:
        if result["refused"]:
            return
        self.out.print(
            f"{result['run']} passed the check: {many(result['lines'], 'line')}, "
            f"{many(result['queries'], 'query', 'queries')}, up to {many(result['depth'], 'passage')} each, "
            f"in order of {result['order']}.",
            markup=False,
        )
        for warning in result["warnings"]:
            self.out.print(f"Warning: {warning}.", markup=False)
