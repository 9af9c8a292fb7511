"""Check whether a worker meets a HIT type's requirements.

A requirement is the protocol's own structure (QualificationTypeId, Comparator, IntegerValues or LocaleValues,
ActionsGuarded). If the worker lacks the qualification, every comparator except DoesNotExist fails.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

APPROVED_COUNT = "00000000000000000040"
APPROVED_PERCENT = "000000000000000000L0"
LOCALE = "00000000000000000071"
ADULT = "00000000000000000060"
MASTERS = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
MASTERS_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
SYSTEM_NAMES = {
    APPROVED_COUNT: "number of approved tasks",
    APPROVED_PERCENT: "share of approved tasks, in percent",
    LOCALE: "country",
    ADULT: "adult content accepted",
    MASTERS: "Masters",
    MASTERS_SANDBOX: "Masters",
}
# Below this many submissions, the approval rate counts as 100% [MTurk].
PERCENT_COUNTS_FROM = 100
_GUARDS = {
    "Accept": {"accept"},
    "PreviewAndAccept": {"accept", "preview"},
    "DiscoverPreviewAndAccept": {"accept", "preview", "discover"},
}


_COMPARISONS: Mapping[str, Callable[[int, Sequence[int]], bool]] = {
    "LessThan": lambda score, values: score < values[0],
    "LessThanOrEqualTo": lambda score, values: score <= values[0],
    "GreaterThan": lambda score, values: score > values[0],
    "GreaterThanOrEqualTo": lambda score, values: score >= values[0],
    "EqualTo": lambda score, values: score == values[0],
    "NotEqualTo": lambda score, values: score != values[0],
    "In": lambda score, values: score in values,
    "NotIn": lambda score, values: score not in values,
}


@dataclass(frozen=True)
class Standing:
    """The facts that requirements are checked against: scores by qualification type id, and the worker's location."""

    scores: Mapping[str, int]
    country: str = ""
    subdivision: str = ""


def approved_percent(*, submitted: int, approved: int, rejected: int) -> int:
    """Return the percentage of reviewed assignments that were approved, rounded down.

    It is 100 below :data:`PERCENT_COUNTS_FROM` submissions, or if nothing was reviewed.
    """
    reviewed = approved + rejected
    if submitted < PERCENT_COUNTS_FROM or reviewed == 0:
        return 100
    return approved * 100 // reviewed


def unmet(
    requirements: Iterable[Mapping[str, Any]], standing: Standing, action: str
) -> list[Mapping[str, Any]]:
    """Return the requirements that keep the worker from ``action``: ``accept``, ``preview`` or ``discover``."""
    return [
        requirement
        for requirement in requirements
        if action in guarded(requirement) and not meets(requirement, standing)
    ]


def guarded(requirement: Mapping[str, Any]) -> set[str]:
    """Return the actions that a requirement closes to workers who do not meet it."""
    if requirement.get("RequiredToPreview"):
        return _GUARDS["PreviewAndAccept"]
    return _GUARDS[requirement.get("ActionsGuarded", "Accept")]


def meets(requirement: Mapping[str, Any], standing: Standing) -> bool:
    if requirement["QualificationTypeId"] == LOCALE:
        return _meets_locale(requirement, standing)
    score = standing.scores.get(requirement["QualificationTypeId"])
    comparator: str = requirement["Comparator"]
    if comparator == "DoesNotExist":
        return score is None
    if score is None:
        return False
    if comparator == "Exists":
        return True
    return _COMPARISONS[comparator](score, requirement.get("IntegerValues", []))


def _meets_locale(requirement: Mapping[str, Any], standing: Standing) -> bool:
    comparator: str = requirement["Comparator"]
    if comparator in ("Exists", "DoesNotExist"):
        return bool(standing.country) == (comparator == "Exists")
    if not standing.country:
        return False
    inside: bool = any(
        locale["Country"].upper() == standing.country
        and locale.get("Subdivision", standing.subdivision).upper() == standing.subdivision
        for locale in requirement.get("LocaleValues", [])
    )
    return inside is (comparator in ("EqualTo", "In"))


def fault(requirement: Mapping[str, Any]) -> str:
    """Return the error in a requirement's values, or an empty string."""
    comparator = requirement["Comparator"]
    integers = requirement.get("IntegerValues", [])
    locales = requirement.get("LocaleValues", [])
    if comparator in ("Exists", "DoesNotExist"):
        return "Exists and DoesNotExist take no value." if integers or locales else ""
    if requirement["QualificationTypeId"] == LOCALE:
        if integers:
            return "The locale takes LocaleValues, not IntegerValues."
        if comparator not in ("EqualTo", "NotEqualTo", "In", "NotIn"):
            return "The locale takes EqualTo, NotEqualTo, In or NotIn."
        return _count_fault(comparator, len(locales), 30)
    if locales:
        return "Only the locale takes LocaleValues."
    return _count_fault(comparator, len(integers), 15)


def _count_fault(comparator: str, count: int, most: int) -> str:
    if comparator in ("In", "NotIn"):
        return "" if 1 <= count <= most else f"{comparator} takes 1 to {most} values."
    return "" if count == 1 else f"{comparator} takes exactly one value."
