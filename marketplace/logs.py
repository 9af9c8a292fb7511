"""What is logged: never the secret part of a link that makes an account or signs somebody in."""

from __future__ import annotations

import logging
import re

_SECRET = re.compile(
    r"(?i)((?:/|%2f)(?:invitation|signin(?:/|%2f)token|address|password(?:/|%2f)[^/\s%]+)(?:/|%2f))[^/\s'\"?&%<>]+"
)


class Masked(logging.Formatter):
    """A line for people, secrets of links left out, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return _SECRET.sub(r"\1…", super().format(record))
