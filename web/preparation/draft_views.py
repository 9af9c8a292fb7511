from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from judging.campaign.drafts import count_contents, delete_draft, is_untouched, reasons_to_keep, rename_draft
from judging.models import Campaign
from web.common.shown_refusals import complain_if_refused
from web.preparation.step_views import step_view, who

LONGEST_NAME = 200


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
    return render(request, "web/delete_draft.html", context)
