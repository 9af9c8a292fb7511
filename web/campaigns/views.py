"""A campaign: its page, the page's live part, its log, its state changes, its differences and its judgments."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.roles import Role, permits
from config.background.services import try_again
from config.errors import Refusal
from config.plurals import many
from config.row_keys import row_key
from judging.campaign import campaigns
from judging.campaign.campaign_settings import is_prepared
from judging.exchange import calls
from judging.jobs import continue_if_launched, ring_to_close_places, ring_to_continue, ring_watchdog
from judging.launch import archive, closure
from judging.models import Campaign, Discrepancy, GoldAnswer
from judging.money import budget
from judging.money.discrepancies import NEXT_STEPS, open_differences, settle_difference
from judging.people.impact import foresee_standstill
from judging.watching import failed_jobs
from pooling.collections import members
from pooling.collections.members import may
from tournament.services.judgment_export import COLUMNS, SIGNALS, lines_for_others
from web.campaigns import pages as campaign_watch, simulated_judging
from web.common.access import campaign_for, require
from web.common.campaign_rows import campaigns_progress
from web.common.row_files import in_pieces, streamed_text
from web.common.sent_text import sent_text
from web.common.shown_refusals import complain_if_refused

LONGEST_WHY = 2000
LONGEST_FINDING = 200
#: Kind of difference → its heading.
KINDS = {
    Discrepancy.Kind.ONLY_THERE: "Submitted on the crowd site, but not or only partly seen by our page",
    Discrepancy.Kind.ONLY_HERE: "Submitted on our page, but missing from the crowd's list",
    Discrepancy.Kind.DIFFERENT: "Answers in the crowd's form differ from those clicked on our page",
}
FORMS = {"tsv": "text/tab-separated-values", "jsonl": "application/jsonl"}


@dataclass(frozen=True)
class Step:
    """A state change: the service that makes it, the job to start after it, and the states that allow it.

    ``typed``: whether the person must type the campaign's name to confirm. ``archived``: True if the change is only
    for archived campaigns, False if it is only for campaigns that are not archived.
    """

    act: Callable[..., None]
    ring: Callable[[Campaign], object] | None
    allowed: tuple[str, ...]
    typed: bool = False
    archived: bool = False
    imported: bool = False
    """Whether the change is also allowed for a campaign of imported judgments, which offers no tasks."""

    def possible(self, campaign: Campaign) -> bool:
        fits = self.imported or campaign.pool_id is not None
        return fits and campaign.state in self.allowed and self.archived == bool(campaign.archived_at)


STEPS = {
    "pause": Step(campaigns.pause, ring_to_close_places, Campaign.OFFERING),
    "resume": Step(campaigns.resume, ring_to_continue, (Campaign.State.PAUSED,)),
    "close": Step(
        closure.close,
        ring_to_close_places,
        tuple(state for state in Campaign.State if state not in Campaign.OVER),
        typed=True,
    ),
    "archive": Step(archive.archive, None, Campaign.AT_REST, imported=True),
    "restore": Step(archive.restore, None, Campaign.AT_REST, archived=True, imported=True),
}


@require_safe
def campaign(request: HttpRequest, name: str) -> HttpResponse:
    """Show a campaign's progress. Individual exclusions, problems and activity are members-only."""
    return render(request, "web/campaigns/campaign.html", _campaign_context(request, name))


@require_GET
@never_cache
def campaign_live_part(request: HttpRequest, name: str) -> HttpResponse:
    """Render the live parts of a campaign's page, for the script that refreshes them."""
    return render(request, "web/campaigns/parts/campaign_live.html", _campaign_context(request, name))


def _campaign_context(request: HttpRequest, name: str) -> dict[str, Any]:
    found = campaign_for(request.user, name)
    role = members.role_of(request.user, found.collection)
    return campaign_watch.campaign_watch_page(found, role) | {
        "steps": _possible_steps(role, found),
        "may_prepare": permits(role, "prepare campaign") and is_prepared(found),
        **_simulation_context(found, role),
        "may_steer": permits(role, "steer campaign"),
    }


