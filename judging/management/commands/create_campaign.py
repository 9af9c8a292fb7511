"""`manage.py create_campaign`: pairs and tasks of a pool, or a home for judgments made elsewhere."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings
from django.core.management.base import CommandParser
from django.db import transaction

from config.console import Command as BaseCommand
from config.console import UsageError
from judging.management.amounts import dollars
from judging.models import Campaign
from judging.services.campaigns import PRESETS, CampaignSettings, create_campaign
from judging.services.cost import quote_tasks
from judging.services.gold import import_gold, needed_gold
from pooling.services.finding import collection_named, pool_named


def _money_arguments(parser: CommandParser, defaults: CampaignSettings) -> None:
    parser.add_argument("--reward", default=str(defaults.reward), help="dollars for a task (default 2.00)")
    parser.add_argument(
        "--pay",
        choices=Campaign.Pay.values,
        default=defaults.pay,
        help="split: a base reward for whoever sends a task off, the rest as a bonus by pairs judged; "
        "whole: everything as the reward (default split)",
    )
    parser.add_argument(
        "--base-reward", help="dollars of the reward paid to whoever sends off (default 0.20)"
    )
    parser.add_argument("--budget", help="dollars, fees included, that nothing may go beyond (default none)")


def _screening_arguments(parser: CommandParser, defaults: CampaignSettings) -> None:
    parser.add_argument(
        "--screen",
        choices=Campaign.Screen.values,
        default=defaults.screen,
        help="what a failed test pair means: reference excludes at the first, two-strikes at the second, rate when "
        "honest slips do not explain so many (default reference); the check list recommends one",
    )
    parser.add_argument(
        "--slip-rate",
        type=float,
        default=defaults.slip_rate,
        help=f"share of gold pairs that an honest worker is taken to fail (default {defaults.slip_rate}): what rate "
        "screening goes by, and the forecast of repeats until a pilot has measured it",
    )
    parser.add_argument(
        "--preset", choices=[name for name in PRESETS if name], default="", help="qualifications"
    )


def _page_arguments(parser: CommandParser, defaults: CampaignSettings) -> None:
    parser.add_argument(
        "--contact", default="", help="whom workers can write to, named in the consent text and on refusals"
    )
    parser.add_argument("--ethics-approval", default="", help="who approved it, and its number, for workers")
    parser.add_argument("--content-warning", default="", help="what workers are warned of before they agree")
    parser.add_argument("--allow-undecided", action="store_true", help='offer "Cannot decide"')
    parser.add_argument(
        "--mark-query-words",
        action="store_true",
        help="mark the words of the question in both passages; can tell test pairs apart",
    )
    parser.add_argument(
        "--language",
        choices=[tag for tag, _ in django_settings.LANGUAGES],
        default=defaults.language,
        help="of the words on workers' pages; passages have the collection's (default en)",
    )
    minutes = defaults.assignment_seconds // 60
    parser.add_argument(
        "--task-minutes", type=int, default=minutes, help=f"time for a task, shown (default {minutes})"
    )


class Command(BaseCommand):
    help = "Create a campaign: every pair of a pool, packed into tasks. Nothing is offered before launch_campaign."
    example = "manage.py create_campaign first --pool tops --reward 2.00"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--pool", help="the pool to be judged")
        what.add_argument("--collection", help="a collection, for judgments made elsewhere")
        defaults = CampaignSettings()
        whole = {
            "pairs-per-task": "pairs in a task, test pairs not counted",
            "gold-per-task": "hidden test pairs added to each task",
            "repeats-per-task": "earlier pairs of the worker shown again in each task, with the sides swapped",
            "judgments-per-pair": "judgments of each pair, by as many workers",
            "max-tasks-per-worker": "tasks one worker may do",
            "seed": "seed of packing, order and sides",
            "withdrawal-days": "days in which a worker may take judgments back",
            "answer-days": "working days within which you answer an objection; workers are told",
            "hold-hours": "hours between taking work in and paying it, for a person who wants to look first",
            "minimum-seconds": "seconds that a pair is on screen before it can be answered",
            "minimum-age": "years that a worker has to confirm, 0 to ask nothing",
        }
        for name, words in whole.items():
            default = getattr(defaults, name.replace("-", "_"))
            parser.add_argument(f"--{name}", type=int, default=default, help=f"{words} (default {default})")
        _money_arguments(parser, defaults)
        _screening_arguments(parser, defaults)
        _page_arguments(parser, defaults)
        parser.add_argument(
            "--gold",
            type=Path,
            metavar="FILE",
            help="accepted gold pairs, a line each: qid relevant-pid off-topic-pid [kind], where kind is "
            "easy or hard",
        )
        parser.add_argument(
            "--refuse-excluded-elsewhere",
            action=BooleanOptionalAction,
            default=defaults.refuse_excluded_elsewhere,
            help="refuse workers whom another campaign of the collection excluded for two failed test pairs or more, "
            "or by a person's decision (default yes)",
        )
        parser.add_argument(
            "--placeholder-text",
            action="store_true",
            help="a rehearsal: show passages without text as placeholders, to simulated workers only",
        )

    def act(
        self,
        *,
        name: str,
        pool: str,
        collection: str,
        gold: Path,
        reward: str,
        budget: str | None,
        base_reward: str | None,
        task_minutes: int,
        **options: Any,
    ) -> dict[str, Any]:
        amount, most = dollars("--reward", reward), dollars("--budget", budget) if budget else None
        base = dollars("--base-reward", base_reward) if base_reward else None
        if gold and not gold.is_file():
            raise UsageError(f"--gold: there is no file {gold}.")
        chosen = {key: options[key] for key in CampaignSettings.__dataclass_fields__ if key in options}
        with transaction.atomic():
            campaign = create_campaign(
                name=name,
                settings=CampaignSettings(
                    reward=amount,
                    base_reward=base,
                    budget=most,
                    assignment_seconds=60 * task_minutes,
                    **chosen,
                ),
                pool=pool_named(pool) if pool else None,
                collection=collection_named(collection) if collection else None,
            )
            gold_pairs = import_gold(campaign, gold) if gold else 0
        cost = quote_tasks(campaign, campaign.tasks.count())
        return {
            "campaign": campaign.name,
            "pairs": campaign.pairs.count(),
            "tasks": cost.tasks,
            "cost": float(cost.total),
            "gold_pairs": gold_pairs,
            "gold_pairs_needed": needed_gold(campaign),
        }
