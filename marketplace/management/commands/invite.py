import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email
from django.db import transaction

from marketplace import clock
from marketplace.console import Command as Base, refuse_existing, write_private
from marketplace.plurals import many
from marketplace.services.account import invitations


class Command(Base):
    help = "Create invitation links, each for one account. Write them to a file, or e-mail them."
    example = (
        "python -m marketplace invite --count 25 --note 'course 2026' --out links.jsonl\n"
        "  python -m marketplace invite --addresses people.txt --mail"
    )

    def arguments(self, parser: ArgumentParser) -> None:
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("--count", type=int, help="number of links, for anyone you give them to")
        whom.add_argument("--addresses", type=Path, help="a file of e-mail addresses, one per line")
        whom.add_argument("--email", help="one e-mail address")
        parser.add_argument("--mail", action="store_true", help="mail each link to its address")
        parser.add_argument(
            "--out", type=Path, help="file for the links, as JSON lines; only its owner can read it"
        )
        parser.add_argument("--note", default="", help="a note for your own list")
        parser.add_argument("--country", default="", help="two letters; the worker cannot change it")
        parser.add_argument(
            "--hours", type=float, help="lifetime of the links (MARKETPLACE_INVITATION_HOURS)"
        )

    def act(self, **options: Any) -> dict[str, Any]:
        """Create all invitations or none."""
        addresses = _addresses(options)
        if not (options["mail"] or options["out"]):
            raise CommandError("Choose where the links go: --out FILE or --mail.", returncode=2)
        if options["mail"] and not all(addresses):
            raise CommandError("--mail needs --email or --addresses.", returncode=2)
        refuse_existing(options["out"])
        now = clock.now()
        with transaction.atomic():
            sent = [
                invitations.make_invitation(
                    now=now,
                    email=address,
                    note=options["note"],
                    country=options["country"],
                    hours=options["hours"],
                    mail=options["mail"],
                )
                for address in addresses
            ]
            lines = [
                {"invitation": one.invitation.pk, "email": one.invitation.email, "link": one.link}
                for one in sent
            ]
            if options["out"]:
                text = "".join(json.dumps(line) + "\n" for line in lines)
                write_private(options["out"], text)
        return {
            "invitations": len(sent),
            "mailed": len(sent) if options["mail"] else 0,
            "expires_at": sent[0].invitation.expires_at.isoformat(),
            "out": str(options["out"] or ""),
        }

    def show(self, result: dict[str, Any]) -> None:
        where = [f"written to {result['out']}"] if result["out"] else []
        where += ["queued for e-mail"] if result["mailed"] else []
        count = result["invitations"]
        self.stdout.write(f"{many(count, 'invitation')} {' and '.join(where)}.")


def _addresses(options: dict[str, Any]) -> list[str]:
    if options["count"] is not None:
        if not 1 <= options["count"] <= 10_000:
            raise CommandError("--count must be 1 to 10000.", returncode=2)
        return [""] * options["count"]
    if options["email"]:
        found = [options["email"]]
    else:
        try:
            found = options["addresses"].read_text().split()
        except OSError as error:
            raise CommandError(f"Cannot read the file of addresses: {error}") from None
    for address in found:
        try:
            validate_email(address)
        except ValidationError:
            raise CommandError(f"{address!r} is not an e-mail address. Nobody was invited.") from None
    if not found:
        raise CommandError("The file has no addresses.")
    return list(dict.fromkeys(found))
