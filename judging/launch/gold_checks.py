"""Launch checks for gold pairs: there are enough of them, and workers who do not read fail them."""

import math
from collections.abc import Sequence

from django.db.models import BigIntegerField, Count, Max, QuerySet, Sum
from django.db.models.functions import Cast

from config import kept_objects
from config.guidance import Action, Guidance, Option, joined
from config.plurals import many
from judging.campaign.gold_coverage import MOST_TASKS, gold_in, lacking_tasks, tasks_as_shown
from judging.campaign.gold_leaks import most_uses_of_one_off_topic_passage
from judging.campaign.gold_pairs import needed_gold
from judging.campaign.setting_names import setting_names
from judging.campaign.shared_figures import kept_while_reading
from judging.campaign.strategy_figures import outcomes_of, recognizable_gold_warning
from judging.campaign.worker_texts import pairs_asked
from judging.errors import NotReady
from judging.launch.check_results import Passed
from judging.launch.plan import Plan
from judging.models import Campaign, GoldPair, Task, TaskPair
from judging.rules.familiarity import MOST_OF_A_CAMPAIGN, most_tasks
from judging.rules.packing import task_count
from judging.rules.strategies import (
    BY_GRADE,
    BY_MEMORY,
    BY_SIDE,
    MOST_OF_FIVE,
    MOST_OF_ONE,
    Outcome,
    Outcomes,
)

#: An off-topic passage in more gold pairs than this can lead to a warning.
FEW_USES = 3
#: A strategy that passes single tasks with a higher probability than this leads to a warning.
MOST_PASSING = 0.05
#: A memory strategy that answers more than this share of gold pairs correctly leads to advice on how to prevent it.
KNOWN_BY_MEMORY = 0.75
#: The maximum number of strategies listed in a sentence.
NAMED = 3
#: The name of the launch option that accepts weak screening.
ACCEPT_WEAK = "accept-weak-screening"
#: How long to cache figures that depend only on the tasks, in seconds.
KEEP_SECONDS = 86400


def check_gold(campaign: Campaign) -> Passed:
    """Check that there are enough gold pairs, and warn if workers can recognize them.

    Raises the errors of :func:`require_gold`.
    """
    accepted = require_gold(campaign)
    hard = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED, kind=GoldPair.Kind.HARD).count()
    words = f"{many(accepted, campaign.gold_words)} accepted, {hard} of them hard"
    if not campaign.gold_per_task:
        return Passed(words)
    words = f"{words}; one worker does at most {many(campaign.max_tasks_per_worker, 'task')}"
    remarks = [
        _gold_shortage_warning(campaign),
        _repeated_passage_warning(campaign, accepted),
        _history_warning(campaign),
        recognizable_gold_warning(campaign, outcomes_of(campaign).page),
    ]
    said = [remark for remark in remarks if remark]
    return Passed(joined("; ", [words, *said]), attention=bool(said))


def require_gold(campaign: Campaign) -> int:
    """Return the number of accepted gold pairs.

    Raises NotReady if there are fewer than a worker can need, or if some task has too few that fit it.
    """
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
    needed, gold = needed_gold(campaign), campaign.gold_words
    if accepted < needed:
        there = (
            f"{many(accepted, f'{gold} is', f'{gold}s are')} accepted and {many(needed, 'is', 'are')} needed"
        )
        raise NotReady(
            f"{there}: {campaign.gold_per_task} per task, for up to "
            f"{many(campaign.max_tasks_per_worker, 'task')} per worker. No worker sees a {gold} twice.",
            Guidance(
                Action("propose_gold", campaign.name),
                " and then ",
                Action("accept_gold", campaign.name, lead=""),
                ", or create the campaign with a lower ",
                Option("max-tasks-per-worker"),
                ".",
            ),
        )
    if campaign.gold_per_task:
        _check_every_task(campaign, accepted)
    return accepted


def _check_every_task(campaign: Campaign, accepted: int) -> None:
    """Raise NotReady if any task has too few gold pairs that fit it, so that no worker could ever take it."""
    tasks = campaign.tasks.aggregate(count=Count("pk"), last=Max("pk"))
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    sums = [Cast(Sum(name), BigIntegerField()) for name in ("pk", "query")]
    of_gold = gold.aggregate(last=Max("pk"), keys=sums[0], queries=sums[1])
    about = (*tasks.values(), campaign.gold_per_task, accepted, *of_gold.values())
    key = kept_objects.object_key("tasks-without-gold", campaign.pk, *about)
    without: int | None = kept_objects.kept(key)
    if without is None:
        without = count_tasks_without_gold(campaign, campaign.tasks.order_by("number")[:MOST_TASKS])
        kept_objects.keep_object(key, without, KEEP_SECONDS)
    if without:
        raise NotReady(
            no_gold_fits_words(campaign, without),
            Guidance(
                f"Accept {campaign.gold_words}s on more questions: ",
                Action("propose_gold", campaign.name, lead=""),
                " and then ",
                Action("accept_gold", campaign.name, lead=""),
                ". Or use smaller tasks (",
                _option(campaign, "pairs_per_task"),
                ").",
            ),
        )


