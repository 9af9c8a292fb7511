"""The launch checks. A launch stops at the first failure."""

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from decimal import Decimal

from django.conf import settings

from config.crowd_endpoints import is_loopback, known, origin
from config.errors import NotNow, Refusal
from config.guidance import Action, Guidance, Option
from config.plurals import many
from config.process import launcher
from judging.campaign.cost import money
from judging.campaign.gold_leaks import marks_in_words
from judging.campaign.hourly_pay import expected_pay
from judging.campaign.rehearsal_copy import refuse_during_rehearsal, rehearsal_is_under_way
from judging.campaign.reservations import reserved_for, sources
from judging.campaign.screening_forecast import (
    assumption_words,
    comparison_words,
    outlook_of,
    outlook_words,
    rules_compared,
)
from judging.campaign.spending_rights import spending_right
from judging.campaign.strategy_figures import outcomes_of
from judging.campaign.worker_texts import no_text_words, passages_without_text, unknown_figure
from judging.crowds import crowd_at
from judging.errors import CrowdError, NotReady
from judging.launch.check_results import Checked, Passed
from judging.launch.forecast import later_rounds_words
from judging.launch.gold_checks import check_gold, check_strategies
from judging.launch.plan import Plan
from judging.launch.second_launches import check_not_launched
from judging.models import Campaign
from judging.money.offer_words import offer_of
from judging.rules.qualifications import limit_words
from judging.rules.reading_speed import TIMES_THE_EXPECTED, least_limit

PAGE_SECONDS = 10


def check_list(plan: Plan) -> Iterator[Checked]:
    """Run the checks in order and yield each that passes; raise :class:`NotReady` at the first that fails."""
    _check_has_tasks(plan)
    for name, check in _applicable_checks(plan.campaign):
        yield _passed_check(name, check(plan))


def each_check(plan: Plan) -> list[Checked]:
    """Run every check and return all results. Raises NotReady after the launch or if nothing is left to judge."""
    _check_has_tasks(plan)
    return [_run_check(name, check, plan) for name, check in _applicable_checks(plan.campaign)]


def _applicable_checks(campaign: Campaign) -> list[tuple[str, Callable[[Plan], Passed]]]:
    left_out = {
        MARKED: not campaign.mark_query_words,
        STRATEGIES: bool(campaign.rehearsal_of_id),  # checked for the original campaign
        REHEARSAL: not rehearsal_is_under_way(campaign),
    }
    return [row for row in CHECKS.items() if not left_out.get(row[0])]


def _passed_check(name: str, said: Passed) -> Checked:
    return Checked(name, True, said.words, said.next_step, said.attention, said.outcomes)


def _run_check(name: str, check: Callable[[Plan], Passed], plan: Plan) -> Checked:
    try:
        return _passed_check(name, check(plan))
    except NotNow:
        raise
    except Refusal as refusal:
        tried = outcomes_of(plan.campaign) if name == STRATEGIES else None
        return Checked(name, False, refusal.message, refusal.next_step, outcomes=tried)


def check_rehearsable(plan: Plan) -> None:
    """Raise NotReady for faults that also stop a rehearsal: no tasks, too few gold pairs, texts not accepted."""
    _check_has_tasks(plan)
    check_gold(plan.campaign)
    _check_worker_texts(plan)


def _check_has_tasks(plan: Plan) -> None:
    check_not_launched(plan.campaign)
    grading = plan.campaign.grading
    if grading is not None and grading.ended_at is not None:
        raise NotReady(
            f"The judging of {grading.name} has ended.",
            Action(
                "end_grading", grading.collection.name, f"{grading.name} --reopen --why WHY", lead="Reopen it"
            ),
        )
    if not plan.cost.tasks:
        raise NotReady("There is nothing to judge: no task of the campaign is left to do.")


def _check_endpoint(plan: Plan) -> Passed:
    endpoint, cost = plan.endpoint, plan.cost
    if endpoint == settings.EMBEDDED_CROWD_ENDPOINT:
        return Passed(f"the built-in marketplace at {endpoint}: no outside money is spent")
    if endpoint != settings.CROWD_ENDPOINT:
        raise NotReady(
            f"{endpoint} is not this installation's endpoint ({settings.CROWD_ENDPOINT}).",
            "Set PREFEREE_CROWD_ENDPOINT and its keys, so that every process calls the same crowd.",
        )
    crowd = known(endpoint)
    name = f"{crowd.name} ({endpoint})" if crowd else f"another crowd at {endpoint}"
    if plan.confirm_spend is None or plan.confirm_spend < cost.total:
        money_words = "in play money" if crowd and not crowd.real_money else "of real money"
        raise NotReady(
            f"This costs ${cost.total:,.2f} {money_words} at {name}, not counting repeats.",
            Guidance(
                "Confirm it with: ",
                Option("endpoint"),
                f" {endpoint} ",
                Option("confirm-spend"),
                f" {cost.total:.2f}",
            ),
        )
    return Passed(f"{name}, spending up to ${plan.confirm_spend:,.2f} confirmed")


