from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError, read_text_file
from judging.grading.graded_campaigns import GradingSettings, create_graded_campaign
from judging.grading.topic_states import grading_summary, states_of
from judging.rules.grade_scale import FORM, FOUR_LEVELS, parse_scale
from judging.rules.topic_effort import Effort, effort_words
from judging.rules.topic_life import LifeRules
from pooling.collections.lookups import collection_named, pool_named


class Command(BaseCommand):
    help = (
        "Create a graded campaign over a pool: assessors grade each passage of a topic. Every query of the pool is a "
        "topic. Rules and scale default to those of the TREC 2022 Deep Learning track."
    )
    example = "manage.py create_grading mine depth-10 --name graded --budget 20000 --rule accept_judged=120"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        parser.add_argument("pool", metavar="POOL", help="name of the pool, usually of depth 10")
        parser.add_argument("--name", required=True, help="name of the new graded campaign")
        parser.add_argument("--scale", type=Path, metavar="FILE", help=FORM)
        parser.add_argument(
            "--min-grade", type=int, default=2, metavar="G", help="the lowest relevant grade (default: 2)"
        )
        parser.add_argument(
            "--rule",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="change one of the rules, whose defaults are: "
            + ", ".join(f"{name}={value}" for name, value in vars(LifeRules()).items()),
        )
        parser.add_argument("--budget", type=int, metavar="N", help="the maximum number of passages judged")
        parser.add_argument(
            "--learn-from-all",
            action="store_true",
            help="active learning also uses the grades of the collection's other graded campaigns",
        )
        parser.add_argument("--instructions", type=Path, metavar="FILE", help="a text for assessors")
        parser.add_argument("--seed", type=int, default=1, metavar="S", help="random seed (default: 1)")
        parser.add_argument(
            "--placeholder-text",
            action="store_true",
            help="a rehearsal: show passages without text as placeholders",
        )
        parser.add_argument(
            "--small-pools",
            action="store_true",
            help="accept pools so small that the rules discard their topics early",
        )

    def act(self, *, collection: str, pool: str, name: str, **options: Any) -> dict[str, Any]:
        found = pool_named(pool)
        if found.collection_id != collection_named(collection).pk:
            raise UsageError(f"The pool {pool} does not belong to the collection {collection}.")
        scale, instructions = options["scale"], options["instructions"]
        chosen = {key: options[key] for key in GradingSettings.__dataclass_fields__ if key in options}
        chosen["scale"] = parse_scale(read_text_file(scale), str(scale)) if scale else FOUR_LEVELS
        chosen["instructions"] = read_text_file(instructions) if instructions else ""
        settings = GradingSettings(rules=dict(_parse_rule(said) for said in options["rule"]), **chosen)
        made = create_graded_campaign(pool=found, name=name, settings=settings, who=self.who)
        return grading_summary(made, states_of(made))

    def show(self, result: dict[str, Any]) -> None:
        super().show(
            {name: value for name, value in result.items() if name not in ("scale", "rules", "effort")}
        )
        effort = Effort(**result["effort"])
        self.out.print("\n".join(effort_words(effort, LifeRules(**result["rules"]))), markup=False)


def _parse_rule(said: str) -> tuple[str, float]:
    name, _, value = said.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise UsageError(f"--rule {said}: write NAME=VALUE with a number.") from None
