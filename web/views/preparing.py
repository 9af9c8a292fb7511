"""The way of a campaign to its launch: a step an address, each saved as it is left."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import NotNow, Refusal
from judging.errors import CampaignRefused
from judging.models import Campaign
from judging.preview_views import PAGES, preview_page
from judging.rehearsal import truth_named
from judging.services.campaigns import CampaignSettings, create_campaign, pause
from judging.services.gold import decide_gold, reopen_gold
from judging.services.launching import Terms, amount_to_confirm, check_confirmed, launch_confirmed
from judging.services.piloting import pilot_campaign
from judging.services.preparing import change_settings, check_changeable, promise_hourly, settings_of
from judging.services.texts import accept_texts, check_short_texts, default_texts, set_texts
from judging.services.trials import trial_link
from judging.simulation import SimulationSettings
from pooling.models import Collection
from pooling.services.finding import pool_named
from web import jobs
from web import preparing_forms as forms
from web.access import campaign_for, needs, require
from web.services import preparing as pages

PILOT_TASKS = 10


def _step(
    action: str = "prepare campaign", *, while_piloting: bool = False
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """A step's view: for who may do this, of a campaign that is not launched; of another one to its own page."""

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        @never_cache
        def guarded(request: HttpRequest, name: str, **rest: Any) -> HttpResponse:
            campaign = campaign_for(request.user, name)
            require(request.user, action, campaign.collection)
            if not (while_piloting and campaign.state == Campaign.State.PILOTING):
                try:
                    check_changeable(campaign)
                except CampaignRefused as refusal:
                    messages.info(request, str(refusal))
                    return redirect("web:campaign", campaign.name)
            return view(request, campaign, **rest)

        return guarded

    return decorate


def _show(
    request: HttpRequest, campaign: Campaign, step: str, context: dict[str, Any], *, wrong: bool = False
) -> HttpResponse:
    shown = {
        "campaign": campaign,
        "steps": pages.steps_of(campaign, step),
        "step": step,
        "next_step": pages.following(step),
        "next_title": pages.STEPS[pages.following(step)],
    }
    status = 422 if wrong else 200
    return render(request, f"web/prepare_{step}.html", shown | context, status=status)


def _said(request: HttpRequest, refusal: Refusal) -> None:
    if isinstance(refusal, NotNow):
        raise refusal
    messages.error(request, str(refusal))


def _who(request: HttpRequest) -> str:
    return request.user.get_username()


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@needs("prepare campaign")
def new(request: HttpRequest, collection: Collection) -> HttpResponse:
    """A name, a pool and settings; what comes of it is a draft that is prepared step by step."""
    pools = pages.pools_to_choose(collection)
    initial = forms.SettingsForm.values_of(CampaignSettings()) | {"pool": request.GET.get("pool", "")}
    form = forms.NewCampaignForm(
        request.POST if request.method == "POST" else None, pools=pools, initial=initial
    )
    if request.method == "POST" and form.is_valid():
        settings = CampaignSettings(**form.changes())
        form.say(settings.problems())
        if form.is_valid():
            try:
                made = create_campaign(
                    name=form.cleaned_data["name"],
                    settings=settings,
                    pool=pool_named(form.cleaned_data["pool"]),
                    who=_who(request),
                )
                return redirect("web:prepare_gold", made.name)
            except NotNow:
                raise
            except Refusal as refusal:
                form.add_error("name", str(refusal))
    context = {"collection": collection, "form": form, "pools": pools}
    return render(request, "web/new_campaign.html", context, status=422 if form.errors else 200)


