"""The canonical form of a version's manifest, and of its qrels file. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

#: Raised whenever the same judgments could give other best answers than before.
RULE_VERSION = 1


def canonical_json(content: dict[str, Any]) -> str:
    """One text for one content: keys sorted, no spaces, no floats, UTF-8 as it is.

    Raises TypeError for a float (its printed form is no agreed matter) or anything else that JSON lacks.
    """
    _refuse_floats(content)
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _refuse_floats(value: object) -> None:
    if isinstance(value, float):
        raise TypeError("a manifest holds no floats")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a manifest's keys are text")
        for inner in value.values():
            _refuse_floats(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            _refuse_floats(inner)


def sha256(text: str | bytes) -> str:
    """The hash of a text (as UTF-8) or of bytes, in hexadecimal."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def trec_qrels(rows: Iterable[tuple[int, str, str]]) -> bytes:
    """The qrels file of (query position, qid, pid) rows: ``qid 0 pid 1``, by position, then qid, then pid."""
    return "".join(f"{qid} 0 {pid} 1\n" for _, qid, pid in sorted(rows)).encode()
