"""The decorator for worker pages inside the frame of a crowd's site, and the page shown for every refusal."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from judging.campaign.worker_texts import contact_of
from judging.crowds import crowd_for
from judging.crowds.interface import Sites
from judging.errors import ArrivalRefused
from judging.exchange.link_tokens import Refused, appeal_address
from judging.models import Campaign, Worker
from judging.page import session
from judging.page.reports_and_appeals import appeal_of
from judging.people.appeal_answers import answer_times
from judging.rules.refusals import OPEN_TASK, REFUSALS, TO_RETURN
from judging.workers.notices import meaning_of_refusal

View = Callable[..., HttpResponse]


def _crowd_may_frame(view: View) -> View:
    """Allow the sites of the campaign's crowd to frame the page, or those of the settings if no campaign is known."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        sites = getattr(request, "crowd_sites", Sites(settings.CROWD_HOSTS, settings.CROWD_HOSTS))
        policy = {"frame-ancestors": ["'self'", *sites.frames], "form-action": ["'self'", *sites.forms]}
        with_policy: Callable[..., Any] = csp_replace(policy)(lambda _request: response)
        allowed: HttpResponse = with_policy(request)
        return allowed

    return wrapped


def for_sites_of(campaign: Campaign, request: HttpRequest) -> None:
    """Attach the campaign to the request, and switch to its language.

    Then the sites of its crowd can frame the page, and refusal pages name its contact.
    """
    request.crowd_sites = crowd_for(campaign).sites()  # type: ignore[attr-defined]
    request.campaign = campaign  # type: ignore[attr-defined]
    speak_language_of(campaign)


def speak_language_of(campaign: Campaign) -> None:
    """Switch to the campaign's language. :func:`in_frame` switches back at the end of the request."""
    translation.activate(campaign.wording)


def language_for(request: HttpRequest) -> str:
    """Return the page's language: that of the campaign if it is known, otherwise one that the browser prefers."""
    campaign: Campaign | None = getattr(request, "campaign", None)
    return campaign.wording if campaign else translation.get_language_from_request(request)


def _explain_refusals(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """Return the view's response, or the page for the refusal that the view raises."""
    try:
        return view(request, *args, **kwargs)
    except session.WorkRefused as refused:
        return refusal(request, refused.reason, worker=refused.worker)
    except ArrivalRefused as refused:
        return refusal(request, "unknown-link", because=refused)


def in_frame(view: View) -> Any:
    """Decorate a view whose page the crowd's site shows in a frame.

    The page is in the campaign's language, needs no cookies, is not cached and sends no referrer. A refusal that the
    view raises is rendered as a page.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # Start with the browser's language until the campaign is known. Refusals use the language found by the view.
        with translation.override(language_for(request)):
            response = _explain_refusals(view, request, *args, **kwargs)
        response["Referrer-Policy"] = "no-referrer"
        return response

    return csrf_exempt(never_cache(xframe_options_exempt(_crowd_may_frame(wrapped))))


def open_task(token: str) -> dict[str, Any]:
    """Return the context for a refusal page about an open task: how to submit it, and its pay.

    ``token`` is the page token of the task. Without one, the context is empty.
    """
    pay, next_step = (gettext(words) for words in OPEN_TASK)
    return {"leave": token, "open_pay": pay, "open_next_step": next_step} if token else {}


def addresses_of(refused: Refused, task: str = "") -> dict[str, str]:
    """Return the URL for an appeal, and the absolute URL at which to read the answer later.

    The second URL is empty if the worker came by the link in the crowd's message, because the answer then comes the
    same way.
    """
    answer_at = settings.PUBLIC_URL + appeal_address(refused) if refused.came_by else ""
    return {"appeal_address": appeal_address(refused, task=task), "answer_at": answer_at}


def refusal(
    request: HttpRequest,
    reason: str,
    *,
    because: ArrivalRefused | None = None,
    leave: str = "",
    worker: Worker | None = None,
) -> HttpResponse:
    """Render the page for a refusal: the reason, its effect on pay, the next step and the contact.

    ``because`` gives a more exact reason. ``leave`` is the page token of a worker who cannot continue but can
    submit the pairs judged so far for pay. A known ``worker`` can appeal some refusals.
    """
    page, campaign = REFUSALS[reason].said(gettext), getattr(request, "campaign", None)
    context = {"refusal": page, "reason": reason, "campaign": campaign}
    if because:
        context |= {"why": gettext(because.message), "next_step": gettext(because.next_step)}
    if reason == "enough-tasks" and campaign:
        context["why"] = page.meaning.format(count=campaign.max_tasks_per_worker)
    context["contact"] = contact_of(campaign)
    context |= open_task(leave)
    context["to_return"] = reason in TO_RETURN and not leave
    if page.appeal and worker and campaign:
        came_by = getattr(request, "came_by", "unknown")
        context["why"] = meaning_of_refusal(reason, campaign, worker)
        appeal = appeal_of(campaign, worker, came_by)
        context |= {"appeal": appeal, **answer_times(campaign, appeal)}
        context |= addresses_of(Refused(campaign.pk, worker.pk, reason, came_by), leave)
    response = render(request, "judging/refused.html", context, status=page.status)
    if page.reload_seconds and request.method == "GET":
        response["Refresh"] = str(page.reload_seconds)
    return response
