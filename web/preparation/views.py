"""Pages that prepare a campaign for launch. Each step has its own address and saves its own form."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.plurals import many
from config.row_keys import row_key
from judging.campaign.campaign_settings import RECOMMENDED, change_settings, promise_hourly, settings_of
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.drafts import count_contents, delete_draft, is_untouched, reasons_to_keep, rename_draft
from judging.campaign.gold_labels import labels_for_gold
from judging.campaign.gold_pairs import check_gold_size, decide_gold, import_gold_content, reopen_gold
from judging.campaign.gold_proposals import gold_work
from judging.campaign.strategy_figures import outcomes_of
from judging.campaign.worker_texts import accept_texts, check_short_texts, default_texts, set_texts
from judging.errors import CampaignRefused
from judging.jobs import ring_for_gold
from judging.models import Campaign, GoldPair
from judging.page.preview_views import PAGES, preview_page
from judging.page.trials import trial_link
from pooling.collections.lookups import pool_named
from pooling.collections.name_rules import free_name
from pooling.models import Collection
from web.common.access import needs
from web.common.job_progress import Work
from web.common.shown_refusals import add_error_if_refused, complain_if_refused
from web.preparation import forms, pages
from web.preparation.jobs import ring_for_gold_texts
from web.preparation.pool_workload import pool_summary
from web.preparation.preparation_steps import preparation_steps, step_after, why_gold_is_refused
from web.preparation.step_views import show_step, step_view, who

PREVIEWS = {"offer": "the offer", "consent": "consent", "pairs": "instructions and pairs"}
LONGEST_NAME = 200


def _settings_sent(request: HttpRequest) -> Any:
    """Return the values of a settings form, whether it is sent to be saved or only to calculate the cost."""
    if request.method == "POST":
        return request.POST
    return request.GET if "pairs_per_task" in request.GET else None


def _is_to_be_saved(request: HttpRequest) -> bool:
    return request.method == "POST" and "calculate" not in request.POST


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@needs("prepare campaign")
def new_campaign(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Create a draft from a name, a pool and settings; without saving, show what the settings would cost."""
    pools = pages.pools_to_choose(collection)
    initial = forms.SettingsForm.values_of(CampaignSettings()) | {
        "name": free_name(f"{collection.name}-campaign", Campaign.objects.all()),
        "pool": request.GET.get("pool", ""),
    }
    form = forms.NewCampaignForm(_settings_sent(request), pools=pools, initial=initial)
    if form.is_bound and not _is_to_be_saved(request):
        form.fields["name"].required = False  # the cost does not depend on the name
    if _is_to_be_saved(request) and form.is_valid():
        settings = CampaignSettings(**form.changes())
        form.say(settings.problems())
        if form.is_valid():
            with add_error_if_refused(form, "name"):
                made = create_campaign(
                    name=form.cleaned_data["name"],
                    settings=settings,
                    pool=pool_named(form.cleaned_data["pool"]),
                    who=who(request),
                )
                return redirect("web:prepare_gold", made.name)
    pool = form["pool"].value() or (pools[0][0] if pools else "")
    pairs = pool_summary(pool_named(pool)).stats.pairs if pool in dict(pools) else 0
    context = {
        "collection": collection,
        "form": form,
        "pools": pools,
        "cost": pages.cost_preview(form, pairs, CampaignSettings()),
        "pay_words": "At the reference experiment's pay. You set the pay of this campaign in a later step.",
    }
    return render(request, "web/preparation/new_campaign.html", context, status=422 if form.errors else 200)


