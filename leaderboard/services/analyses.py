"""Long analyses: made once, kept with their figures, and back at once while nothing they depend on has changed."""

from __future__ import annotations

import base64
import hashlib

from config.background.registry import Progress as JobProgress
from judging.models import Campaign
from leaderboard.errors import MembersOnly
from leaderboard.output import Analysis
from leaderboard.output.drawing import FORMATS, drawn
from leaderboard.output.storing import as_stored, from_stored
from leaderboard.services import kept_analyses
from leaderboard.services.analysis_inputs import campaign_inputs, labels_inputs, runs_inputs
from leaderboard.services.analysis_makers import Asked
from leaderboard.services.combinations import check_some_are_private
from leaderboard.services.evaluating import Progress
from pooling.services.query_splits import private_qids
from tournament.services.publishing import version_numbered


def make(asked: Asked, progress: Progress | None = None) -> Analysis:
    """The analysis, computed now. Raises a refusal."""
    check_released(asked)
    return asked.kind.make(asked, progress)


def check_released(asked: Asked) -> None:
    """Raises MembersOnly where the analysis can't be made of released things alone."""
    if not asked.released:
        return
    if asked.kind.members_only:
        raise MembersOnly(f"{asked.kind.title} is for members of {asked.collection.name}.", "Sign in as one.")
    if not asked.kind.by_query_set and private_qids(asked.collection):
        raise MembersOnly(
            f"{asked.collection.name} keeps some queries private, and {asked.kind.title.lower()} would tell of them.",
            "Sign in as a member.",
        )
    if asked.text("queries") in ("all", "private") and private_qids(asked.collection):
        raise MembersOnly("Results on private queries are for members.", "Choose the public queries.")


def key_of(asked: Asked) -> str:
    """The hash of all that the analysis depends on. Raises a refusal where there is nothing to analyse."""
    check_released(asked)
    if asked.kind.of_private or asked.text("queries") == "private":
        check_some_are_private(asked.collection)
    collection, campaign = asked.collection, asked.campaign
    inputs = [
        collection.pk,
        collection.name,
        sorted(private_qids(collection)),
        asked.released,  # of the same runs, members are told more: of private queries, say
        runs_inputs(asked.runs),
        labels_inputs(collection),
        asked.settings,
    ]
    judged = [campaign] if campaign is not None else _versions_campaigns(asked)
    return kept_analyses.key_of(asked.kind.name, [*inputs, [campaign_inputs(one) for one in judged]])


def _versions_campaigns(asked: Asked) -> list[Campaign]:
    """A version's board is set beside the judgments of its campaign as they are now."""
    if asked.kind.name != "board_agreement":
        return []
    number = asked.text("version")
    return [version_numbered(asked.collection, int(number) if number.isdecimal() else None).campaign]


def result_of(key: str) -> Analysis | None:
    """What is kept under the key."""
    content = kept_analyses.found(key)
    return None if content is None else from_stored(content)


def picture_file(key: str, picture: str, form: str) -> bytes | None:
    """A kept figure as ``svg``, ``pdf`` or ``png``."""
    content = kept_analyses.found(_file_key(key, picture, form))
    return None if content is None else base64.b64decode(content["base64"])


def keep_result(asked: Asked, progress: JobProgress) -> str:
    """Compute the analysis, draw its figures in every form, and keep all of it under the key that is returned.

    The figures come first, so that an analysis that is there has all of its figures.
    """
    key, kind = key_of(asked), asked.kind
    if kept_analyses.found(key) is not None:
        return key
    analysis = make(asked, lambda done, total: progress(done, total, kind.works))
    files = [(figure, form) for figure in analysis.figures for form in FORMATS]
    for done, (figure, form) in enumerate(files):
        progress(done, len(files), "Drawing figures")
        content = {"base64": base64.b64encode(drawn(figure, form)).decode()}
        kept_analyses.keep(
            _file_key(key, figure.key, form), f"{kind.name}{kept_analyses.FIGURE}", content, group=key
        )
    kept_analyses.keep(key, kind.name, as_stored(analysis))
    return key


def _file_key(key: str, picture: str, form: str) -> str:
    return hashlib.sha256(f"{key}:{picture}:{form}".encode()).hexdigest()
