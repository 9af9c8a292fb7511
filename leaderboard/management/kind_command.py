"""Commands built from the kinds of analysis: `manage.py analyse KIND`, and a short alias for each kind."""

from typing import Any

from config.commands.console import CommandParser, UsageError
from judging.campaign.campaigns import campaign_named
from leaderboard.analyses.fields import Choice, Field, Number
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import compute_analysis
from leaderboard.management.arguments import runs_argument, runs_of
from leaderboard.output import Analysis
from leaderboard.output.command import AnalysisCommand
from pooling.collections.lookups import collection_named


def command_of(name: str) -> Any:
    return type("Command", (KindCommand,), {}, kind=KINDS[name])


class KindCommand(AnalysisCommand):
    """The command of one kind of analysis. Its options are the kind's fields, with the same limits as on pages."""

    kind: Kind

    def __init_subclass__(cls, kind: Kind, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.kind, cls.help, cls.has_figure = kind, kind.help, kind.has_figure
        cls.example = f"manage.py {kind.name} {kind.example}"

    @property
    def prog(self) -> str:
        return self.kind.name

    def arguments(self, parser: CommandParser) -> None:
        subject = "campaign" if self.kind.of_campaign else "collection"
        parser.add_argument("subject", metavar=subject, help=f"name of the {subject}")
        for field in self.kind.fields:
            parser.add_argument(*_option_names(field), **_option_arguments(field))
        if self.kind.of_runs:
            runs_argument(parser)
        super().arguments(parser)

    def analyse(self, *, subject: str, **options: Any) -> Analysis:
        kind = self.kind
        settings = {field.name: _setting_value(field, options[_option_key(field)]) for field in kind.fields}
        campaign = campaign_named(subject) if kind.of_campaign else None
        collection = campaign.collection if campaign else collection_named(subject)
        for field in kind.fields_for(collection):
            if options[_option_key(field)] is None:
                settings[field.name] = _setting_value(field, None)
        tags = options.get("runs") or []
        alone = kind.by_description and not tags and not collection.runs.exists()
        runs = tuple(runs_of(collection, tags)) if kind.of_runs and not alone else ()
        asked = Asked(kind, collection, runs, settings, campaign, in_order=bool(tags))
        with self.progress(kind.works) as update:
            return compute_analysis(asked, update)


def _option_key(field: Field) -> str:
    return f"set_{field.name}"


def _option_name(field: Field) -> str:
    return (isinstance(field, Choice) and field.option) or f"--{field.name}"


def _option_names(field: Field) -> list[str]:
    """Return the names of a field's option: for the version, also its former name ``--number``."""
    return [_option_name(field), *(["--number"] if field.name == "version" else [])]


def _option_arguments(field: Field) -> dict[str, Any]:
    """Return the keyword arguments of ``add_argument`` for a field's option."""
    how: dict[str, Any] = {"dest": _option_key(field)}
    if isinstance(field, Number):
        usual = "" if field.default is None else f" (default: {field.default})"
        words = f"{field.help or field.label}, {field.limits}{usual}"
        return how | {
            "type": int if field.integers_only else float,
            "default": field.default,
            "help": _escape_percent(words),
        }
    if field.flag:
        return how | {"action": "store_true", "help": _escape_percent(field.help)}
    names = [name for name, _ in field.options if name]
    usual = f" (default: {names[0]})" if names and field.options[0][0] else ""
    usual = " (default: the leaderboard's measure)" if field.of == "measures" else usual
    how |= {
        "help": _escape_percent(f"{field.help or field.label}{usual}"),
        "metavar": field.name.upper(),
    }
    if names and not field.free:
        how |= {"choices": names, "metavar": None}
    return how | ({"nargs": "+", "default": []} if field.several else {"default": None})


def _escape_percent(words: str) -> str:
    return words.replace("%", "%%")


def _setting_value(field: Field, given: Any) -> Any:
    """Return the value of a setting from its option. Raises UsageError for a number beyond the field's limits."""
    if isinstance(field, Number):
        if given is not None and not field.allows(given):
            raise UsageError(f"{_option_name(field)} must be {field.limits}, not {given:,}.")
        return given
    if field.flag:
        return field.options[1][0] if given else ""
    if given is None:
        return field.options[0][0] if field.options else ""
    return given
