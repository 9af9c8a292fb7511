from accounts.models import User
from accounts.signup import anybody_may_join

MOST_NAMED = 3


def has_administrator(*, beside: User | None = None) -> bool:
    """Return whether there is an administrator with an active account, other than ``beside``."""
    others = User.objects.filter(is_superuser=True, is_active=True)
    return (others.exclude(pk=beside.pk) if beside else others).exists()


def whom_to_ask() -> str:
    """Return words such as ``an administrator (ada or ben)``, for messages that say whom to ask.

    The names are left out if strangers can create accounts.
    """
    names: list[str] = []
    if not anybody_may_join():
        active = User.objects.filter(is_superuser=True, is_active=True).order_by("username")
        names = list(active.values_list("username", flat=True)[:MOST_NAMED])
    return f"an administrator ({' or '.join(names)})" if names else "an administrator of this installation"
