"""An analysis as its page, its call and its command make it."""

import json
from collections.abc import Sequence
from typing import Any

from django.core.management import call_command

from judging.models import Campaign
from leaderboard.analyses.fields import read_settings
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.registry import KINDS
from leaderboard.output import Analysis
from pooling.models import Collection, Run


def analysed(
    name: str,
    collection: Collection,
    runs: Sequence[Run] = (),
    campaign: Campaign | None = None,
    **settings: Any,
) -> Analysis:
    """Return the analysis of this kind; settings that are not given have their defaults."""
    kind = KINDS[name]
    asked = Asked(kind, collection, tuple(runs), read_settings(kind.fields, {}) | settings, campaign)
    return kind.make(asked, None)


def rows(analysis: Analysis, key: str) -> list[dict[str, Any]]:
    """Return the cells of the table with this key, row by row."""
    return [row.values for row in next(table for table in analysis.tables if table.key == key).rows]


def run_json(capsys, *arguments: str) -> dict[str, Any]:
    """Return what a command prints with ``--json``."""
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)
