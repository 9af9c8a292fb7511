"""The groups of tasks (HIT types) that a worker sees, and the reasons why some are closed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count

from marketplace.errors import TaskRefused
from marketplace.models import (
    Assignment,
    Hit,
    HitType,
    Qualification,
    QualificationRequest,
    QualificationType,
    Worker,
    WorkerBlock,
)
from marketplace.plurals import many
from marketplace.protocol import requirements as qualifying
from marketplace.protocol.requirements import Standing
from marketplace.rules import languages
from marketplace.rules.offers import Offer, read_offer

_SYSTEM_SCORES = (
    qualifying.APPROVED_COUNT,
    qualifying.APPROVED_PERCENT,
    qualifying.ADULT,
    qualifying.MASTERS,
    qualifying.MASTERS_SANDBOX,
)


@dataclass(frozen=True)
class Group:
    """A HIT type with open tasks, as one worker sees it.

    ``left`` is the number of tasks that the worker can still take. ``closed`` is the reason why the worker can take
    none, or empty. ``askable`` are the missing qualifications that the worker can request. ``held`` is the id of the
    assignment of this group that the worker already has, or empty.
    """

    hit_type: HitType
    left: int
    closed: str
    askable: tuple[QualificationType, ...] = ()
    held: str = ""

    @property
    def offer(self) -> Offer:
        """The pay, size and languages of a task in the group."""
        return read_offer(self.hit_type.reward_cents, self.hit_type.keywords)


def visible(worker: Worker, now: datetime, kinds: Iterable[HitType] | None = None) -> list[Group]:
    """Return the open groups that the worker can discover, newest first. ``kinds`` is a result of :func:`offered`."""
    counts = _open_hit_counts(now)
    kinds = [kind for kind in offered(now) if kind.pk in counts] if kinds is None else list(kinds)
    blocked = set(WorkerBlock.objects.filter(worker=worker).values_list("requester_id", flat=True))
    standing = standing_of(worker, kinds)
    shown = [
        kind
        for kind in kinds
        if kind.requester_id not in blocked and not qualifying.unmet(kind.requirements, standing, "discover")
    ]
    mine = _taken_hit_counts(worker, now)
    requestable = _requestable(worker, shown, standing)
    return [
        _group_for_worker(kind, counts.get(kind.pk, 0) - mine.get(kind.pk, 0), standing, requestable)
        for kind in shown
    ]


def by_language(worker: Worker, found: Iterable[Group]) -> tuple[list[Group], list[Group]]:
    """Split the groups into those whose languages the worker reads, and the others. Keeps the order."""
    read = list(filter(None, worker.languages.split(",")))
    split: tuple[list[Group], list[Group]] = ([], [])
    for group in found:
        split[0 if languages.readable(group.offer.needed_languages, read) else 1].append(group)
    return split


def _group_for_worker(
    kind: HitType, left: int, standing: Standing, requestable: Mapping[str, QualificationType]
) -> Group:
    if missing := qualifying.unmet(kind.requirements, standing, "accept"):
        closed = (
            f"You do not meet the requirements of this task: {'; '.join(map(requirement_text, missing))}."
        )
        named = dict.fromkeys(requirement["QualificationTypeId"] for requirement in missing)
        return Group(kind, left, closed, tuple(requestable[name] for name in named if name in requestable))
    return Group(
        kind, left, "" if left > 0 else "You have already taken or done all remaining tasks of this kind."
    )


def _taken_hit_counts(worker: Worker, now: datetime) -> dict[int, int]:
    """Return, by type key, the number of open HITs that the worker holds or has done.

    The worker cannot take these HITs again.
    """
    rows = Assignment.objects.filter(
        worker=worker, hit__status=Hit.Status.ASSIGNABLE, hit__available__gt=0, hit__expires_at__gt=now
    )
    return dict(rows.values_list("hit__hit_type_id").annotate(count=Count("pk")).order_by())


def _requestable(
    worker: Worker, kinds: Iterable[HitType], standing: Standing
) -> dict[str, QualificationType]:
    """Return the missing qualification types that the worker can still request, by type id.

    The worker needs them to accept tasks of these ``kinds``.
    """
    named = {
        requirement["QualificationTypeId"]
        for kind in kinds
        for requirement in qualifying.unmet(kind.requirements, standing, "accept")
        if requirement["Comparator"] != "DoesNotExist"
        and requirement["QualificationTypeId"] not in standing.scores
    }
    if not named:
        return {}
    rows = QualificationType.objects.requestable().filter(type_id__in=named).select_related("requester")
    asked = worker.qualification_requests.filter(qualification_type__retry_delay_seconds=None)
    pending = worker.qualification_requests.filter(state=QualificationRequest.State.PENDING)
    without = {row.qualification_type_id for row in (asked | pending)}
    return {row.type_id: row for row in rows if row.pk not in without}


def offered(now: datetime) -> list[HitType]:
    """Return the HIT types with open tasks, regardless of which workers can take them, newest first."""
    return list(
        HitType.objects.filter(pk__in=_open_hit_counts(now)).select_related("requester").order_by("-pk")
    )


def _open_hit_counts(now: datetime) -> dict[int, int]:
    """Return the number of open HITs by type key. It is cached, because counting 20,000 rows takes milliseconds."""
    counts: dict[int, int] | None = cache.get("marketplace.open") if settings.COUNT_CACHE_SECONDS else None
    if counts is None:
        rows = Hit.objects.open_at(now).values_list("hit_type_id").annotate(left=Count("pk")).order_by()
        counts = dict(rows)
        if settings.COUNT_CACHE_SECONDS:
            cache.set("marketplace.open", counts, settings.COUNT_CACHE_SECONDS)
    return counts


def group_numbered(type_id: str) -> HitType:
    """Return the group of that id; raises TaskRefused."""
    kind = HitType.objects.select_related("requester").filter(type_id=type_id).first()
    if kind is None:
        raise TaskRefused("unknown_group", "Tasks not found.", "Choose other tasks on the home page.")
    return kind


def check_allowed(worker: Worker, kind: HitType, action: str) -> None:
    """Raise TaskRefused unless the worker can ``preview`` or ``accept`` tasks of the group."""
    if WorkerBlock.objects.filter(worker=worker, requester=kind.requester_id).exists():
        raise TaskRefused(
            "blocked",
            "This requester no longer offers you tasks.",
            "Your submitted work is not affected. Choose other tasks on the home page.",
        )
    if missing := qualifying.unmet(kind.requirements, standing_of(worker, [kind]), action):
        reasons = "; ".join(map(requirement_text, missing))
        raise TaskRefused(
            "not_qualified",
            f"You do not meet the requirements of these tasks: {reasons}.",
            "Choose other tasks on the home page.",
        )


def has_more(worker: Worker, kind: HitType, now: datetime) -> bool:
    """Return whether the group has a task left for this worker."""
    return Hit.objects.open_at(now).filter(hit_type=kind).undone_by(worker).exists()


def limit_refusal(held: int) -> TaskRefused | None:
    """Return the refusal for a worker who holds ``held`` tasks; None if the worker can take another."""
    if held < settings.MAX_HELD:
        return None
    return TaskRefused(
        "too_many_held",
        f"You have {many(settings.MAX_HELD, 'open task')}, which is the limit.",
        "Submit or return one to take another.",
    )


def no_task_refusal(kind: HitType, now: datetime) -> TaskRefused:
    """Return the refusal to show when the group has no task for the worker now."""
    if Hit.objects.open_at(now).filter(hit_type=kind).exists():
        return TaskRefused(
            "all_done",
            "You have done all the tasks of this kind that are open to you.",
            "The rest are for other workers. Choose other tasks on the home page.",
        )
    return TaskRefused(
        "none_left",
        "There are no tasks of this kind right now.",
        "Check again later.",
    )


def preview_of(kind: HitType, now: datetime) -> Hit | None:
    """Return the group's oldest open HIT, to show as a preview; None if there is none."""
    return Hit.objects.open_at(now).filter(hit_type=kind).order_by("pk").first()


