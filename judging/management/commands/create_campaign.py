from argparse import BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings
from django.db import transaction

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from judging.campaign.campaigns import PRESETS, CampaignSettings, create_campaign
from judging.campaign.cost import quote_tasks
from judging.campaign.gold_pairs import import_gold, needed_gold
from judging.grading.crowd_grading import create_crowd_campaign
from judging.grading.graded_campaigns import graded_campaign_named
from judging.management.amounts import dollars_option
from judging.models import Campaign
from pooling.collections.lookups import collection_named, pool_named


def _money_arguments(parser: CommandParser, defaults: CampaignSettings) -> None:
    parser.add_argument("--reward", default=str(defaults.reward), help="dollars for a task (default 2.00)")
    parser.add_argument(
        "--pay",
        choices=Campaign.Pay.values,
        default=defaults.pay,
        help="split: a base reward for each submitted task, and the rest as a bonus for the pairs judged; "
        "whole: everything as the reward (default split)",
    )
    parser.add_argument(
        "--base-reward", help="the part of the reward paid for each submitted task, in dollars (default 0.20)"
    )
    parser.add_argument("--budget", help="the spending limit in dollars, fees included (default none)")


def _screening_arguments(parser: CommandParser, defaults: CampaignSettings) -> None:
    parser.add_argument(
        "--screen",
        choices=Campaign.Screen.values,
        default=defaults.screen,
        help="when failed gold pairs exclude a worker: reference, at the first failure; two-strikes, at the second; "
        f"rate, if honest slips cannot explain the number of failures (default {defaults.screen}, the reference "
        "experiment's); launch_campaign --screen recommended uses the rule that fits the campaign best",
    )
    parser.add_argument(
        "--slip-rate",
        type=float,
        default=defaults.slip_rate,
        help="largest share of gold pairs that honest workers are assumed to miss (default "
        f"{defaults.slip_rate}); used by rate screening, and by the forecast until a pilot has measured the rate",
    )
    parser.add_argument(
        "--preset",
        choices=[name for name in PRESETS if name],
        default="",
        help="the set of qualifications that workers need",
    )


def _page_arguments(parser: CommandParser, defaults: CampaignSettings) -> None:
    parser.add_argument(
        "--contact", default="", help="contact for workers, shown in the consent text and on refusals"
    )
    parser.add_argument("--ethics-approval", default="", help="approving board and number, shown to workers")
    parser.add_argument("--content-warning", default="", help="warning shown to workers before they agree")
    parser.add_argument("--allow-undecided", action="store_true", help='offer the answer "Cannot decide"')
    parser.add_argument(
        "--mark-query-words",
        action="store_true",
        help="mark the words of the question in both passages; this can reveal gold pairs",
    )
    parser.add_argument(
        "--language",
        choices=[tag for tag, _ in django_settings.LANGUAGES],
        default=defaults.language,
        help="language of workers' pages; passages use the collection's language (default en)",
    )
    minutes = defaults.assignment_seconds // 60
    parser.add_argument(
        "--task-minutes", type=int, default=minutes, help=f"time limit for a task (default {minutes})"
    )


class Command(BaseCommand):
    help = "Create a campaign: pack the pairs of a pool into tasks. Workers see nothing before a pilot or the launch."
    example = "manage.py create_campaign spring --pool tops --reward 2.00"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--pool", help="the pool to judge")
        what.add_argument(
            "--collection",
            help="a collection to import judgments into, or the collection of the graded campaign (--grading)",
        )
        parser.add_argument(
            "--grading",
            metavar="NAME",
            help="a graded campaign of the collection: workers grade its topics' passages, one at a time",
        )
        defaults = CampaignSettings()
        whole = {
            "pairs-per-task": "pairs in a task, not counting gold pairs",
            "gold-per-task": "hidden gold pairs added to each task",
            "repeats-per-task": "earlier pairs of the worker shown again in each task, with the sides swapped",
            "judgments-per-pair": "judgments per pair, each by a different worker",
            "max-tasks-per-worker": "tasks one worker can do (20 is lowered if it exceeds 35%% of the pairs)",
            "seed": "random seed for packing, order and sides",
            "withdrawal-days": "days in which a worker can withdraw judgments",
            "answer-days": "working days within which you answer appeals, as shown to workers",
            "hold-hours": "hours between collecting work and paying it, so that a person can review it",
            "minimum-seconds": "seconds that a pair is on screen before it can be answered",
            "minimum-age": "minimum age that workers have to confirm; 0: no confirmation",
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
            help="accepted gold pairs, one per line: qid relevant-pid off-topic-pid [kind], where kind is "
            "easy or hard",
        )
        parser.add_argument(
            "--refuse-excluded-elsewhere",
            action=BooleanOptionalAction,
            default=defaults.refuse_excluded_elsewhere,
            help="refuse workers whom another campaign of the collection excluded for two or more failed gold pairs, "
            "for repeated work without a judged pair, or by a person's decision (default yes)",
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
        grading: str | None,
        gold: Path,
        reward: str,
        budget: str | None,
        base_reward: str | None,
        task_minutes: int,
        **options: Any,
    ) -> dict[str, Any]:
        amount, most = (
            dollars_option("--reward", reward),
            dollars_option("--budget", budget) if budget else None,
        )
        base = dollars_option("--base-reward", base_reward) if base_reward else None
        if gold and not gold.is_file():
            raise UsageError(f"--gold: file {gold} does not exist.")
        chosen = {key: options[key] for key in CampaignSettings.__dataclass_fields__ if key in options}
        if grading and not collection:
            raise UsageError("--grading needs --collection: the collection of the graded campaign.")
        settings = CampaignSettings(
            reward=amount,
            base_reward=base,
            budget=most,
            assignment_seconds=60 * task_minutes,
            **chosen,
        )
        with transaction.atomic():
            if grading:
                graded = graded_campaign_named(collection_named(collection), grading)
                campaign = create_crowd_campaign(graded, name=name, settings=settings)
            else:
                campaign = create_campaign(
                    name=name,
                    settings=settings,
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
            "max_tasks_per_worker": campaign.max_tasks_per_worker,
            "gold_pairs": gold_pairs,
            "gold_pairs_needed": needed_gold(campaign),
        }
