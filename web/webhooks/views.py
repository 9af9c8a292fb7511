from collections.abc import Callable
from datetime import timedelta

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Refusal
from pooling.models import Collection
from web.common.access import needs
from web.common.shown_refusals import complain_if_refused
from web.models import WebhookDelivery, WebhookEndpoint
from web.webhooks import endpoints, pages as listing
from web.webhooks.event_messages import KINDS
from web.webhooks.jobs import ring_for_webhook
from web.webhooks.retries import TRIES

PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@needs(endpoints.MANAGE)
def webhooks(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the list and the form for a new webhook, whose secret is shown only once, in the response."""
    context: dict[str, object] = {"asked": list(KINDS)}
    status = 200
    if request.method == "POST":
        asked = request.POST.getlist("events")
        address = request.POST.get("address", "")
        try:
            made = endpoints.register_endpoint(
                collection=collection, address=address, events=asked, user=request.user
            )
            context |= {"made": made}
        except Refusal as refusal:
            context |= {"refusal": refusal, "address": address, "asked": asked}
            status = 422
    context |= {
        "collection": collection,
        "webhooks": listing.webhooks_of(collection),
        "kinds": KINDS,
        "most": endpoints.MOST,
    }
    return render(request, "web/webhooks/webhooks.html", context, status=status)


@require_safe
@never_cache
@needs(endpoints.MANAGE)
def webhook(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    return _webhook_page(request, listing.webhook_or_404(collection, key))


def _webhook_page(request: HttpRequest, endpoint: WebhookEndpoint, *, secret: str = "") -> HttpResponse:
    state = request.GET.get("state", "")
    context = {
        "collection": endpoint.collection,
        "webhook": endpoint,
        "secret": secret,
        "two_until": listing.signed_with_two(endpoint),
        "kinds": KINDS,
        "page": Paginator(listing.deliveries_of(endpoint, state), PAGE).get_page(request.GET.get("page")),
        "state": state,
        "states": WebhookDelivery.State.values,
        "tries": TRIES,
    }
    return render(request, "web/webhooks/webhook.html", context)


@require_POST
@never_cache
@needs(endpoints.MANAGE)
def change_webhook(request: HttpRequest, collection: Collection, key: int, step: str) -> HttpResponse:
    """Test a webhook, switch it on or off, change its events, rotate its secret, or delete it."""
    endpoint = listing.webhook_or_404(collection, key)
    if step == "rotate":  # no redirect: the secret is shown only in this response
        overlap = timedelta(0) if request.POST.get("at_once") else endpoints.OVERLAP
        made = endpoints.rotate_secret(endpoint=endpoint, user=request.user, overlap=overlap)
        return _webhook_page(request, made.endpoint, secret=made.secret)
    steps: dict[str, Callable[[], object]] = {
        "test": lambda: _send_test(endpoint),
        "on": lambda: endpoints.switch_on(endpoint=endpoint, user=request.user),
        "off": lambda: endpoints.switch_off(endpoint=endpoint, user=request.user),
        "events": lambda: endpoints.choose_events(
            endpoint=endpoint, events=request.POST.getlist("events"), user=request.user
        ),
        "delete": lambda: endpoints.remove_endpoint(endpoint=endpoint, user=request.user),
    }
    if step not in steps:
        raise Http404("Unknown step.")
    with complain_if_refused(request):
        steps[step]()
    if step == "delete":
        messages.success(request, f"The webhook at {endpoints.host_of(endpoint)} was deleted.")
        return redirect("web:webhooks", collection.name)
    return redirect("web:webhook", collection.name, key)


def _send_test(endpoint: WebhookEndpoint) -> None:
    endpoints.send_test(endpoint=endpoint)
    ring_for_webhook(endpoint.pk)


@require_POST
@needs(endpoints.MANAGE)
def resend_message(request: HttpRequest, collection: Collection, key: int, message: int) -> HttpResponse:
    """Send a webhook message again, with the same id."""
    endpoint = listing.webhook_or_404(collection, key)
    delivery = get_object_or_404(
        WebhookDelivery.objects.select_related("endpoint"), endpoint=endpoint, pk=message
    )
    with complain_if_refused(request):
        endpoints.resend(delivery=delivery)
        ring_for_webhook(endpoint.pk)
    return redirect("web:webhook", collection.name, key)
