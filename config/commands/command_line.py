"""Rewrites the command lines in printed texts so that they work when pasted into a shell."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parents[2]
#: A command in our texts, without a path to Python or to the file.
_bare = re.compile(r"(?<![\w./-])(?:(manage\.py)|python -m marketplace)(?= [a-z])")


def pasteable(text: str) -> str:
    """Return ``text`` with every ``manage.py COMMAND`` and ``python -m marketplace COMMAND`` made runnable here.

    If no virtual environment is activated, ``python`` is a Python without our packages. So the path of this process's
    Python is used instead.
    """
    python, script = _python_in_shell(), _below(BASE_DIR / "manage.py")
    direct = python == "python"
    manage = (f"./{script}" if "/" not in script else script) if direct else f"{python} {script}"
    return _bare.sub(lambda found: manage if found[1] else f"{python} -m marketplace", text)


def _python_in_shell() -> str:
    """Return this process's Python as a shell command."""
    found = shutil.which("python")
    return "python" if found and Path(found) == Path(sys.executable) else _below(Path(sys.executable))


def _below(path: Path) -> str:
    """Return the path quoted for a shell, and relative if it is inside the working directory."""
    try:
        return shlex.quote(str(path.relative_to(Path(os.curdir).absolute())))
    except ValueError:
        return shlex.quote(str(path))
