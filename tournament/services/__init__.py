"""Resolve campaigns, publish versions, challenge best answers."""

from tournament.services.advancing import Advance, advance_challenges
from tournament.services.challenging import ChallengePlan, OpenedChallenge, open_challenge, plan_challenge
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
from tournament.services.orders import preference_orders
from tournament.services.previewing import Preview, preview_version
from tournament.services.publishing import Publication, export_qrels, latest_version, publish_qrels
from tournament.services.rebuilding import RebuiltVersion, reason_in, rebuild_qrels
from tournament.services.redeciding import Redecided, redecided_by
from tournament.services.resolving import query_results, resolve