@require_safe
@step_view(while_piloting=True)
def prepare(_request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Redirect to the first step that needs something, else to the check list; during a pilot, to the pilot."""
    if campaign.state == Campaign.State.PILOTING:
        return redirect("web:prepare_pilot", campaign.name)
    needed = [one.name for one in preparation_steps(campaign, "") if one.state == "needed"]
    return redirect(f"web:prepare_{(needed or ['check'])[0]}", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def campaign_settings(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Change how workers judge, and see which screening rule is recommended."""
    initial = forms.SettingsForm.values_of(settings_of(campaign))
    form = forms.SettingsForm(_settings_sent(request), initial=initial, graded=campaign.grades > 0)
    if _is_to_be_saved(request) and _save_settings(form, campaign, request):
        return redirect(f"web:prepare_{_next_step_name(request, campaign, 'settings')}", campaign.name)
    context = {
        "form": form,
        "untouched": is_untouched(campaign),
        "cost": pages.cost_preview(form, campaign.pairs.count(), settings_of(campaign), draft=campaign),
        "pay_words": f"At ${campaign.reward:,.2f} a task, which you set in the step Pay.",
        **pages.rule_comparison(campaign),
    }
    return show_step(request, campaign, "settings", context, wrong=bool(form.errors))


@require_POST
@step_view()
def use_recommended_rule(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Use the recommended screening rule, then redirect to the next step that needs something, such as the texts."""
    with complain_if_refused(request):
        if change_settings(campaign, {"screen": RECOMMENDED}, who=who(request)):
            messages.success(
                request,
                f"The screening rule is now {campaign.screen}. The consent text explains it to workers, so read "
                "and accept the texts again.",
            )
    return redirect("web:prepare", campaign.name)


def _save_settings(form: forms.OfSettings, campaign: Campaign, request: HttpRequest) -> bool:
    """Save the form's settings and return whether that worked; the form shows any problems."""
    if not form.is_valid():
        return False
    form.say(replace(settings_of(campaign), **form.changes()).problems())
    if not form.is_valid():
        return False
    least = form.cleaned_data.get("minimum_hourly", campaign.minimum_hourly)
    with transaction.atomic():
        try:
            changed = change_settings(campaign, form.changes(), who=who(request))
        except CampaignRefused as refusal:
            form.refused(refusal)
            return False
        if promise_hourly(campaign, least, who=who(request)):
            changed = [*changed, "minimum_hourly"]
    if changed:
        messages.success(request, f"Saved: {', '.join(f'“{form.label_of(name)}”' for name in changed)}.")
    return True


def _next_step_name(request: HttpRequest, campaign: Campaign, step: str) -> str:
    """Return the name of this step or of the next step, depending on which button was pressed."""
    return step if "stay" in request.POST else step_after(campaign, step)


@require_safe
@step_view()
def gold(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show gold pairs, with the two passages of the next proposal side by side."""
    if "part" in request.GET:
        return render(
            request,
            "web/parts/work.html",
            {"work": Work(gold_work(campaign).first()), "part": True},
        )
    page = pages.gold_page(campaign, request.GET)
    told = {
        "page": page,
        "outcomes": outcomes_of(campaign) if page.accepted else None,
        "refused": "" if page.lacking else why_gold_is_refused(campaign),
    }
    return show_step(request, campaign, "gold", told)


@require_POST
@step_view()
def propose_gold_pairs(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    qrels = request.POST.get("qrels", "").replace("\0", "")
    with complain_if_refused(request):
        if qrels:
            labels_for_gold(campaign, qrels)
        ring_for_gold(campaign, qrels=qrels)
    return redirect("web:prepare_gold", campaign.name)


@require_POST
@step_view()
def import_own_gold(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Import a person's own gold pairs, and look for their missing texts."""
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, "Choose a file with your gold pairs.")
        return redirect("web:prepare_gold", campaign.name)
    with complain_if_refused(request):
        check_gold_size(file.size or 0)
        count = import_gold_content(campaign, file.read(), name=(file.name or "gold")[:100], who=who(request))
        messages.success(request, f"{many(count, 'gold pair')} of your own accepted.")
        if ring_for_gold_texts(campaign, request.user):
            messages.info(request, "Looking for missing texts in the collection's passage files.")
    return redirect("web:prepare_gold", campaign.name)


@require_POST
@step_view()
def decide_gold_pair(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Accept or reject one gold pair, change a decision, or accept all proposals."""
    key, decision = row_key(request.POST.get("gold", "")), request.POST.get("decision", "")
    address = redirect("web:prepare_gold", campaign.name)
    if told := _decided_since(campaign, key, request.POST.get("seen", "")):
        messages.error(request, told)
        return address
    with complain_if_refused(request):
        if decision == "accept-all":
            count = decide_gold(campaign, None, accept=True, who=who(request))
            messages.success(request, f"{many(count, 'gold pair was', 'gold pairs were')} accepted.")
        elif decision in ("accept", "drop"):
            decide_gold(campaign, [key], accept=decision == "accept", who=who(request))
            address["Location"] += f"?last={key}"
        elif decision == "reopen":
            reopen_gold(campaign, [key])
        else:
            messages.error(request, "Choose accept or reject.")
    return address


def _decided_since(campaign: Campaign, key: int, seen: str) -> str:
    """Return a message if a gold pair's decision changed after the person opened the page, else ""."""
    pair = campaign.gold_pairs.filter(pk=key).first() if seen else None
    if pair is None or pair.state == seen:
        return ""
    by = f" by {pair.decided_by}" if pair.decided_by else ""
    state = "rejected" if pair.state == GoldPair.State.DROPPED else pair.get_state_display().lower()
    return f"This gold pair was {state}{by} after you opened the page. Nothing was changed."


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def texts(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the texts for workers next to a preview of the workers' page; a POST saves them, and can accept them."""
    form = forms.TextsForm(
        request.POST if request.method == "POST" else None, initial=forms.TextsForm.values_of(campaign)
    )
    if campaign.grades and not campaign.example_text:
        del form.fields["example"]  # an example shows two passages; workers see the scale's levels instead
    if request.method == "POST" and form.is_valid():
        with add_error_if_refused(form):
            _set_texts(campaign, form.cleaned_data)
            if "accept" in request.POST:
                accept_texts(campaign, who=who(request))
                return redirect("web:prepare_pay", campaign.name)
            messages.success(request, "Saved. Accept the texts when they are ready.")
            return redirect("web:prepare_texts", campaign.name)
    passages = {"pairs": "instructions and passages"} if campaign.grades else {}
    context = {"form": form, "previews": PREVIEWS | passages}
    return show_step(request, campaign, "texts", context, wrong=bool(form.errors))


def _set_texts(campaign: Campaign, given: dict[str, str]) -> None:
    """Save only changed texts; unchanged texts stay accepted."""
    now = forms.TextsForm.values_of(campaign)
    words = {name: text.replace("\r\n", "\n").strip() for name, text in given.items()}
    changed = {name: text for name, text in words.items() if text != now[name].strip()}
    if changed:
        set_texts(campaign, **changed)


@require_POST
@step_view()
def usual_texts(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Restore the default texts. Edits are lost, so a box must be ticked."""
    if "sure" not in request.POST:
        messages.error(request, "Nothing was changed. Tick the box to replace your own texts.")
        return redirect("web:prepare_texts", campaign.name)
    usual = default_texts(campaign.language, graded=campaign.grades > 0)
    set_texts(campaign, **{name.removesuffix("_text"): text for name, text in usual.items()})
    messages.success(request, "The default texts are back.")
    return redirect("web:prepare_texts", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def preview_texts(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show a worker's page with the saved texts, or with the texts of an unsaved form."""
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
            campaign.example_text = ""  # the form is incomplete; saving it shows the problem
    return preview_page(request, campaign, page)


@require_POST
@step_view()
def try_texts(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Let the person try a timed task on the pages that workers see."""
    with complain_if_refused(request):
        return redirect(trial_link(campaign, days=1, who=who(request)).url)
    return redirect("web:prepare_texts", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def pay(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the pay for a task and its effects. A GET with values previews them, a POST saves them."""
    initial = forms.PayForm.values_of(settings_of(campaign)) | {"minimum_hourly": campaign.minimum_hourly}
    given = request.POST if request.method == "POST" else request.GET if "reward" in request.GET else None
    form = forms.PayForm(given, initial=initial)
    if request.method == "POST" and form.is_valid():
        with add_error_if_refused(form, "minimum_hourly"):
            if _save_settings(form, campaign, request):
                return redirect(f"web:prepare_{_next_step_name(request, campaign, 'pay')}", campaign.name)
    if form.is_bound and form.values_are_valid:
        _apply_unsaved(campaign, form)
    told = pages.pay_forecast(campaign) if form.values_are_valid or not form.is_bound else None
    context = {"form": form, "told": told}
    return show_step(request, campaign, "pay", context, wrong=bool(form.errors))


def _apply_unsaved(campaign: Campaign, form: forms.PayForm) -> None:
    """Apply the form to the campaign in memory; the form shows any problems."""
    form.say(replace(settings_of(campaign), **form.changes()).problems())
    if form.values_are_valid:
        for name, value in form.changes().items():
            setattr(campaign, name, value)
        campaign.minimum_hourly = form.cleaned_data["minimum_hourly"]


@require_POST
@step_view()
def rename_campaign_draft(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Rename a draft; the name is used in addresses, on pages and in commands."""
    before = campaign.name
    with complain_if_refused(request):
        rename_draft(
            campaign, request.POST.get("name", "").replace("\0", "")[:LONGEST_NAME], who=who(request)
        )
        if campaign.name != before:
            messages.success(request, f"{before} is now called {campaign.name}.")
    return redirect("web:prepare_settings", campaign.name)


@require_http_methods(["GET", "HEAD", "POST"])
@step_view()
def confirm_draft_deletion(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show what will be deleted and the button, or why the draft cannot be deleted."""
    if request.method == "POST":
        collection, name = campaign.collection.name, campaign.name
        with complain_if_refused(request):
            delete_draft(campaign, who=who(request))
            messages.success(request, f"The draft {name} was deleted.")
            return redirect("web:collection", collection)
        return redirect("web:delete_draft", name)
    reasons = (
        reasons_to_keep(campaign) if is_untouched(campaign) else ["some of its tasks were offered to people"]
    )
    context = {"campaign": campaign, "reasons": reasons, "goes": count_contents(campaign)}
    return render(request, "web/preparation/delete_draft.html", context)
