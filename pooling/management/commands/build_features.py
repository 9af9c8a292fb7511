from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from config.plurals import many
from pooling.collections.lookups import collection_named
from pooling.passages.features import features_of


class Command(BaseCommand):
    help = (
        "Count the words of all passages for continuous active learning. This happens automatically when a topic "
        "first needs it, and again after passages are added. Ten million passages take several minutes."
    )
    example = "manage.py build_features mine"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")

    def act(self, *, collection: str, **options: Any) -> dict[str, Any]:
        found = collection_named(collection)
        with self.progress("Counting words") as update, features_of(found, update) as features:
            return {"collection": found.name, "passages": features.passages, "bytes": features.size}

    def show(self, result: dict[str, Any]) -> None:
        said = many(result["passages"], "passage has its", "passages have their")
        self.out.print(f"{said} features ({result['bytes'] / 1e6:,.1f} MB).")
