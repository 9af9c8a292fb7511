import json
from argparse import ArgumentParser
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings

from marketplace import clock
from marketplace.console import Command as Base, migrate_if_needed, write_private
from marketplace.models import Requester, RequesterKey
from marketplace.rules import money
from marketplace.services.account import accounts
from marketplace.services.operator import requesters
from marketplace.site_server import serve
from marketplace.wsgi import application

FIRST_REQUESTER = "preferee"


class Command(Base):
    help = "Create and migrate the database, create a requester with a key file, and serve until stopped."
    example = "python -m marketplace serve --port 8411"

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the address and port. Both reach the settings as MARKETPLACE_HOST and MARKETPLACE_PORT."""
        parser.add_argument("--host", help="address to listen on (default: MARKETPLACE_HOST)")
        parser.add_argument("--port", type=int, help="port to listen on (default: MARKETPLACE_PORT)")
        parser.add_argument(
            "--until-parent-exits",
            action="store_true",
            help="stop when the parent process exits",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        migrate_if_needed()
        key_file = ensure_key_file()
        self.stderr.write(f"Marketplace: {settings.PUBLIC_URL} (requester key in {key_file})")
        if options["json"]:
            self.stdout.write(json.dumps({"endpoint": settings.PUBLIC_URL, "key_file": str(key_file)}))
            self.stdout.flush()
        serve(application, until_parent_exits=options["until_parent_exits"])


def ensure_key_file() -> Path:
    """Write the first requester's key file, and return its path. A key that is no longer valid is replaced."""
    file: Path = settings.KEY_FILE
    key = _key_in(file)
    if key is None:
        valid = RequesterKey.objects.filter(requester__name=FIRST_REQUESTER, active=True, expires_at=None)
        key = valid.order_by("-pk").first()
    first = Requester.objects.filter(name=FIRST_REQUESTER).first()
    if key is None and first is not None:
        key = requesters.rotate_key(first, clock.now(), grace=timedelta(0)).key
    if key is None:
        opening = money.cents(str(settings.OPENING_BALANCE))
        key = accounts.create_requester(FIRST_REQUESTER, opening_cents=opening, now=clock.now())
    write_private(file, json.dumps(key_document(key)))
    return file


def _key_in(file: Path) -> RequesterKey | None:
    try:
        access_key = json.loads(file.read_text())["access_key"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return RequesterKey.objects.valid_at(clock.now()).filter(access_key=access_key).first()


def key_document(key: RequesterKey) -> dict[str, str]:
    """Return the content of a key file."""
    return {
        "access_key": key.access_key,
        "secret_key": key.secret_key,
        "endpoint": settings.PUBLIC_URL,
    }


def hand_out_key(key: RequesterKey, file: Path | None) -> dict[str, str]:
    """Return the content of a key file; with ``file``, write it there and return the path instead of the secret."""
    document = key_document(key)
    if file is None:
        return document
    write_private(file, json.dumps(document))
    del document["secret_key"]
    return document | {"key_file": str(file)}
