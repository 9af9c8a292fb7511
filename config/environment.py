"""Reads settings from the environment. A wrong value stops start-up with a message that names the setting."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from config.internet_names import ascii_address, ascii_host
from config.process.private_files import tighten_sqlite

BASE_DIR = Path(__file__).resolve().parent.parent

#: Brokers that Celery can use.
BROKERS = {"amqp", "amqps", "memory", "redis", "rediss", "sqs"}

#: Beginnings of secrets that are only examples, in our files and in other projects.
EXAMPLE_SECRETS = ("change-me", "changeme", "change_me", "django-insecure", "example", "password", "secret")
MAKE_ONE = "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")


def boolean(name: str, default: bool) -> bool:
    """Read true or false from one of the usual words, such as ``yes`` or ``off``."""
    word = env.str(name, default="yes" if default else "no").strip().lower()
    if word in {"1", "true", "yes", "on"}:
        return True
    if word in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{name}={word!r} must be true or false.")


def number_setting(name: str, default: float, *, least: float = 0) -> float:
    """Read a number of at least ``least``."""
    word = env.str(name, default=str(default))
    try:
        value = float(word)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={word!r} is not a number.") from None
    if not least <= value < float("inf"):
        raise ImproperlyConfigured(f"{name}={word!r} must be a finite number of at least {least:g}.")
    return value


def whole_number_setting(name: str, default: int, *, least: int = 0) -> int:
    """Read a whole number of at least ``least``."""
    value = number_setting(name, default, least=least)
    if value != int(value):
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number.")
    return int(value)


def dollars_setting(name: str, default: str) -> Decimal:
    """Read an amount of at least $0.00."""
    word = env.str(name, default=default).strip().removeprefix("$")
    try:
        amount = Decimal(word)
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite() or amount < 0:
        raise ImproperlyConfigured(f"{name}={word!r} is not an amount in dollars.")
    return amount


def choice(name: str, default: str, allowed: set[str]) -> str:
    word = env.str(name, default=default).strip()
    if word not in allowed:
        raise ImproperlyConfigured(f"{name}={word!r} must be one of: {', '.join(sorted(allowed))}.")
    return word


def address(name: str, default: str, schemes: set[str], *, required: bool = False) -> str:
    """Read a URL with one of the given schemes. It can be empty unless ``required`` is true.

    Return it with its host in ASCII, without trailing slashes.
    """
    word = _in_ascii(name, env.str(name, default=default)).rstrip("/")
    if required and not word:
        raise ImproperlyConfigured(
            f"{name} must not be empty. Set it to a URL such as {default}, or remove it."
        )
    scheme = word.partition("://")[0]
    if word and (scheme not in schemes or "://" not in word):
        raise ImproperlyConfigured(
            f"{name}={word!r} must start with {' or '.join(f'{one}://' for one in sorted(schemes))}."
        )
    return word


def addresses(name: str, default: list[str]) -> list[str]:
    """Read URLs separated by commas. Return them with their hosts in ASCII."""
    return [_in_ascii(name, word) for word in env.list(name, default=default)]


def hosts(name: str, default: list[str]) -> list[str]:
    """Read host names separated by commas. Return them in ASCII."""
    return [_in_ascii(name, word, ascii_host) for word in env.list(name, default=default)]


def _in_ascii(name: str, word: str, convert: Callable[[str], str] = ascii_address) -> str:
    try:
        return convert(word.strip())
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={word!r} is not an address: {error}") from None


def broker(name: str, default: str) -> str:
    """Read the URL of a message broker that Celery supports. ``memory://`` becomes ``memory://localhost/``."""
    if env.str(name, default=default).strip().rstrip("/") == "memory:":
        return "memory://localhost/"
    return address(name, default, BROKERS)


