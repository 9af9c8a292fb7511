"""Pages of spending grants: administrators manage them, others see their own."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from pooling.collections import spending_grants
from pooling.models import SpendingGrant
from web.common.shown_refusals import add_error_if_refused, complain_if_refused
from web.spending.forms import ChangeGrantForm, GrantForm, usual_last_day
from web.spending.pages import person_or_collection, spending_page


@require_safe
@login_required
@never_cache
def spending(request: HttpRequest) -> HttpResponse:
    """Show the grants that the person can see; administrators also get the installation's cap and a form."""
    return _spending_page(request, GrantForm(initial={"last_day": usual_last_day()}))


def _spending_page(request: HttpRequest, form: GrantForm) -> HttpResponse:
    context = spending_page(request.user) | {"form": form}
    return render(request, "web/spending/spending.html", context, status=422 if form.errors else 200)


def _for_administrators(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @require_POST
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, **named: Any) -> HttpResponse:
        if not request.user.is_superuser:
            raise PermissionDenied("Only administrators can grant the right to spend money.")
        return view(request, **named)

    return guarded


@_for_administrators
def create_spending_grant(request: HttpRequest) -> HttpResponse:
    """Grant an amount to a person or a collection."""
    form = GrantForm(request.POST)
    if form.is_valid():
        asked = dict(form.cleaned_data)
        with add_error_if_refused(form):
            to = person_or_collection(asked.pop("kind"), asked.pop("name"))
            made = spending_grants.grant_spending(**to, **asked, who=request.user.get_username())  # type: ignore[arg-type]
            messages.success(request, f"{made.to} can now spend up to ${made.amount:,.2f}.")
            return redirect("web:spending")
    return _spending_page(request, form)


@_for_administrators
def change_spending_grant(request: HttpRequest, key: int) -> HttpResponse:
    """Change a grant's amount and last day."""
    found, form = _grant_or_404(key), ChangeGrantForm(request.POST)
    if not form.is_valid():
        wrong = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, f"The grant for {found.to} was not changed. {wrong}")
        return redirect("web:spending")
    with complain_if_refused(request):
        spending_grants.change_grant(found, **form.cleaned_data, who=request.user.get_username())
        messages.success(request, f"{found.to} can now spend up to ${found.amount:,.2f}.")
    return redirect("web:spending")


@_for_administrators
def revoke_spending_grant(request: HttpRequest, key: int) -> HttpResponse:
    found = _grant_or_404(key)
    spending_grants.revoke_grant(found, who=request.user.get_username())
    messages.success(request, f"The grant for {found.to} is revoked. Campaigns keep what they have reserved.")
    return redirect("web:spending")


def _grant_or_404(key: int) -> SpendingGrant:
    return get_object_or_404(SpendingGrant.objects.select_related("person", "collection"), pk=key)
