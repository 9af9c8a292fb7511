from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from config.plurals import many
from pooling.collections.lookups import collection_named
from pooling.errors import InvalidFile
from pooling.models import Run
from pooling.rules.run_details import DETAILS, Form
from pooling.runs import runs
from pooling.runs.run_problems import each_refusal
from pooling.storage.decompressed_size import run_content_of


class Command(BaseCommand):
    help = (
        "Import runs in TREC's six or MS MARCO's three columns, plain or compressed. A file with a problem is "
        "rejected as a whole, and up to a hundred problems are listed; the other files are imported. A run that "
        "breaks the collection's submission policy is rejected; if its team reached a limit, the date of the next "
        "possible run is shown."
    )
    example = "manage.py import_runs mine bm25.trec.gz dense.trec --team Mine --baseline"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="run files")
        parser.add_argument("--tag", default="", help="run tag instead of the file's own (one file only)")
        parser.add_argument(
            "--order",
            default="",
            choices=Run.Order.values,
            help="order of the passages (default: by score for TREC files, by rank for MS MARCO files)",
        )
        parser.add_argument("--skip-unknown", action="store_true", help="drop lines of unknown queries")
        parser.add_argument("--team", default="", help="team or authors of the run")
        parser.add_argument("--description", default="", help="short description of the method")
        parser.add_argument("--paper", default="", help="URL of the paper")
        parser.add_argument("--code", default="", help="URL of the code")
        details_arguments(parser)
        parser.add_argument(
            "--date",
            type=date.fromisoformat,
            dest="submitted_on",
            metavar="YYYY-MM-DD",
            help="date of the submission",
        )
        parser.add_argument(
            "--variant-of",
            default="",
            metavar="TAG",
            help="tag of the run from which this run differs only by hyperparameters or seed",
        )
        parser.add_argument(
            "--anonymous-until",
            type=date.fromisoformat,
            metavar="YYYY-MM-DD",
            help="hide the authors before this day",
        )
        parser.add_argument("--baseline", action="store_true", help="mark the run as a baseline")
        parser.add_argument(
            "--release",
            default="private",
            choices=Run.Release.values,
            help="what non-members see once the collection is published: everything (public), only values (scores) "
            "or nothing (private, the default)",
        )

    def act(
        self, *, collection: str, files: list[Path], tag: str, order: str, skip_unknown: bool, **options: Any
    ) -> dict[str, Any]:
        if tag and len(files) > 1:
            raise UsageError("--tag is for a single FILE.")
        chosen = collection_named(collection)
        said = {name: options[name] for name in runs.RunFacts.__dataclass_fields__ if name in options}
        facts = runs.RunFacts(**said, details=details_given(options))
        options = {"collection": chosen, "facts": facts, "order": order, "skip_unknown": skip_unknown}
        options["who"] = self.who
        with self.progress(f"Importing {files[0].name}" if len(files) == 1 else "Importing runs") as update:
            if len(files) == 1:
                try:
                    run = runs.import_run(path=files[0], run_tag=tag, progress=update, **options)
                except InvalidFile as refusal:
                    content = run_content_of(files[0], progress=update)
                    refused = each_refusal(refusal, content, collection=chosen, skip_unknown=skip_unknown)
                    return {"imported": [], "refused": [str(one) for one in refused]}
                return {"imported": [run_facts(run)], "refused": []}
            done = runs.import_runs(paths=files, progress=update, **options)
        return {
            "imported": [run_facts(run) for run in done.runs],
            "refused": [str(refusal) for refusal in done.refused],
        }

    def refusals(self, result: dict[str, Any]) -> list[str]:
        return list(result.get("refused", []))

    def show(self, result: dict[str, Any]) -> None:
        for run in result["imported"]:
            size = f"{many(run['lines'], 'line')}, {many(run['queries'], 'query', 'queries')}"
            self.out.print(f"{run['run']}: {size}", markup=False)
            for warning in run["warnings"]:
                self.out.print(f"  warning: {warning}", markup=False)


def details_arguments(parser: CommandParser) -> None:
    """Add an option for each detail of a run, and an option for a collection's own fields."""
    for detail in DETAILS:
        also = ["--type"] if detail.name == "family" else []  # the former name of the option
        shown = "|".join(detail.choices) or ("yes|no" if detail.form is Form.YES_NO else "")
        parser.add_argument(
            f"--{detail.name.replace('_', '-')}",
            *also,
            dest=f"detail_{detail.name}",
            default="",
            metavar=shown or detail.form.name,
            help=detail.explained.replace("%", "%%"),
        )
    parser.add_argument(
        "--detail",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one of the collection's own fields; can be repeated",
    )


def details_given(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the run details that the options set, as name → value. Raises UsageError."""
    given = {one.name: options[f"detail_{one.name}"] for one in DETAILS if options[f"detail_{one.name}"]}
    for pair in options["detail"]:
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--detail {pair}: write NAME=VALUE.")
        given[name.strip()] = value
    return given


def run_facts(run: Run) -> dict[str, Any]:
    """Return an imported run's tag, format, order, hash and report, ready for JSON."""
    return {
        "run": run.run_tag,
        "format": str(run.format),
        "order": str(run.order),
        "sha256": run.sha256,
        **run.report,
    }
