"""The structured details of a run: names, definitions, allowed values.

The table ``DETAILS`` defines the fields of the form, the options of the command, the descriptions in the API and the
columns that `import_run_metadata` reads. Its vocabulary is that of the TREC Deep Learning tracks (*Overview of the
TREC 2022 Deep Learning track*, section 5). A collection can add fields of its own.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pooling.errors import PoolingError

LONGEST_TEXT = 2_000
LONGEST_WORD = 100
MOST_LINKS = 10
#: The key, among a run's details, of the values that the track reported for the run: measure → value.
REPORTED = "reported"
#: The most characters in the name of a measure.
LONGEST_MEASURE = 100

Value = str | bool | int | float | list[str]


class Form(StrEnum):
    """The type of a run detail's value."""

    CHOICE = "choice"
    YES_NO = "yes or no"
    WHOLE = "whole number"
    NUMBER = "number"
    WORD = "word"
    TEXT = "text"
    LINKS = "links"


#: The task of runs that retrieve documents.
DOCUMENT = "document"


@dataclass(frozen=True)
class Detail:
    """One structured field of a run. ``choices``: allowed value → its definition."""

    name: str
    label: str
    definition: str
    form: Form = Form.TEXT
    choices: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    also: tuple[str, ...] = ()
    """Other names that the detail's column can have in metadata files."""
    any_case: bool = False
    """Whether upper and lower case mean the same, so that values are stored in lower case."""

    @property
    def named(self) -> str:
        """The label, followed in parentheses by the parameter's name if the two differ."""
        alike = self.label.casefold().replace(" ", "_") == self.name
        return self.label if alike else f"{self.label} ({self.name})"

    @property
    def explained(self) -> str:
        """The definition, followed by the definitions of the choices."""
        choices = "; ".join(f"{value}: {meaning}" for value, meaning in self.choices.items() if meaning)
        return " ".join(filter(None, [self.definition, f"{choices}." if choices else ""]))


DETAILS: tuple[Detail, ...] = (
    Detail("task", "Task", "What the run retrieves, such as passage or document.", Form.WORD, any_case=True),
    Detail(
        "subtask",
        "Subtask",
        "Where its candidates come from.",
        Form.CHOICE,
        {
            "fullrank": "it retrieves from the whole corpus",
            "rerank": "it reorders the candidates that the organizers provide",
        },
    ),
    Detail(
        "neural",
        "Neural type",
        "The most powerful model that the run uses anywhere.",
        Form.CHOICE,
        {
            "nnlm": "a large pretrained language model, such as BERT or T5",
            "nn": "other neural representations or models",
            "trad": "no neural models, such as BM25, RM3 or feature-based learning to rank",
        },
        also=("neural_type",),
    ),
    Detail(
        "stage",
        "Stages",
        "How many steps rank the passages.",
        Form.CHOICE,
        {"single": "one retrieval step", "multi": "retrieval and at least one step of reranking"},
        also=("stages",),
    ),
    Detail(
        "dense",
        "Dense retrieval",
        "Whether any of its steps retrieves with dense vectors.",
        Form.YES_NO,
        also=("dense_retrieval",),
    ),
    Detail(
        "priority",
        "Priority",
        "The team's own order of its runs, from 1. Runs with lower numbers are pooled first.",
        Form.WHOLE,
    ),
    Detail(
        "family", "Family", "The kind of system in a few words, such as dense, rerank or bm25.", Form.WORD
    ),
    Detail("external", "External resources", "Models, services and knowledge from outside the collection."),
    Detail("training", "Training data", "The data that the run was trained or tuned on."),
    Detail("index_size", "Index size", "Size of the index on disk.", Form.NUMBER, unit="GB"),
    Detail("latency", "Latency per query", "Mean time for one query.", Form.NUMBER, unit="ms"),
    Detail("cost", "Cost per query", "Mean cost of one query.", Form.NUMBER, unit="US dollars"),
    Detail("hardware", "Hardware", "The machines for which latency and cost are stated."),
    Detail("links", "Links", "Addresses of models, logs or demos, one per line.", Form.LINKS),
)
BY_NAME = {one.name: one for one in DETAILS}
_YES = {"yes", "true", "1", "y"}
_NO = {"no", "false", "0", "n"}


def details_by_name(own: Iterable[Mapping[str, Any]] = ()) -> dict[str, Detail]:
    """Return name → detail for the built-in details and then a collection's own fields, in the order of the form."""
    added = [
        Detail(
            str(one["name"]),
            str(one.get("label") or one["name"]),
            str(one.get("definition", "")),
            Form.CHOICE if one.get("choices") else Form.TEXT,
            dict.fromkeys(map(str, one.get("choices") or ()), ""),
        )
        for one in own
    ]
    return BY_NAME | {one.name: one for one in added}


