"""Log formats: lines for people or JSON lines for machines, with identities and secrets masked.

Every log line is masked, including tracebacks and other libraries' messages. This hides ids of workers and
assignments at a crowd, tokens in URLs of judging pages, and keys.
"""

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
    # URLs of the judging page: /judge/TOKEN/ and /judge/task/TOKEN/save.
    (re.compile(r"(/judge/(?:task/)?)(?!task/)[^/\s'\"?&]+"), rf"\1{MASK}"),
    # Links that grant access: invitations, new passwords, e-mail confirmations, responses of an OpenID provider.
    (
        re.compile(
            r"(?i)((?:/|%2f)(?:invitations|password(?:/|%2f)reset(?:/|%2f)key|confirm-email)(?:/|%2f))"
            r"[^/\s'\"?&%<>]+"
        ),
        rf"\1{MASK}",
    ),
    (re.compile(r"(/login/callback/\?)[^\s'\"<>]+"), rf"\1{MASK}"),
    # API tokens and secrets of webhooks. A token's prefix stays, so that its owner can recognize it.
    (re.compile(r"\b(pfr_[0-9a-f]{8}_)[\w-]+"), rf"\1{MASK}"),
    (re.compile(r"\b(whsec_)[\w+/=-]+"), rf"\1{MASK}"),
    (re.compile(r"(?i)\b(bearer|basic)\s+(?!pfr_)[\w.~+/=-]{8,}"), rf"\1 {MASK}"),
    # Signed tokens anywhere.
    (re.compile(r"[\w-]{6,}~[\w-]{20,}"), MASK),
    # Values of parameters such as workerId in a URL, in JSON, in a dict or in a call.
    (re.compile(rf"(?i)\b({_names})(['\"]?\s*[=:]\s*)(['\"]?)[^\s'\"&,;)}}\]]+"), rf"\1\2\3{MASK}"),
    # Values of a refused row that the database's error message quotes.
    (re.compile(r"(Key \([^)]*\)=)\(.*?\)(?= |$)", re.M), rf"\1({MASK})"),
    (re.compile(r"(Failing row contains )\(.*\)"), rf"\1({MASK})"),
    # Passwords in the URLs of services.
    (re.compile(r"(://[^\s:/@]*:)[^\s@/]+@"), rf"\1{MASK}@"),
    # Ids at crowds look like A2XK5J8Q0WVLMR (MTurk and the marketplace) or 24 hexadecimal digits (Prolific).
    (re.compile(r"\b(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)[A-Z0-9]{10,64}\b"), MASK),
    (re.compile(r"\b[0-9a-f]{24}\b"), MASK),
]


def masked(text: str) -> str:
    """Return the text with ids, tokens and keys masked."""
    for pattern, replacement in _secrets:
        text = pattern.sub(replacement, text)
    return text


class OrdinaryRefusals(logging.Filter):
    """Log filter that removes the tracebacks of refused requests (4xx), because a refusal is a normal response."""

    def filter(self, record: logging.LogRecord) -> bool:
        if 400 <= getattr(record, "status_code", 0) < 500:
            record.exc_info = record.exc_text = None
        return True


class PlainLines(logging.Formatter):
    """Formats log lines for people to read: time, level, logger and message, then the traceback."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


class JsonLines(logging.Formatter):
    """Formatter of JSON lines with time (UTC), level, logger, message, process id, extra fields and traceback."""

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
    """Logger for gunicorn that writes its error log where all other lines go, and writes no access log."""

    def setup(self, cfg: Any) -> None:
        self.error_log.setLevel(self.LOG_LEVELS[cfg.loglevel.lower()])
        self.error_log.handlers.clear()
        self.access_log.handlers.clear()
        self.error_log.propagate = True
        self.access_log.propagate = False
        self.access_log.disabled = True  # its lines contain URLs; ours are logged by config.monitoring.probes


def configuration(*, json_lines: bool, level: str) -> dict[str, object]:
    """Return the value of Django's setting LOGGING."""
    formatter = JsonLines if json_lines else PlainLines
    # At DEBUG level, these libraries log everything, such as SQL with its values and requests with their keys.
    talkative = ("django.db.backends", "botocore", "boto3", "urllib3", "kombu", "amqp", "psycopg")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": f"config.monitoring.logs.{formatter.__name__}"}},
        "filters": {"refusals": {"()": "config.monitoring.logs.OrdinaryRefusals"}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "lines", "filters": ["refusals"]},
            # Django's own console handler would print the same messages again, unmasked.
            "nowhere": {"class": "logging.NullHandler"},
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            **{name: {"level": "INFO" if level == "DEBUG" else "NOTSET"} for name in talkative},
            "django": {"handlers": ["nowhere"], "level": "NOTSET"},
            "django.server": {"handlers": ["nowhere"], "level": "NOTSET", "propagate": True},
        },
    }
