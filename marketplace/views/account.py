"""Pages where workers change their accounts: password, e-mail, country."""

from functools import partial

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from marketplace import clock
from marketplace.errors import AccountRefused
from marketplace.forms import AccountForm, ChangePasswordForm, ForgottenForm, NewPasswordForm, Prove
from marketplace.models import Worker
from marketplace.services.account import passwords, sign_in as signing_in
from marketplace.views.faults import refused_page
from marketplace.views.sign_in import client_address, signed_in_recently, start_session
from marketplace.views.site import signed_in_worker


@sensitive_post_parameters("current")
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show and change e-mail, country and languages, and link to the other account pages."""
    worker = signed_in_worker(request)
    form = AccountForm(request.POST or None, worker=worker, prove=proof(request, worker))
    if request.method == "POST" and form.is_valid():
        worker.country = form.cleaned_data["country"]
        worker.languages = ",".join(form.cleaned_data["languages"])
        worker.save(update_fields=["country", "languages"])
        passwords.change_address(worker, form.cleaned_data["email"], clock.now())
        messages.success(request, "Saved.")
        return redirect("account")
    context = {"form": form, "mail": settings.MAIL}
    return render(request, "marketplace/account.html", context, status=422 if form.errors else 200)


@sensitive_post_parameters("current", "password")
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change_password(request: HttpRequest) -> HttpResponse:
    worker = signed_in_worker(request)
    form = ChangePasswordForm(request.POST or None, worker=worker, prove=proof(request, worker))
    if request.method == "POST" and form.is_valid():
        passwords.set_password(worker, form.cleaned_data["password"], clock.now())
        update_session_auth_hash(request, worker)
        messages.success(request, "Your password was changed. All other devices are signed out.")
        return redirect("account")
    return render(
        request, "marketplace/change_password.html", {"form": form}, status=422 if form.errors else 200
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """Request a link that sets a new password. The response is the same for every name."""
    form = ForgottenForm(request.POST or None)
    asked = request.method == "POST" and form.is_valid()
    if asked:
        passwords.ask_for_link(form.cleaned_data["identity"], clock.now())
    context = {"form": form, "asked": asked, "mail": settings.MAIL, "hours": settings.PASSWORD_LINK_HOURS}
    return render(request, "marketplace/forgotten.html", context, status=422 if form.errors else 200)


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_password(request: HttpRequest, worker_id: str, token: str) -> HttpResponse:
    """Set a password through a link, and sign in."""
    try:
        worker = passwords.worker_of_link(worker_id, token)
    except AccountRefused as refusal:
        return refused_page(request, refusal, "link_used")
    form = NewPasswordForm(request.POST or None, worker=worker)
    if request.method == "POST" and form.is_valid():
        passwords.set_password(worker, form.cleaned_data["password"], clock.now())
        start_session(request, worker)
        return redirect("home")
    context = {"form": form, "username": worker.username}
    return render(request, "marketplace/new_password.html", context, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm an e-mail address. The page has a button, because mail scanners also open links."""
    if request.method != "POST":
        return render(request, "marketplace/confirm_address.html")
    try:
        passwords.confirm_email_address(token, clock.now())
    except AccountRefused as refusal:
        return refused_page(request, refusal, "link_used")
    messages.success(request, "Your e-mail address is confirmed.")
    return redirect("account")


def proof(request: HttpRequest, worker: Worker) -> Prove:
    """Return a function with which a form checks that the account's owner is present."""
    return partial(
        signing_in.prove_owner,
        worker,
        address=client_address(request),
        recent=signed_in_recently(request),
    )