def read_details(given: Mapping[str, Any], known: Mapping[str, Detail]) -> dict[str, Value]:
    """Check the values of a run's details, and return those that are not empty.

    Raises PoolingError, which names the detail.
    """
    read: dict[str, Value] = {}
    for name, value in given.items():
        if name not in known:
            raise PoolingError(f"Unknown run detail {name[:60]!r}.", f"Known details: {', '.join(known)}.")
        if (found := read_value(known[name], value)) is not None:
            read[name] = found
    return read


def read_value(detail: Detail, given: Any) -> Value | None:
    """Return the checked value of one detail, or None if it is empty. Raises PoolingError if it is invalid."""
    if given is None or given == "" or given == []:
        return None
    if detail.form is Form.LINKS:
        return _links(detail, given)
    text = " ".join(str(given).split()) if detail.form is not Form.TEXT else str(given).strip()
    if not text:
        return None
    if detail.form is Form.YES_NO:
        if text.casefold() in _YES | _NO:
            return text.casefold() in _YES
        raise _invalid_value(detail, text, "Write yes or no.")
    if detail.form in (Form.WHOLE, Form.NUMBER):
        return _checked_number(detail, text)
    if detail.form is Form.CHOICE:
        chosen = {value.casefold(): value for value in detail.choices}.get(text.casefold())
        if chosen is None:
            raise _invalid_value(detail, text, f"Choose one of: {', '.join(detail.choices)}.")
        return chosen
    longest = LONGEST_WORD if detail.form is Form.WORD else LONGEST_TEXT
    if len(text) > longest or "\x00" in text:
        raise _invalid_value(detail, text, f"Use at most {longest} characters.")
    return text.casefold() if detail.any_case else text


def _checked_number(detail: Detail, text: str) -> int | float:
    whole = detail.form is Form.WHOLE
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = math.nan
    if not (1 if whole else 0) <= number <= 1e12:
        raise _invalid_value(
            detail, text, "Write a whole number from 1." if whole else "Write a number from 0."
        )
    return number


def _links(detail: Detail, given: Any) -> list[str] | None:
    links = [str(one).strip() for one in (given if isinstance(given, list | tuple) else str(given).split())]
    links = [one for one in links if one]
    for one in links:
        if not one.startswith(("https://", "http://")) or len(one) > 500 or any(map(str.isspace, one)):
            raise _invalid_value(detail, one, "Write addresses that begin with https://, one per line.")
    if len(links) > MOST_LINKS:
        raise PoolingError(f"{detail.named}: {len(links)} addresses.", f"Enter at most {MOST_LINKS}.")
    return links or None


def _invalid_value(detail: Detail, text: str, advice: str) -> PoolingError:
    return PoolingError(f"{detail.named} cannot be {text[:40]!r}.", advice)


def value_in_words(detail: Detail, value: Value) -> str:
    """Return a detail's value as text, with its unit."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(value)
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{shown} {detail.unit}".strip()


@dataclass(frozen=True)
class KnownRun:
    """An imported or announced run, as it appears in a track's tables. ``arrived``: whether it is imported."""

    run_tag: str
    team: str
    baseline: bool
    details: Mapping[str, Any]
    arrived: bool = False

    @property
    def task(self) -> str:
        return task_of(self.details)

    @property
    def reported(self) -> dict[str, float]:
        """The values that the track reported for the run: measure → value."""
        return numbers_by_measure(self.details.get(REPORTED)) or {}


def numbers_by_measure(given: Any) -> dict[str, float] | None:
    """Return numbers between -1e9 and 1e9 by measure name as floats; None if ``given`` is anything else."""
    if not isinstance(given, Mapping):
        return None
    numbers = {str(name): value for name, value in given.items()}
    for name, value in numbers.items():
        if not 0 < len(name) <= LONGEST_MEASURE or not isinstance(value, int | float) or not abs(value) < 1e9:
            return None
    return {name: float(value) for name, value in numbers.items()}


def task_of(details: Mapping[str, Any]) -> str:
    """Return what a run retrieves, as a lower-case noun in the singular such as ``document``; default ``passage``."""
    task = str(details.get("task") or "passage").casefold()
    return {"documents": DOCUMENT, "docs": DOCUMENT, "doc": DOCUMENT, "passages": "passage"}.get(task, task)


def tasks_of(runs: Iterable[KnownRun]) -> list[str]:
    """Return the different tasks of these runs: passage and document first, then the others, sorted by name."""
    first = {"passage": 0, DOCUMENT: 1}
    return sorted({run.task for run in runs}, key=lambda task: (first.get(task, 2), task))