def _check_balance(plan: Plan) -> Passed:
    try:
        balance = crowd_at(plan.campaign.crowd, plan.endpoint).balance()
    except CrowdError as error:
        raise NotReady(f"The crowd did not return the balance. {error.message}", error.next_step) from error
    if balance < plan.cost.total:
        raise NotReady(
            f"The crowd account has a balance of ${balance:,.2f}; ${plan.cost.total:,.2f} is needed.",
            "Add money to the account, then try again.",
        )
    return Passed(f"the account has a balance of ${balance:,.2f}")


def _check_cost(plan: Plan) -> Passed:
    campaign, cost = plan.campaign, plan.cost
    committed = money(campaign)["committed"]
    total = cost.total + committed
    if campaign.budget is not None and total > campaign.budget:
        raise NotReady(
            f"{_in_total(cost.total, committed)}, over the campaign's budget of ${campaign.budget:,.2f}.",
            Guidance(Action("raise_budget", campaign.name, f"{total:.2f}"), ", or judge fewer queries."),
        )
    if settings.BUDGET_CAP and total > settings.BUDGET_CAP:
        raise NotReady(
            f"{_in_total(cost.total, committed)}, over the cap of ${settings.BUDGET_CAP:,.2f} (PREFEREE_BUDGET_CAP)."
        )
    tasks = many(cost.tasks, "task costs", "tasks cost")
    words = f"{tasks} ${cost.total:,.2f} (rewards ${cost.reward:,.2f}, fees ${cost.fee:,.2f})"
    if not plan.pilot:  # a pilot repeats nothing
        seen = outlook_words(outlook_of(campaign), cost, graded=campaign.grades > 0)
        words = f"{words}; {seen}{later_rounds_words(campaign)}"
    if committed:
        words = f"{words}; ${committed:,.2f} is already committed"
    return Passed(words) if plan.pilot else _passed_within_limit(plan, words, committed)


def _in_total(cost: Decimal, committed: Decimal) -> str:
    """Return the beginning of a sentence about the tasks' cost and the total with what is committed, in dollars."""
    words = f"These tasks cost ${cost:,.2f}"
    if not committed:
        return words
    return f"{words}. With ${committed:,.2f} already committed, the total is ${cost + committed:,.2f}"


def _check_spending_right(plan: Plan) -> Passed:
    """Check that the person can spend the plan's amount, and that the installation's cap allows it."""
    campaign = plan.campaign
    if campaign.rehearsal_of_id:
        return Passed("a rehearsal pays nobody: nothing is reserved")
    sources(campaign, plan.ceiling, by=plan.by)
    more = max(Decimal(0), plan.ceiling - reserved_for(campaign))
    right = spending_right(plan.by, campaign.collection)
    if not right.unlimited:
        return Passed(f"${more:,.2f} of the ${right.left:,.2f} that you can spend here will be reserved")
    if right.left is None:
        return Passed(f"${more:,.2f} will be reserved; this installation has no cap")
    return Passed(
        f"${more:,.2f} of the ${right.left:,.2f} left under this installation's cap will be reserved "
        f"(${right.installation.cap:,.2f} in {many(right.installation.days, 'day')})"
    )


def _passed_within_limit(plan: Plan, words: str, committed: Decimal) -> Passed:
    """Return the passed cost check, with a warning if the spending limit is too low for the expected repeats."""
    cap = min(plan.ceiling, settings.BUDGET_CAP or plan.ceiling)
    foreseen = outlook_of(plan.campaign).expected.cost(plan.cost.total)
    enough = foreseen is not None and foreseen + committed <= cap
    if enough or plan.campaign.rehearsal_of_id:
        return Passed(words)
    return Passed(
        f"{words}. The expected cost is above the limit of ${cap:,.2f}: the campaign would stop before everything is "
        "judged. Raise the limit, or choose another screening rule, fewer tasks per worker or clearer "
        f"{plan.campaign.gold_words}s",
        attention=True,
    )


