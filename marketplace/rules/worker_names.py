"""The rules for workers' sign-in names, and the reserved names."""

import re
import secrets

#: The maximum length of a name.
LONGEST = 60
#: Prefix of names of programs that work in place of people. People cannot choose it.
PROGRAMS = "simulated-"
#: Prefix of forgotten workers' names. Nobody can choose it.
FORGOTTEN = "forgotten-"

_ALLOWED = re.compile(r"[a-z0-9._-]+")
_SEPARATORS = str.maketrans("", "", "._-")
# Characters that readers confuse, each with the letter it is compared as.
_LOOK_ALIKES = str.maketrans("0134578i", "oleastbl")


def one_spelling(name: str) -> str:
    """Return the name as it is stored: without surrounding spaces, in lower case."""
    return name.strip().lower()


def name_refusal(name: str, *, program: bool = False) -> str:
    """Return the reason why this name is not allowed, or an empty string.

    ``program`` says whether the account is for a program.
    """
    if not _ALLOWED.fullmatch(name):
        return "Use letters, digits and . _ - only."
    if len(name) > LONGEST:
        return f"Use at most {LONGEST} characters."
    if _looks_like(name, FORGOTTEN):
        return f"Names like {FORGOTTEN} are reserved. Choose another one."
    if _looks_like(name, PROGRAMS) and not program:
        return f"Names that begin with {PROGRAMS} are reserved for programs. Choose another one."
    return ""


def forgotten_name() -> str:
    """Return a name for a forgotten account. It cannot be guessed, so nobody can take it first."""
    return f"{FORGOTTEN}{secrets.token_hex(16)}"


def _looks_like(name: str, prefix: str) -> bool:
    return _without_look_alikes(name).startswith(_without_look_alikes(prefix))


def _without_look_alikes(name: str) -> str:
    return name.translate(_SEPARATORS).translate(_LOOK_ALIKES)
