"""Checks of a campaign's gold pairs before a launch: enough of them, and none that can be passed without reading."""

from __future__ import annotations

import math
from collections.abc import Sequence

from config.plurals import many
from judging.errors import NotReady
from judging.models import Campaign, GoldPair
from judging.services.checked import Passed
from judging.services.giveaways import most_uses_of_one_off_topic_passage
from judging.services.gold import needed_gold
from judging.services.gold_drawing import tasks_with_gold
from judging.services.gold_proposals import labels_too_sparse
from judging.services.strategy_figures import outcomes_of
from judging.strategies import BY_MEMORY, BY_SIDE, MOST_OF_FIVE, MOST_OF_ONE, Outcome, Outcomes

#: An off-topic passage may stand in so many test pairs without a word.
FEW_USES = 3
#: The share of a campaign's pairs up to which a worker's history does not tell gold pairs (docs/methods.md).
MOST_OF_A_CAMPAIGN = 0.35
#: A strategy that passes single tasks with a larger chance than this is pointed out.
MOST_PASSING = 0.05
#: A strategy by memory that answers a larger share of gold right is pointed out.
KNOWN_BY_MEMORY = 0.75
#: So many strategies are named in a sentence.
NAMED = 3


def check_gold(campaign: Campaign) -> Passed:
    """Raises NotReady when fewer gold pairs are accepted than tasks may need."""
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
    needed = needed_gold(campaign)
    if accepted < needed:
        there = f"{many(accepted, 'gold pair is', 'gold pairs are')} accepted and {many(needed, 'is', 'are')} needed"
        raise NotReady(
            f"{there}: {campaign.gold_per_task} a task for {many(campaign.max_tasks_per_worker, 'task')} a worker, "
            "none of them seen twice.",
            f"Run: manage.py propose_gold {campaign.name} and then manage.py accept_gold {campaign.name}, "
            "or make the campaign with a lower --max-tasks-per-worker.",
        )
    hard = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED, kind=GoldPair.Kind.HARD).count()
    words = f"{many(accepted, 'pair')} accepted, {hard} of them hard"
    if not campaign.gold_per_task:
        return Passed(words)
    remarks = [
        _short_of_gold(campaign),
        _met_again_and_again(campaign, accepted),
        _told_by_history(campaign),
        labels_too_sparse(campaign),
    ]
    said = [remark for remark in remarks if remark]
    return Passed("; ".join([words, *said]), attention=bool(said))


def _met_again_and_again(campaign: Campaign, accepted: int) -> str:
    most = most_uses_of_one_off_topic_passage(campaign)
    if most <= FEW_USES or most * 10 <= accepted:
        return ""
    return (
        f"one off-topic passage stands in {most} of them: a worker who meets it again and again learns that it is "
        "the wrong one. Drop some of these pairs and propose others, or bring pairs of your own"
    )


