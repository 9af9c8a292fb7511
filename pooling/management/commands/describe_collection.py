from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from pooling.collections.collection_details import (
    MOST,
    describe_collection,
    set_board_labels,
    set_run_depth,
)
from pooling.collections.lookups import collection_named


class Command(BaseCommand):
    help = (
        "Change a collection's title, description, license and citation, the maximum depth of its runs, and its "
        "leaderboard's default qrel set. Omitted options change nothing; an empty text removes a value. Bundles "
        "exported later contain the texts."
    )
    example = 'manage.py describe_collection mine --license "CC BY 4.0" --citation "Doe et al., 2026"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("--title", help="its title")
        parser.add_argument("--description", help="a description of the collection")
        parser.add_argument("--license", "--licence", dest="license", help="its terms of use")
        parser.add_argument("--citation", help="where it comes from, and how to cite it")

        parser.add_argument(
            "--max-run-depth",
            type=int,
            metavar="N",
            help="maximum number of passages per query in a run (10,000 unless changed)",
        )
        parser.add_argument(
            "--board-labels",
            metavar="SET",
            help="the leaderboard's default qrel set (the first set unless changed)",
        )

    def act(
        self, *, collection: str, max_run_depth: int | None, board_labels: str | None, **options: Any
    ) -> dict[str, Any]:
        found = collection_named(collection)
        given = {name: options[name] for name in MOST if options[name] is not None}
        chosen = board_labels is not None and set_board_labels(
            collection=found, name=board_labels, who=self.who
        )
        changed = describe_collection(collection=found, changes=given, who=self.who)
        if max_run_depth is not None:
            before = set_run_depth(collection=found, depth=max_run_depth, who=self.who)
            changed += ["max_run_depth"] if before != max_run_depth else []
        changed += ["board_labels"] if chosen else []
        labels = found.default_labels()
        said = {name: getattr(found, name) for name in (*MOST, "max_run_depth")}
        return {"collection": found.name, **said, "board_labels": labels and labels.name, "changed": changed}
