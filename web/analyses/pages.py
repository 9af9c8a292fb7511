"""Data of the pages of long analyses: the settings, and the stored result, the running job, or a refusal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef
from django.http import Http404

from config.background.models import Job
from config.errors import Refusal
from config.guidance import Guidance, Option
from judging.models import Campaign, Judgment
from leaderboard.analyses.fields import Choice, Number, read_settings
from leaderboard.analyses.job_requests import analysis_asked, analysis_work, job_key
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import StoredResult, check_readable, check_released, result_or_older
from leaderboard.errors import LeaderboardError, MembersOnly
from leaderboard.output import Analysis
from leaderboard.scoring.labels import ORDER
from pooling.labels.query_splits import private_qids
from pooling.models import Collection, QrelSet, Run
from tournament.models import QrelVersion
from web.common.analysis_tables import TableView, table_view
from web.common.campaign_rows import campaigns_of
from web.common.job_progress import Work
from web.common.run_choice import chosen_run_keys
from web.common.visibility import listed_runs, sees_everything


@dataclass(frozen=True)
class Control:
    """A form field with its value from the address.

    ``options`` are the allowed values if the field is a choice, default first.
    """

    name: str
    label: str
    value: str
    options: list[tuple[str, str]] = field(default_factory=list)
    free: bool = False
    """Whether the options are examples, and other values can be typed."""
    least: float | None = None
    most: float | None = None
    step: str = "1"


@dataclass(frozen=True)
class ListedAnalysis:
    """An analysis in the list, and the reason why this person cannot open it ("" if they can)."""

    kind: Kind
    refusal: str = ""


@dataclass(frozen=True)
class AnalysisPage:
    """An analysis with its result, the job that computes it, or a refusal: at most one of these.

    One exception: while the job computes a new result, the page shows an older one (``older``, also in ``analysis``).
    """

    collection: Collection
    kind: Kind
    controls: list[Control]
    runs: list[Run]
    chosen: set[int]
    query: str
    may_run: bool
    released: bool
    analysis: Analysis | None = None
    tables: list[TableView] = field(default_factory=list)
    drawn: bool = False
    work: Work | None = None
    changed: bool = False
    """Whether the data changed after the failed job was requested."""
    refusal: Refusal | None = None
    older: StoredResult | None = None


def listed_analyses(collection: Collection, user: Any) -> list[ListedAnalysis]:
    """Return every analysis, with the reason if this person cannot open it."""
    return [ListedAnalysis(kind, _reason_closed(kind, collection, user)) for kind in KINDS.values()]


def _reason_closed(kind: Kind, collection: Collection, user: Any) -> str:
    if sees_everything(user, collection):
        return ""
    if kind.members_only:
        return "for members"
    if not kind.by_query_set and private_qids(collection):
        return "for members only: some queries are private"
    return ""


def kind_or_404(name: str) -> Kind:
    """Return the kind with this name. Raises Http404."""
    try:
        return KINDS[name]
    except KeyError:
        raise Http404("There is no such analysis.") from None


def asked_for(collection: Collection, kind: Kind, given: Any, user: Any) -> Asked:
    """Return the analysis requested by an address or form, limited to what this person can see. Raises a Refusal."""
    member = sees_everything(user, collection)
    released = not member or given.get("released") == "1"
    runs = _runs_to_analyse(collection, user, released) if kind.of_runs else []
    campaign = _analysed_campaign(collection, given, user, released) if kind.of_campaign else None
    if kind.of_campaign and campaign is None and given.get("campaign"):
        raise LeaderboardError(
            f"{collection.name} has no campaign {given['campaign'][:100]!r}.",
            "Choose a campaign from the list.",
        )
    chosen = chosen_run_keys(given)
    picked = [run for run in runs if run.pk in chosen] or runs
    asked = Asked(
        kind=kind,
        collection=collection,
        runs=tuple(run.without_author() if released else run for run in picked),
        settings=read_settings(kind.fields_for(collection), given),
        campaign=campaign,
        released=released,
    )
    if member:
        _check_audience(asked)
    return asked


def _check_audience(asked: Asked) -> None:
    """Raise MembersOnly if a member requests the public result of an analysis that only members can see."""
    try:
        check_released(asked)
    except MembersOnly as refusal:
        step = Guidance("To see it as a member, change ", Option("released"), ".")
        raise MembersOnly(refusal.message, step) from None


def check_job_result(job: Job) -> None:
    """Raise MembersOnly if members can no longer see the result of this analysis job."""
    asked = analysis_asked(**job.arguments)
    _check_audience(asked)
    check_readable(asked)


def _runs_to_analyse(collection: Collection, user: Any, released: bool) -> list[Run]:
    runs = listed_runs(collection, user)
    return list(runs.released() if released else runs)


def _analysed_campaign(collection: Collection, given: Any, user: Any, released: bool) -> Campaign | None:
    """Return the campaign named in ``given``; by default, that of the latest version.

    Without a version, the default is the newest campaign, preferably not a rehearsal. The campaign must be visible to
    the person or, for a released analysis, to everybody.
    """
    shown = _campaigns_with_pairs(collection, AnonymousUser() if released else user)
    if given.get("campaign"):
        return next((one for one in shown if one.name == given["campaign"]), None)
    latest = QrelVersion.objects.filter(collection=collection).order_by("-number").first()
    if latest:
        return next((one for one in shown if one.pk == latest.campaign_id), None)
    return max(shown, key=lambda one: (one.rehearsal_of_id is None, one.pk), default=None)


def _campaigns_with_pairs(collection: Collection, user: Any) -> list[Campaign]:
    """Return the campaigns that have judgments of pairs and that this person can see."""
    judgments = Judgment.objects.filter(campaign=OuterRef("pk"), kind=Judgment.Kind.PREFERENCE)
    rows = Campaign.objects.filter(Exists(judgments), collection=collection, grading=None)
    judged = set(rows.values_list("pk", flat=True))
    return [one for one in campaigns_of([collection], user) if one.pk in judged]


def analysis_query_string(kind: Kind, given: Any) -> str:
    """Return the form's nonempty values as a query string, in field order."""
    names = ["campaign"] * kind.of_campaign + [one.name for one in kind.fields] + ["released"]
    pairs = [(name, given[name].strip()) for name in names if given.get(name, "").strip()]
    keys = sorted(chosen_run_keys(given)) if kind.of_runs else []
    return urlencode(pairs + [("run", str(key)) for key in keys])


