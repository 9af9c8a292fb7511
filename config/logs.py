"""How things are logged: lines for people or JSON lines for machines, never with whom or what only they may know.

Ids of workers and assignments at a crowd, the tokens in addresses of judging pages, and keys are masked in
whatever is logged, tracebacks and other libraries' words included.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

from gunicorn.glogging import Logger as GunicornLogger

MASK = "…"
_names = (
    r"(?:crowd_?)?worker_?id|assignment_?id|hit_?id|turk_?submit_?to|arrival_?signature|unique_?request_?token"
    r"|(?:page_|link_)?token|(?:access|secret)_?key|password|authorization|sessionid"
    r"|csrf_?(?:middleware)?_?token|x-csrftoken"
)
_secrets: list[tuple[re.Pattern[str], str]] = [
    # Addresses of the judging page: /judge/TOKEN/ and /judge/task/TOKEN/save.
    (re.compile(r"(/judge/(?:task/)?)(?!task/)[^/\s'\"?&]+"), rf"\1{MASK}"),
    # Links that let somebody in: invitations, new passwords, addresses to confirm, answers of an OpenID provider.
    (
        re.compile(
            r"(?i)((?:/|%2f)(?:invitations|password(?:/|%2f)reset(?:/|%2f)key|confirm-email)(?:/|%2f))"
            r"[^/\s'\"?&%<>]+"
        ),
        rf"\1{MASK}",
    ),
    (re.compile(r"(/login/callback/\?)[^\s'\"<>]+"), rf"\1{MASK}"),
    # API tokens and secrets of webhooks; a token's mark stays, by which its owner knows it.
    (re.compile(r"\b(pfr_[0-9a-f]{8}_)[\w-]+"), rf"\1{MASK}"),
    (re.compile(r"\b(whsec_)[\w+/=-]+"), rf"\1{MASK}"),
    (re.compile(r"(?i)\b(bearer|basic)\s+(?!pfr_)[\w.~+/=-]{8,}"), rf"\1 {MASK}"),
    # Signed tokens, wherever they stand.
    (re.compile(r"[\w-]{6,}~[\w-]{20,}"), MASK),
    # What a name like workerId is set to: in an address, in JSON, in a dict or call.
    (re.compile(rf"(?i)\b({_names})(['\"]?\s*[=:]\s*)(['\"]?)[^\s'\"&,;)}}\]]+"), rf"\1\2\3{MASK}"),
    # What databases tell of a row that they refused.
    (re.compile(r"(Key \([^)]*\)=)\(.*?\)(?= |$)", re.M), rf"\1({MASK})"),
    (re.compile(r"(Failing row contains )\(.*\)"), rf"\1({MASK})"),
    # Passwords in addresses of services.
    (re.compile(r"(://[^\s:/@]*:)[^\s@/]+@"), rf"\1{MASK}@"),
    # Ids at crowds look like A2XK5J8Q0WVLMR (MTurk and the marketplace) or 24 hexadecimal digits (Prolific).
    (re.compile(r"\b(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)[A-Z0-9]{10,64}\b"), MASK),
    (re.compile(r"\b[0-9a-f]{24}\b"), MASK),
]


def masked(text: str) -> str:
    """The text without ids, tokens and keys."""
    for pattern, replacement in _secrets:
        text = pattern.sub(replacement, text)
    return text


class PlainLines(logging.Formatter):
    """A line for people: time, level, logger, words; a traceback below."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


class JsonLines(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, message, the record's own fields, a traceback as text."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": masked(record.getMessage()),
            "process": record.process,
        }
        for name, value in getattr(record, "fields", {}).items():
            line[name] = masked(value) if isinstance(value, str) else value
        if record.exc_info:
            line["traceback"] = masked(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=lambda value: masked(str(value)))


class ServerLogger(GunicornLogger):
    """gunicorn's words go where all others go."""

    def setup(self, cfg: Any) -> None:
        self.error_log.setLevel(self.LOG_LEVELS[cfg.loglevel.lower()])
        self.error_log.handlers.clear()
        self.access_log.handlers.clear()
        self.error_log.propagate = True
        self.access_log.propagate = False
        self.access_log.disabled = True  # its lines have addresses; ours are logged by config.probes


def configuration(*, json_lines: bool, level: str) -> dict[str, object]:
    """What Django's LOGGING is set to."""
    formatter = JsonLines if json_lines else PlainLines
    # These say at DEBUG whatever passes through them: SQL with its values, requests to crowds with their keys.
    talkative = ("django.db.backends", "botocore", "boto3", "urllib3", "kombu", "amqp", "psycopg")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": f"config.logs.{formatter.__name__}"}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "lines"},
            # Django's own console handler would say things a second time, unmasked.
            "nowhere": {"class": "logging.NullHandler"},
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            **{name: {"level": "INFO" if level == "DEBUG" else "NOTSET"} for name in talkative},
            "django": {"handlers": ["nowhere"], "level": "NOTSET"},
            "django.server": {"handlers": ["nowhere"], "level": "NOTSET", "propagate": True},
        },
    }
