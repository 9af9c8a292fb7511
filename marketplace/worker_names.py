"""The names workers sign in with: what they are made of, and which ones nobody can choose."""

from __future__ import annotations

import re
import secrets

#: The longest name.
LONGEST = 60
#: Names of programs that work in people's place begin like this; no person gets such a name.
PROGRAMS = "simulated-"
#: A forgotten worker's name begins like this; nobody can choose such a name.
FORGOTTEN = "forgotten-"

_ALLOWED = re.compile(r"[a-z0-9._-]+")
_SEPARATORS = str.maketrans("", "", "._-")
# Characters that readers confuse, each with the letter that stands for all of them.
_LOOK_ALIKES = str.maketrans("0134578i", "oleastbl")


def one_spelling(name: str) -> str:
    """The name as it is kept: without surrounding spaces, in lower case."""
    return name.strip().lower()


def refusal(name: str, *, program: bool = False) -> str:
    """Why nobody can have this name, or an empty string. ``program``: for a program that works in people's place."""
    if not _ALLOWED.fullmatch(name):
        return "Use letters, digits and . _ - only."
    if len(name) > LONGEST:
        return f"Use at most {LONGEST} characters."
    if _looks_like(name, FORGOTTEN):
        return f"Names like {FORGOTTEN} are reserved. Choose another one."
    if _looks_like(name, PROGRAMS) and not program:
        return f"Names that begin with {PROGRAMS} are kept for programs. Choose another one."
    return ""


def forgotten_name() -> str:
    """A name for an account that is forgotten. Nobody can guess it, so nobody can take it first."""
    return f"{FORGOTTEN}{secrets.token_hex(16)}"


def _looks_like(name: str, prefix: str) -> bool:
    return _folded(name).startswith(_folded(prefix))


def _folded(name: str) -> str:
    return name.translate(_SEPARATORS).translate(_LOOK_ALIKES)
