from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from config.plurals import many
from pooling.collections.lookups import collection_named
from pooling.passages import passages

MOST_NAMED = 20


class Command(BaseCommand):
    help = (
        "Fetch the missing texts of passages that need one, and of the top passages of every run, in one pass over "
        "the collection's passage files."
    )
    example = "manage.py fetch_passages mine --passages collection.tsv.gz"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument(
            "--passages",
            nargs="+",
            action="extend",
            default=[],
            type=Path,
            metavar="FILE",
            help="register these files first",
        )
        parser.add_argument("--all-passages", action="store_true", help="store every text of every source")

    def act(self, *, collection: str, all_passages: bool, **options: Any) -> dict[str, Any]:
        chosen = collection_named(collection)
        with self.progress("Reading passages") as update:
            added = passages.add_sources(collection=chosen, paths=options["passages"], progress=update)
            if all_passages:
                return {
                    "sources": len(added),
                    "texts": passages.fetch_all(collection=chosen, progress=update),
                }
            fetched = passages.fetch_missing(collection=chosen, progress=update)
        return {
            "sources": len(added),
            "wanted": fetched.wanted,
            "found": fetched.found,
            "missing": list(fetched.missing),
        }

    def show(self, result: dict[str, Any]) -> None:
        if "texts" in result:
            self.out.print(f"{many(result['texts'], 'passage has its', 'passages have their')} text now.")
            return
        self.out.print(f"{result['found']:,} of {many(result['wanted'], 'missing text')} found.")
        if result["missing"]:
            first, more = result["missing"][:MOST_NAMED], len(result["missing"]) - MOST_NAMED
            others = f" and {more:,} more" if more > 0 else ""
            self.out.print(f"No source contains {', '.join(first)}{others}.", markup=False)