def _told_by_history(campaign: Campaign) -> str:
    """What a worker who does a large share of the campaign can tell gold pairs by, or nothing."""
    pairs = campaign.pairs.count()
    tasks = -(-pairs // campaign.pairs_per_task)
    fewest = max(1, math.floor(pairs * MOST_OF_A_CAMPAIGN / campaign.pairs_per_task))
    if min(campaign.max_tasks_per_worker, tasks) <= fewest:
        return ""
    return (
        f"one worker may judge more than {MOST_OF_A_CAMPAIGN:.0%} of the campaign's pairs, and passages of real "
        "pairs then come up more often than those of gold pairs, which tells them apart. Make the campaign with "
        f"--max-tasks-per-worker {fewest} to prevent it"
    )


def _short_of_gold(campaign: Campaign) -> str:
    """Why later tasks of a worker would find no gold pairs that fit, or nothing. Raises NotReady for the first."""
    tasks = campaign.tasks.count()
    wanted = min(campaign.max_tasks_per_worker, tasks)
    fewest = tasks_with_gold(campaign)
    if fewest >= wanted:
        return ""
    why = (
        "a task never asks a question twice and no passage stands under two questions, which would tell "
        "gold pairs apart"
    )
    if not fewest:
        raise NotReady(
            f"No gold pairs fit a worker's first task: {why}.",
            "Accept gold pairs on more questions, or judge fewer pairs a task (--pairs-per-task).",
        )
    return (
        f"they may run out after {many(fewest, 'task')} of a worker, not {wanted}: {why}. Accept more, on "
        "questions that have few"
    )


def check_strategies(campaign: Campaign) -> Passed:
    """Point out strategies that pass tasks without reading. It never stops a launch."""
    if not campaign.gold_per_task:
        return Passed("tasks have no gold pairs: whoever sends one off passes it", attention=True)
    outcomes = outcomes_of(campaign)
    if not outcomes.gold:
        return Passed("no gold pair is accepted yet")
    easiest = _figures(outcomes.rows[0], outcomes.tasks)
    if not outcomes.above(MOST_PASSING):
        words = f"none passes more than {MOST_PASSING:.0%} of single tasks; the most successful is {easiest}"
        return Passed(words, outcomes=outcomes)
    if over := outcomes.over_the_bar():
        told = "; ".join(_figures(row, outcomes.tasks) for row in over[:NAMED])
        words = (
            f"Not fit to screen: {many(len(over), 'strategy passes', 'strategies pass')} tasks too easily without "
            f"reading (more than {MOST_OF_ONE:.0%} of single tasks, or {MOST_OF_FIVE:.0%} of 5 in a row). {told}"
        )
    else:
        guessing = 0.5**campaign.gold_per_task
        words = (
            f"fit to screen, if not strictly: guessing alone passes {guessing:.1%} of single tasks with "
            f"{many(campaign.gold_per_task, 'gold pair')} a task; the most successful strategy is {easiest}"
        )
    return Passed(words, attention=True, next_step=_next_step(campaign, outcomes), outcomes=outcomes)


def _figures(row: Outcome, tasks: Sequence[int]) -> str:
    passes = [
        f"{chance:.1%} of {'single tasks' if count == 1 else f'{count} in a row'}"
        for count, chance in zip(tasks, row.passes, strict=True)
    ]
    agrees = "" if row.agrees is None else f", agreeing with {row.agrees:.0%} of the labels"
    return f"{row.name} ({', '.join(passes)}{agrees})"


def _next_step(campaign: Campaign, outcomes: Outcomes) -> str:
    """What would bring the strategies below the limit."""
    per_task = campaign.gold_per_task
    guessing: float = 0.5**per_task
    steps = []
    if guessing > MOST_PASSING:
        enough = math.ceil(math.log2(1 / MOST_PASSING))
        steps.append(
            f"Add gold pairs to each task: with {enough} (--gold-per-task) guessing passes {0.5**enough:.1%} of "
            "single tasks."
        )
    if balance := _balance(campaign, outcomes):
        steps.append(balance)
    if any(row.right > KNOWN_BY_MEMORY for row in outcomes.rows if row.name in BY_MEMORY):
        steps.append(
            "A worker who remembers passages tells gold pairs by them: propose others, or let a worker do fewer "
            "tasks (--max-tasks-per-worker)."
        )
    return " ".join(steps)


def _balance(campaign: Campaign, outcomes: Outcomes) -> str:
    """How to leave the strategy by text that passes most easily with half of the gold; nothing when it has no more.

    With less than half, its opposite would pass instead.
    """
    by_text = [row for row in outcomes.above(MOST_PASSING) if row.name not in {*BY_SIDE, *BY_MEMORY}]
    excess = round((2 * by_text[0].right - 1) * outcomes.gold) if by_text else 0
    if excess <= 0:
        return ""
    name = by_text[0].name
    accept = f"ccept {excess} more that it answers wrong"
    if outcomes.gold - excess >= needed_gold(campaign):
        how = f"Drop {excess} that it answers right, or a{accept}"
    else:
        how = f"A{accept}"
    return (
        f"Balance the gold pairs: “{name}” answers {by_text[0].right:.0%} of them right, and half is best. {how}. "
        "With less than half, the opposite strategy would pass."
    )
