"""The invitation page: create an account, or join with an existing one."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import login, password_validation
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.adapters import SESSION_KEY
from accounts.errors import InvitationOver, NotAnAccount
from accounts.models import Invitation
from accounts.services.invitations import accept_with_new_account, invitation_of
from accounts.user_names import VALIDATORS
from pooling.collections.members import join
from pooling.models import InvitedMember
from pooling.teams.teams import team_of


class NewAccountForm(forms.Form):
    """A name and a password, and an e-mail address unless the invitation is for a fixed address."""

    username = forms.CharField(
        label="Name to sign in with",
        max_length=150,
        validators=VALIDATORS,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="At least eight characters, and not a common word.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    email = forms.EmailField(
        label="E-mail address",
        required=False,
        help_text="Optional. We send password resets and messages about campaigns there.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def __init__(self, data: Any = None, *, invitation: Invitation) -> None:
        super().__init__(data)
        if invitation.email:
            del self.fields["email"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        password_validation.validate_password(password)
        return password


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def invitation_page(request: HttpRequest, secret: str) -> HttpResponse:
    """Show the invitation; a POST accepts it. A GET does not use it up, so link previews are harmless."""
    person = request.user if request.user.is_authenticated else None
    try:
        found = invitation_of(secret, taken_by=person)
        if request.method == "POST" and person is not None:
            return _join_and_redirect(found, person)
        form = NewAccountForm(request.POST if request.method == "POST" else None, invitation=found)
        if request.method == "POST" and form.is_valid():
            return _with_new_account(request, found, form)
    except InvitationOver as refusal:
        return render(request, "web/home/invitation_over.html", {"refusal": refusal}, status=404)
    except (NotAnAccount, ValidationError) as refusal:
        form.add_error(None, refusal.messages if isinstance(refusal, ValidationError) else str(refusal))
    # The session remembers the invitation during the round trip to an OpenID provider.
    request.session[SESSION_KEY] = secret
    return _invitation_form(request, found, form)


def _invitation_form(request: HttpRequest, found: Invitation, form: NewAccountForm) -> HttpResponse:
    context = {
        "invitation": found,
        "member": InvitedMember.objects.select_related("collection", "team").filter(invitation=found).first(),
        "form": form,
        "provider": settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"],
    }
    return render(request, "web/home/invitation.html", context, status=422 if form.errors else 200)


def _with_new_account(request: HttpRequest, found: Invitation, form: NewAccountForm) -> HttpResponse:
    with transaction.atomic():
        user = accept_with_new_account(found, **form.cleaned_data)
        arrived = _join_and_redirect(found, user)
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return arrived


def _join_and_redirect(found: Invitation, user: object) -> HttpResponse:
    collection = join(invitation=found, user=user)  # type: ignore[arg-type]
    if collection is None:
        return redirect("web:home")
    team = team_of(user, collection)
    return (
        redirect("web:team", collection.name, team.pk)
        if team
        else redirect("web:collection", collection.name)
    )