def _check_screening_rule(plan: Plan) -> Passed:
    """Compare the chosen screening rule with the others, and name the recommended one."""
    rule, rows = plan.campaign.screen, rules_compared(plan.campaign)
    if not plan.campaign.gold_per_task:
        return Passed(f"there are no {plan.campaign.gold_words}s, so nobody is screened", attention=True)
    best = next((row.rule for row in rows if row.recommended), rule)
    recommended = "and recommended" if best == rule else f"but {best} is recommended for this campaign"
    compared = comparison_words(rows, graded=plan.campaign.grades > 0)
    words = f"{rule} is chosen, {recommended}. {compared}. Assumed: {assumption_words(plan.campaign)}"
    return Passed(words, attention=not any(row.level for row in rows if row.rule == rule))


def _check_page_reachable(plan: Plan) -> Passed:
    """Check that the judging pages respond at their public URL, by requesting their health check."""
    url = settings.PUBLIC_URL
    if is_loopback(url):
        if not is_loopback(plan.endpoint):
            raise NotReady(
                f"Workers at {plan.endpoint} cannot reach {url}, an address that only this machine can use.",
                "Put the pages behind HTTPS and set PREFEREE_PUBLIC_URL to their address.",
            )
        return Passed(f"{url}, for a crowd on this machine")
    if not url.startswith("https://"):
        raise NotReady(
            f"The pages at {url} are not served over HTTPS, so browsers do not show them inside a crowd's page.",
            "Put them behind HTTPS and set PREFEREE_PUBLIC_URL to that address.",
        )
    health, trusted = f"{url}/healthz", ssl.create_default_context()
    try:
        with urllib.request.urlopen(health, timeout=PAGE_SECONDS, context=trusted) as reply:  # noqa: S310 -- ours
            said = json.load(reply)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise NotReady(
            f"The pages do not answer at {health}: {error}.",
            "Start them (make run, or the web service), check the proxy and its certificate, and try again.",
        ) from error
    if not isinstance(said, dict) or said.get("installation") != launcher.installation():
        raise NotReady(
            f"Another server answers at {url}, not this installation.",
            "Set PREFEREE_PUBLIC_URL to the address of these pages; every process needs the same SECRET_KEY.",
        )
    return Passed(f"{url} answers this machine over HTTPS; open it once from another network as well")


def _check_crowd_hosts(plan: Plan) -> Passed:
    """Check that only the crowd's sites can frame the judging page and receive its form."""
    allowed = [origin(host) for host in settings.CROWD_HOSTS]
    if not allowed or not all(allowed):
        raise NotReady(
            "PREFEREE_CROWD_HOSTS is empty, or one of its entries is not a web address.",
            "Set it to the origins of the crowd's worker sites, such as https://crowd.example.",
        )
    crowd = known(plan.endpoint)
    missing = [host for host in (crowd.hosts if crowd else ()) if host not in allowed]
    if crowd and missing:
        raise NotReady(
            f"The judging page cannot be shown at {' and '.join(missing)}, where workers of {crowd.name} open it.",
            f"Set PREFEREE_CROWD_HOSTS={','.join(crowd.hosts)}, or unset it, and restart the pages.",
        )
    return Passed(", ".join(allowed))


def _check_qualifications(plan: Plan) -> Passed:
    """Check that each required qualification exists at the crowd and is active. List all of them by name."""
    if not plan.campaign.qualifications:
        return Passed("none required")
    crowd = crowd_at(plan.campaign.crowd, plan.endpoint)
    words = []
    for asked in plan.campaign.qualifications:
        key = str(asked["QualificationTypeId"])
        try:
            found = crowd.qualification(key)
        except CrowdError as error:
            raise NotReady(
                f"The crowd did not return the qualification {key}. {error.message}", error.next_step
            ) from error
        if not found.active:
            raise NotReady(f"The qualification {found.name!r} ({key}) is inactive, so nobody can meet it.")
        words.append(limit_words(asked, name=found.name))
    return Passed("; ".join(words))


