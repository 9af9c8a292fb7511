"""Create and revoke API tokens, and look up the token of each API call."""

from collections.abc import Sequence
from datetime import timedelta

from accounts.errors import TokenRefused
from accounts.models import ApiToken, User
from accounts.secret_text import digest_of, new_mark, new_token
from config import clock

MOST_DAYS = 366
MOST_TOKENS = 50
#: Shortest time between two updates of a token's last use, so that a busy script causes few writes.
NOTED_EVERY = timedelta(minutes=1)


def make_token(*, user: User, name: str, scopes: Sequence[str], days: int) -> tuple[ApiToken, str]:
    """Create a token. Return it with its text, which is never shown again. Raises TokenRefused."""
    known = [scope.value for scope in ApiToken.Scope if scope.value in scopes]
    if not name.strip():
        raise TokenRefused("The token has no name.", "Enter its purpose, such as: nightly runs.")
    if not known:
        raise TokenRefused("The token has no permissions.", "Choose at least one permission.")
    if not 1 <= days <= MOST_DAYS:
        raise TokenRefused(f"A token can be valid for 1 to {MOST_DAYS} days.")
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
    """Return the usable token with this text, or None. Record the time of its use."""
    now = clock.now()
    token = ApiToken.objects.usable(now).select_related("user").filter(digest=digest_of(text)).first()
    if token and (token.last_used_at is None or now - token.last_used_at >= NOTED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def revoke_token(*, user: User, key: int) -> bool:
    """Revoke the person's token with this key. Return False if it does not exist or is already revoked."""
    return bool(ApiToken.objects.filter(user=user, pk=key, revoked_at=None).update(revoked_at=clock.now()))
