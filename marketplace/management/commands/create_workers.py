import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from marketplace import clock
from marketplace.console import Command as Base, refuse_existing, write_private
from marketplace.errors import AccountRefused
from marketplace.plurals import many
from marketplace.services.account import accounts


class Command(Base):
    help = "Create worker accounts without passwords, and write a sign-in link for each as JSON Lines."
    example = "python -m marketplace create_workers --count 25 --prefix student --out links.jsonl"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--count", type=int, required=True)
        parser.add_argument("--prefix", default="worker", help="names are PREFIX-1, PREFIX-2, ...")
        parser.add_argument("--country", default="", help="two letters, for all accounts")
        parser.add_argument("--program", action="store_true", help="accounts of programs, which are not paid")
        parser.add_argument(
            "--out", type=Path, required=True, help="file for the links; only its owner can read it"
        )

    def act(self, **options: Any) -> dict[str, Any]:
        """Create all accounts or none."""
        refuse_existing(options["out"])
        try:
            with transaction.atomic():
                lines = [self._line(number, options) for number in range(1, options["count"] + 1)]
        except AccountRefused as refusal:
            raise CommandError(f"{refusal} No account was created.") from None
        write_private(options["out"], "".join(lines))
        return {"workers": len(lines), "file": str(options["out"])}

    def show(self, result: dict[str, Any]) -> None:
        """Print on stderr how many accounts were created and where their links are."""
        self.stderr.write(
            f"{many(result['workers'], 'account; its link is', 'accounts; their links are')} in {result['file']}."
        )

    def _line(self, number: int, options: dict[str, Any]) -> str:
        now = clock.now()
        name = f"{options['prefix']}-{number}"
        try:
            worker = accounts.create_worker(
                name,
                password=None,
                country=options["country"],
                country_by_operator=True,
                program=options["program"],
                now=now,
            )
        except AccountRefused as refusal:
            raise AccountRefused(f"{name}: {refusal.message}", refusal.next_step) from None
        link = f"{settings.PUBLIC_URL}/signin/token/{accounts.signin_token(worker, now)}/"
        document = {"username": worker.username, "worker_id": worker.worker_id, "link": link}
        return json.dumps(document) + "\n"