def analysis_page(collection: Collection, kind: Kind, given: Any, user: Any) -> AnalysisPage:
    """Return the page of an analysis with these choices: its result, its unfinished or failed job, or a refusal.

    Before the first run, the page has none of these.
    """
    page = {
        "collection": collection,
        "kind": kind,
        "controls": controls(collection, kind, given, user),
        "runs": _runs_to_analyse(collection, user, not sees_everything(user, collection)),
        "chosen": chosen_run_keys(given),
        "query": analysis_query_string(kind, given),
        "may_run": sees_everything(user, collection),
        "released": given.get("released") == "1",
    }
    try:
        asked = asked_for(collection, kind, given, user)
        found = result_or_older(asked)
    except Refusal as refusal:
        return AnalysisPage(**page, refusal=refusal)
    older = found if found and found.made_at else None
    job = last_job(asked) if older or not found else None
    work = Work(job) if job else None
    changed = bool(job and work and work.failed and job.key != job_key(asked))
    page |= {"older": older, "work": work, "changed": changed}
    if found is None:
        return AnalysisPage(**page)
    analysis = found.analysis
    return AnalysisPage(
        **page,
        analysis=analysis,
        tables=[table_view(one) for one in analysis.tables],
        drawn=any(figure.charts for figure in analysis.figures),
    )


def last_job(asked: Asked) -> Job | None:
    """Return the newest job for this analysis if it is unfinished or failed, even if the data changed since."""
    job = analysis_work(asked).first()
    return None if job is None or job.state == Job.State.DONE else job


def controls(collection: Collection, kind: Kind, given: Mapping[str, str], user: Any) -> list[Control]:
    """Return the form fields for the settings of this kind of analysis, filled with the values in ``given``."""
    found = []
    if kind.of_campaign:
        offered = sorted(
            _campaigns_with_pairs(collection, user), key=lambda one: (bool(one.rehearsal_of_id), one.name)
        )
        names = [
            (one.name, f"{one.name} (rehearsal)" if one.rehearsal_of_id else one.name) for one in offered
        ]
        now = _analysed_campaign(collection, given, user, False)
        found.append(Control("campaign", "Campaign", now.name if now else "", names))
    for one in kind.fields_for(collection):
        value = given.get(one.name, "")
        if isinstance(one, Number):
            found.append(_number_control(one, value))
        else:
            options = list(one.options) or _choice_options(collection, one, user)
            found.append(Control(one.name, one.label, value, options, one.free))
    return found


def _number_control(one: Number, value: str) -> Control:
    usual = "" if one.default is None else f"{one.default}"
    step = "1" if one.integers_only else "any"
    return Control(one.name, one.label, value or usual, least=one.least, most=one.most, step=step)


def _choice_options(collection: Collection, choice: Choice, user: Any) -> list[tuple[str, str]]:
    """Return the options, default first; empty if any text is accepted."""
    if not choice.of:
        return []
    if choice.of == "labels":
        return [("", "official, and the latest version"), *_labels_and_orders(collection)]
    if choice.of == "one labels or order":
        return _labels_and_orders(collection)
    if choice.of == "one labels":
        return labels_of(collection)
    if choice.of == "other labels":
        return [("", "default"), *labels_of(collection)]
    if choice.of == "sets":
        sets = QrelSet.objects.filter(collection=collection).order_by("pk").values_list("name", flat=True)
        return [("", "default"), *((name, name) for name in sets)]
    if choice.of == "versions":
        numbers = QrelVersion.objects.filter(collection=collection).order_by("-number")
        return [
            ("", "the latest"),
            *((str(n), f"version {n}") for n in numbers.values_list("number", flat=True)),
        ]
    if choice.of == "pools":
        names = collection.pools.order_by("-pk").values_list("name", flat=True)
        return [("", "the newest"), *((name, name) for name in names)]
    tags: Sequence[str] = [run.run_tag for run in listed_runs(collection, user)]
    return [("", "default"), *((tag, tag) for tag in tags)]


def labels_of(collection: Collection) -> list[tuple[str, str]]:
    """Return (name, title) of all labels that runs can be scored under, the leaderboard's default first."""
    default = collection.default_labels()
    sets = sorted(collection.qrel_sets.order_by("pk"), key=lambda one: one != default)
    versions = QrelVersion.objects.filter(collection=collection).order_by("-number")
    named = [(one.name, f"{one.name}, grade {one.min_grade} and up") for one in sets]
    return named + [
        (f"@{number}", f"version {number}{' (simulated)' * simulated}")
        for number, simulated in versions.values_list("number", "simulated")
    ]


def _labels_and_orders(collection: Collection) -> list[tuple[str, str]]:
    named = labels_of(collection)
    return named + [
        (f"{name}{ORDER}", f"{words}, order of preference (Compat)")
        for name, words in named
        if name.startswith("@")
    ]
