from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from config.plurals import many
from pooling.collections.lookups import collection_named
from pooling.runs.candidate_sets import drop_candidates, set_candidates


class Command(BaseCommand):
    help = (
        "Set the candidates to rerank, such as an official top 100, from a file in a run format. A run whose "
        "subtask is rerank is then refused if it contains other passages; the error names the first such line."
    )
    example = "manage.py set_candidates mine top100.txt.gz"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the candidates")
        parser.add_argument("--drop", action="store_true", help="remove the candidates")

    def act(self, *, collection: str, file: Path | None, drop: bool, **options: Any) -> dict[str, Any]:
        chosen, who = collection_named(collection), self.who
        if drop == (file is not None):
            raise UsageError("Pass a FILE or --drop.")
        if file is None:
            return {"collection": chosen.name, "dropped": drop_candidates(collection=chosen, who=who)}
        with self.progress(f"Reading {file.name}") as update:
            candidates = set_candidates(collection=chosen, path=file, who=who, progress=update)
        return {
            "collection": chosen.name,
            "queries": candidates.queries,
            "depth": candidates.depth,
            "lines": candidates.lines,
        }

    def show(self, result: dict[str, Any]) -> None:
        if "dropped" in result:
            self.out.print("Candidates removed." if result["dropped"] else "There were no candidates.")
            return
        size = f"{many(result['lines'], 'candidate')} for {many(result['queries'], 'query', 'queries')}"
        self.out.print(f"{result['collection']}: {size}, up to {result['depth']} each")