def _simulation_context(found: Campaign, role: Role | None) -> dict[str, Any]:
    """Return whether simulated workers may judge and, for a campaign at the local marketplace, why not."""
    if not permits(role, "launch campaign"):
        return {}
    why_not = simulated_judging.reason_not_to_simulate(found)
    told = simulated_judging.is_local(found) and found.state in (*Campaign.OFFERING, Campaign.State.PAUSED)
    return {"may_simulate": not why_not, "why_not_simulated": why_not if told else ""}


def _possible_steps(role: Role | None, found: Campaign) -> list[str]:
    """Return the actions that this role can take on the campaign now."""
    if not permits(role, "steer campaign"):
        return []
    return [name for name, step in STEPS.items() if step.possible(found)]


@require_safe
@never_cache
def campaign_row(request: HttpRequest, name: str) -> HttpResponse:
    """Render the live part of a campaign's row in a list, for the script that refreshes it."""
    found = campaign_for(request.user, name)
    return render(
        request, "web/parts/progress.html", {"progress": campaigns_progress([found], request.user)[0]}
    )


@require_safe
def activity(request: HttpRequest, name: str) -> HttpResponse:
    """Show the campaign's log: who did what and why."""
    found = campaign_for(request.user, name, "see everything")
    return render(
        request, "web/campaigns/campaign_activity.html", campaign_watch.activity_page(found, request.GET)
    )


@require_http_methods(["GET", "HEAD", "POST"])
def change_state(request: HttpRequest, name: str, step: str) -> HttpResponse:
    """Change a campaign's state: explain the effects, then confirm. Closing requires typing the name."""
    found = campaign_for(request.user, name, "steer campaign")
    one = STEPS.get(step)
    if one is None or (found.pool_id is None and not one.imported):
        raise Http404("Unknown step.")
    why = sent_text(request, "why", LONGEST_WHY)
    wrong = ""
    if request.method == "POST":
        if one.typed and request.POST.get("sure", "").strip() != found.name:
            wrong = f"Type {found.name} to close it."
        else:
            return _take_step(request, found, one, why)
    context = {
        "campaign": found,
        "step": step,
        "typed": one.typed,
        "possible": one.possible(found),
        "runs": archive.reason_not_at_rest(found) if step == "archive" else "",
        "foreseen": foresee_standstill(found),
        "why": why,
        "wrong": wrong,
    }
    return render(request, "web/campaigns/campaign_step.html", context, status=400 if wrong else 200)


def _take_step(request: HttpRequest, found: Campaign, one: Step, why: str) -> HttpResponse:
    launched = found.launched_at is not None
    with complain_if_refused(request):
        one.act(found, why=why, who=request.user.get_username())
        if launched and one.ring:
            one.ring(found)
        messages.success(request, f"{found.name} is now {'archived' if found.archived_at else found.label}.")
    return redirect("web:campaign", found.name)


@require_http_methods(["GET", "HEAD", "POST"])
def campaign_budget(request: HttpRequest, name: str) -> HttpResponse:
    """Change the budget: enter an amount, preview it, then confirm with the amount on the button."""
    found = campaign_for(request.user, name, "spend money")
    by: User = request.user  # type: ignore[assignment]
    typed = request.POST.get("amount", "").strip()
    why = sent_text(request, "why", LONGEST_WHY)
    amount, wrong = _parsed_amount(typed)
    if request.method == "POST" and not wrong:
        try:
            if "confirm" in request.POST:
                budget.raise_budget(found, amount, why=why, by=by)
            else:
                budget.refuse_budget(found, amount, by=by)
        except Refusal as refusal:
            wrong = str(refusal)
    if request.method == "POST" and not wrong and "confirm" in request.POST:
        if found.state in Campaign.OFFERING:
            ring_to_continue(found)
        messages.success(request, f"{found.name} can now spend up to ${amount:,.2f}.")
        return redirect("web:campaign", found.name)
    context = {
        "campaign": found,
        "foreseen": foresee_standstill(found),
        "typed": typed,
        "why": why,
        "amount": amount if request.method == "POST" and not wrong else None,
        "wrong": wrong if request.method == "POST" else "",
    }
    return render(
        request, "web/campaigns/campaign_budget.html", context, status=400 if context["wrong"] else 200
    )


