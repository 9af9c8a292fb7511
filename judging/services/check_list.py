"""The check list before anything is offered. It stops at the first failure."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from decimal import Decimal

from django.conf import settings

from config import launcher
from config.crowd_endpoints import is_loopback, known, origin
from config.errors import NotNow, Refusal
from config.plurals import many
from judging.crowds import crowd_at
from judging.errors import AlreadyLaunched, CrowdError, NotReady
from judging.models import Campaign
from judging.reading import TIMES_THE_EXPECTED, least_limit
from judging.requirements import limit_words
from judging.services.checked import Checked, Passed
from judging.services.expecting import (
    assumption_words,
    comparison_words,
    outlook_of,
    outlook_words,
    rules_compared,
)
from judging.services.giveaways import marks_in_words
from judging.services.gold_checks import check_gold, check_strategies
from judging.services.hourly import expected_pay
from judging.services.launch_plan import Plan
from judging.services.payments import money
from judging.services.reserving import reserved_for, sources
from judging.services.spending_rights import spending_right
from judging.services.texts import passages_without_text, unknown_figure

PAGE_SECONDS = 10


def check_list(plan: Plan) -> Iterator[Checked]:
    """Each check that passed; raises :class:`NotReady` at the first that did not."""
    _check_there_is_something(plan)
    for name, check in _checks_of(plan.campaign):
        yield _passed(name, check(plan))


def each_check(plan: Plan) -> list[Checked]:
    """Every check on its own: all that is wrong at once. Raises NotReady where there is nothing to check."""
    _check_there_is_something(plan)
    return [_checked(name, check, plan) for name, check in _checks_of(plan.campaign)]


def _checks_of(campaign: Campaign) -> list[tuple[str, Callable[[Plan], Passed]]]:
    left_out = {
        MARKED: not campaign.mark_query_words,
        STRATEGIES: bool(campaign.rehearsal_of_id),  # the campaign itself is looked at
    }
    return [row for row in CHECKS.items() if not left_out.get(row[0])]


def _passed(name: str, said: Passed) -> Checked:
    return Checked(name, True, said.words, said.next_step, said.attention, said.outcomes)


def _checked(name: str, check: Callable[[Plan], Passed], plan: Plan) -> Checked:
    try:
        return _passed(name, check(plan))
    except NotNow:
        raise
    except Refusal as refusal:
        return Checked(name, False, refusal.message, refusal.next_step)


def check_rehearsable(plan: Plan) -> None:
    """Raises NotReady for what a copy would lack as well: something to judge, test pairs, texts that are accepted."""
    _check_there_is_something(plan)
    check_gold(plan.campaign)
    _texts(plan)


def check_not_launched(campaign: Campaign) -> None:
    """Raises AlreadyLaunched for a campaign that was launched."""
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        on = "resume_campaign" if campaign.state == Campaign.State.PAUSED else "collect"
        raise AlreadyLaunched(
            f"The campaign {campaign.name} is {campaign.state} already.",
            f"What is still to be offered is offered by: manage.py {on} {campaign.name}",
        )


def _check_there_is_something(plan: Plan) -> None:
    check_not_launched(plan.campaign)
    if not plan.cost.tasks:
        raise NotReady("There is nothing to judge: every query of the pool has one passage at most.")


def _endpoint(plan: Plan) -> Passed:
    endpoint, cost = plan.endpoint, plan.cost
    if endpoint == settings.EMBEDDED_CROWD_ENDPOINT:
        return Passed(f"the built-in marketplace at {endpoint}: no outside money is spent")
    if endpoint != settings.CROWD_ENDPOINT:
        raise NotReady(
            f"{endpoint} is not the endpoint this installation is set to ({settings.CROWD_ENDPOINT}).",
            "Set PREFEREE_CROWD_ENDPOINT and its keys, so that every process calls the same crowd.",
        )
    crowd = known(endpoint)
    name = f"{crowd.name} ({endpoint})" if crowd else f"another crowd at {endpoint}"
    if plan.confirm_spend is None or plan.confirm_spend < cost.total:
        money_words = "in play money" if crowd and not crowd.real_money else "of real money"
        raise NotReady(
            f"This costs ${cost.total:,.2f} {money_words} at {name}, repeats not counted.",
            f"Confirm it with: --endpoint {endpoint} --confirm-spend {cost.total:.2f}",
        )
    return Passed(f"{name}, spending up to ${plan.confirm_spend:,.2f} confirmed")


def _balance(plan: Plan) -> Passed:
    try:
        balance = crowd_at(plan.campaign.crowd, plan.endpoint).balance()
    except CrowdError as error:
        raise NotReady(f"The crowd did not state its balance. {error.message}", error.next_step) from error
    if balance < plan.cost.total:
        raise NotReady(
            f"The crowd's account holds ${balance:,.2f}; this needs ${plan.cost.total:,.2f}.",
            "Put money on the account, then try again.",
        )
    return Passed(f"the account holds ${balance:,.2f}")


def _cost(plan: Plan) -> Passed:
    campaign, cost = plan.campaign, plan.cost
    committed = money(campaign)["committed"]
    total = cost.total + committed
    if campaign.budget is not None and total > campaign.budget:
        raise NotReady(
            f"${total:,.2f} is over the campaign's budget of ${campaign.budget:,.2f}.",
            f"Run: manage.py raise_budget {campaign.name} {total:.2f}, or judge fewer queries.",
        )
    if settings.BUDGET_CAP and total > settings.BUDGET_CAP:
        raise NotReady(f"${total:,.2f} is over the cap of ${settings.BUDGET_CAP:,.2f} (PREFEREE_BUDGET_CAP).")
    tasks = many(cost.tasks, "task costs", "tasks cost")
    words = f"{tasks} ${cost.total:,.2f} (rewards ${cost.reward:,.2f}, fees ${cost.fee:,.2f})"
    if not plan.pilot:  # a pilot repeats nothing
        words = f"{words}; {outlook_words(outlook_of(campaign), cost)}"
    if committed:
        words = f"{words}; ${committed:,.2f} are committed already"
    return Passed(words) if plan.pilot else _within_the_cap(plan, words, committed)


def _spending(plan: Plan) -> Passed:
    """The person who launches may spend so much, and the installation's cap leaves it."""
    campaign = plan.campaign
    if campaign.rehearsal_of_id:
        return Passed("a rehearsal pays nobody: nothing is reserved")
    sources(campaign, plan.ceiling, by=plan.by)
    more = max(Decimal(0), plan.ceiling - reserved_for(campaign))
    right = spending_right(plan.by, campaign.collection)
    if not right.unlimited:
        return Passed(f"${more:,.2f} are reserved of the ${right.left:,.2f} that you may spend here")
    if right.left is None:
        return Passed(f"${more:,.2f} are reserved; this installation has no cap")
    return Passed(
        f"${more:,.2f} are reserved of the ${right.left:,.2f} that this installation's cap leaves "
        f"(${right.installation.cap:,.2f} in {many(right.installation.days, 'day')})"
    )


