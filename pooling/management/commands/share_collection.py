from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections import members
from pooling.collections.lookups import collection_named
from pooling.models import Collection


class Command(BaseCommand):
    help = "Show a collection to everybody, or to its members only. Runs are shown as they are released."
    example = "manage.py share_collection mine --with everybody"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection")
        parser.add_argument("--with", dest="audience", choices=["everybody", "members"], required=True)

    def act(self, *, collection: str, audience: str, **options: Any) -> dict[str, Any]:
        found = collection_named(collection)
        shown = Collection.Visibility.PUBLISHED if audience == "everybody" else Collection.Visibility.PRIVATE
        members.set_visibility(collection=found, visibility=shown, who=self.who)
        return {"collection": found.name, "visibility": found.visibility}
