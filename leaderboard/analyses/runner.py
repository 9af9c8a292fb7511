"""Run analyses, and store results with their figures under a hash of the data and settings behind them."""

import base64
import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from config.background.job_kinds import Progress as JobProgress
from config.plurals import many
from judging.models import Campaign
from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.pool_sizes.analysis import pool_or_newest
from leaderboard.analyses.reusability.compared_labels import compared_labels
from leaderboard.analyses.shared.combinations import check_some_are_private
from leaderboard.cache import kept_analyses
from leaderboard.cache.bases import RESTS_ON, Basis, bases_to_store, changed_bases
from leaderboard.cache.inputs import (
    campaign_inputs,
    clusters_inputs,
    descriptions_inputs,
    graded_inputs,
    labels_in_words,
    labels_inputs,
    runs_inputs,
)
from leaderboard.errors import MembersOnly, NothingToScore
from leaderboard.output import Analysis
from leaderboard.output.drawing import FORMATS, figure_image
from leaderboard.output.stored_analyses import as_stored, from_stored
from leaderboard.output.team_columns import with_teams
from leaderboard.scoring.chosen_runs import refuse_no_runs
from leaderboard.scoring.evaluation import Progress
from pooling.collections.lookups import RunsOfKind, runs_of_kind
from pooling.labels.query_splits import private_qids
from pooling.models import Run
from pooling.pools.pools import without_text
from tournament.services.label_reveals import plain_labels, withheld_labels
from tournament.services.publication import version_numbered


@dataclass(frozen=True)
class StoredResult:
    """A result and its key. An outdated result also has the time it was made and the changes since then."""

    key: str
    analysis: Analysis
    made_at: datetime | None = None
    changed: tuple[str, ...] = ()


def compute_analysis(asked: Asked, progress: Progress | None = None) -> Analysis:
    """Compute the analysis now, and add to its runs the teams that readers can see.

    Labels of passages leave out runs of documents, and the reverse, unless no run would remain. A sentence names the
    runs left out. Raises a Refusal if the reader cannot see the analysis, or if there is nothing to analyze.
    """
    check_readable(asked)
    _refuse_no_runs(asked)
    of_kind = _runs_of_labels(asked)
    if of_kind and of_kind.left_out:
        made = asked.kind.make(replace(asked, runs=tuple(of_kind.kept)), progress)
        told = {**made.content, "runs_left_out": [run.run_tag for run in of_kind.left_out]}
        made = replace(made, sentences=(*made.sentences, of_kind.sentence), content=told)
    else:
        made = asked.kind.make(asked, progress)
    return with_teams(made, {run.run_tag: run.team for run in asked.runs})


def _runs_of_labels(asked: Asked) -> RunsOfKind | None:
    """Return the runs, divided by whether the chosen labels can score them.

    Returns None if this kind of analysis takes all runs.
    """
    if asked.kind.of_every_task:
        return None
    chosen = (*asked.several("qrels"), "")[0]
    sets = asked.collection.qrel_sets
    qrel_set = sets.filter(name=chosen).first() if chosen else asked.collection.default_labels()
    return runs_of_kind(asked.runs, qrel_set if "qrels" in asked.settings else None)


def _refuse_no_runs(asked: Asked) -> None:
    """Raise NothingToScore if this kind of analysis needs runs and there are none."""
    if asked.runs or asked.kind.without_runs or not asked.kind.of_runs:
        return
    if asked.released:
        raise NothingToScore(
            f"{asked.collection.name} has no runs for everyone to see.",
            "Only members can analyze the others.",
        )
    refuse_no_runs(asked.collection, asked.runs)


def check_readable(asked: Asked) -> None:
    """Raise a Refusal if the reader cannot see the result now, even if it was stored when the reader could."""
    check_released(asked)
    if asked.kind.check:
        asked.kind.check(asked)


#: The advice in errors for visitors and for signed-in submitters alike.
AS_MEMBER = "Members see it after they sign in."


