"""Command lines as they are printed: so that they work when they are pasted into a shell."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parents[1]
#: ``manage.py`` or the marketplace's module as our words have them: with nothing that says where they are.
_bare = re.compile(r"(?<![\w./-])(?:(manage\.py)|python -m marketplace)(?= [a-z])")


def pasteable(text: str) -> str:
    """``text`` with every ``manage.py COMMAND`` and ``python -m marketplace COMMAND`` as it works in this shell.

    Without an activated environment ``python`` is another one, which knows nothing of what is installed here.
    """
    python, script = _python(), _below(BASE_DIR / "manage.py")
    direct = python == "python"
    manage = (f"./{script}" if "/" not in script else script) if direct else f"{python} {script}"
    return _bare.sub(lambda found: manage if found[1] else f"{python} -m marketplace", text)


def _python() -> str:
    """What a shell must be told to get this process's Python."""
    found = shutil.which("python")
    return "python" if found and Path(found) == Path(sys.executable) else _below(Path(sys.executable))


def _below(path: Path) -> str:
    """The path as it is typed in the working directory, quoted for a shell."""
    try:
        return shlex.quote(str(path.relative_to(Path(os.curdir).absolute())))
    except ValueError:
        return shlex.quote(str(path))