def _within_the_cap(plan: Plan, words: str, committed: Decimal) -> Passed:
    """Whether the repeats that are to be expected would be stopped by what may be spent at most."""
    cap = min(plan.ceiling, settings.BUDGET_CAP or plan.ceiling)
    foreseen = outlook_of(plan.campaign).expected.cost(plan.cost.total)
    enough = foreseen is not None and foreseen + committed <= cap
    if enough or plan.campaign.rehearsal_of_id:
        return Passed(words)
    return Passed(
        f"{words}. No more than ${cap:,.2f} may be spent: the campaign would stop before every pair is judged, until "
        "that is raised. Another screening rule, fewer tasks a worker, or clearer test pairs cost less",
        attention=True,
    )


def _screening(plan: Plan) -> Passed:
    """The rule in force beside the others, and which one is recommended."""
    rule, rows = plan.campaign.screen, rules_compared(plan.campaign)
    if not plan.campaign.gold_per_task:
        return Passed("without test pairs nobody is screened", attention=True)
    level = any(row.level for row in rows if row.rule == rule)
    words = f"{rule} is in force. {comparison_words(rows)}. Assumed: {assumption_words(plan.campaign)}"
    return Passed(words, attention=not level)


def _page(plan: Plan) -> Passed:
    """The judging page answers where workers will look for it: asked for by a real request to its health check."""
    url = settings.PUBLIC_URL
    if is_loopback(url):
        if not is_loopback(plan.endpoint):
            raise NotReady(
                f"Workers of {plan.endpoint} cannot reach {url}: it names this machine only.",
                "Put the pages behind HTTPS and set PREFEREE_PUBLIC_URL to their address.",
            )
        return Passed(f"{url}, for a crowd on this machine")
    if not url.startswith("https://"):
        raise NotReady(
            f"The pages at {url} are not served over HTTPS; browsers do not show them in a crowd's page.",
            "Put them behind HTTPS and set PREFEREE_PUBLIC_URL to that address.",
        )
    health, trusted = f"{url}/healthz", ssl.create_default_context()
    try:
        with urllib.request.urlopen(health, timeout=PAGE_SECONDS, context=trusted) as reply:  # noqa: S310 -- ours
            said = json.load(reply)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise NotReady(
            f"The pages do not answer at {health}: {error}.",
            "Start them (make run, or the web service), look at the proxy and its certificate, and try again.",
        ) from error
    if not isinstance(said, dict) or said.get("installation") != launcher.installation():
        raise NotReady(
            f"Something else answers at {url}, not this installation's pages.",
            "Set PREFEREE_PUBLIC_URL to the address of these pages; every process needs the same SECRET_KEY.",
        )
    return Passed(
        f"{url} answers over HTTPS, asked from this machine; open it once from another network, too"
    )


