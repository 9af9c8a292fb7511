"""Pages of a campaign's workers: their work, decisions about them, and messages. Their identity is not shown."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Refusal
from config.plurals import many
from config.row_keys import row_key
from judging.errors import BadInput
from judging.jobs import continue_if_launched, ring_to_deliver
from judging.models import Appeal, Campaign, Worker
from judging.people import impact
from judging.people.appeal_answers import answer_appeal, settle_report_or_appeal
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.people.rights import withdraw_worker
from judging.workers.messages import check_words, choose_addressees, write_message
from pooling.collections import members
from web.common.access import campaign_for
from web.common.pair_texts import failed_gold
from web.common.sent_text import sent_text
from web.common.shown_refusals import complain_if_refused
from web.workers import pages as worker_pages, reports as voice_pages

LONGEST_WHY = 2000
READ = ["GET", "HEAD", "POST"]
NAMES_SHOWN = 100
DECISIONS = ("exclude", "reinstate", "withdraw")


def _may_judge(request: HttpRequest, campaign: Campaign) -> bool:
    return members.may(request.user, "judge workers", campaign.collection)


@require_safe
def workers(request: HttpRequest, name: str) -> HttpResponse:
    """List workers by number, sorted, filtered and paginated as the URL requests."""
    found = campaign_for(request.user, name, "see everything")
    context = worker_pages.workers_page(found, request.GET)
    return render(request, "web/workers/workers.html", context | {"may_judge": _may_judge(request, found)})


@require_safe
def worker(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Show one worker: record, decisions, tasks, judgments, messages."""
    found = campaign_for(request.user, name, "see everything")
    one = worker_pages.campaign_worker(found, key)
    context = worker_pages.worker_page(found, one, request.GET)
    return render(request, "web/workers/worker.html", context | {"may_judge": _may_judge(request, found)})


@require_http_methods(READ)
def decide_about_worker(request: HttpRequest, name: str, key: int, decision: str) -> HttpResponse:
    """Exclude, reinstate, or withdraw judgments at the worker's request: preview the cost, then confirm."""
    found = campaign_for(request.user, name, "judge workers")
    one = worker_pages.campaign_worker(found, key)
    if decision not in DECISIONS:
        raise Http404("Unknown decision.")
    wrong = ""
    if request.method == "POST":
        try:
            late = "late" in request.POST
            said = _apply_decision(
                found,
                one,
                decision,
                sent_text(request, "why", LONGEST_WHY),
                request.user.get_username(),
                late,
            )
        except Refusal as refusal:
            wrong = str(refusal)
        else:
            continue_if_launched(found)
            messages.success(request, said)
            return redirect("web:campaign_worker", found.name, one.pk)
    context: dict[str, Any] = {
        "campaign": found,
        "worker": one,
        "decision": decision,
        "wrong": wrong,
        "why": sent_text(request, "why", LONGEST_WHY),
        "gold": failed_gold(found, one),
        **worker_pages.worker_standing(found, one),
    }
    back = decision == "reinstate"
    foresee = impact.foresee_reinstatement if back else impact.foresee_exclusion
    context["foreseen"] = foresee(found, one)
    if decision == "withdraw":
        context |= worker_pages.withdrawal_of(found, one)
    return render(request, "web/workers/worker_decision.html", context, status=400 if wrong else 200)


def _apply_decision(campaign: Campaign, worker: Worker, decision: str, why: str, who: str, late: bool) -> str:
    if decision != "reinstate":
        repeats = _repeats_in_words(impact.foresee_exclusion(campaign, worker))
    if decision == "exclude":
        exclude_worker(campaign, worker, why=why, who=who)
        return f"Worker {worker.pk} is excluded; {repeats}."
    if decision == "withdraw":
        taken = withdraw_worker(campaign, worker, why=why, who=who, late=late)
        return f"{many(taken.judgments, 'judgment')} of worker {worker.pk} withdrawn; {repeats}."
    done = reinstate_worker(campaign, worker, why=why, who=who)
    counted = many(done.counted, "task counts again", "tasks count again")
    surplus = many(done.surplus, "is kept as surplus", "are kept as surplus")
    return f"Worker {worker.pk} is reinstated: {counted}, {surplus}."


def _repeats_in_words(foreseen: impact.ExclusionForeseen) -> str:
    if not foreseen.offered or not foreseen.repeated:
        return "no task is offered again for now"
    if not foreseen.beyond_budget:
        return "others repeat the tasks"
    waiting = many(foreseen.beyond_budget, "repeat waits", "repeats wait")
    return f"{waiting} until the budget is raised"


