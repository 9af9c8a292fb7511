from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from marketplace import clock
from marketplace.errors import AccountRefused, SignInRefused
from marketplace.forms import SignInForm, SignUpForm
from marketplace.models import Worker
from marketplace.services.account import accounts, invitations, sign_in as signing_in
from marketplace.views.faults import refusal_status, refused_page

_BACKEND = "django.contrib.auth.backends.ModelBackend"
#: The session key under which the time of sign-in is stored.
_SIGNED_IN = "signed_in_at"
_RECENT = timedelta(hours=1)


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def signup(request: HttpRequest) -> HttpResponse:
    """Create an account, if sign-up is open, and sign in to it."""
    if not settings.OPEN_SIGNUP:
        return render(request, "marketplace/signup_closed.html", status=403)
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            worker = accounts.create_worker(now=clock.now(), **form.cleaned_data)
        except AccountRefused as refusal:
            form.add_error("username", str(refusal))
        else:
            start_session(request, worker)
            return redirect("home")
    return render(request, "marketplace/signup.html", {"form": form}, status=422 if form.errors else 200)


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def use_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Create an account with an invitation, and sign in to it."""
    now = clock.now()
    try:
        invited = invitations.read_invitation(token, now)
    except AccountRefused as refusal:
        return refused_page(request, refusal, "invitation_over")
    if request.user.is_authenticated:
        return render(request, "marketplace/invited_already.html", {"invited": invited})
    start = {"email": invited.email, "country": invited.country}
    form = SignUpForm(request.POST or None, initial=start, country_by_operator=bool(invited.country))
    if request.method == "POST" and form.is_valid():
        try:
            worker = invitations.accept_invitation(token, now=now, **form.cleaned_data)
        except AccountRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            start_session(request, worker)
            return redirect("home")
    context = {"form": form, "invited": invited}
    return render(request, "marketplace/invitation.html", context, status=422 if form.errors else 200)


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def signin(request: HttpRequest) -> HttpResponse:
    """Sign in with name and password."""
    form = SignInForm(request.POST or None)
    status = 422 if form.errors else 200
    if request.method == "POST" and form.is_valid():
        try:
            worker = signing_in.sign_in(request, address=client_address(request), **form.cleaned_data)
        except SignInRefused as refusal:
            form.add_error(None, str(refusal))
            status = refusal_status(refusal)
        else:
            start_session(request, worker)
            return HttpResponseRedirect(_next_page(request))
    context = {
        "form": form,
        "next": request.POST.get("next", request.GET.get("next", "")),
        "open_signup": settings.OPEN_SIGNUP,
    }
    response = render(request, "marketplace/signin.html", context, status=status)
    if status == 429:
        response["Retry-After"] = str(signing_in.WINDOW_SECONDS // max(1, settings.SIGNIN_ATTEMPTS))
    return response


def start_session(request: HttpRequest, worker: Worker) -> None:
    """Sign the worker in, and store the time in the session."""
    login(request, worker, backend=_BACKEND)
    request.session[_SIGNED_IN] = clock.now().isoformat()


def signed_in_recently(request: HttpRequest) -> bool:
    """Return whether this session began less than an hour ago."""
    began = request.session.get(_SIGNED_IN, "")
    return began != "" and clock.now() - datetime.fromisoformat(began) < _RECENT


def client_address(request: HttpRequest) -> str:
    """Return the client's address, as the outermost of our proxies saw it."""
    forwarded = request.headers.get("X-Forwarded-For", "").split(",")
    if settings.PROXIES and len(forwarded) >= settings.PROXIES and forwarded[-settings.PROXIES].strip():
        return forwarded[-settings.PROXIES].strip()
    return str(request.META.get("REMOTE_ADDR", ""))


def _next_page(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "/"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def signin_by_token(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in once through a link. The page has a button, so that mail scanners do not use the link up."""
    if request.method != "POST":
        return render(request, "marketplace/signin_by_token.html")
    try:
        worker = accounts.redeem_signin_token(token, clock.now())
    except AccountRefused as refusal:
        return refused_page(request, refusal, "link_used")
    start_session(request, worker)
    return redirect("home")


@require_POST
def signout(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("signin")