def no_gold_fits_words(campaign: Campaign, tasks: int) -> str:
    """Return a sentence that says that no worker can take ``tasks`` of the campaign's tasks, and why."""
    wanted, gold = campaign.gold_per_task, campaign.gold_words
    few = f"no {gold} that fits" if wanted == 1 else f"fewer than {wanted} {gold}s that fit"
    return (
        f"{many(tasks, 'task has', 'tasks have')} {few}, so no worker can take {'it' if tasks == 1 else 'them'}: "
        f"{_why_gold_does_not_fit(campaign)}."
    )


def _why_gold_does_not_fit(campaign: Campaign) -> str:
    if campaign.grades:
        return "a worker never sees a passage twice, as a test or otherwise"
    return (
        "a gold pair never repeats a question of the same task, and never shows a worker the same passage for a "
        "second question"
    )


def count_tasks_without_gold(campaign: Campaign, tasks: QuerySet[Task]) -> int:
    """Return how many of these tasks have too few gold pairs that fit, even for a worker who has seen nothing yet."""
    gold = gold_in(campaign, [GoldPair.State.ACCEPTED])
    return len(lacking_tasks(campaign, tasks_as_shown(tasks), gold))


def _repeated_passage_warning(campaign: Campaign, accepted: int) -> str:
    most = most_uses_of_one_off_topic_passage(campaign)
    if most <= FEW_USES or most * 10 <= accepted:
        return ""
    return (
        f"one off-topic passage appears in {most} {campaign.gold_words}s: a worker who sees it repeatedly learns "
        "that it is the wrong one. Drop some of them and propose others, or import your own"
    )


def _history_warning(campaign: Campaign) -> str:
    """Return a warning if workers who do a large share of the campaign can recognize gold pairs, or ""."""
    pairs = pairs_asked(campaign)
    tasks, most = task_count(pairs, campaign.pairs_per_task), most_tasks(pairs, campaign.pairs_per_task)
    if campaign.grades or min(campaign.max_tasks_per_worker, tasks) <= most:
        return ""  # a worker sees each single passage once
    return Guidance(
        f"one worker can judge more than {MOST_OF_A_CAMPAIGN:.0%} of the campaign's pairs. Passages of real "
        "pairs then appear more often than those of gold pairs, which reveals the gold pairs. To prevent this, "
        f"let a worker do at most {many(most, 'task')} (",
        Option("max-tasks-per-worker"),
        ")",
    )


def _repeated_question_warning(campaign: Campaign) -> str:
    """Return a warning if tasks ask a question twice, which reveals that these pairs are real, or ""."""
    tasks = 0 if campaign.grades else _count_tasks_with_repeats(campaign)
    if not tasks:
        return ""
    most = campaign.pairs.values("query").order_by().annotate(pairs=Count("pk")).aggregate(most=Max("pairs"))
    few = pairs_asked(campaign) // (most["most"] or 1)
    return Guidance(
        f"{many(tasks, 'task asks', 'tasks ask')} a question more than once. Gold pairs never do, which reveals "
        f"that these pairs are real. To prevent this, use at most {many(few, 'pair')} a task (",
        Option("pairs-per-task"),
        ")",
    )


def _count_tasks_with_repeats(campaign: Campaign) -> int:
    """Return how many tasks ask a question twice, cached until the tasks are repacked."""
    made = campaign.tasks.aggregate(count=Count("pk"), last=Max("pk"))
    key = kept_objects.object_key("asked-twice", campaign.pk, made["count"], made["last"])
    kept: int | None = kept_objects.kept(key)
    if kept is None:
        by_question = (
            TaskPair.objects.filter(task__campaign=campaign).values("task", "pair__query").order_by()
        )
        twice = by_question.annotate(pairs=Count("pk")).filter(pairs__gt=1)
        kept = twice.values("task").distinct().count()
        kept_objects.keep_object(key, kept, KEEP_SECONDS)
    return kept


def _gold_shortage_warning(campaign: Campaign) -> str:
    """Return a warning if a worker's later tasks run out of gold pairs, or ""."""
    outcomes = outcomes_of(campaign)
    if outcomes.fewest >= outcomes.wanted:
        return ""
    return (
        f"a worker can run out of {campaign.gold_words}s after {many(outcomes.fewest, 'task')} instead of "
        f"{outcomes.wanted}: "
        f"{_why_gold_does_not_fit(campaign)}. Accept more, on questions that have few"
    )


