from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, write_result
from leaderboard.analyses.near_duplicates.analysis import class_labels
from leaderboard.scoring.labels import labels_named
from pooling.collections.lookups import collection_named


class Command(BaseCommand):
    help = (
        "Write labels as a TREC qrels file in which the passages of a class of near-duplicates share their label: "
        "only the canonical passage of each class, or with --expand all of its passages."
    )
    example = "manage.py export_labels mine --qrels official --expand --out expanded.qrels"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument(
            "--qrels", required=True, help="a qrel set, or @n for version n of the preference qrels"
        )
        parser.add_argument("--expand", action="store_true", help="write every passage of a class")
        parser.add_argument("--out", required=True, help="the file to write")

    def act(self, *, collection: str, qrels: str, expand: bool, out: str, **options: Any) -> dict[str, Any]:
        found = collection_named(collection)
        labels = labels_named(found, qrels)
        with_classes = class_labels(found, labels)
        content = with_classes.as_qrels(expand=expand)
        write_result(Path(out), content)
        for sentence in with_classes.conflict_sentences:
            self.note(sentence)
        return {
            "collection": collection,
            "qrels": qrels,
            "labels": len(labels.pids),
            "lines": content.count(b"\n"),
            "classes_with_different_grades": len(with_classes.conflicts),
            "out": out,
        }
