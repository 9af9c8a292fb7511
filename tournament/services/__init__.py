"""Resolve campaigns, publish versions, challenge best answers."""

from tournament.services.challenge_progress import Advance, advance_challenges
from tournament.services.challenges import ChallengePlan, OpenedChallenge, open_challenge, plan_challenge
from tournament.services.changes import (
    Cause,
    ChangeKind,
    Edition,
    QueryChange,
    causes,
    changes_between,
    edition_of,
)
from tournament.services.drift import (
    Drift,
    compare_versions,
    drift_of,
    drifts,
    latest_version_now,
    versions_changed,
)
from tournament.services.later_decisions import Redecided, redecided_by
from tournament.services.orders import preference_orders
from tournament.services.previews import Preview, preview_version
from tournament.services.publication import Publication, export_qrels, latest_version, publish_qrels
from tournament.services.rebuilt_versions import RebuiltVersion, reason_in, rebuild_qrels
from tournament.services.resolution import query_results, resolve