def _hosts(plan: Plan) -> Passed:
    """The page lets the crowd's sites frame it, and sends its form to none but them."""
    allowed = [origin(host) for host in settings.CROWD_HOSTS]
    if not allowed or not all(allowed):
        raise NotReady(
            "PREFEREE_CROWD_HOSTS names no site, or something that is no site.",
            "Set it to the origins of the crowd's worker sites, like https://crowd.example.",
        )
    crowd = known(plan.endpoint)
    missing = [host for host in (crowd.hosts if crowd else ()) if host not in allowed]
    if crowd and missing:
        raise NotReady(
            f"The page refuses to be shown at {' and '.join(missing)}, where workers of {crowd.name} are.",
            f"Set PREFEREE_CROWD_HOSTS={','.join(crowd.hosts)}, or unset it, and start the pages again.",
        )
    return Passed(", ".join(allowed))


def _qualifications(plan: Plan) -> Passed:
    """What workers must have, with the crowd's own names for it."""
    if not plan.campaign.qualifications:
        return Passed("none asked for")
    crowd = crowd_at(plan.campaign.crowd, plan.endpoint)
    words = []
    for asked in plan.campaign.qualifications:
        key = str(asked["QualificationTypeId"])
        try:
            found = crowd.qualification(key)
        except CrowdError as error:
            raise NotReady(
                f"The crowd does not know the qualification {key}. {error.message}", error.next_step
            ) from error
        if not found.active:
            raise NotReady(f"The qualification {found.name!r} ({key}) is inactive: nobody could meet it.")
        words.append(limit_words(asked, name=found.name))
    return Passed("; ".join(words))


