"""The way of a campaign to its launch: a step an address, each saved as it is left."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import NotNow, Refusal
from judging.errors import CampaignRefused
from judging.models import Campaign
from judging.preview_views import PAGES, preview_page
from judging.services.campaigns import CampaignSettings, create_campaign
from judging.services.drafts import is_untouched
from judging.services.gold import bring_gold, check_gold_size, decide_gold, reopen_gold
from judging.services.gold_proposals import labels_for_gold
from judging.services.preparing import change_settings, promise_hourly, settings_of
from judging.services.strategy_figures import outcomes_of
from judging.services.texts import accept_texts, check_short_texts, default_texts, set_texts
from judging.services.trials import trial_link
from pooling.models import Collection
from pooling.services.finding import pool_named
from web import jobs
from web import preparing_forms as forms
from web.access import needs
from web.gold_texts import ring_for_gold_texts
from web.services import preparing as pages
from web.services.work import Work
from web.views.preparing_step import say, show, step_view, who

PREVIEWS = {"offer": "the offer", "consent": "consent", "pairs": "instructions and pairs"}


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
                    who=who(request),
                )
                return redirect("web:prepare_gold", made.name)
            except NotNow:
                raise
            except Refusal as refusal:
                form.add_error("name", str(refusal))
    context = {"collection": collection, "form": form, "pools": pools}
    return render(request, "web/new_campaign.html", context, status=422 if form.errors else 200)


@require_safe
@step_view(while_piloting=True)
def prepare(_request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """On to the first step that needs something."""
    if campaign.state == Campaign.State.PILOTING:
        return redirect("web:prepare_pilot", campaign.name)
    needed = [one.name for one in pages.steps_of(campaign, "") if one.state == "needed"]
    return redirect(f"web:prepare_{(needed or ['check'])[0]}", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def settings(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What is asked of whom."""
    initial = forms.SettingsForm.values_of(settings_of(campaign))
    form = forms.SettingsForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and _saved(form, campaign, request):
        return redirect(f"web:prepare_{_onwards(request, 'settings')}", campaign.name)
    context = {"form": form, "untouched": is_untouched(campaign), **pages.rules_told(campaign)}
    return show(request, campaign, "settings", context, wrong=bool(form.errors))


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
        changed = change_settings(campaign, form.changes(), who=who(request))
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
@step_view()
def gold(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Test pairs, the one to decide now side by side."""
    if "part" in request.GET:
        return render(
            request,
            "web/parts/work.html",
            {"work": Work(jobs.gold_proposals(campaign).first()), "part": True},
        )
    page = pages.gold_page(campaign, request.GET)
    told = {"page": page, "outcomes": outcomes_of(campaign) if page.accepted else None}
    return show(request, campaign, "gold", told)


@require_POST
@step_view()
def propose(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Have test pairs looked for."""
    qrels = request.POST.get("qrels", "").replace("\0", "")
    try:
        if qrels:
            labels_for_gold(campaign, qrels)
    except Refusal as refusal:
        say(request, refusal)
    else:
        jobs.ring_for_gold(campaign, qrels=qrels)
    return redirect("web:prepare_gold", campaign.name)


@require_POST
@step_view()
def bring(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Take test pairs of somebody's own in, and look for the texts that they lack."""
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, "Choose a file with your test pairs.")
        return redirect("web:prepare_gold", campaign.name)
    try:
        check_gold_size(file.size or 0)
        count = bring_gold(campaign, file.read(), name=(file.name or "gold")[:100], who=who(request))
    except Refusal as refusal:
        say(request, refusal)
        return redirect("web:prepare_gold", campaign.name)
    messages.success(request, f"{count} test pair{'' if count == 1 else 's'} of your own: accepted.")
    if ring_for_gold_texts(campaign, request.user):
        messages.info(request, "Texts that are missing are looked for in the collection's passage files.")
    return redirect("web:prepare_gold", campaign.name)


@require_POST
@step_view()
def decide(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Accept, reject or decide anew about one test pair; or accept all that are proposed."""
    given, decision = request.POST.get("gold", ""), request.POST.get("decision", "")
    key = int(given) if given.isascii() and given.isdigit() and len(given) < 18 else 0
    address = redirect("web:prepare_gold", campaign.name)
    try:
        if decision == "accept-all":
            count = decide_gold(campaign, None, accept=True, who=who(request))
            messages.success(request, f"{count} test pairs were accepted.")
        elif decision in ("accept", "drop"):
            decide_gold(campaign, [key], accept=decision == "accept", who=who(request))
            address["Location"] += f"?last={key}"
        elif decision == "reopen":
            reopen_gold(campaign, [key])
        else:
            messages.error(request, "Choose accept or reject.")
    except Refusal as refusal:
        say(request, refusal)
    return address


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def texts(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What workers read, beside the page on which they read it."""
    form = forms.TextsForm(
        request.POST if request.method == "POST" else None, initial=forms.TextsForm.values_of(campaign)
    )
    if request.method == "POST" and form.is_valid():
        try:
            _set_texts(campaign, form.cleaned_data)
            if "accept" in request.POST:
                accept_texts(campaign, who=who(request))
                return redirect("web:prepare_pay", campaign.name)
            messages.success(request, "Saved. Accept the texts when they are as they should be.")
            return redirect("web:prepare_texts", campaign.name)
        except CampaignRefused as refusal:
            form.add_error(None, str(refusal))
    context = {"form": form, "previews": PREVIEWS}
    return show(request, campaign, "texts", context, wrong=bool(form.errors))


def _set_texts(campaign: Campaign, given: dict[str, str]) -> None:
    """Only what differs is set: texts that nobody changed stay accepted."""
    now = forms.TextsForm.values_of(campaign)
    words = {name: text.replace("\r\n", "\n").strip() for name, text in given.items()}
    changed = {name: text for name, text in words.items() if text != now[name].strip()}
    if changed:
        set_texts(campaign, **changed)


@require_POST
@step_view()
def usual_texts(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The texts that ship with the project, again; what was written goes, so that a box has to be ticked."""
    if "sure" not in request.POST:
        messages.error(request, "Nothing was changed. Tick the box to have your own texts replaced.")
        return redirect("web:prepare_texts", campaign.name)
    usual = default_texts(campaign.language)
    set_texts(campaign, **{name.removesuffix("_text"): text for name, text in usual.items()})
    messages.success(request, "The default texts are back.")
    return redirect("web:prepare_texts", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
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
@step_view()
def trial(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A task of one's own, timed, on the pages that workers see."""
    try:
        link = trial_link(campaign, days=1, who=who(request))
    except Refusal as refusal:
        say(request, refusal)
        return redirect("web:prepare_texts", campaign.name)
    return redirect(link.url)


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def pay(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What a task pays, and what that comes to. A GET with values tells, a POST saves."""
    initial = forms.PayForm.values_of(settings_of(campaign)) | {"minimum_hourly": campaign.minimum_hourly}
    given = request.POST if request.method == "POST" else request.GET if "reward" in request.GET else None
    form = forms.PayForm(given, initial=initial)
    if request.method == "POST" and form.is_valid():
        least = form.cleaned_data["minimum_hourly"]
        try:
            if _saved(form, campaign, request):
                promise_hourly(campaign, least, who=who(request))
                return redirect(f"web:prepare_{_onwards(request, 'pay')}", campaign.name)
        except CampaignRefused as refusal:
            form.add_error("minimum_hourly", str(refusal))
    if form.is_bound and form.is_valid():
        _as_if(campaign, form)
    context = {"form": form, "told": None if form.errors else pages.pay_told(campaign)}
    return show(request, campaign, "pay", context, wrong=bool(form.errors))


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
