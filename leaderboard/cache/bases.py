"""The data behind a stored analysis, so that an outdated analysis can list what has changed since."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RESTS_ON = "rests_on"
"""The key under which a stored analysis has the result of :func:`bases_to_store`."""


@dataclass(frozen=True)
class Basis:
    """A kind of data that an analysis is computed from: its name, a description (or ""), and the values to hash."""

    name: str
    words: str
    inputs: Any


def bases_to_store(bases: Sequence[Basis]) -> dict[str, list[str]]:
    """Return name → [description, hash] for each kind of data, to store with the analysis."""
    return {one.name: [one.words, _inputs_hash(one.inputs)] for one in bases}


def changed_bases(stored: Mapping[str, Sequence[str]], bases: Sequence[Basis]) -> Iterator[str]:
    """Yield in words what changed since the result was stored: ``labels (then official; now official, graded)``."""
    for one in bases:
        before, digest = stored.get(one.name, ("", ""))
        if digest != _inputs_hash(one.inputs):
            told = f" (then {before or 'none'}; now {one.words})" if one.words not in ("", before) else ""
            yield f"{one.name}{told}"


def _inputs_hash(inputs: Any) -> str:
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()
