"""Do-no-harm ranks of runs, which a leaderboard shows beside the mean."""

from collections.abc import Mapping
from typing import Any

from config.errors import Refusal
from leaderboard.analyses.fields import read_settings
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import result_now
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.measures import ReciprocalRank
from pooling.models import Collection
from web.common.visibility import listed_runs, sees_everything


def harmless_places(collection: Collection, user: Any, *, labels: str, measure: str) -> Mapping[str, int]:
    """Return run tag → do-no-harm rank under these labels; empty if not computed yet or hidden.

    The order uses the rank of each query's first relevant passage. If the measure is RR, passages beyond its cutoff
    are ignored.
    """
    kind, everything = KINDS["harmless_order"], sees_everything(user, collection)
    given = {"qrels": labels}
    try:
        if isinstance(parse_measure(measure), ReciprocalRank):
            given["measure"] = measure
        runs = listed_runs(collection, user)
        shown = list(runs) if everything else [run.without_author() for run in runs.released()]
        settings = read_settings(kind.fields, given)
        found = result_now(Asked(kind, collection, tuple(shown), settings, released=not everything))
    except Refusal:
        return {}
    places: Mapping[str, int] = found.content["places"] if found else {}
    return places