@require_safe
@_step(while_piloting=True)
def prepare(_request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """On to the first step that needs something."""
    if campaign.state == Campaign.State.PILOTING:
        return redirect("web:prepare_pilot", campaign.name)
    needed = [one.name for one in pages.steps_of(campaign, "") if one.state == "needed"]
    return redirect(f"web:prepare_{(needed or ['check'])[0]}", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@_step()
def settings(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What is asked of whom."""
    initial = forms.SettingsForm.values_of(settings_of(campaign))
    form = forms.SettingsForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and _saved(form, campaign, request):
        return redirect(f"web:prepare_{_onwards(request, 'settings')}", campaign.name)
    return _show(request, campaign, "settings", {"form": form}, wrong=bool(form.errors))


def _saved(form: forms.OfSettings, campaign: Campaign, request: HttpRequest) -> bool:
    """Whether the form's settings are the campaign's now; else the form says why not."""
    if not form.is_valid():
        return False
    now = settings_of(campaign)
    wanted = CampaignSettings(
        **{name: getattr(now, name) for name in now.__dataclass_fields__} | form.changes()
    )
    form.say(wanted.problems())
    if not form.is_valid():
        return False
    try:
        changed = change_settings(campaign, form.changes(), who=_who(request))
    except CampaignRefused as refusal:
        form.refused(refusal)
        return False
    if changed:
        messages.success(request, f"Saved: {', '.join(name.replace('_', ' ') for name in changed)}.")
    return True


def _onwards(request: HttpRequest, step: str) -> str:
    """The button that was pressed says whether to stay."""
    return step if "stay" in request.POST else pages.following(step)


@require_safe
@_step()
def gold(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Test pairs, the one to decide now side by side."""
    if "part" in request.GET:
        return render(request, "web/parts/job.html", {"job": jobs.gold_proposals(campaign).first()})
    return _show(request, campaign, "gold", {"page": pages.gold_page(campaign, request.GET)})


@require_POST
@_step()
def propose(_request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Have test pairs looked for."""
    jobs.ring_for_gold(campaign)
    return redirect("web:prepare_gold", campaign.name)


@require_POST
@_step()
def decide(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Accept, reject or decide anew about one test pair; or accept all that are proposed."""
    given, decision = request.POST.get("gold", ""), request.POST.get("decision", "")
    key = int(given) if given.isascii() and given.isdigit() and len(given) < 18 else 0
    address = redirect("web:prepare_gold", campaign.name)
    try:
        if decision == "accept-all":
            count = decide_gold(campaign, None, accept=True, who=_who(request))
            messages.success(request, f"{count} test pairs were accepted.")
        elif decision in ("accept", "drop"):
            decide_gold(campaign, [key], accept=decision == "accept", who=_who(request))
            address["Location"] += f"?last={key}"
        elif decision == "reopen":
            reopen_gold(campaign, [key])
        else:
            messages.error(request, "Choose accept or reject.")
    except Refusal as refusal:
        _said(request, refusal)
    return address


@require_http_methods(["GET", "HEAD", "POST"])
@_step()
def texts(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What workers read, beside the page on which they read it."""
    form = forms.TextsForm(
        request.POST if request.method == "POST" else None, initial=forms.TextsForm.values_of(campaign)
    )
    if request.method == "POST" and form.is_valid():
        try:
            _set_texts(campaign, form.cleaned_data)
            if "accept" in request.POST:
                accept_texts(campaign, who=_who(request))
                return redirect("web:prepare_pay", campaign.name)
            messages.success(request, "Saved. Accept the texts when they are as they should be.")
            return redirect("web:prepare_texts", campaign.name)
        except CampaignRefused as refusal:
            form.add_error(None, str(refusal))
    context = {"form": form, "previews": PREVIEWS}
    return _show(request, campaign, "texts", context, wrong=bool(form.errors))


PREVIEWS = {"offer": "the offer", "consent": "consent", "pairs": "instructions and pairs"}


def _set_texts(campaign: Campaign, given: dict[str, str]) -> None:
    """Only what differs is set: texts that nobody changed stay accepted."""
    now = forms.TextsForm.values_of(campaign)
    words = {name: text.replace("\r\n", "\n").strip() for name, text in given.items()}
    changed = {name: text for name, text in words.items() if text != now[name].strip()}
    if changed:
        set_texts(campaign, **changed)


@require_POST
@_step()
def usual_texts(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The texts that ship with the project, again."""
    usual = default_texts(campaign.language)
    set_texts(campaign, **{name.removesuffix("_text"): text for name, text in usual.items()})
    messages.success(request, "The default texts are back.")
    return redirect("web:prepare_texts", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@_step()
def preview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A worker's page with the saved texts, or with those of a form that is not saved."""
    given = request.POST if request.method == "POST" else request.GET
    page = given.get("page", "")
    page = page if page in PAGES else "consent"
    if request.method == "POST":
        form = forms.TextsForm(request.POST)
        form.is_valid()
        for name, text in form.cleaned_data.items():
            field = name if hasattr(campaign, name) else f"{name}_text"
            setattr(campaign, field, text.strip())
        try:
            check_short_texts(example=campaign.example_text)
        except CampaignRefused:
            campaign.example_text = ""  # half-written: the form says what is wrong when it is saved
    return preview_page(request, campaign, page)


@require_POST
@_step()
def trial(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A task of one's own, timed, on the pages that workers see."""
    try:
        link = trial_link(campaign, days=1, who=_who(request))
    except Refusal as refusal:
        _said(request, refusal)
        return redirect("web:prepare_texts", campaign.name)
    return redirect(link.url)


@require_http_methods(["GET", "HEAD", "POST"])
@_step()
def pay(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What a task pays, and what that comes to. A GET with values tells, a POST saves."""
    initial = forms.PayForm.values_of(settings_of(campaign)) | {"minimum_hourly": campaign.minimum_hourly}
    given = request.POST if request.method == "POST" else request.GET if "reward" in request.GET else None
    form = forms.PayForm(given, initial=initial)
    if request.method == "POST" and form.is_valid():
        least = form.cleaned_data["minimum_hourly"]
        try:
            if _saved(form, campaign, request):
                promise_hourly(campaign, least, who=_who(request))
                return redirect(f"web:prepare_{_onwards(request, 'pay')}", campaign.name)
        except CampaignRefused as refusal:
            form.add_error("minimum_hourly", str(refusal))
    if form.is_bound and form.is_valid():
        _as_if(campaign, form)
    context = {"form": form, "told": None if form.errors else pages.pay_told(campaign)}
    return _show(request, campaign, "pay", context, wrong=bool(form.errors))


def _as_if(campaign: Campaign, form: forms.PayForm) -> None:
    """The campaign in memory as the form would have it; where that cannot be, the form says why."""
    now = settings_of(campaign)
    wanted = CampaignSettings(
        **{name: getattr(now, name) for name in now.__dataclass_fields__} | form.changes()
    )
    form.say(wanted.problems())
    if form.is_valid():
        for name, value in form.changes().items():
            setattr(campaign, name, value)
        campaign.minimum_hourly = form.cleaned_data["minimum_hourly"]


@require_http_methods(["GET", "HEAD", "POST"])
@_step()
def rehearsal(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Simulated workers judge a copy; what that foretells."""
    if "part" in request.GET:
        return render(request, "web/parts/job.html", {"job": jobs.rehearsals_asked_for(campaign).first()})
    truths = list(campaign.collection.qrel_sets.order_by("-pk").values_list("name", flat=True))
    form = forms.RehearsalForm(request.POST if request.method == "POST" else None, truths=truths)
    if request.method == "POST" and form.is_valid():
        asked = dict(form.cleaned_data)
        try:
            truth = truth_named(campaign, asked.pop("truth"))
            jobs.ring_for_rehearsal(campaign, truth, SimulationSettings(**asked), who=_who(request))
            return redirect("web:prepare_rehearsal", campaign.name)
        except NotNow:
            raise
        except Refusal as refusal:
            form.add_error(None, str(refusal))
    context = {"form": form, "truths": truths} | pages.rehearsal_told(campaign)
    return _show(request, campaign, "rehearsal", context, wrong=bool(form.errors))


@require_http_methods(["GET", "HEAD", "POST"])
@_step("launch campaign", while_piloting=True)
def pilot(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A few tasks for people first. The amount is typed, and stands on the button."""
    given = request.POST if request.method == "POST" else request.GET if "tasks" in request.GET else None
    form = forms.PilotForm(given, initial={"tasks": min(PILOT_TASKS, max(1, campaign.tasks.count()))})
    amount_form = forms.AmountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and campaign.state == Campaign.State.PILOTING:
        return redirect("web:prepare_pilot", campaign.name)  # sent twice: it is under way
    if request.method == "POST" and form.is_valid() and amount_form.is_valid():
        try:
            _offer_pilot(request, campaign, form.cleaned_data, amount_form.cleaned_data["amount"])
            return redirect("web:prepare_pilot", campaign.name)
        except NotNow:
            raise
        except Refusal as refusal:
            amount_form.add_error(None, str(refusal))
    tasks = form.cleaned_data.get("tasks", 0) if form.is_bound and form.is_valid() else form.initial["tasks"]
    wrong = bool(form.errors or amount_form.errors)
    context = pages.pilot_page(campaign, tasks) | {"form": form, "amount_form": amount_form}
    return _show(request, campaign, "pilot", context | {"sees_everything": True}, wrong=wrong)


def _offer_pilot(request: HttpRequest, campaign: Campaign, asked: dict[str, Any], confirmed: Decimal) -> None:
    check_confirmed(amount_to_confirm(campaign, asked["tasks"]), confirmed)
    pilot_campaign(
        campaign,
        tasks=asked["tasks"],
        counts=asked["counts"],
        terms=Terms(confirm_spend=confirmed),
        who=_who(request),
    )
    jobs.after_launching(campaign)
    messages.success(request, f"The pilot is under way: {asked['tasks']} tasks are offered.")


@require_POST
@_step("launch campaign", while_piloting=True)
def end_pilot(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """End a pilot before all its tasks are in; what is under way is paid."""
    try:
        pause(campaign, why="the pilot was ended", who=_who(request))
        jobs.after_offering_less(campaign)
    except Refusal as refusal:
        _said(request, refusal)
    return redirect("web:prepare_pilot", campaign.name)


@require_safe
@_step()
def check(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All that a launch is held to, and what to do about what does not pass."""
    return _show(request, campaign, "check", {"page": pages.check_page(campaign)})


@require_http_methods(["GET", "HEAD", "POST"])
@_step("launch campaign")
def launch(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Launch within the amount that is typed. Sent twice, it launches once: the second finds it launched."""
    form = forms.AmountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            launched = launch_confirmed(campaign, confirmed=form.cleaned_data["amount"], who=_who(request))
        except NotNow:
            raise
        except Refusal as refusal:
            campaign.refresh_from_db()
            if campaign.state == Campaign.State.OPEN:
                return redirect("web:campaign", campaign.name)
            form.add_error(None, str(refusal))
        else:
            jobs.after_launching(campaign)
            messages.success(request, f"{campaign.name} is launched: {launched.places:,} places are offered.")
            return redirect("web:campaign", campaign.name)
    context = pages.launch_page(campaign) | {"form": form}
    return _show(request, campaign, "launch", context, wrong=bool(form.errors))
