import json
from argparse import ArgumentParser
from datetime import timedelta
from pathlib import Path
from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.management.commands.serve import hand_out_key
from marketplace.services.operator import requesters


class Command(Base):
    help = "Create a new key. Current keys keep working for --grace hours, so that programs can switch."
    example = "python -m marketplace rotate_key lab --grace 24 --key-file lab.json"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument(
            "--grace", type=float, default=24, help="hours (default: 24); 0 ends the current keys immediately"
        )
        parser.add_argument("--key-file", type=Path, help="write the key here instead of printing it")

    def act(self, **options: Any) -> dict[str, Any]:
        requester = requesters.requester_named(options["name"])
        grace = timedelta(hours=max(0.0, options["grace"]))
        rotated = requesters.rotate_key(requester, clock.now(), grace=grace)
        return {
            **hand_out_key(rotated.key, options["key_file"]),
            "old_keys": rotated.old,
            "old_keys_until": rotated.until.isoformat(),
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print the key in the format of a key file, or where it was written. Report older keys on stderr."""
        if "secret_key" in result:
            names = ("access_key", "secret_key", "endpoint")
            self.stdout.write(json.dumps({name: result[name] for name in names}))
        else:
            self.stdout.write(f"The key is in {result['key_file']}.")
        if result["old_keys"]:
            self.stderr.write(
                f"{result['old_keys']} older key(s) keep working until {result['old_keys_until']}."
            )
