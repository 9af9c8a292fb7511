import shutil
from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from config.process.private_files import give_to_user
from pooling.collections.lookups import collection_named
from tournament.services.publication import version_numbered
from web.releases import store
from web.releases.bundle import count_bundle, ensure_bundle


class Command(BaseCommand):
    help = (
        "Write a version of a collection's preference qrels as one bundle to publish: judgments, gold pairs, qrels, "
        "texts, agreement, a data card. Passages that only non-public runs supplied are left out; so are workers' "
        "ids, comments and signals. The same data give the same bytes."
    )
    example = "manage.py release_bundle mine --version 2 --out mine-version-2.zip"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="name of the collection")
        parser.add_argument("--version", type=int, dest="number", help="which version (default: the latest)")
        parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the zip")
        parser.add_argument(
            "--dry-run", action="store_true", help="only count the contents and what is left out"
        )

    def act(
        self, *, collection: str, number: int | None, out: Path | None, dry_run: bool, **options: Any
    ) -> dict[str, Any]:
        version = version_numbered(collection_named(collection), number)
        with self.progress("Counting" if dry_run else "Making the bundle") as update:
            if dry_run:
                return {
                    "version": version.number,
                    "file": None,
                    **_contents_of_bundle(count_bundle(version, update)),
                }
            made = ensure_bundle(version, update)
        target = out or Path(f"{collection}-version-{version.number}.zip")
        kept = store.open_bundle(made.name)
        assert kept is not None  # it was just made
        partial = target.with_name(f".{target.name}.partial")
        with kept, partial.open("wb") as file:
            shutil.copyfileobj(kept, file)
        give_to_user(partial)
        partial.replace(target)
        return {
            "version": version.number,
            "file": str(target),
            "size": made.size,
            "sha256": made.sha256,
            **_contents_of_bundle(made.summary),
        }


def _contents_of_bundle(summary: dict[str, Any]) -> dict[str, Any]:
    return {"counts": summary["counts"], "left_out": summary["left_out"], "files": list(summary["files"])}
