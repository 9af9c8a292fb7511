from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections.lookups import collection_named
from tournament.services.publication import version_numbered
from tournament.services.version_dois import set_doi


class Command(BaseCommand):
    help = "Record the DOI of a deposited version, for its citation. An empty DOI removes it."
    example = "manage.py set_doi mine 10.5281/zenodo.1234567 --version 1"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument("doi", help='the DOI or its address; "" removes it')
        parser.add_argument(
            "--version", type=int, dest="number", help="number of the version (default: the latest)"
        )

    def act(self, *, collection: str, doi: str, number: int | None, **options: Any) -> dict[str, Any]:
        version = version_numbered(collection_named(collection), number)
        return {
            "collection": collection,
            "version": version.number,
            "doi": set_doi(version, doi, who=self.who),
        }
