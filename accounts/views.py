"""Pages for a person's own API tokens."""

import secrets

from allauth.account.decorators import reauthentication_required
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.errors import TokenRefused
from accounts.forms import TokenForm
from accounts.models import ApiToken
from accounts.services.tokens import make_token, revoke_token
from config import clock

#: Session key of forms that created a token, so that reloading the page does not create a second token.
ANSWERED = "token_forms_answered"
MOST_REMEMBERED = 20


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@reauthentication_required(allow_get=True)  # a token outlives the session that made it, which may be stolen
def tokens(request: HttpRequest) -> HttpResponse:
    """List the person's tokens. A new token is shown only in the response to the form."""
    once, answered = request.POST.get("once", "")[:40], request.session.get(ANSWERED, [])
    if once in answered:
        return redirect("accounts:tokens")
    form = TokenForm(request.POST if request.method == "POST" else None)
    made, text = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            made, text = make_token(user=request.user, **form.cleaned_data)  # type: ignore[arg-type]
            form = TokenForm()
            request.session[ANSWERED] = [*answered, *filter(None, [once])][-MOST_REMEMBERED:]
        except TokenRefused as refusal:
            form.add_error(None, str(refusal))
    context = {
        "form": form,
        "made": made,
        "text": text,
        "once": secrets.token_urlsafe(12),
        "now": clock.now(),
        "tokens": ApiToken.objects.filter(user=request.user).order_by("-created_at", "-pk"),  # type: ignore[misc]
    }
    return render(request, "account/tokens.html", context, status=200 if made or not form.errors else 422)


@require_POST
@login_required
def revoke_own_token(request: HttpRequest, key: int) -> HttpResponse:
    if not ApiToken.objects.filter(user=request.user, pk=key).exists():  # type: ignore[misc]
        raise Http404("Token not found.")
    revoke_token(user=request.user, key=key)  # type: ignore[arg-type]
    return redirect("accounts:tokens")
