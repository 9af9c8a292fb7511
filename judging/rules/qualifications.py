"""Compare and describe qualification requirements for workers, in the format of MTurk's protocol."""

import json
from collections.abc import Sequence
from typing import Any

Requirement = dict[str, Any]


def same_requirements(wanted: Sequence[Requirement], found: Sequence[Requirement]) -> bool:
    """Return whether the requirements ``found`` at the crowd are exactly the wanted ones, in any order.

    Fields that the crowd adds to a requirement (such as ``RequiredToPreview``) are ignored.
    """
    left = list(found)
    for one in wanted:
        fitting = next((other for other in left if _says(other, one)), None)
        if fitting is None:
            return False
        left.remove(fitting)
    return not left


def _says(found: Requirement, wanted: Requirement) -> bool:
    return all(_unordered(found.get(name)) == _unordered(value) for name, value in wanted.items())


def _unordered(value: Any) -> Any:
    return sorted(json.dumps(one, sort_keys=True) for one in value) if isinstance(value, list) else value


def requirement_words(requirements: Sequence[Requirement]) -> str:
    """Return the requirements in words, separated by semicolons. Qualifications are named by their ids."""
    words = [limit_words(one, name=str(one["QualificationTypeId"])) for one in requirements]
    return "; ".join(words) or "nothing"


def limit_words(requirement: Requirement, *, name: str) -> str:
    """Return one requirement in words: the qualification's ``name``, the comparison, and the values."""
    values = [*requirement.get("IntegerValues", []), *map(_place, requirement.get("LocaleValues", []))]
    return " ".join([name, requirement["Comparator"], ", ".join(map(str, values))]).strip()


def _place(locale: dict[str, str]) -> str:
    return "-".join([locale["Country"], *([locale["Subdivision"]] if locale.get("Subdivision") else [])])
