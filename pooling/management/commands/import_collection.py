from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.intake import collections
from pooling.passages import passages


class Command(BaseCommand):
    help = "Create a collection from a query file, and register the files that contain its passages."
    example = (
        "manage.py import_collection mine --queries queries.tsv --passages passages.tsv --qrels qrels.txt"
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the new collection")
        parser.add_argument("--queries", required=True, type=Path, metavar="FILE", help="TSV or JSON lines")
        parser.add_argument(
            "--passages",
            dest="passage_files",
            nargs="+",
            action="extend",
            default=[],
            type=Path,
            metavar="FILE",
            help="TSV or JSON lines",
        )
        parser.add_argument("--qrels", type=Path, metavar="FILE", help="imported as the qrel set 'official'")
        parser.add_argument(
            "--min-grade", type=int, default=1, metavar="G", help="lowest relevant grade (default: 1)"
        )
        parser.add_argument("--skip-unknown", action="store_true", help="drop labels of unknown queries")
        parser.add_argument("--title", default="", help="its title")
        parser.add_argument("--description", default="", help="a description of the collection")
        parser.add_argument("--license", "--licence", dest="license", default="", help="its terms of use")
        parser.add_argument("--citation", default="", help="where it comes from, and how to cite it")
        parser.add_argument(
            "--language",
            default="en",
            metavar="TAG",
            help="language of the queries and passages, as a BCP 47 tag such as ar, ja or zh-Hant (default: en)",
        )
        parser.add_argument(
            "--all-passages", action="store_true", help="store every text, not only texts that are needed"
        )

    def act(self, *, collection: str, all_passages: bool, **options: Any) -> dict[str, Any]:
        with self.progress(f"Importing {collection}") as update:
            made = collections.import_collection(name=collection, progress=update, **options)
            kept = passages.fetch_all(collection=made.collection, progress=update) if all_passages else 0
        return {
            "collection": collection,
            "queries": made.queries,
            "sources": made.sources,
            "labels": made.qrels.labels if made.qrels else 0,
            "texts": kept,
        }