def check_strategies(plan: Plan) -> Passed:
    """Raise NotReady if tasks can be passed too easily without reading, unless somebody accepts that.

    The check always passes if only simulated workers judge, because they need no screening.
    """
    campaign = plan.campaign
    if plan.placeholder_text or campaign.placeholder_text:
        return Passed("only simulated workers judge, and they need no screening and read no texts")
    if not campaign.gold_per_task:
        return Passed(f"tasks have no {campaign.gold_words}s, so every submitted task passes", attention=True)
    outcomes = outcomes_of(campaign)
    if not outcomes.gold:
        return Passed(f"no {campaign.gold_words} is accepted yet")
    if unfit := unfit_to_screen(campaign):
        if not plan.accept_weak_screening:
            raise NotReady(unfit, _improve_or_accept(campaign, outcomes))
        return Passed(unfit, attention=True, next_step=_improving_step(campaign, outcomes), outcomes=outcomes)
    easiest = _success_rates(outcomes.rows[0], outcomes.tasks)
    if not outcomes.above(MOST_PASSING):
        none = f"no strategy tried passes more than {MOST_PASSING:.0%} of single tasks"
        words = f"{none}; the most successful is {easiest}"
        return Passed(words, outcomes=outcomes)
    guessing = 0.5**campaign.gold_per_task
    words = (
        f"fit to screen, though not strictly: guessing alone passes {guessing:.1%} of single tasks with "
        f"{many(campaign.gold_per_task, campaign.gold_words)} a task; the most successful strategy tried is {easiest}"
    )
    return Passed(words, attention=True, next_step=_improving_step(campaign, outcomes), outcomes=outcomes)


@kept_while_reading
def unfit_to_screen(campaign: Campaign) -> str:
    """Return why workers can pass tasks without reading, or "" if the gold pairs and tasks are fit to screen them."""
    if not campaign.gold_per_task:
        return ""
    found = (_passed_without_reading(outcomes_of(campaign)), _repeated_question_warning(campaign))
    faults = [fault for fault in found if fault]
    return Guidance("Not fit to screen: ", joined(". ", faults)) if faults else ""


def _passed_without_reading(outcomes: Outcomes) -> str:
    """Return a sentence that names the strategies that pass tasks too easily although they judge badly, or ""."""
    over = outcomes.over_the_bar()
    if not over:
        return ""
    told = "; ".join(_success_rates(row, outcomes.tasks) for row in over[:NAMED])
    if len(over) > NAMED:
        told = f"The easiest {NAMED}: {told}"
    return (
        f"{many(len(over), 'strategy passes', 'strategies pass')} tasks too easily without reading (more than "
        f"{MOST_OF_ONE:.0%} of single tasks, or {MOST_OF_FIVE:.0%} of 5 in a row). {told}"
    )


def _improve_or_accept(campaign: Campaign, outcomes: Outcomes) -> str:
    """Return advice on how to improve the gold pairs, and on how to launch with them as they are."""
    anyway = Guidance("To go ahead with weak screening, choose ", Option(ACCEPT_WEAK), ".")
    return joined(" ", [step for step in (_improving_step(campaign, outcomes), anyway) if step])


def _success_rates(row: Outcome, tasks: Sequence[int]) -> str:
    passes = [
        f"{chance:.1%} of {'single tasks' if count == 1 else f'{count} in a row'}"
        for count, chance in zip(tasks, row.passes, strict=True)
    ]
    agrees = "" if row.agrees is None else f", agreeing with {row.agrees:.0%} of the labels"
    return f"{row.name} ({', '.join(passes)}{agrees})"


def _improving_step(campaign: Campaign, outcomes: Outcomes) -> str:
    """Return advice on how to make strategies pass fewer tasks; empty if there is none."""
    per_task = campaign.gold_per_task
    guessing: float = 0.5**per_task
    steps: list[str] = []
    if guessing > MOST_PASSING:
        enough = math.ceil(math.log2(1 / MOST_PASSING))
        steps.append(
            Guidance(
                f"Add {campaign.gold_words}s to each task: with {enough} (",
                _option(campaign, "gold_per_task"),
                f") guessing passes {0.5**enough:.1%} of single tasks.",
            )
        )
    if balance := _balancing_step(campaign, outcomes):
        steps.append(balance)
    if any(row.right > KNOWN_BY_MEMORY for row in outcomes.rows if row.name in BY_MEMORY):
        steps.append(
            Guidance(
                f"A worker who remembers passages recognizes {campaign.gold_words}s by them. Propose others, or "
                "let a worker do fewer tasks (",
                Option("max-tasks-per-worker"),
                ").",
            )
        )
    return joined(" ", steps)


def _option(campaign: Campaign, setting: str) -> Option:
    label = setting_names(graded=campaign.grades > 0)[setting]
    return Option(setting.replace("_", "-"), label=label)


def _balancing_step(campaign: Campaign, outcomes: Outcomes) -> str:
    """Return advice if the best strategy based on texts gets over half of the gold pairs right, or "".

    The advice aims at exactly half, because below half the opposite strategy would pass.
    """
    by_text = [
        row for row in outcomes.above(MOST_PASSING) if row.name not in {*BY_SIDE, *BY_GRADE, *BY_MEMORY}
    ]
    excess = round((2 * by_text[0].right - 1) * outcomes.gold) if by_text else 0
    if excess <= 0:
        return ""
    name, right = by_text[0].name, by_text[0].right
    more = f"{excess} more that it answers incorrectly"
    if outcomes.gold - excess >= needed_gold(campaign):
        how = f"Drop {excess} that it answers correctly, or accept {more}."
    else:
        how = f"Accept {more}."
    return (
        f"Balance the {campaign.gold_words}s: “{name}” answers {right:.0%} of them correctly; half is best. {how} "
        "Below half, the opposite strategy would pass."
    )
