"""The workers of a campaign: who they are not, what they did, what is decided about them, what is written to them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Refusal
from config.plurals import many
from judging.errors import BadInput
from judging.models import Appeal, Campaign, Worker
from judging.services import foreseeing
from judging.services.answering import answer_appeal
from judging.services.messages import addressed, check_words, write_message
from judging.services.reinstating import exclude_worker, reinstate_worker
from judging.services.rights import withdraw_worker
from judging.services.voices import settle
from pooling.services import members
from web import jobs
from web.access import campaign_for, require
from web.services import voice_pages, worker_pages
from web.services.pair_texts import failed_gold

LONGEST_WHY = 2000
READ = ["GET", "HEAD", "POST"]
NAMES_SHOWN = 100
DECISIONS = ("exclude", "reinstate", "withdraw")


def _campaign(request: HttpRequest, name: str, action: str) -> Campaign:
    found = campaign_for(request.user, name)
    require(request.user, action, found.collection)
    return found


def _may_judge(request: HttpRequest, campaign: Campaign) -> bool:
    return members.may(request.user, "judge workers", campaign.collection)


def _typed(request: HttpRequest, field: str, most: int = LONGEST_WHY) -> str:
    return request.POST.get(field, "").replace("\0", "").strip()[:most]


@require_safe
def workers(request: HttpRequest, name: str) -> HttpResponse:
    """Every worker by number, sorted, filtered and cut into pages by the address."""
    found = _campaign(request, name, "see everything")
    context = worker_pages.workers_page(found, request.GET)
    return render(request, "web/workers.html", context | {"may_judge": _may_judge(request, found)})


@require_safe
def worker(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """One worker: record, decisions, tasks, judgments, messages."""
    found = _campaign(request, name, "see everything")
    one = worker_pages.worker_for(found, key)
    context = worker_pages.worker_page(found, one, request.GET)
    return render(request, "web/worker.html", context | {"may_judge": _may_judge(request, found)})


@require_http_methods(READ)
def decide(request: HttpRequest, name: str, key: int, decision: str) -> HttpResponse:
    """Exclude, reinstate, or take out at the worker's wish: what it costs, then the button; with a reason."""
    found = _campaign(request, name, "judge workers")
    one = worker_pages.worker_for(found, key)
    if decision not in DECISIONS:
        raise Http404("There is no such decision.")
    wrong = ""
    if request.method == "POST":
        try:
            late = "late" in request.POST
            said = _decide(found, one, decision, _typed(request, "why"), request.user.get_username(), late)
        except Refusal as refusal:
            wrong = str(refusal)
        else:
            if found.launched_at is not None:
                jobs.after_offering_more(found)
            messages.success(request, said)
            return redirect("web:campaign_worker", found.name, one.pk)
    context: dict[str, Any] = {
        "campaign": found,
        "worker": one,
        "decision": decision,
        "wrong": wrong,
        "why": _typed(request, "why"),
        "gold": failed_gold(found, one),
        **worker_pages.standing_of(found, one),
    }
    back = decision == "reinstate"
    foresee = foreseeing.foresee_reinstatement if back else foreseeing.foresee_exclusion
    context["foreseen"] = foresee(found, one)
    if decision == "withdraw":
        context |= worker_pages.withdrawal_of(found, one)
    return render(request, "web/worker_decision.html", context, status=400 if wrong else 200)


def _decide(campaign: Campaign, worker: Worker, decision: str, why: str, who: str, late: bool) -> str:
    if decision != "reinstate":
        repeats = _repeats(foreseeing.foresee_exclusion(campaign, worker))
    if decision == "exclude":
        exclude_worker(campaign, worker, why=why, who=who)
        return f"Worker {worker.pk} is excluded; {repeats}."
    if decision == "withdraw":
        taken = withdraw_worker(campaign, worker, why=why, who=who, late=late)
        return f"{many(taken.judgments, 'judgment')} of worker {worker.pk} taken out; {repeats}."
    done = reinstate_worker(campaign, worker, why=why, who=who)
    counted = many(done.counted, "task counts again", "tasks count again")
    surplus = many(done.surplus, "is kept as surplus", "are kept as surplus")
    return f"Worker {worker.pk} is reinstated: {counted}, {surplus}."


