"""Pages for a person's own API tokens."""

import secrets

from allauth.account.decorators import reauthentication_required
from django.contrib.auth.decorators import login_required
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.errors import TokenRefused
from accounts.forms import TokenForm
from accounts.models import ApiToken, User
from accounts.services.tokens import make_token, revoke_token
from config import clock
from config.sealed_secrets import SealBroken, seal, unseal

#: Session key for the ids of forms that created a token, so that sending a form twice creates only one token.
ANSWERED = "token_forms_answered"
MOST_REMEMBERED = 20
#: Session key for a new token that no page has shown yet: the token's primary key and its sealed text.
UNSEEN, PURPOSE = "unseen_token", "unseen API token"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@reauthentication_required(allow_get=True)  # a token outlives its session, and the session may be stolen
def tokens(request: HttpRequest) -> HttpResponse:
    """List the person's tokens. A new token is shown once, on the page to which its form redirects.

    The form's own response does not show the token, because the person may not see that response: if a button is
    pressed twice, the browser drops the first response. After a password confirmation, the response would also
    appear at the address of the password form.
    """
    if _once(request) in request.session.get(ANSWERED, []):
        return redirect("accounts:tokens")
    form = TokenForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            _create_token(request, form)
            return redirect("accounts:tokens")
        except TokenRefused as refusal:
            form.add_error(None, str(refusal))
    made, text = _unseen_token(request)
    context = {
        "form": form,
        "made": made,
        "text": text,
        "once": secrets.token_urlsafe(12),
        "now": clock.now(),
        "tokens": ApiToken.objects.filter(user=request.user).order_by("-created_at", "-pk"),  # type: ignore[misc]
    }
    return render(request, "account/tokens.html", context, status=422 if form.errors else 200)


def _once(request: HttpRequest) -> str:
    """Return the random id that the form sent in its field ``once``, or "" if it sent none."""
    return request.POST.get("once", "")[:40]


@transaction.atomic
def _create_token(request: HttpRequest, form: TokenForm) -> None:
    """Create the form's token, unless the same form has just created it. Raises TokenRefused.

    A lock makes one person's requests run one after another. Each request reads the session that the previous request
    saved, and saves its own token before the next request starts. Raises SessionInterrupted if the person has signed
    out in the meantime.
    """
    list(User.objects.select_for_update().filter(pk=request.user.pk))  # type: ignore[misc]
    own = request.session.session_key
    stored = request.session.load()
    if request.session.session_key != own:  # signed out meanwhile; saving would sign in again
        request.session.flush()
        raise SessionInterrupted("The person signed out while the form was sent.")
    answered = stored.get(ANSWERED, [])
    if _once(request) in answered:
        if request.session.modified:  # saving it must not lose the other request's token
            request.session.update({key: stored[key] for key in (ANSWERED, UNSEEN) if key in stored})
        return
    token, secret = make_token(user=request.user, **form.cleaned_data)  # type: ignore[arg-type]
    request.session[ANSWERED] = [*answered, *filter(None, [_once(request)])][-MOST_REMEMBERED:]
    request.session[UNSEEN] = [token.pk, seal(secret, purpose=PURPOSE)]
    request.session.save()


def _unseen_token(request: HttpRequest) -> tuple[ApiToken | None, str]:
    """Return the new token that no page has shown yet, with its text, and remove both from the session."""
    if request.method != "GET" or UNSEEN not in request.session:
        return None, ""
    key, sealed = request.session.pop(UNSEEN)
    made = ApiToken.objects.filter(user=request.user, pk=key, revoked_at=None).first()  # type: ignore[misc]
    try:
        return made, unseal(sealed, purpose=PURPOSE)
    except SealBroken:
        return None, ""


@require_POST
@login_required
def revoke_own_token(request: HttpRequest, key: int) -> HttpResponse:
    if not ApiToken.objects.filter(user=request.user, pk=key).exists():  # type: ignore[misc]
        raise Http404("Token not found.")
    revoke_token(user=request.user, key=key)  # type: ignore[arg-type]
    return redirect("accounts:tokens")
