from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from config.plurals import many
from judging.campaign.duplicate_classes import cluster_texts, import_clusters, remove_clusters
from pooling.collections.lookups import collection_named
from pooling.rules.near_duplicates import Likeness

USUAL = Likeness()


class Command(BaseCommand):
    help = (
        "Find near-duplicate passages, so that each class of them is judged once. Judgments of its canonical passage "
        "(the smallest pid, or the one that a file names) count for all. Possible until a campaign is created from "
        "a pool, or judging begins."
    )
    example = "manage.py cluster_passages mine --threshold 0.8 --shingle 3"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        parser.add_argument(
            "--threshold",
            type=float,
            default=USUAL.threshold,
            help=f"minimum Jaccard similarity of two near-duplicates, from 0.5 to 1 (default: {USUAL.threshold})",
        )
        parser.add_argument(
            "--shingle",
            type=int,
            default=USUAL.shingle,
            help=f"successive words that are compared as one, from 1 to 20 (default: {USUAL.shingle})",
        )
        parser.add_argument(
            "--from",
            dest="file",
            type=Path,
            metavar="FILE",
            help="take the classes from a file instead: class and passage on each line, or isoboroff/dedupe's output",
        )
        parser.add_argument("--remove", action="store_true", help="remove the near-duplicates again")

    def act(
        self,
        *,
        collection: str,
        threshold: float,
        shingle: int,
        file: Path | None,
        remove: bool,
        **options: Any,
    ) -> dict[str, Any]:
        found, who = collection_named(collection), self.who
        if remove:
            gone = remove_clusters(found, who=who)
            return {
                "collection": found.name,
                "removed": True,
                "classes": gone.classes,
                "members": gone.members,
            }
        with self.progress("Reading" if file else "Comparing texts") as update:
            if file:
                made = import_clusters(found, file, who=who, progress=update)
            else:
                made = cluster_texts(found, Likeness(threshold, shingle), who=who, progress=update)
        return {
            "collection": found.name,
            "removed": False,
            "method": str(made.method),
            "parameters": made.parameters,
            "texts": made.texts,
            "classes": made.classes,
            "members": made.members,
            "sha256": made.sha256,
        }

    def show(self, result: dict[str, Any]) -> None:
        said = f"{many(result['classes'], 'class', 'classes')} with {many(result['members'], 'passage')}"
        self.out.print(f"{said} {'removed' if result['removed'] else 'of near-duplicates stored'}.")
        if (known := result.get("parameters", {}).get("in_collection")) is not None:
            self.out.print(f"The collection's pools and labels have {known:,} of them.")
