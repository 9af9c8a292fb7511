"""Views about a task's time: give more time, and end the task when its time is over."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from judging.models import Submission
from judging.page import session
from judging.page.frame_views import in_frame
from judging.page.saved_choice_views import readable_anywhere
from judging.page.views import page_of, save_posted_choices
from judging.tasks import time_left

#: The number of seconds that a page's clock can be ahead of ours when it reports that the time is over.
AHEAD_SECONDS = 30


@require_POST
@in_frame
def more_time(request: HttpRequest, token: str) -> HttpResponse:
    """Give the worker more time, once. Returns the seconds left to a script; otherwise shows the page again."""
    _, submission = page_of(request, token)
    if submission.state == Submission.State.HELD and session.has_agreed(submission):
        time_left.extend(submission)
    if "script" in request.POST:
        return readable_anywhere(JsonResponse({"left": session.seconds_left(submission)}))
    return save_posted_choices(request, token, submission) or redirect("judging:work", token=token)


@require_POST
@in_frame
def time_up(request: HttpRequest, token: str) -> HttpResponse:
    """Save the page's choices and submit the task if its time is over. If time is left, only show the page again."""
    _, submission = page_of(request, token)
    left = session.seconds_left(submission)
    held = submission.state == Submission.State.HELD and session.has_agreed(submission)
    if time_left.takes_late_choices(submission) or (held and left is not None and left <= AHEAD_SECONDS):
        save_posted_choices(request, token, submission)
        form = request.POST
        session.run_out(submission, comment=form.get("comment", ""), pasted="pasted" in form)
    return redirect("judging:work", token=token)
