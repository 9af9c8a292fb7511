from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from config.row_keys import row_key
from judging.models import Discrepancy
from judging.money.discrepancies import NEXT_STEPS, open_differences, settle_difference
from pooling.services.members import may
from web.campaigns import pages as campaign_watch
from web.common.access import campaign_for, require
from web.common.sent_text import sent_text

LONGEST_WHY = 200
#: Headings of differences.
KINDS = {
    Discrepancy.Kind.ONLY_THERE: "Submitted on the crowd site, but never seen by our page",
    Discrepancy.Kind.ONLY_HERE: "Submitted on our page, but missing from the crowd's list",
    Discrepancy.Kind.DIFFERENT: "Answers in the crowd's form differ from those clicked on our page",
}


@require_http_methods(["GET", "HEAD", "POST"])
def differences(request: HttpRequest, name: str) -> HttpResponse:
    """List the campaign's open differences with the next step for each. A POST settles a difference."""
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
        "longest": LONGEST_WHY,
        "wrong": wrong,
    }
    return render(request, "web/campaign_differences.html", context, status=400 if wrong else 200)
