from typing import Any

from allauth.mfa.models import Authenticator

from accounts.errors import NotAnAccount
from accounts.models import User
from config.commands.console import Command as BaseCommand, CommandParser


class Command(BaseCommand):
    help = (
        "Remove the second factor of an account, so that its password is enough to sign in. First verify the "
        "identity of the person who asks for this. If PREFEREE_ADMIN_SECOND_FACTOR is on, administrators must then "
        "set up a new one."
    )
    example = "manage.py reset_second_factor ada"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name that the person signs in with")

    def act(self, *, name: str, **options: Any) -> dict[str, Any]:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise NotAnAccount(f"There is no account {name}.", "Check the name; it is case-sensitive.")
        removed, _ = Authenticator.objects.filter(user=user).delete()
        return {"name": name, "removed": removed}
