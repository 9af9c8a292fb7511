"""Rehearsal, pilot, check list and launch of a campaign, and simulated workers for a launched one."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.background.services import take_back
from config.errors import NotNow, Refusal
from config.guidance import stored
from config.plurals import many
from judging.campaign.campaigns import pause
from judging.campaign.rehearsal_copy import rehearsals_asked_for, rehearses_here
from judging.campaign.screening_forecast import slips_of
from judging.errors import AlreadyLaunched
from judging.jobs import ring_to_close_places, ring_to_post_places
from judging.launch import launches
from judging.launch.launches import Terms
from judging.launch.pilots import pilot_campaign
from judging.models import Campaign
from judging.simulation.rehearsals import stop_rehearsal, truth_named
from web.campaigns import simulated_judging
from web.campaigns.jobs import ring_for_simulation
from web.common.access import campaign_for
from web.common.job_progress import Work
from web.common.shown_refusals import add_error_if_refused, complain, complain_if_refused
from web.preparation import forms, pages
from web.preparation.jobs import ring_for_rehearsal
from web.preparation.step_views import show_step, step_view, who

PILOT_TASKS = 10


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def rehearsal(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the rehearsal and its forecast; a POST has simulated workers judge a copy, or stops them."""
    if "part" in request.GET:
        return render(
            request, "web/parts/work.html", {"work": pages.rehearsal_page(campaign).work, "part": True}
        )
    truths = list(campaign.collection.passage_labels().order_by("-pk").values_list("name", flat=True))
    form = forms.RehearsalForm(
        request.POST if request.method == "POST" else None,
        truths=truths,
        slips=slips_of(campaign),
        gold_words=campaign.gold_words,
    )
    if request.method == "POST" and "stop" in request.POST:
        return _stop_rehearsal(request, campaign)
    if request.method == "POST" and rehearses_here() and form.is_valid():
        with add_error_if_refused(form):
            truth = truth_named(campaign, form.cleaned_data["truth"])
            ring_for_rehearsal(campaign, truth, form.settings(), who=who(request))
            return redirect("web:prepare_rehearsal", campaign.name)
    context = {"form": form, "truths": truths} | pages.rehearsal_context(campaign)
    return show_step(request, campaign, "rehearsal", context, wrong=request.method == "POST")


def _stop_rehearsal(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Stop the running rehearsal, or cancel one that has not started yet."""
    why = Refusal("The rehearsal was stopped before it began.", "Rehearse again.")
    waited = take_back(rehearsals_asked_for(campaign), why)
    try:
        stop_rehearsal(campaign, who=who(request))
    except NotNow:
        raise
    except Refusal as refusal:
        if not waited:
            complain(request, refusal)
    return redirect("web:prepare_rehearsal", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@step_view("launch campaign", while_piloting=True)
def pilot_step(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the pilot step; a POST with the typed amount offers a few tasks to people."""
    given = request.POST if request.method == "POST" else request.GET if "tasks" in request.GET else None
    form = forms.PilotForm(given, initial={"tasks": min(PILOT_TASKS, max(1, campaign.tasks.count()))})
    amount_form = forms.AmountForm(
        request.POST if request.method == "POST" else None, weak=pages.has_weak_screening(campaign)
    )
    if request.method == "POST" and form.is_valid() and amount_form.is_valid():
        with add_error_if_refused(amount_form):
            _offer_pilot(request, campaign, form.cleaned_data, _agreed_terms(amount_form))
            return redirect("web:prepare_pilot", campaign.name)
    tasks = form.cleaned_data.get("tasks", 0) if form.is_bound and form.is_valid() else form.initial["tasks"]
    wrong = bool(form.errors or amount_form.errors)
    context = pages.pilot_page(campaign, tasks, request.user) | {"form": form, "amount_form": amount_form}
    return show_step(request, campaign, "pilot", context | {"sees_everything": True}, wrong=wrong)


def _agreed_terms(form: forms.AmountForm) -> Terms:
    agreed = form.cleaned_data
    return Terms(
        confirm_spend=agreed["amount"], accept_weak_screening=agreed.get("accept_weak_screening", False)
    )


def _offer_pilot(request: HttpRequest, campaign: Campaign, asked: dict[str, Any], terms: Terms) -> None:
    launched = pilot_campaign(
        campaign,
        tasks=asked["tasks"],
        counts=asked["counts"],
        terms=terms,
        by=request.user,  # type: ignore[arg-type]
    )
    if launched.already:
        messages.info(request, stored(launched.already))
        return
    ring_to_post_places(campaign)
    messages.success(
        request, f"The pilot has started: {many(asked['tasks'], 'task is', 'tasks are')} offered."
    )


@require_POST
@step_view("launch campaign", while_piloting=True)
def end_pilot(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """End a pilot before all its tasks are done; work in progress is paid."""
    with complain_if_refused(request):
        pause(campaign, why="the pilot was ended", who=who(request))
        ring_to_close_places(campaign)
    return redirect("web:prepare_pilot", campaign.name)


@require_safe
@step_view()
def check(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the check list of a launch, with advice for failed checks."""
    return show_step(request, campaign, "check", pages.check_list_page(campaign, request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@step_view("launch campaign", launches=True)
def launch_step(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Launch with the typed amount. A second submission is told that the campaign is already launched."""
    form = None
    if request.method == "POST":
        form = forms.AmountForm(request.POST, weak=pages.has_weak_screening(campaign))
    if form and (form.is_valid() or campaign.is_launched):
        terms = _agreed_terms(form) if form.is_valid() else Terms()
        with add_error_if_refused(form):
            try:
                launched = launches.launch_campaign(
                    campaign,
                    **vars(terms),
                    by=request.user,  # type: ignore[arg-type]
                )
            except AlreadyLaunched as refusal:
                complain(request, refusal)
                return redirect("web:campaign", campaign.name)
            if launched.already:
                messages.info(request, stored(launched.already))
            else:
                ring_to_post_places(campaign)
                said = (
                    f"{campaign.name} is launched: {many(launched.places, 'task is', 'tasks are')} offered."
                )
                messages.success(request, said)
            return redirect("web:campaign", campaign.name)
    context = pages.launch_page(campaign, request.user)
    form = form or forms.AmountForm(weak=context["weak"])
    return show_step(request, campaign, "launch", context | {"form": form}, wrong=bool(form.errors))


@require_http_methods(["GET", "HEAD", "POST"])
def simulate(request: HttpRequest, name: str) -> HttpResponse:
    """Have simulated workers judge all remaining tasks, after the person types the campaign's name."""
    found = campaign_for(request.user, name, "launch campaign")
    truths = list(found.collection.passage_labels().order_by("-pk").values_list("name", flat=True))
    form = forms.SimulationForm(
        request.POST or None,
        truths=truths,
        name=found.name,
        slips=slips_of(found),
        gold_words=found.gold_words,
    )
    if request.method == "POST" and form.is_valid():
        with add_error_if_refused(form):
            simulated_judging.check_unmixed(found)
            truth = truth_named(found, form.cleaned_data["truth"])
            ring_for_simulation(found, truth, form.settings(), who=who(request))
            messages.success(
                request, "Simulated workers were started. The figures below update as they work."
            )
            return redirect("web:campaign", found.name)
    context = {
        "campaign": found,
        "form": form,
        "truths": truths,
        "work": Work(job) if (job := simulated_judging.simulation_of(found)) else None,
        "why_not": simulated_judging.reason_not_to_simulate(found),
    }
    return render(
        request, "web/preparation/campaign_simulate.html", context, status=400 if form.errors else 200
    )