def _texts(plan: Plan) -> Passed:
    campaign = plan.campaign
    if not campaign.title.strip():
        raise NotReady("The campaign has no title.")
    for name, text in {"consent": campaign.consent_text, "instructions": campaign.instructions_text}.items():
        if not text.strip():
            raise NotReady(
                f"The {name} text is empty.", f"Run: manage.py set_texts {campaign.name} --{name} FILE"
            )
        if unknown := unknown_figure(campaign, text):
            raise NotReady(
                f"The {name} text has {unknown}, for which the campaign has no figure.",
                f"Mend it, then run: manage.py set_texts {campaign.name} --{name} FILE",
            )
    if campaign.texts_accepted_at is None:
        raise NotReady(
            "Nobody has accepted the texts that workers see.",
            f"Run: manage.py set_texts {campaign.name} --accept",
        )
    missing = passages_without_text(campaign)
    if missing and not (campaign.placeholder_text or plan.placeholder_text):
        raise NotReady(
            f"{many(missing, 'passage has', 'passages have')} no text.",
            f"Run: manage.py fetch_passages {campaign.collection.name} --passages FILE, "
            "or have simulated workers only, with --placeholder-text.",
        )
    if campaign.gold_per_task and "{screening}" not in campaign.consent_text:
        return Passed(
            f"accepted; the consent text has no {{screening}}: make sure that it says what the rule "
            f"{campaign.screen} does to workers who miss a test pair",
            attention=True,
        )
    if missing:
        return Passed(
            f"accepted; {many(missing, 'passage without text is', 'passages without text are')} shown as "
            "placeholders, to simulated workers only"
        )
    return Passed("accepted; every passage has one")


def _pay(plan: Plan) -> Passed:
    """The pay that a worker can expect is not below the least that was promised."""
    pay = expected_pay(plan.campaign)
    tasks = many(pay.measured, "task")
    source = f"the median of {tasks} in the pilot" if pay.measured else "by estimate; a pilot would tell"
    minutes = f"{pay.seconds / 60:.1f} minutes a task"
    least = plan.minimum_hourly
    if least is not None and pay.hourly < least:
        raise NotReady(
            f"Workers would earn ${pay.hourly:,.2f} an hour ({minutes}, {source}): less than the "
            f"${least:,.2f} of --minimum-hourly.",
            f"Make a campaign with --reward {pay.reward_for(least):.2f} or more, or with fewer pairs a task.",
        )
    return Passed(f"${pay.hourly:,.2f} an hour ({minutes}, {source})")


def _time(plan: Plan) -> Passed:
    """Nobody has to hurry: the limit is several times what a task is expected to take."""
    limit, pay = plan.campaign.assignment_seconds, expected_pay(plan.campaign)
    source = f"the median of {many(pay.measured, 'task')} in the pilot" if pay.measured else "by their length"
    expected = f"{pay.seconds / 60:.1f} minutes expected ({source})"
    if limit < TIMES_THE_EXPECTED * pay.seconds:
        raise NotReady(
            f"A task has a limit of {limit / 60:.0f} minutes, less than {TIMES_THE_EXPECTED} times the {expected}.",
            f"Make a campaign with --task-minutes {least_limit(pay.seconds) // 60} or more, or fewer pairs a task.",
        )
    return Passed(f"{limit / 60:.0f} minutes for a task, {limit / pay.seconds:.1f} times the {expected}")


MARKED, STRATEGIES = "marked words", "strategies"
#: The checks in the order in which a launch goes through them.
CHECKS: dict[str, Callable[[Plan], Passed]] = {
    "endpoint": _endpoint,
    "balance": _balance,
    "cost": _cost,
    "spending": _spending,
    "gold": lambda plan: check_gold(plan.campaign),
    STRATEGIES: lambda plan: check_strategies(plan.campaign),
    "screening": _screening,
    MARKED: lambda plan: Passed(marks_in_words(plan.campaign)),
    "page": _page,
    "crowd hosts": _hosts,
    "qualifications": _qualifications,
    "texts": _texts,
    "pay": _pay,
    "time": _time,
}
