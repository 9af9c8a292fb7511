"""Pages of graded campaigns for organizers, and the page on which assessors judge."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.row_keys import row_key
from judging.campaign.campaigns import CampaignSettings
from judging.grading import assignments, crowd_grading, graded_campaigns, graded_labels, grades
from judging.grading.grades import carry_out_decision
from judging.jobs import ring_to_choose, ring_to_choose_if_needed
from judging.models import GradedCampaign, Topic
from pooling.models import Collection
from web.common.access import collection_in_sight, require
from web.common.job_progress import Work
from web.common.row_files import Rows, rows_file
from web.common.sent_text import sent_text
from web.common.shown_refusals import add_error_if_refused, complain_if_refused
from web.grading import pages
from web.grading.forms import NewGradedCampaign
from web.grading.summaries import graded_progress

View = Callable[..., HttpResponseBase]
LONGEST_WHY = 500


def graded_view(action: str = "") -> Callable[[View], View]:
    """Decorate a view: check the action (by default, access to graded campaigns) and pass the graded campaign."""

    def decorate(view: View) -> View:
        @wraps(view)
        @never_cache
        def guarded(request: HttpRequest, name: str, graded: str, **rest: Any) -> HttpResponseBase:
            collection = collection_in_sight(request.user, name)
            if action:
                require(request.user, action, collection)
            else:
                pages.require_sight(request.user, collection)
            campaign = pages.graded_campaign_of(collection, graded)
            try:
                return view(request, campaign, **rest)
            except pages.TopicLost as lost:
                messages.warning(request, str(lost))
                return _show_campaign(campaign)

        return guarded

    return decorate


@require_http_methods(["GET", "POST"])
@never_cache
def graded_campaigns_page(request: HttpRequest, name: str) -> HttpResponse:
    """List the graded campaigns; a POST creates one."""
    collection = collection_in_sight(request.user, name)
    pages.require_sight(request.user, collection)
    if request.method != "POST":
        asked = {"pool": request.GET["pool"]} if "pool" in request.GET else None
        return _graded_campaigns_list(request, collection, NewGradedCampaign(collection, initial=asked))
    require(request.user, "run grading", collection)
    form = NewGradedCampaign(collection, request.POST)
    if form.is_valid():
        said = form.cleaned_data
        with add_error_if_refused(form):
            made = graded_campaigns.create_graded_campaign(
                pool=said["pool"],
                name=said["name"],
                settings=form.settings(),
                who=request.user.get_username(),
            )
            return redirect("web:graded_campaign", collection.name, made.name)
    return _graded_campaigns_list(request, collection, form)


def _graded_campaigns_list(
    request: HttpRequest, collection: Collection, form: NewGradedCampaign
) -> HttpResponse:
    context = pages.list_page(collection, request.user)
    context |= {"form": form, "graded": graded_progress([collection])}
    if context["may_run"]:
        context["forecast"] = pages.planned_effort(collection, request.POST or request.GET)
    return render(request, "web/grading/graded_campaigns.html", context, status=422 if form.errors else 200)


@require_safe
@graded_view()
def graded_campaign(request: HttpRequest, campaign: GradedCampaign) -> HttpResponse:
    """Show the topics: all topics to members, free topics and their own to assessors."""
    return render(
        request,
        "web/grading/graded_campaign.html",
        pages.graded_campaign_page(campaign, request.user, request.GET.get("page")),
    )


@require_POST
@graded_view("run grading")
def decide_topic_by_hand(request: HttpRequest, campaign: GradedCampaign, key: int) -> HttpResponse:
    """Decide a topic by hand, reverse its decision, or take it from its assessor."""
    topic = _topic_or_404(campaign, key)
    decision, why = request.POST.get("decision", ""), sent_text(request, "why", LONGEST_WHY)
    who, seen = request.user.get_username(), row_key(request.POST.get("reverses", ""))
    with complain_if_refused(request):
        carry_out_decision(topic, decision, why=why, who=who, reverses=seen)
    return _show_campaign(campaign)


@require_POST
@graded_view("run grading")
def end_graded_campaign(request: HttpRequest, campaign: GradedCampaign) -> HttpResponse:
    """End the judging, or reopen it, with another budget if one is given."""
    who, why = request.user.get_username(), sent_text(request, "why", LONGEST_WHY)
    budget = request.POST.get("budget", "").strip()
    with complain_if_refused(request):
        if "reopen" not in request.POST:
            graded_campaigns.end_campaign(campaign, why=why, who=who)
        elif budget and not (budget.isascii() and budget.isdigit()):
            messages.error(request, "Enter the budget as a number of passages.")
        else:
            new = int(budget[:12]) if budget else None
            graded_campaigns.reopen_campaign(campaign, why=why, budget=new, who=who)
    return _show_campaign(campaign)


@require_POST
@graded_view("run grading")
def delete_grading(request: HttpRequest, campaign: GradedCampaign) -> HttpResponse:
    """Delete a graded campaign whose judging has not begun."""
    if "sure" not in request.POST:
        messages.error(request, "Nothing was deleted. Tick the box to delete the graded campaign.")
        return _show_campaign(campaign)
    with complain_if_refused(request):
        graded_campaigns.delete_graded_campaign(campaign, who=request.user.get_username())
        messages.success(request, f"The graded campaign {campaign.name} was deleted.")
    return _show_campaign(campaign)


@require_POST
@graded_view("prepare campaign")
def ask_crowd(request: HttpRequest, campaign: GradedCampaign) -> HttpResponse:
    """Create a draft campaign whose workers grade the free topics, and continue with its settings."""
    name, who = request.POST.get("name", "").replace("\0", "").strip(), request.user.get_username()
    with complain_if_refused(request):
        made = crowd_grading.create_crowd_campaign(campaign, name=name, settings=CampaignSettings(), who=who)
        return redirect("web:prepare_settings", made.name)
    return _show_campaign(campaign)


@require_POST
@graded_view("add files")
def publish_topic_labels(request: HttpRequest, campaign: GradedCampaign) -> HttpResponse:
    """Create a qrel set of the collection from the accepted topics."""
    who, name = request.user.get_username(), request.POST.get("set", "").strip()
    chosen = {option: option in request.POST for option in ("withheld", "incomplete")}
    with complain_if_refused(request):
        made = graded_labels.publish_labels(campaign, set_name=name, who=who, **chosen)
        messages.success(request, pages.labels_created(made))
    return _show_campaign(campaign)


@require_safe
@graded_view("export judgments")
def grades_file(_request: HttpRequest, campaign: GradedCampaign) -> HttpResponseBase:
    """Stream every grade as CSV, with the source of its passage: a part of the pool, or active learning."""
    rows = Rows(f"{campaign.name}-grades", list(graded_labels.COLUMNS), graded_labels.grades_of(campaign))
    return rows_file(rows, "csv")


@require_POST
@graded_view("assess")
def begin_topic(request: HttpRequest, campaign: GradedCampaign, key: int) -> HttpResponse:
    """Assign a topic, or a second opinion on a topic, to the person, and show its first passage."""
    topic = _topic_or_404(campaign, key)
    service = assignments.take_second_opinion if "second" in request.POST else assignments.take_topic
    with complain_if_refused(request):
        taken = service(topic, request.user)
        return redirect("web:assess", campaign.collection.name, campaign.name, taken.pk)
    return _show_campaign(campaign)


@require_http_methods(["GET", "POST"])
@graded_view("assess")
def assess(request: HttpRequest, campaign: GradedCampaign, key: int) -> HttpResponse:
    """Show the next passage, or an earlier one (``?at=``); save its grade."""
    assignment = pages.current_assignment(campaign, request.user, key)
    if request.method != "POST":
        at = row_key(request.GET.get("at", ""))
        page = pages.assess_page(assignment, at - 1 if at else None)
        job = None if page["item"] else ring_to_choose_if_needed(assignment)
        return render(request, "web/grading/assess.html", page | {"work": Work(job) if job else None})
    grade, item = (request.POST.get(name, "") for name in ("grade", "item"))
    if "again" in request.POST:
        ring_to_choose_if_needed(assignment, again=True)
    elif "undo" in request.POST:
        return _act_and_assess_next(request, assignment, lambda: grades.undo_grade(assignment))
    elif grade.isascii() and grade.isdigit() and item.isascii() and item.isdigit():
        found = get_object_or_404(assignment.items, pk=int(item[:18]))
        found.assignment = assignment
        before = "" if found.grade is None else str(found.grade)
        if before and request.POST.get("seen", before) != before:
            if before != grade:
                number = found.position + 1
                messages.warning(request, f"Passage {number} was given grade {before} in another window.")
                return redirect(f"{request.path}?at={number}")
            return redirect(request.path)
        return _act_and_assess_next(request, assignment, lambda: grades.give_grade(found, int(grade[:9])))
    else:
        messages.error(request, "Choose a grade.")
    return redirect(request.path)


def _act_and_assess_next(request: HttpRequest, assignment: Any, act: Callable[[], object]) -> HttpResponse:
    with complain_if_refused(request):
        act()
    if grades.awaits_passages(assignment):
        ring_to_choose(assignment)
    return redirect(request.path)


@require_safe
@graded_view("assess")
def choosing(request: HttpRequest, campaign: GradedCampaign, key: int) -> HttpResponse:
    """Render the progress part of the assessor's page while the next passages are chosen."""
    job = grades.choosing_job(pages.own_assignment(campaign, request.user, key))
    work = Work(job) if job else None
    return render(request, "web/parts/work.html", {"work": work, "part": True})


@require_POST
@graded_view("assess")
def decline(request: HttpRequest, campaign: GradedCampaign, key: int) -> HttpResponse:
    """Decline a topic with a reason."""
    assignment = pages.current_assignment(campaign, request.user, key)
    why, who = sent_text(request, "why", LONGEST_WHY), request.user.get_username()
    with complain_if_refused(request):
        assignments.end_assignment(assignment, why=why, who=who)
        return redirect("web:graded_campaign", campaign.collection.name, campaign.name)
    return redirect("web:assess", campaign.collection.name, campaign.name, key)


def _topic_or_404(campaign: GradedCampaign, key: int) -> Topic:
    return get_object_or_404(campaign.topics.select_related("query", "campaign"), pk=key)


def _show_campaign(campaign: GradedCampaign) -> HttpResponse:
    """Redirect to the campaign's page, or to the list if it was deleted meanwhile."""
    if GradedCampaign.objects.filter(pk=campaign.pk).exists():
        return redirect("web:graded_campaign", campaign.collection.name, campaign.name)
    return redirect("web:graded_campaigns", campaign.collection.name)
