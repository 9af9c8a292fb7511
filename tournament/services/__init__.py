"""Resolve campaigns, publish versions, challenge best answers."""

from tournament.services.advancing import Advance, advance_challenges
from tournament.services.challenging import ChallengePlan, Opened, open_challenge, plan_challenge
from tournament.services.publishing import Publication, export_qrels, publish_qrels
from tournament.services.rebuilding import Rebuilt, rebuild_qrels
from tournament.services.resolving import resolve, results

__all__ = [
    "Advance",
    "ChallengePlan",
    "Opened",
    "Publication",
    "Rebuilt",
    "advance_challenges",
    "export_qrels",
    "open_challenge",
    "plan_challenge",
    "publish_qrels",
    "rebuild_qrels",
    "resolve",
    "results",
]
