import re
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.errors import AccountRefused
from marketplace.services.account import accounts
from marketplace.services.operator import requesters


def _two_letters(word: str) -> str:
    if word and not re.fullmatch(r"[A-Za-z]{2}", word):
        raise ArgumentTypeError(f"{word!r} is not two letters")
    return word.upper()


def _email_argument(word: str) -> str:
    try:
        requesters.check_email(word) if word else None
    except AccountRefused as refusal:
        raise ArgumentTypeError(str(refusal)) from None
    return word


def _yes_or_no(word: str) -> bool:
    if word not in ("yes", "no"):
        raise ArgumentTypeError(f"{word!r} must be yes or no")
    return word == "yes"


class Command(Base):
    help = "Set a worker's e-mail address and the data behind system qualifications, or close or reopen the account."
    example = (
        "python -m marketplace set_worker ada --country US --subdivision CA --masters yes\n"
        "  python -m marketplace set_worker ada --close"
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="name or worker id")
        parser.add_argument(
            "--country",
            type=_two_letters,
            help='set the country, which the worker then cannot change; "" lets the worker choose',
        )
        parser.add_argument(
            "--email",
            type=_email_argument,
            help='counts as confirmed, because you vouch for it; "" removes it',
        )
        parser.add_argument("--subdivision", type=_two_letters)
        parser.add_argument("--masters", type=_yes_or_no, metavar="yes|no")
        parser.add_argument("--adult", type=_yes_or_no, metavar="yes|no")
        parser.add_argument(
            "--program",
            type=_yes_or_no,
            metavar="yes|no",
            help="the account belongs to a program, which is not paid",
        )
        state = parser.add_mutually_exclusive_group()
        state.add_argument("--close", action="store_true", help="block sign-in; earnings are kept")
        state.add_argument("--reopen", action="store_true")

    def act(self, **options: Any) -> dict[str, Any]:
        columns = {"country": "country", "subdivision": "subdivision", "email": "email"}
        columns |= {"masters": "is_master", "adult": "is_adult", "program": "is_program"}
        values = {column: options[name] for name, column in columns.items() if options[name] is not None}
        if options["close"] or options["reopen"]:
            values["is_active"] = bool(options["reopen"])
        if not values:
            raise CommandError("Nothing to set. Add an option, such as --country DE.", returncode=2)
        if "country" in values:
            values["country_by_operator"] = bool(values["country"])
        if "email" in values:
            values["email_confirmed_at"] = clock.now() if values["email"] else None
        worker = accounts.worker_by_name(options["name"])
        if worker.forgotten_at is not None:
            raise CommandError(f"{worker.username} was forgotten. Nobody can sign in to this account.")
        for column, value in values.items():
            setattr(worker, column, value)
        worker.save(update_fields=list(values))
        return {"username": worker.username, "worker_id": worker.worker_id, **values}