def check_released(asked: Asked) -> None:
    """Raise MembersOnly if the result would be for everyone but uses data that only members can see."""
    if not asked.released:
        return
    if asked.kind.members_only:
        raise MembersOnly(f"{asked.kind.title} is for members of {asked.collection.name} only.", AS_MEMBER)
    if not asked.kind.by_query_set and private_qids(asked.collection):
        raise MembersOnly(
            f"{asked.kind.title} would reveal results on private queries of {asked.collection.name}.",
            AS_MEMBER,
        )
    if asked.text("queries") in ("all", "private") and private_qids(asked.collection):
        raise MembersOnly("Results on private queries are for members only.", "Choose the public queries.")
    _refuse_withheld(asked)


#: Values of ``Choice.of`` for choices that name labels.
OF_LABELS = {"labels", "one labels", "one labels or order", "other labels", "sets"}


def _refuse_withheld(asked: Asked) -> None:
    """Raise MembersOnly if the analysis can use withheld labels, chosen or by default."""
    withheld = withheld_labels(asked.collection)
    if not withheld or not asked.kind.reads_labels:
        return
    chosen = [_labels_chosen(asked, field) for field in asked.kind.fields if isinstance(field, Choice)]
    named = [names for names in chosen if names is not None]
    if (
        asked.kind.of_campaign
        or not named
        or any(not names or withheld.intersection(names) for names in named)
    ):
        sets = ", ".join(sorted(name for name in withheld if not name.startswith("@")))
        other = ", or choose labels that are not withheld" if named and not asked.kind.of_campaign else ""
        raise MembersOnly(
            f"{asked.kind.title} would reveal more about the withheld labels {sets} than their leaderboard does.",
            f"Look at the leaderboard{other}. {AS_MEMBER}",
        )


def _labels_chosen(asked: Asked, field: Choice) -> set[str] | None:
    """Return the labels chosen in this field, empty for the default; None if the field does not name labels."""
    names = asked.several(field.name)
    if field.of == "versions":
        return {plain_labels(f"@{number}") for number in names}
    return set(map(plain_labels, names)) if field.of in OF_LABELS else None


def analysis_key(asked: Asked) -> str:
    """Return the hash of everything that the result depends on.

    Raises a Refusal if the reader cannot see the result, or if there is nothing to analyze.
    """
    return _key_for_data(asked, _data_behind(asked))


def _key_for_data(asked: Asked, bases: list[Basis]) -> str:
    inputs = [_request_content(asked), asked.collection.name, [[one.name, one.inputs] for one in bases]]
    return kept_analyses.result_key(asked.kind.name, inputs)


def _request_content(asked: Asked) -> list[Any]:
    """Return what identifies the request: its settings, campaign, runs and readers, but not the data it analyzes."""
    collection = asked.collection
    # The private queries are included, so that an older public result cannot show data that is no longer released.
    return [
        collection.pk,
        sorted(private_qids(collection)),
        asked.released,  # Members see more about the same runs, such as private queries.
        asked.settings,
        asked.campaign and asked.campaign.pk,
        None if takes_every_run(asked) else runs_inputs(asked.runs),
    ]


def takes_every_run(asked: Asked) -> bool:
    """Return whether the analysis takes all runs of the collection, including those that are added later."""
    every = Run.objects.filter(collection=asked.collection).count()
    return asked.kind.of_runs and not asked.released and len(asked.runs) == every


def _data_behind(asked: Asked) -> list[Basis]:
    """Return what the analysis is computed from, by kind of data.

    Raises a Refusal if the reader cannot see the result, or if there is nothing to analyze.
    """
    check_readable(asked)
    _refuse_no_runs(asked)
    if asked.kind.of_private or asked.text("queries") == "private":
        check_some_are_private(asked.collection)
    collection, runs = asked.collection, asked.runs
    found = [
        Basis("runs", many(len(runs), "run"), runs_inputs(runs)),
        Basis("labels", ", ".join(labels_in_words(collection)), labels_inputs(collection)),
        Basis("near-duplicates", "", clusters_inputs(collection)),
    ]
    if asked.kind.by_description:
        found.append(Basis("descriptions of runs", "", descriptions_inputs(collection, runs)))
    if asked.kind.name == "pool_sizes":
        pool = pool_or_newest(collection, asked.text("pool"))
        # Texts imported later can show that some of the pool's passages are equal.
        found.append(Basis("pool", pool.name, [pool.pk, without_text(pool)]))
    if asked.kind.name == "assessor_agreement":
        found.append(Basis("grades", "", graded_inputs(collection)))
    if (
        asked.kind.name == "reusability"
        and (compared := compared_labels(asked))
        and compared[0] != collection
    ):
        other = compared[0]
        inputs = [other.pk, str(other.visibility), labels_inputs(other), clusters_inputs(other)]
        found.append(Basis(f"collection {other.name}", "", inputs))
    judged = [asked.campaign] if asked.campaign is not None else _campaigns_of_version(asked)
    return [*found, *(Basis(f"judgments of {one.name}", "", campaign_inputs(one)) for one in judged)]


