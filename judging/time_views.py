"""What a worker's page asks about the time for a task: more of it, and the end when it is over."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from judging.frame_views import in_frame
from judging.models import Submission
from judging.saving_views import readable_anywhere
from judging.services import running_out, working
from judging.views import page_of, save_form

#: A page's clock may be so many seconds ahead of ours when it says that the time is over.
AHEAD_SECONDS = 30


@require_POST
@in_frame
def more_time(request: HttpRequest, token: str) -> HttpResponse:
    """Give the worker more time, once. A script is told the seconds left; a plain form gets its page back."""
    _, submission = page_of(request, token)
    if submission.state == Submission.State.HELD and working.has_agreed(submission):
        running_out.extend(submission)
    if "script" in request.POST:
        return readable_anywhere(JsonResponse({"left": working.seconds_left(submission)}))
    return save_form(request, token, submission) or redirect("judging:work", token=token)


@require_POST
@in_frame
def time_up(request: HttpRequest, token: str) -> HttpResponse:
    """Take what the page has when the time is over, and send off what is judged; with time left it only goes back."""
    _, submission = page_of(request, token)
    left = working.seconds_left(submission)
    held = submission.state == Submission.State.HELD and working.has_agreed(submission)
    if running_out.takes_late_choices(submission) or (held and left is not None and left <= AHEAD_SECONDS):
        save_form(request, token, submission)
        form = request.POST
        working.run_out(submission, comment=form.get("comment", ""), pasted="pasted" in form)
    return redirect("judging:work", token=token)