def _parsed_amount(typed: str) -> tuple[Decimal, str]:
    """Return the typed amount in dollars and an empty string, or 0 and the error in the input."""
    try:
        amount = Decimal(typed.removeprefix("$").replace(",", ""))
    except InvalidOperation:
        return Decimal(0), "Enter an amount in dollars, such as 600.00."
    if not amount.is_finite() or amount <= 0 or amount > campaigns.MOST_BUDGET or amount != round(amount, 2):
        most = f"${campaigns.MOST_BUDGET:,.2f}"
        return Decimal(0), f"Enter an amount above $0.00, and at most {most}, with at most two decimals."
    return amount, ""


@require_POST
def ask_again(request: HttpRequest, name: str) -> HttpResponse:
    """Poll the crowd now, and retry calls that it refused permanently."""
    found = campaign_for(request.user, name, "steer campaign")
    count = calls.allow_retries(found)
    if count:
        campaigns.log_change(found, f"retried: {many(count, 'call')}", who=request.user.get_username())
    continue_if_launched(found)
    refused = f"Retrying {many(count, 'refused call', 'refused calls')}."
    messages.success(request, refused if count else "Asking the crowd again. This takes a few moments.")
    return redirect("web:campaign", found.name)


@require_POST
def job_failure(request: HttpRequest, name: str, key: int, what: str) -> HttpResponse:
    """Hide a failed job, or retry it if that is safe."""
    found = campaign_for(request.user, name, "steer campaign")
    if what not in ("away", "again"):
        raise Http404("Unknown step.")
    who = request.user.get_username()
    with complain_if_refused(request):
        if what == "away":
            failed_jobs.put_away(found, key, who=who)
            ring_watchdog()
            said = "The failed job is hidden. It reappears if it fails again."
        else:
            try_again(failed_jobs.job_to_repeat(found, key, who=who))
            said = "Trying again. This takes a few moments."
        campaign_watch.forget_stalled_work(found)
        messages.success(request, said)
    return redirect("web:campaign", found.name)


@require_http_methods(["GET", "HEAD", "POST"])
def differences(request: HttpRequest, name: str) -> HttpResponse:
    """List the unsettled differences from the crowd's list, each with its next step. A POST settles one."""
    found = campaign_for(request.user, name, "see everything")
    wrong = ""
    if request.method == "POST":
        require(request.user, "judge workers", found.collection)
        number, why = row_key(request.POST.get("submission", "")), sent_text(request, "why")
        if not why:
            wrong = "Describe what you found. It is stored with the difference."
        elif settle_difference(found, number, why=why, who=request.user.get_username()):
            campaign_watch.forget_stalled_work(found)
            messages.success(request, f"Submission {number} is settled.")
            return redirect("web:campaign_differences", found.name)
        else:
            wrong = f"Submission {number} has no open difference."
    context = {
        "campaign": found,
        "rows": [
            (row, KINDS[kind], NEXT_STEPS[kind])
            for row in open_differences(found)
            for kind in (Discrepancy.Kind(row.kind),)
        ],
        "may_judge": may(request.user, "judge workers", found.collection),
        "longest": LONGEST_FINDING,
        "wrong": wrong,
    }
    return render(request, "web/campaigns/campaign_differences.html", context, status=400 if wrong else 200)


@require_safe
def judgments(request: HttpRequest, name: str) -> HttpResponse:
    """Show the contents of the file of judgments, with links to download it."""
    found = campaign_for(request.user, name, "export judgments")
    context = {
        "campaign": found,
        "judgments": found.judgments.count(),
        "gold_answers": GoldAnswer.objects.confirmed().filter(submission__campaign=found).count(),
        "columns": COLUMNS,
        "signals": SIGNALS if may(request.user, "judge workers", found.collection) else [],
        "forms": FORMS,
    }
    return render(request, "web/campaigns/campaign_judgments.html", context)


@require_safe
def judgments_file(request: HttpRequest, name: str, form: str) -> StreamingHttpResponse:
    """Stream the file of judgments. With ``signals``, it includes the behavior signals of each answer."""
    found = campaign_for(request.user, name, "export judgments")
    if form not in FORMS:
        raise Http404("Unknown file format.")
    signals = request.GET.get("signals") == "1"
    if signals:
        require(request.user, "judge workers", found.collection)
    lines = in_pieces(lines_for_others(found, as_json=form == "jsonl", signals=signals))
    stem = f"{found.name}-judgments{'-with-signals' if signals else ''}"
    return streamed_text(lines, f"{stem}.{form}", FORMS[form])