def mail_server(name: str, url: str) -> dict[str, Any]:
    """Read Django's e-mail settings from a URL such as ``smtp+tls://user:password@host:587``.

    ``filemail:///folder`` writes to ``/folder``; django-environ would make it relative to the working directory.
    """
    try:
        config = dict(env.email_url_config(url))
    except Exception as error:
        raise ImproperlyConfigured(f"{name} is not a mail server's address: {error}") from None
    parts = urlsplit(url)
    if parts.scheme == "filemail":
        folder = Path(unquote(parts.path))
        if parts.netloc or folder == Path(folder.root) or not folder.is_absolute():
            raise ImproperlyConfigured(f"{name} has no folder. Write filemail:///folder, with three slashes.")
        config["EMAIL_FILE_PATH"] = f"/{str(folder).lstrip('/')}"
    return config


def openid_apps(url: str) -> list[dict[str, Any]]:
    """Return the OpenID Connect provider at ``url`` as a list in django-allauth's format.

    The list is empty if ``url`` is empty.
    """
    client, secret = env.str("PREFEREE_OIDC_CLIENT", default=""), env.str("PREFEREE_OIDC_SECRET", default="")
    if not url:
        return []
    if not client or not secret:
        raise ImproperlyConfigured(
            "PREFEREE_OIDC_URL also needs PREFEREE_OIDC_CLIENT and PREFEREE_OIDC_SECRET."
        )
    name = env.str("PREFEREE_OIDC_NAME", default="OpenID Connect")
    app = {"provider_id": "oidc", "name": name, "client_id": client, "secret": secret}
    return [app | {"settings": {"server_url": url}}]


def database(name: str, default: str) -> dict:
    """Read Django's database settings from a URL, with the options each engine needs under load."""
    try:
        config = env.db_url(name, default=default)
    except Exception as error:
        raise ImproperlyConfigured(f"{name} is not a database address: {error}") from error
    engine = config.get("ENGINE", "")
    if engine.endswith("sqlite3"):
        Path(config["NAME"]).parent.mkdir(parents=True, exist_ok=True)
        tighten_sqlite(Path(config["NAME"]))
        # IMMEDIATE takes the write lock at BEGIN, so that a transaction never fails halfway with
        # "database is locked" after it has read (design: races are settled by the database).
        # Tests also use a file: an in-memory database behaves differently with threads.
        config["TEST"] = {"NAME": f"{config['NAME']}-test"}
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536;",
        }
    elif engine.endswith("postgresql"):
        config.setdefault("CONN_MAX_AGE", 60)
        config.setdefault("CONN_HEALTH_CHECKS", True)
        config["ENGINE"] = "config.postgresql"
        # This affects only statements of prepared_cursor(). Others are sent as text that includes their values.
        config.setdefault("OPTIONS", {}).setdefault("prepare_threshold", 0)
    else:
        raise ImproperlyConfigured(f"{name} has the engine {engine or 'none'}. Use sqlite:// or postgres://.")
    return config


def refuse_weak_secrets(least: dict[str, int]) -> None:
    """Raise ImproperlyConfigured for a secret that is an example value or too easy to guess.

    A secret is too easy to guess if it is too short or has too few different characters. ``least`` has the minimum
    length of each secret. 0 stands for a secret that someone else issues, whose length we cannot choose.
    """
    for name, characters in least.items():
        for secret in filter(None, _secrets_in(name)):
            if secret.lower().startswith(EXAMPLE_SECRETS):
                problem = "is an example value"
            elif len(secret) < characters or len(set(secret)) < characters // 3:
                problem = f"is too easy to guess; use at least {characters} random characters"
            else:
                continue
            what = f"The password in {name}" if name.endswith("_URL") else name
            step = f"To create one: {MAKE_ONE}" if characters else "Set the value you were given."
            raise ImproperlyConfigured(f"{what} {problem}. {step}")


def _secrets_in(name: str) -> list[str]:
    """Read a setting's secrets: the password in an address, each key of a list, or the value itself."""
    value = env.str(name, default="").strip()
    if name.endswith("_URL"):
        with suppress(ValueError):  # a malformed address is refused when it is read
            return [unquote(urlsplit(value).password or "")]
        return []
    return value.split(",") if name.endswith("_FALLBACKS") else [value]


def kept_secret(file: Path) -> str:
    """Return a random secret, created once and stored in ``file``, which only its owner can read."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        # Written under another name first, so that a concurrent reader sees all of it or nothing.
        draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
        draft.write_text(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            os.link(draft, file)
        draft.unlink()
    return file.read_text()