def _campaigns_of_version(asked: Asked) -> list[Campaign]:
    """Return the chosen version's campaign if the analysis is ``board_agreement``, which uses its judgments."""
    if asked.kind.name != "board_agreement":
        return []
    number = asked.text("version")
    return [version_numbered(asked.collection, int(number) if number.isdecimal() else None).campaign]


def kept_analysis(key: str) -> Analysis | None:
    """Return the analysis stored under the key, if any."""
    content = kept_analyses.stored_result(key)
    return None if content is None else from_stored(content)


def result_now(asked: Asked) -> Analysis | None:
    """Return the stored result, or compute it if that is quick; else None.

    Raises a Refusal if the reader cannot see the result, or if there is nothing to analyze.
    """
    kept = kept_analysis(analysis_key(asked))
    least = 0 if asked.kind.by_description else 1
    if kept is None and least <= len(asked.runs) <= asked.kind.at_once:
        return compute_analysis(asked)
    return kept


def result_or_older(asked: Asked) -> StoredResult | None:
    """Return the current result, or else the latest result of the same request on older data; None if there is none.

    Raises a Refusal if the reader cannot see the result, or if there is nothing to analyze.
    """
    analysis, bases = result_now(asked), _data_behind(asked)
    if analysis is not None:
        return StoredResult(_key_for_data(asked, bases), analysis)
    older = kept_analyses.latest_for(request_key(asked))
    if older is None:
        return None
    key, content, made_at = older
    return StoredResult(
        key, from_stored(content), made_at, tuple(changed_bases(content.get(RESTS_ON, {}), bases))
    )


def request_key(asked: Asked) -> str:
    """Return the hash of the request, which stays the same when the data behind it change."""
    return kept_analyses.result_key(asked.kind.name, ["choices", *_request_content(asked)])


def picture_file(key: str, picture: str, form: str) -> bytes | None:
    """Return the file of a stored figure; ``form`` is ``svg``, ``pdf`` or ``png``. None if it is not stored."""
    content = kept_analyses.stored_result(_figure_file_key(key, picture, form))
    return None if content is None else base64.b64decode(content["base64"])


def keep_result(asked: Asked, progress: JobProgress) -> str:
    """Compute the analysis, draw its figures in every format, store everything and return the key.

    The figures are stored first, so that a stored analysis always has all of its figures.
    """
    bases, kind = _data_behind(asked), asked.kind
    key = _key_for_data(asked, bases)
    if kept_analyses.stored_result(key) is not None:
        return key
    analysis = compute_analysis(asked, lambda done, total: progress(done, total, kind.works))
    files = [(figure, form) for figure in analysis.figures for form in FORMATS]
    for done, (figure, form) in enumerate(files):
        progress(done, len(files), "Drawing figures")
        content = {"base64": base64.b64encode(figure_image(figure, form)).decode()}
        kept_analyses.store_result(
            _figure_file_key(key, figure.key, form), f"{kind.name}{kept_analyses.FIGURE}", content, group=key
        )
    content = as_stored(analysis) | {RESTS_ON: bases_to_store(bases)}
    kept_analyses.store_result(key, kind.name, content, choices=request_key(asked))
    return key


def _figure_file_key(key: str, picture: str, form: str) -> str:
    return hashlib.sha256(f"{key}:{picture}:{form}".encode()).hexdigest()
