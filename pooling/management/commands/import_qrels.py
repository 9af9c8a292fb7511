from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections.lookups import collection_named
from pooling.labels import qrels
from pooling.models import QrelSet


class Command(BaseCommand):
    help = "Import qrels, in TREC's four columns or as qid, pid and grade."
    example = "manage.py import_qrels mine qrels.txt --set graded --min-grade 2"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("file", type=Path, metavar="FILE", help="the qrels")
        parser.add_argument("--set", required=True, dest="set_name", help="name of the new qrel set")
        parser.add_argument(
            "--min-grade",
            type=int,
            default=1,
            metavar="G",
            help="lowest relevant grade (default: 1)",
        )
        parser.add_argument(
            "--kind",
            default="",
            choices=QrelSet.Kind.values,
            help="kind of the labels (default: graded if there are grades above 1, else official)",
        )
        parser.add_argument("--skip-unknown", action="store_true", help="drop lines of unknown queries")
        parser.add_argument(
            "--withheld",
            action="store_true",
            help="publish scores under these labels, but not the labels themselves: see withhold_labels",
        )

    def act(self, *, collection: str, file: Path, **options: Any) -> dict[str, Any]:
        with self.progress(f"Importing {file.name}") as update:
            imported = qrels.import_qrels(
                collection=collection_named(collection), path=file, progress=update, **options
            )
        if not imported.relevant:
            least = imported.qrel_set.min_grade
            self.note(f"No label has grade {least} or above: nothing is relevant in this set.")
        return {
            "set": imported.qrel_set.name,
            "kind": str(imported.qrel_set.kind),
            "labels": imported.labels,
            "queries": imported.queries,
            "relevant": imported.relevant,
            "withheld": imported.qrel_set.withheld,
            "skipped": list(imported.skipped),
        }
