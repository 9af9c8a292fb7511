"""Finds what stops a campaign: calls that the crowd refused, a used-up budget, held pay, and failed jobs."""

from dataclasses import dataclass, replace

from config import clock
from config.background.failures import failure_of, waits_after
from config.background.job_kinds import kind_words
from config.background.models import Job
from config.guidance import Action, Guidance, joined
from config.plurals import many
from judging.campaign.cost import money, quote_tasks
from judging.intake.places import lacking
from judging.models import Campaign, CrowdCall, Payment
from judging.money.budget import cap_of, room_for
from judging.money.held_pay import held_in_words
from judging.money.payments import PAYING
from judging.watching.watchdog import cause_of, failed_jobs, put_off_jobs

MOST_PROBLEMS = 20


@dataclass(frozen=True)
class Problem:
    """A problem in a campaign: what stopped, and what to do.

    ``again`` is the action that retries refused calls; pages show it as a button. ``cause`` identifies the cause, so
    that it is not listed twice.
    """

    what: str
    next_step: str = ""
    again: Action | None = None
    cause: str = ""

    @property
    def words(self) -> Guidance:
        """The problem and its next step in one line."""
        again = Guidance(self.again, ".") if self.again else ""
        return joined(" ", [self.what, again, self.next_step])


def problems(campaign: Campaign) -> list[Guidance]:
    """Return a line for each problem: refused calls, failed jobs, and work that waits for money or the crowd.

    There are at most MOST_PROBLEMS lines.
    """
    told = problems_of_the_crowd(campaign)
    failed = [failed_in_words(job) for job in failed_work(campaign, told)]
    words = [one.words for one in (*told, *put_off_work(campaign, told))]
    return [*words, *failed][:MOST_PROBLEMS]


def problems_of_the_crowd(campaign: Campaign) -> list[Problem]:
    """Return what stops or delays work at the crowd, or needs a decision; at most 20 problems.

    These are a used-up budget, held pay, and calls that failed or are being retried.
    """
    stuck = (
        CrowdCall.objects.filter(campaign=campaign)
        .exclude(error_class="")
        .exclude(state=CrowdCall.State.DONE)
        .exclude(payment__state=Payment.State.SETTLED)
    )
    counts: dict[Problem, int] = {}
    for call in stuck.defer("request", "reply").order_by("pk")[:1000]:
        problem = _refused_call_problem(campaign, call)
        counts[problem] = counts.get(problem, 0) + 1
    told = [
        one if count == 1 else replace(one, what=f"{one.what} ({count:,} times)")
        for one, count in counts.items()
    ]
    return [*_budget_problem(campaign), *_held_problem(campaign), *told][:MOST_PROBLEMS]


def _refused_call_problem(campaign: Campaign, call: CrowdCall) -> Problem:
    what = f"{call.operation} ({call.error_class}): {call.error_message}"
    problem = Problem(what, call.next_step, cause=cause_of(call.error_message))
    if call.state != CrowdCall.State.FAILED:
        return problem
    if call.operation in PAYING:
        settle = Action("settle_payment", campaign.name, lead="")
        otherwise = Guidance("Or pay another way and record it: ", settle, ".")
        problem = replace(problem, next_step=joined(" ", [call.next_step, otherwise]))
    return replace(problem, again=Action("ask_again", campaign.name))


def put_off_work(campaign: Campaign, told: list[Problem]) -> list[Problem]:
    """Return a problem for each job that was postponed repeatedly. Its text omits causes in ``told``."""
    return [_postponed_problem(job, {one.cause for one in told}) for job in put_off_jobs(campaign)]


def _postponed_problem(job: Job, causes: set[str]) -> Problem:
    why = waits_after(job)
    said = "" if cause_of(why) in causes else f": {why.rstrip('.')}"
    return Problem(
        f"{kind_words(job.kind).capitalize()} was put off {many(job.put_off, 'time')} in a row{said}. "
        f"Next retry: {job.run_after:%Y-%m-%d %H:%M} UTC.",
        cause=cause_of(why),
    )


def failed_work(campaign: Campaign, told: list[Problem]) -> list[Job]:
    """Return the failed jobs to report (watchdog.failed_jobs) without causes in ``told``; none before a posting."""
    if campaign.launched_at is None:
        return []
    causes = {one.cause for one in told}
    jobs = failed_jobs(campaign, clock.now())
    return [job for job in jobs if (failure := failure_of(job)) and cause_of(failure.message) not in causes]


def failed_in_words(job: Job) -> Guidance:
    """Return a text that says which work failed, why, and what to do."""
    failure = failure_of(job)
    return joined(" ", [f"{kind_words(job.kind)} failed:", str(failure) if failure else ""])


def _budget_problem(campaign: Campaign) -> list[Problem]:
    used_up = budget_used_up(campaign)
    return [Problem(used_up[0], Guidance("To continue: ", used_up[1]))] if used_up else []


def _held_problem(campaign: Campaign) -> list[Problem]:
    held = held_in_words(campaign)
    return [Problem(held, Guidance(Action("held_payments", campaign.name)))] if held else []


def budget_used_up(campaign: Campaign) -> tuple[str, Action] | None:
    """Return a sentence about the tasks that wait for money, and the action that raises the budget for them.

    Return None if no task waits for money.
    """
    waiting = lacking(campaign) if campaign.state in Campaign.OFFERING else 0
    cap = cap_of(campaign)
    if waiting <= 0 or cap is None or room_for(campaign) != 0:
        return None
    more = money(campaign)["committed"] + quote_tasks(campaign, waiting).total
    what = f"The budget of ${cap:,.2f} is used up; {many(waiting, 'task waits', 'tasks wait')}."
    return what, Action("raise_budget", campaign.name, f"{more:.2f}", lead="")
