from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, write_result
from pooling.collections.lookups import collection_named
from tournament import services


class Command(BaseCommand):
    help = "Rebuild a version from its manifest and compare the bytes with the published file."
    example = "manage.py rebuild_qrels mine --version 1"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument(
            "--version", type=int, dest="number", help="number of the version (default: the latest)"
        )
        parser.add_argument("--out", help="also write the rebuilt qrels to this file")

    def act(self, *, collection: str, number: int | None, out: str | None, **options: Any) -> dict[str, Any]:
        rebuilt = services.rebuild_qrels(collection=collection_named(collection), number=number)
        if out:
            write_result(Path(out), rebuilt.content)
        return {
            "collection": collection,
            "version": rebuilt.version.number,
            "identical": True,
            "queries": rebuilt.version.queries_count,
            "qrels": rebuilt.version.qrels_count,
            "judgments": rebuilt.judgments,
            "qrels_sha256": rebuilt.version.qrels_sha256,
        }
