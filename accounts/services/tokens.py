"""API tokens: made, listed, revoked, and looked up when a call brings one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from accounts.errors import TokenRefused
from accounts.models import ApiToken, User
from accounts.secret_text import digest_of, new_mark, new_token
from config import clock

MOST_DAYS = 366
MOST_TOKENS = 50
#: The time of last use is written at most so often: a script that asks a hundred times is one write.
NOTED_EVERY = timedelta(minutes=1)


def make_token(*, user: User, name: str, scopes: Sequence[str], days: int) -> tuple[ApiToken, str]:
    """A new token and its text, which is never shown again. Raises TokenRefused."""
    known = [scope.value for scope in ApiToken.Scope if scope.value in scopes]
    if not name.strip():
        raise TokenRefused("The token has no name.", "Say what it is for, such as: nightly runs.")
    if not known:
        raise TokenRefused("The token may do nothing.", "Choose at least one thing that it may do.")
    if not 1 <= days <= MOST_DAYS:
        raise TokenRefused(f"A token lives for 1 to {MOST_DAYS} days.")
    if ApiToken.objects.usable(clock.now()).filter(user=user).count() >= MOST_TOKENS:
        raise TokenRefused(f"You have {MOST_TOKENS} tokens.", "Revoke one that you no longer need.")
    mark = new_mark()
    secret = new_token(mark)
    token = ApiToken.objects.create(
        user=user,
        name=name.strip()[:80],
        mark=mark,
        digest=secret.digest,
        scopes=known,
        expires_at=clock.now() + timedelta(days=days),
    )
    return token, secret.text


def token_of(text: str) -> ApiToken | None:
    """The usable token of this text, and note that it was used."""
    now = clock.now()
    token = ApiToken.objects.usable(now).select_related("user").filter(digest=digest_of(text)).first()
    if token and (token.last_used_at is None or now - token.last_used_at >= NOTED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def revoke(*, user: User, key: int) -> bool:
    """End one of the person's tokens at once; whether there was one to end."""
    return bool(ApiToken.objects.filter(user=user, pk=key, revoked_at=None).update(revoked_at=clock.now()))
