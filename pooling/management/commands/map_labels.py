from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from pooling.collections.lookups import collection_named, qrel_set_named
from pooling.labels import document_labels


class Command(BaseCommand):
    help = (
        "Derive labels of documents from labels of passages: a document gets the highest label of its passages, "
        "near-duplicates included. --provenance lists the passage behind each document's label."
    )
    example = "manage.py map_labels mine --qrels graded --set documents --passage-doc passage-doc.tsv"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("--qrels", required=True, metavar="SET", help="the labels of passages")
        parser.add_argument("--set", dest="set_name", metavar="NAME", help="name of the new qrel set")
        parser.add_argument(
            "--passage-doc", type=Path, metavar="FILE", help="a passage and its document on each line"
        )
        parser.add_argument(
            "--before",
            metavar="SEPARATOR",
            help="instead of a file: the document's id is the part of a passage's id before the last SEPARATOR "
            "(with “#”, msmarco_doc_12_345#7 belongs to msmarco_doc_12_345)",
        )
        parser.add_argument(
            "--min-grade",
            type=int,
            default=1,
            metavar="G",
            help="lowest relevant grade of a document (default: 1)",
        )
        parser.add_argument(
            "--provenance",
            action="store_true",
            help="only list the labels of the set --qrels with their passages",
        )

    def act(
        self,
        *,
        collection: str,
        qrels: str,
        set_name: str | None,
        passage_doc: Path | None,
        before: str | None,
        min_grade: int,
        provenance: bool,
        **options: Any,
    ) -> dict[str, Any]:
        labels = qrel_set_named(collection_named(collection), qrels)
        if provenance:
            return {"labels": [vars(one) for one in document_labels.provenance_of(labels)]}
        if not set_name or bool(passage_doc) == bool(before):
            raise UsageError("Pass --set and either --passage-doc or --before.")
        document_of = document_labels.before_last(before or "")
        if passage_doc:
            with self.progress(f"Reading {passage_doc.name}") as update:
                document_of = document_labels.documents_in_file(passage_doc, progress=update).get
        mapped = document_labels.map_labels(
            qrel_set=labels, document_of=document_of, set_name=set_name, min_grade=min_grade
        )
        return {
            "set": mapped.qrel_set.name,
            "labels": mapped.labels,
            "relevant": mapped.relevant,
            "by_near_duplicates": mapped.duplicates,
            "withheld": mapped.qrel_set.withheld,
        }

    def show(self, result: dict[str, Any]) -> None:
        if "labels" in result and isinstance(result["labels"], list):
            for one in result["labels"]:
                self.out.print("\t".join(map(str, one.values())), markup=False)
            return
        super().show(result)
