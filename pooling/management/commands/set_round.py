from datetime import datetime
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from pooling.collections.lookups import collection_named
from pooling.models import Round
from pooling.teams.rounds import drop_round, round_words, set_round


class Command(BaseCommand):
    help = (
        "Plan a round, or change the round with this name. Once a collection has rounds, teams can submit in open "
        "rounds only. A run is in time if its last byte arrived before the closing time."
    )
    example = "manage.py set_round mine 2026 --opens 2026-06-01T00:00+00:00 --closes 2026-08-01T00:00-12:00 --runs 3"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        parser.add_argument("name", metavar="NAME", help="name of the round")
        for option, what in (
            ("opens", "first moment"),
            ("closes", "closing time: the first moment that is too late"),
        ):
            parser.add_argument(
                f"--{option}",
                type=datetime.fromisoformat,
                metavar="TIME",
                help=f"{what}, with its time zone: 2026-08-01T00:00-12:00",
            )
        parser.add_argument("--runs", type=int, default=3, help="official runs per team (default: 3)")
        parser.add_argument(
            "--baselines", type=int, default=0, help="additional baselines per team (default: 0)"
        )
        parser.add_argument(
            "--priorities", action="store_true", help="require priorities 1, 2, … for official runs"
        )
        parser.add_argument(
            "--drop", action="store_true", help="delete the round if no run was submitted in it"
        )

    def act(
        self,
        *,
        collection: str,
        name: str,
        opens: datetime | None,
        closes: datetime | None,
        runs: int,
        baselines: int,
        priorities: bool,
        drop: bool,
        **options: Any,
    ) -> dict[str, Any]:
        chosen, who = collection_named(collection), self.who
        if drop:
            planned = Round.objects.select_related("collection").filter(collection=chosen, name=name).first()
            if planned is None:
                raise UsageError(f"{collection} has no round {name!r}. Pass the name of an existing round.")
            drop_round(planned=planned, who=who)
            return {"collection": chosen.name, "round": name, "planned": ""}
        if opens is None or closes is None or opens.tzinfo is None or closes.tzinfo is None:
            raise UsageError("Pass --opens and --closes with a time zone, as in 2026-08-01T00:00-12:00.")
        planned = set_round(
            collection=chosen,
            name=name,
            opens_at=opens,
            closes_at=closes,
            most_runs=runs,
            most_baselines=baselines,
            priorities=priorities,
            who=who,
        )
        return {"collection": chosen.name, "round": planned.name, "planned": round_words(planned)}

    def show(self, result: dict[str, Any]) -> None:
        self.out.print(f"{result['round']}: {result['planned'] or 'deleted'}", markup=False)
