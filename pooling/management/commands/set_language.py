from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections.lookups import collection_named
from pooling.intake import collections


class Command(BaseCommand):
    help = "Set the language of a collection's queries and passages."
    example = "manage.py set_language mine ar"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection")
        parser.add_argument("language", metavar="TAG", help="a BCP 47 tag such as ar, ja or zh-Hant")

    def act(self, *, collection: str, language: str, **options: Any) -> dict[str, Any]:
        before = collections.set_language(collection_named(collection), language, who=self.who)
        return {"collection": collection, "language": language, "before": before}

    def show(self, result: dict[str, Any]) -> None:
        self.out.print(f"{result['collection']} is now in {result['language']} (before: {result['before']}).")
