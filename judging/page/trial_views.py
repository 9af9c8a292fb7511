from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from config import clock
from judging.exchange.link_tokens import page_token, read_trial
from judging.models import Posting
from judging.page.frame_views import in_frame, speak_language_of
from judging.page.session import WorkRefused
from judging.page.trials import MOST_TRIALS, start_trial, trial_size


@require_http_methods(["GET", "HEAD", "POST"])
@in_frame
def trial(request: HttpRequest, token: str) -> HttpResponse:
    """Show the start page of a trial. A POST starts the trial and redirects to its task.

    A GET does not start the clock, because programs that preview links send one.
    """
    link = read_trial(token)
    try:
        posting = Posting.objects.select_related("campaign").get(
            pk=link.posting_id, purpose=Posting.Purpose.TRIAL
        )
    except Posting.DoesNotExist:
        raise WorkRefused("unknown-link") from None
    if link.campaign_key not in ("", posting.campaign.call_key):
        # A restored database reused the number.
        raise WorkRefused("unknown-link")
    speak_language_of(posting.campaign)
    if clock.now() >= link.expires_at:
        raise WorkRefused("trial-over")
    if request.method == "POST":
        return redirect("judging:work", token=page_token(start_trial(posting), ""))
    campaign = posting.campaign
    context = {
        "campaign": campaign,
        "total": trial_size(campaign),
        "expires_at": link.expires_at,
        "most": MOST_TRIALS,
    }
    return render(request, "judging/trial.html", context)