def _check_worker_texts(plan: Plan) -> Passed:
    campaign = plan.campaign
    if not campaign.title.strip():
        raise NotReady("The campaign has no title.")
    for name, text in {"consent": campaign.consent_text, "instructions": campaign.instructions_text}.items():
        if not text.strip():
            raise NotReady(f"The {name} text is empty.", Action("set_texts", campaign.name, f"--{name} FILE"))
        if unknown := unknown_figure(campaign, text):
            raise NotReady(
                f"The {name} text contains {unknown}, for which the campaign has no value.",
                Guidance(
                    "Correct the text, then run: ",
                    Action("set_texts", campaign.name, f"--{name} FILE", lead=""),
                ),
            )
    if campaign.texts_accepted_at is None:
        raise NotReady(
            "Nobody has accepted the texts that workers see.",
            Action("set_texts", campaign.name, "--accept"),
        )
    missing = passages_without_text(campaign)
    if missing and not (campaign.placeholder_text or plan.placeholder_text):
        raise NotReady(
            no_text_words(missing),
            Guidance(
                Action("fetch_passages", campaign.collection.name, "--passages FILE"),
                ", or let only simulated workers in, with ",
                Option("placeholder-text"),
                ".",
            ),
        )
    if campaign.gold_per_task and "{screening}" not in campaign.consent_text:
        return Passed(
            f"accepted; the consent text has no {{screening}}: make sure it explains how the rule {campaign.screen} "
            f"affects workers who miss a {campaign.gold_words}",
            attention=True,
        )
    if missing:
        return Passed(
            f"accepted; {many(len(missing), 'passage without text is', 'passages without text are')} shown as "
            "placeholders, to simulated workers only"
        )
    return Passed("accepted; every passage has a text")


def _check_hourly_pay(plan: Plan) -> Passed:
    """Check that the expected pay is not below the promised minimum."""
    pay = expected_pay(plan.campaign)
    tasks = many(pay.measured, "task")
    source = f"the median of {tasks} in the pilot" if pay.measured else "estimated; a pilot measures it"
    minutes = f"{pay.seconds / 60:.1f} minutes a task"
    least = plan.minimum_hourly
    if least is not None and pay.hourly < least:
        raise NotReady(
            Guidance(
                f"Workers would earn ${pay.hourly:,.2f} an hour ({minutes}, {source}), less than the minimum of "
                f"${least:,.2f} (",
                Option("minimum-hourly"),
                ").",
            ),
            Guidance(
                "Create a campaign with ",
                Option("reward"),
                f" {pay.reward_for(least):.2f} or more, or with fewer {plan.units} a task.",
            ),
        )
    told = f"workers read, with the minutes rounded: {offer_of(plan.campaign)}"
    return Passed(f"${pay.hourly:,.2f} an hour ({minutes}, {source}); {told}")


def _check_time_limit(plan: Plan) -> Passed:
    """Check that nobody has to hurry: the limit is several times the expected time."""
    limit, pay = plan.campaign.assignment_seconds, expected_pay(plan.campaign)
    source = f"the median of {many(pay.measured, 'task')} in the pilot" if pay.measured else "estimated"
    expected = f"{pay.seconds / 60:.1f} minutes expected ({source})"
    if limit < TIMES_THE_EXPECTED * pay.seconds:
        raise NotReady(
            f"The limit of {limit / 60:.0f} minutes a task is less than {TIMES_THE_EXPECTED} times the {expected}.",
            Guidance(
                f"Allow at least {least_limit(pay.seconds) // 60} minutes a task (",
                Option("task-minutes"),
                f"), or use fewer {plan.units}.",
            ),
        )
    return Passed(f"{limit / 60:.0f} minutes for a task, {limit / pay.seconds:.1f} times the {expected}")


def _check_no_rehearsal_runs(plan: Plan) -> Passed:
    refuse_during_rehearsal(plan.campaign)
    return Passed("none is running")


MARKED, STRATEGIES, REHEARSAL = "marked words", "strategies", "rehearsal"
#: The launch checks by name, in the order in which a launch runs them.
CHECKS: dict[str, Callable[[Plan], Passed]] = {
    REHEARSAL: _check_no_rehearsal_runs,
    "endpoint": _check_endpoint,
    "balance": _check_balance,
    "cost": _check_cost,
    "spending": _check_spending_right,
    "gold": lambda plan: check_gold(plan.campaign),
    STRATEGIES: check_strategies,
    "screening": _check_screening_rule,
    MARKED: lambda plan: Passed(marks_in_words(plan.campaign)),
    "page": _check_page_reachable,
    "crowd hosts": _check_crowd_hosts,
    "qualifications": _check_qualifications,
    "texts": _check_worker_texts,
    "pay": _check_hourly_pay,
    "time": _check_time_limit,
}
