"""Pages of long analyses: the choices, what is kept for them, the job that makes it, or why there is nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from config.background.models import Job
from config.errors import Refusal
from judging.models import Campaign
from leaderboard import jobs
from leaderboard.errors import LeaderboardError
from leaderboard.output import Analysis
from leaderboard.services.analyses import key_of, result_of
from leaderboard.services.analysis_kinds import KINDS
from leaderboard.services.analysis_makers import Asked, Kind
from leaderboard.services.labels import ORDER
from leaderboard.settings_asked import Choice, Number, read_settings
from pooling.models import Collection, QrelSet, Run
from pooling.services.query_splits import private_qids
from tournament.models import QrelVersion
from web.services.analyses import TableView, has_charts, run_places, table_view
from web.services.campaigns import campaigns_of
from web.services.comparisons import labels_of
from web.services.visibility import listed_runs, sees_everything
from web.services.work import Work


@dataclass(frozen=True)
class Control:
    """A field of the form with what the address says; ``options`` for a choice."""

    name: str
    label: str
    value: str
    options: list[tuple[str, str]] = field(default_factory=list)
    least: float | None = None
    most: float | None = None
    step: str = "1"


@dataclass(frozen=True)
class Listed:
    """An analysis in the list, and why this person may not have it (or "")."""

    kind: Kind
    refusal: str = ""


@dataclass(frozen=True)
class AnalysisPage:
    """One analysis: at most one of ``analysis``, ``job`` and ``refusal`` is there."""

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
    places: dict[str, int] = field(default_factory=dict)
    work: Work | None = None
    refusal: Refusal | None = None


def listed_analyses(collection: Collection, user: Any) -> list[Listed]:
    """Every analysis, with the reason where this person may not have it."""
    return [Listed(kind, _closed(kind, collection, user)) for kind in KINDS.values()]


def _closed(kind: Kind, collection: Collection, user: Any) -> str:
    if sees_everything(user, collection):
        return ""
    if kind.members_only:
        return "for members"
    if not kind.by_query_set and private_qids(collection):
        return "for members: some queries are private"
    return ""


def kind_named(name: str) -> Kind:
    """The kind of this name; raises Http404."""
    try:
        return KINDS[name]
    except KeyError:
        raise Http404("There is no such analysis.") from None


def asked_for(collection: Collection, kind: Kind, given: Any, user: Any) -> Asked:
    """The analysis that an address or a form asks for, of what this person may see. Raises a Refusal."""
    member = sees_everything(user, collection)
    released = not member or given.get("released") == "1"
    runs = _runs(collection, user, released) if kind.of_runs else []
    campaign = _campaign(collection, given, user, released) if kind.of_campaign else None
    if kind.of_campaign and campaign is None and given.get("campaign"):
        raise LeaderboardError(
            f"{collection.name} has no campaign {given['campaign'][:100]!r}.", "Choose one from the list."
        )
    chosen = _keys(given)
    picked = [run for run in runs if run.pk in chosen] or runs
    return Asked(
        kind=kind,
        collection=collection,
        runs=tuple(run.without_author() if released else run for run in picked),
        settings=read_settings(kind.fields, given),
        campaign=campaign,
        released=released,
    )


def _runs(collection: Collection, user: Any, released: bool) -> list[Run]:
    runs = listed_runs(collection, user)
    return list(runs.released() if released else runs)


def _keys(given: Any) -> set[int]:
    return {int(key) for key in given.getlist("run") if key.isascii() and key.isdigit() and len(key) < 10}


def _campaign(collection: Collection, given: Any, user: Any, released: bool) -> Campaign | None:
    """The campaign that is named, else that of the latest version, else the last one made.

    One of those that the person sees, and where it is for everybody, that everybody sees.
    """
    shown = campaigns_of([collection], AnonymousUser() if released else user)
    if given.get("campaign"):
        return next((one for one in shown if one.name == given["campaign"]), None)
    latest = QrelVersion.objects.filter(collection=collection).order_by("-number").first()
    if latest:
        return next((one for one in shown if one.pk == latest.campaign_id), None)
    return max(shown, key=lambda one: one.pk, default=None)


def address_of(kind: Kind, given: Any) -> str:
    """The query string of what a form says: fields in their order, empty ones left out."""
    names = ["campaign"] * kind.of_campaign + [one.name for one in kind.fields] + ["released"]
    pairs = [(name, given[name].strip()) for name in names if given.get(name, "").strip()]
    keys = sorted(_keys(given)) if kind.of_runs else []
    return urlencode(pairs + [("run", str(key)) for key in keys])


def analysis_page(collection: Collection, kind: Kind, given: Any, user: Any) -> AnalysisPage:
    """What is there for this address: the result, the job under way, or why neither."""
    page = {
        "collection": collection,
        "kind": kind,
        "controls": controls(collection, kind, given, user),
        "runs": _runs(collection, user, not sees_everything(user, collection)),
        "chosen": _keys(given),
        "query": address_of(kind, given),
        "may_run": sees_everything(user, collection),
        "released": given.get("released") == "1",
    }
    try:
        key = key_of(asked_for(collection, kind, given, user))
    except Refusal as refusal:
        return AnalysisPage(**page, refusal=refusal)
    analysis = result_of(key)
    if analysis is not None:
        return AnalysisPage(
            **page,
            analysis=analysis,
            tables=[table_view(one) for one in analysis.tables],
            drawn=has_charts(analysis),
            places=run_places(collection, analysis.facts.runs),
        )
    job = last_job(key)
    return AnalysisPage(**page, work=Work(job) if job else None)


def last_job(key: str) -> Job | None:
    """The job that makes what is to be kept under the key, live or failed."""
    job = Job.objects.filter(key=jobs.job_key(key)).order_by("-pk").first()
    return None if job is None or job.state == Job.State.DONE else job


def controls(collection: Collection, kind: Kind, given: Mapping[str, str], user: Any) -> list[Control]:
    """What can be set of this kind, with what is given."""
    found = []
    if kind.of_campaign:
        names = sorted((one.name, one.name) for one in campaigns_of([collection], user))
        now = _campaign(collection, given, user, False)
        found.append(Control("campaign", "Campaign", now.name if now else "", names))
    for one in kind.fields:
        value = given.get(one.name, "")
        if isinstance(one, Number):
            found.append(_number(one, value))
        else:
            options = list(one.options) or _options(collection, one, user)
            found.append(Control(one.name, one.label, value, options))
    return found


def _number(one: Number, value: str) -> Control:
    usual = "" if one.default is None else f"{one.default}"
    step = "1" if one.whole else "any"
    return Control(one.name, one.label, value or usual, least=one.least, most=one.most, step=step)


def _options(collection: Collection, choice: Choice, user: Any) -> list[tuple[str, str]]:
    """What there is to choose, the usual first."""
    if choice.of == "labels":
        return [("", "official, and the latest version"), *_labels_and_orders(collection)]
    if choice.of == "one labels or order":
        return _labels_and_orders(collection)
    if choice.of == "one labels":
        return labels_of(collection)
    if choice.of == "sets":
        sets = QrelSet.objects.filter(collection=collection).order_by("pk").values_list("name", flat=True)
        return [("", "the usual"), *((name, name) for name in sets)]
    if choice.of == "versions":
        numbers = QrelVersion.objects.filter(collection=collection).order_by("-number")
        return [
            ("", "the latest"),
            *((str(n), f"version {n}") for n in numbers.values_list("number", flat=True)),
        ]
    tags: Sequence[str] = [run.run_tag for run in listed_runs(collection, user)]
    return [("", "the usual"), *((tag, tag) for tag in tags)]


def _labels_and_orders(collection: Collection) -> list[tuple[str, str]]:
    named = labels_of(collection)
    return named + [
        (f"{name}{ORDER}", f"{words}, order of preference (Compat)")
        for name, words in named
        if name.startswith("@")
    ]