def _repeats(foreseen: foreseeing.ExclusionForeseen) -> str:
    """What becomes of the tasks that are to be done again."""
    if not foreseen.offered or not foreseen.repeated:
        return "no task is offered again now"
    if not foreseen.beyond_budget:
        return "others repeat the tasks"
    waiting = many(foreseen.beyond_budget, "repeat waits", "repeats wait")
    return f"{waiting} until the budget is raised"


@require_http_methods(READ)
def message(request: HttpRequest, name: str) -> HttpResponse:
    """Write to workers through the crowd: written, looked at with everybody it goes to, sent."""
    found = _campaign(request, name, "judge workers")
    asked = request.POST if request.method == "POST" else request.GET
    to = asked.get("to", "named" if asked.getlist("worker") else "")
    keys, strange = _keys(asked.getlist("worker"))
    subject, text = _typed(request, "subject", 1000), _typed(request, "text", 10_000)
    people: list[Worker] = []
    wrong = ""
    if request.method == "POST" or keys:
        try:
            if to == "named" and strange:
                raise BadInput(f"No worker has the number {', '.join(strange)}.")
            people = addressed(found, to, keys)
            if request.method == "POST":
                check_words(subject, text)
                if "send" in request.POST:
                    return _send(request, found, people, subject, text)
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
    return render(request, "web/campaign_message.html", context, status=400 if wrong else 200)


def _keys(typed: list[str]) -> tuple[list[int], list[str]]:
    """Workers' numbers, from boxes and from a field with several; and the first words that are none."""
    words = " ".join(typed).replace(",", " ").split()
    numbers = {word for word in words if word.isdecimal() and len(word) < 19}
    strange = [word[:40] for word in words if word not in numbers]
    return sorted(map(int, numbers))[:1000], strange[:10]


def _send(
    request: HttpRequest, campaign: Campaign, people: list[Worker], subject: str, text: str
) -> HttpResponse:
    rows = write_message(campaign, people, subject=subject, text=text, who=request.user.get_username())
    jobs.after_writing(campaign, rows)
    messages.success(request, f"The message to {many(len(rows), 'worker')} is on its way.")
    if len(rows) == 1:
        return redirect("web:campaign_worker", campaign.name, people[0].pk)
    return redirect("web:campaign_workers", campaign.name)


@require_safe
def reports(request: HttpRequest, name: str) -> HttpResponse:
    """What workers say: reports of pairs and appeals."""
    found = _campaign(request, name, "see everything")
    context = voice_pages.reports_page(found, request.GET)
    return render(request, "web/campaign_reports.html", context | {"may_judge": _may_judge(request, found)})


@require_POST
def settle_report(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Keep what came of a report."""
    found = _campaign(request, name, "judge workers")
    try:
        settle(found, f"r{key}", why=_typed(request, "why"), who=request.user.get_username())
    except Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"Report r{key} is settled.")
    return redirect("web:campaign_reports", found.name)


@require_http_methods(READ)
def appeal(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Answer an appeal: keep the exclusion or take it back, with words that the worker reads."""
    found = _campaign(request, name, "judge workers")
    one = get_object_or_404(Appeal.objects.select_related("worker"), campaign=found, pk=key)
    wrong = ""
    if request.method == "POST":
        try:
            answer_appeal(
                found,
                one,
                why=_typed(request, "why"),
                reinstate=request.POST.get("verdict") == "reinstate",
                who=request.user.get_username(),
            )
        except Refusal as refusal:
            wrong = str(refusal)
        else:
            if found.launched_at is not None:
                jobs.after_offering_more(found)  # which also tells the worker
            messages.success(request, f"The appeal of worker {one.worker_id} is answered.")
            return redirect("web:campaign_reports", found.name)
    context = {
        "campaign": found,
        "appeal": one,
        "confirmed": Appeal.objects.confirmed().filter(pk=one.pk).exists(),
        "worker": one.worker,
        "wrong": wrong,
        "why": _typed(request, "why"),
        "foreseen": foreseeing.foresee_reinstatement(found, one.worker),
        "gold": failed_gold(found, one.worker),
        **worker_pages.standing_of(found, one.worker),
    }
    return render(request, "web/campaign_appeal.html", context, status=400 if wrong else 200)
