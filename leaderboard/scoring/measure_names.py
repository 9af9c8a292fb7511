"""The names of measures: those of ir_measures, and other common spellings.

For example, ``MRR@10``, ``mrr@10`` and ``RR@10`` are the same measure. So are ``MAP``, ``map`` and ``AP``, and
``nDCG@10``, ``ndcg@10``, trec_eval's ``ndcg_cut_10`` and BEIR's ``ndcg_at_10``.
"""

import re

from leaderboard.errors import UnknownMeasure
from leaderboard.scoring.measures import MEASURES, Compatibility, Measure

KNOWN = (
    "Measures are RR, RR@k, AP, P@k, R@k, nDCG, nDCG@k, NCG@k, ERR@k, Success@k, ESL@k and Compat(p=0.95). Other "
    "common names work too: MRR@10, MAP, recall@100, ndcg_cut_10. Add (rel=g) to the name to require a grade of at "
    "least g, as in AP(rel=2)."
)
#: Other names of measures, in lower case: common short forms, and trec_eval's.
ALIASES = {
    "mrr": "RR",
    "recip_rank": "RR",
    "map": "AP",
    "precision": "P",
    "recall": "R",
    "hit": "Success",
    "hits": "Success",
}
_KINDS = {letters.lower(): kind for letters, kind in MEASURES.items()}
_KINDS |= {alias: MEASURES[letters] for alias, letters in ALIASES.items()}
_NAME = re.compile(
    r"(?P<letters>recip_rank|[A-Za-z]+)(\((?P<options>[a-z]+=[0-9.]+(,[a-z]+=[0-9.]+)?)\))?"
    r"((@|_cut_|_at_|_)(?P<cutoff>[1-9]\d*))?",
    re.IGNORECASE,
)


def parse_measure(name: str) -> Measure:
    """Return the measure of a name such as ``RR@10``, ``mrr@10``, ``AP(rel=2)`` or ``Compat(p=0.8)``.

    Raises UnknownMeasure if the name is empty or unknown, or lacks a required cutoff.
    """
    if not name.strip():
        raise UnknownMeasure("The measure is missing.", KNOWN)
    match = _NAME.fullmatch(name.strip())
    kind = _KINDS.get(match["letters"].lower()) if match else None
    if match is None or kind is None:
        raise UnknownMeasure(f"{name!r} is not a measure.", KNOWN)
    cutoff = int(match["cutoff"]) if match["cutoff"] else None
    options = dict(option.split("=") for option in match["options"].split(",")) if match["options"] else {}
    rel, p = options.pop("rel", "1"), options.pop("p", None)
    if cutoff is None and kind.needs_cutoff:
        raise UnknownMeasure(f"{kind.letters} needs a cutoff, as in {kind.letters}@10.", KNOWN)
    if (cutoff and not kind.takes_cutoff) or options or not rel.isdigit():
        raise UnknownMeasure(f"{name!r} is not a measure.", KNOWN)
    if p is None:
        return kind(cutoff, int(rel))
    if kind is not Compatibility or not re.fullmatch(r"0?\.\d+", p) or not 0.01 <= float(p) <= 0.99:
        raise UnknownMeasure(f"{name!r} is not a measure.", KNOWN)
    return Compatibility(None, int(rel), float(p))


def is_measure(name: str) -> bool:
    try:
        parse_measure(name)
    except UnknownMeasure:
        return False
    return True


_SEPARATOR = re.compile(r"[\s,]+(?![^(]*\))")


def parse_measures(names: str) -> tuple[Measure, ...]:
    """Return the measures named in a text, separated by spaces or commas, each once.

    Raises UnknownMeasure if there are none or one is unknown.
    """
    return tuple(dict.fromkeys(parse_measure(name) for name in measure_names(names)))


def measure_names(names: str) -> list[str]:
    """Return the names in a text, separated by spaces or commas outside parentheses.

    Raises UnknownMeasure if there are none.
    """
    found = [name for name in _SEPARATOR.split(names.strip()) if name]
    if not found:
        raise UnknownMeasure("The measure is missing.", KNOWN)
    return found
