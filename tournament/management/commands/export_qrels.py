from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, write_result
from pooling.collections.lookups import collection_named
from tournament import services


class Command(BaseCommand):
    help = "Write a version of a collection's preference qrels as a TREC qrels file (qid 0 pid 1)."
    example = "manage.py export_qrels mine --version 1 --out preference.qrels"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument(
            "--version", type=int, dest="number", help="number of the version (default: the latest)"
        )
        parser.add_argument("--out", required=True, help="the file to write")

    def act(self, *, collection: str, number: int | None, out: str, **options: Any) -> dict[str, Any]:
        version, content = services.export_qrels(collection=collection_named(collection), number=number)
        write_result(Path(out), content)
        return {
            "collection": collection,
            "version": version.number,
            "queries": version.queries_count,
            "qrels": version.qrels_count,
            "simulated": version.simulated,
            "out": out,
        }
