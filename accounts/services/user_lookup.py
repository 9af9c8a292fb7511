"""Find people by account name, and find their e-mail addresses."""

from allauth.account.models import EmailAddress

from accounts.errors import NotAnAccount
from accounts.models import User


def person_named(username: str) -> User:
    """Return the person with this account name, if the account is active. Raises NotAnAccount."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NotAnAccount(
            f"There is no account named {username!r}.",
            "Check the name. If the person has no account, invite them by e-mail first.",
        )
    return user


def mail_address_of(user: User) -> str:
    """Return the account's e-mail address, else another stored address of the person, else "".

    Among stored addresses, the primary one comes first, then verified ones.
    """
    known = EmailAddress.objects.filter(user=user).order_by("-primary", "-verified", "pk")
    return user.email or known.values_list("email", flat=True).first() or ""