@require_http_methods(READ)
def message(request: HttpRequest, name: str) -> HttpResponse:
    """Message workers through the crowd: write, preview with all recipients, send."""
    found = campaign_for(request.user, name, "judge workers")
    asked = request.POST if request.method == "POST" else request.GET
    to = asked.get("to", "named" if asked.getlist("worker") else "")
    keys, strange = _worker_numbers(asked.getlist("worker"))
    subject, text = sent_text(request, "subject", 1000), sent_text(request, "text", 10_000)
    people: list[Worker] = []
    wrong = ""
    if request.method == "POST" or keys:
        try:
            if to == "named" and strange:
                raise BadInput(f"No worker has the number {', '.join(strange)}.")
            people = choose_addressees(found, to, keys)
            if request.method == "POST":
                check_words(subject, text)
                if "send" in request.POST:
                    return _send_message(request, found, people, subject, text)
        except Refusal as refusal:
            wrong = str(refusal)
    context = {
        "campaign": found,
        "to": to,
        "keys": keys,
        "subject": subject,
        "text": text,
        "people": people[:NAMES_SHOWN],
        "people_left_out": max(0, len(people) - NAMES_SHOWN),
        "count": len(people),
        "looked_at": request.method == "POST" and not wrong,
        "wrong": wrong,
    }
    return render(request, "web/workers/campaign_message.html", context, status=400 if wrong else 200)


def _worker_numbers(typed: list[str]) -> tuple[list[int], list[str]]:
    """Return worker numbers from the checkboxes and the text field, and the first invalid words."""
    words = " ".join(typed).replace(",", " ").split()
    numbers = {word for word in words if row_key(word)}
    strange = [word[:40] for word in words if word not in numbers]
    return sorted(map(int, numbers))[:1000], strange[:10]


def _send_message(
    request: HttpRequest, campaign: Campaign, people: list[Worker], subject: str, text: str
) -> HttpResponse:
    rows = write_message(campaign, people, subject=subject, text=text, who=request.user.get_username())
    ring_to_deliver(campaign, rows)
    messages.success(request, f"The message to {many(len(rows), 'worker')} is on its way.")
    if len(rows) == 1:
        return redirect("web:campaign_worker", campaign.name, people[0].pk)
    return redirect("web:campaign_workers", campaign.name)


@require_safe
def reports(request: HttpRequest, name: str) -> HttpResponse:
    """List a campaign's reports of pairs and its appeals."""
    found = campaign_for(request.user, name, "see everything")
    context = voice_pages.reports_page(found, request.GET)
    return render(
        request, "web/workers/campaign_reports.html", context | {"may_judge": _may_judge(request, found)}
    )


@require_POST
def settle_pair_report(request: HttpRequest, name: str, key: int) -> HttpResponse:
    found = campaign_for(request.user, name, "judge workers")
    with complain_if_refused(request):
        settle_report_or_appeal(
            found, f"r{key}", why=sent_text(request, "why", LONGEST_WHY), who=request.user.get_username()
        )
        messages.success(request, f"Report r{key} is settled.")
    return redirect("web:campaign_reports", found.name)


@require_http_methods(READ)
def appeal_decision(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Answer an appeal: keep or revoke the exclusion, with a message that the worker reads."""
    found = campaign_for(request.user, name, "judge workers")
    one = get_object_or_404(Appeal.objects.select_related("worker"), campaign=found, pk=key)
    wrong = ""
    if request.method == "POST":
        try:
            answer_appeal(
                found,
                one,
                why=sent_text(request, "why", LONGEST_WHY),
                reinstate=request.POST.get("verdict") == "reinstate",
                who=request.user.get_username(),
            )
        except Refusal as refusal:
            wrong = str(refusal)
        else:
            continue_if_launched(found)  # also notifies the worker
            messages.success(request, f"The appeal of worker {one.worker_id} is answered.")
            return redirect("web:campaign_reports", found.name)
    context = {
        "campaign": found,
        "appeal": one,
        "refused_as": voice_pages.refusal_title(one),
        "confirmed": Appeal.objects.confirmed().filter(pk=one.pk).exists(),
        "worker": one.worker,
        "wrong": wrong,
        "why": sent_text(request, "why", LONGEST_WHY),
        "foreseen": impact.foresee_reinstatement(found, one.worker),
        "gold": failed_gold(found, one.worker),
        **worker_pages.worker_standing(found, one.worker),
    }
    return render(request, "web/workers/campaign_appeal.html", context, status=400 if wrong else 200)
