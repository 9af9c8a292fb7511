"""Logging that masks the secret part of links: invitations, sign-in, new passwords, confirmed addresses."""

import logging
import re

_SECRET = re.compile(
    r"(?i)((?:/|%2f)(?:invitation|signin(?:/|%2f)token|address|password(?:/|%2f)[^/\s%]+)(?:/|%2f))[^/\s'\"?&%<>]+"
)


class Masked(logging.Formatter):
    """A log formatter that masks the secrets of links, including those in tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        return _SECRET.sub(r"\1…", super().format(record))