def standing_of(worker: Worker, kinds: Iterable[HitType]) -> Standing:
    """Return the worker's location, and scores in the qualifications that the groups require."""
    named = {requirement["QualificationTypeId"] for kind in kinds for requirement in kind.requirements}
    scores = {
        qualifying.APPROVED_COUNT: worker.approved_count,
        qualifying.APPROVED_PERCENT: qualifying.approved_percent(
            submitted=worker.submitted_count,
            approved=worker.approved_count,
            rejected=worker.rejected_count,
        ),
        qualifying.ADULT: int(worker.is_adult),
    }
    if worker.is_master:
        scores |= {qualifying.MASTERS: 1, qualifying.MASTERS_SANDBOX: 1}
    if own := named - set(_SYSTEM_SCORES):
        granted = Qualification.objects.filter(
            worker=worker, granted=True, qualification_type__type_id__in=own
        )
        scores |= dict(granted.values_list("qualification_type__type_id", "value"))
    return Standing(scores, worker.country, worker.subdivision)


def requirement_text(requirement: Mapping[str, Any]) -> str:
    """Describe a requirement for workers. Requesters' own qualifications are not named."""
    name = qualifying.SYSTEM_NAMES.get(requirement["QualificationTypeId"])
    if name is None and requirement["Comparator"] == "DoesNotExist":
        return "not being on one of the requester's lists"
    if name is None:
        return "a qualification the requester grants"
    values = requirement.get("IntegerValues") or [
        "-".join(filter(None, (locale["Country"], locale.get("Subdivision"))))
        for locale in requirement.get("LocaleValues", [])
    ]
    sign = {
        "LessThan": "less than",
        "LessThanOrEqualTo": "at most",
        "GreaterThan": "more than",
        "GreaterThanOrEqualTo": "at least",
        "EqualTo": "",
        "NotEqualTo": "other than",
        "In": "one of",
        "NotIn": "none of",
    }.get(requirement["Comparator"], "")
    if requirement["Comparator"] in ("Exists", "DoesNotExist"):
        return name if requirement["Comparator"] == "Exists" else f"no {name}"
    return f"{name}: {f'{sign} ' if sign else ''}{', '.join(map(str, values))}"


def held_tasks(worker: Worker) -> list[Assignment]:
    """Return the tasks a worker holds, most urgent first."""
    rows = Assignment.objects.held().filter(worker=worker).select_related("hit__hit_type__requester")
    return list(rows.order_by("deadline"))
