"""The canonical form of a version's manifest, and of its qrels file."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

#: Increased whenever the same judgments could give different best answers.
RULE_VERSION = 1


def canonical_json(content: dict[str, Any]) -> str:
    """Return canonical JSON: keys sorted, no spaces, no floats, UTF-8 unescaped.

    Raises TypeError for a float (floats have no canonical text) or any other value that JSON cannot represent.
    """
    _refuse_floats(content)
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _refuse_floats(value: object) -> None:
    if isinstance(value, float):
        raise TypeError("a manifest cannot contain floats")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a manifest's keys must be text")
        for inner in value.values():
            _refuse_floats(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            _refuse_floats(inner)


def sha256(text: str | bytes) -> str:
    """Return the hash of a text (as UTF-8) or of bytes, in hexadecimal."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def trec_qrels(rows: Iterable[tuple[int, str, str]]) -> bytes:
    """Return a qrels file with a line ``qid 0 pid 1`` for each (query position, qid, pid), in ascending order."""
    return "".join(f"{qid} 0 {pid} 1\n" for _, qid, pid in sorted(rows)).encode()
