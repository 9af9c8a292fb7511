from typing import Any

from accounts.roles import Role
from accounts.services import invitations
from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from pooling.collections import members
from pooling.collections.lookups import collection_named


class Command(BaseCommand):
    help = (
        "Invite somebody. The link works once and replaces an earlier one to the same address for the same "
        "collection or purpose. It is e-mailed if a mail server is configured, otherwise printed for you to pass on."
    )
    example = "manage.py invite_person ada@example.org --collection mine --role owner"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="e-mail address of the person")
        parser.add_argument("--collection", metavar="NAME", help="the collection to join")
        parser.add_argument(
            "--role", choices=[role.value for role in Role], help="the role in the collection"
        )
        parser.add_argument(
            "--administrator",
            action="store_true",
            help="invite an administrator, who can do anything in every collection and in /admin/",
        )

    def act(
        self, *, email: str, collection: str | None, role: str | None, administrator: bool, **options: Any
    ) -> dict[str, Any]:
        if (collection is None) != (role is None):
            raise UsageError("Pass --collection and --role together.")
        if administrator and collection:
            raise UsageError("An administrator needs no role in a collection.")
        if collection and role:
            found = collection_named(collection)
            invited = members.invite_member(collection=found, email=email, role=Role(role), invited_by=None)
        else:
            invited = members.invite_without_role(email=email, administrator=administrator)
        mailed = invitations.mail(invited, to_what=collection or "Preferee")
        what = "administrator" if administrator else role
        return {
            "invited": email,
            **({"to": collection} if collection else {}),
            **({"as": what} if what else {}),
            "expires": invited.invitation.expires_at.isoformat(timespec="minutes"),
            "link": "sent by e-mail" if mailed else invited.link,
        }
