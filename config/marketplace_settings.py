"""Django's settings for the marketplace, read from the environment. docs/marketplace.md lists the variables.

The marketplace is a separate program with its own database, accounts and port. These settings and ``config.settings``
share no values, only middleware and the functions that read the environment and protect files.
"""

import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import quote, urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config.environment import (
    BASE_DIR,
    address,
    boolean,
    choice,
    database,
    env,
    hosts,
    kept_secret,
    mail_server,
    number_setting,
    refuse_weak_secrets,
    whole_number_setting,
)
from config.process.private_files import tighten_folder

MODE = choice("MARKETPLACE_MODE", "embedded", {"embedded", "production"})
PRODUCTION = MODE == "production"
DEBUG = False
# A separate folder if the marketplace runs under its own account of the machine; else Preferee's data folder.
_OWN_DIR = env.str("MARKETPLACE_DATA_DIR", default="")
DATA_DIR = Path(_OWN_DIR or env.str("PREFEREE_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
tighten_folder(DATA_DIR)

SECRET_KEY = env.str("MARKETPLACE_SECRET_KEY", default="")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("MARKETPLACE_SECRET_KEY is required when MARKETPLACE_MODE=production.")
    SECRET_KEY = kept_secret(DATA_DIR / "marketplace-secret-key")
if PRODUCTION:
    refuse_weak_secrets(
        {
            "MARKETPLACE_SECRET_KEY": 32,
            "MARKETPLACE_SECRET_KEY_FALLBACKS": 0,
            "MARKETPLACE_DATABASE_URL": 12,
            "MARKETPLACE_EMAIL_URL": 0,
        }
    )
#: Former keys, latest first: anything signed with them is still accepted.
SECRET_KEY_FALLBACKS = env.list("MARKETPLACE_SECRET_KEY_FALLBACKS", default=[])

HOST = env.str("MARKETPLACE_HOST", default="127.0.0.1")
PORT = whole_number_setting("MARKETPLACE_PORT", 8411, least=1)
PUBLIC_URL = address("MARKETPLACE_PUBLIC_URL", f"http://127.0.0.1:{PORT}", {"http", "https"}, required=True)
KEY_FILE = Path(env.str("MARKETPLACE_KEY_FILE", default=str(DATA_DIR / "marketplace-key.json")))
THREADS = whole_number_setting("MARKETPLACE_THREADS", 8, least=1)
PROCESSES = whole_number_setting("MARKETPLACE_PROCESSES", 1, least=1)
TICK_SECONDS = number_setting("MARKETPLACE_TICK_SECONDS", 1, least=0.05)
ALLOWED_HOSTS = hosts(
    "MARKETPLACE_ALLOWED_HOSTS",
    [str(urlsplit(PUBLIC_URL).hostname)]
    + ([] if PRODUCTION else ["127.0.0.1", "localhost", "[::1]", "testserver"]),
)

# Limits for requesters.
try:
    OPENING_BALANCE = Decimal(env.str("MARKETPLACE_OPENING_BALANCE", default="10000.00"))
    if OPENING_BALANCE < 0 or OPENING_BALANCE.quantize(Decimal("0.01")) != OPENING_BALANCE:
        raise InvalidOperation
except InvalidOperation:
    raise ImproperlyConfigured("MARKETPLACE_OPENING_BALANCE is not an amount in dollars and cents.") from None
THROTTLE_PER_SECOND = number_setting("MARKETPLACE_THROTTLE_PER_SECOND", 0)
REQUIRE_HTTPS_QUESTIONS = boolean("MARKETPLACE_REQUIRE_HTTPS_QUESTIONS", PRODUCTION)

# The mail server for messages, and the hosts of queues to which requesters' notifications can be sent.
_EMAIL_URL = env.str("MARKETPLACE_EMAIL_URL", default="")
MAIL = bool(_EMAIL_URL)
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
if MAIL:
    globals().update(mail_server("MARKETPLACE_EMAIL_URL", _EMAIL_URL))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("MARKETPLACE_EMAIL_FROM", default=f"marketplace@{urlsplit(PUBLIC_URL).hostname}")
QUEUE_HOSTS = env.list("MARKETPLACE_QUEUE_HOSTS", default=[])

# The worker pages.
OPEN_SIGNUP = boolean("MARKETPLACE_OPEN_SIGNUP", not PRODUCTION)
# Folder of the list of forgotten workers. Empty means DATA_DIR.
RIGHTS_DIR = env.str("MARKETPLACE_RIGHTS_DIR", default=_OWN_DIR or env.str("PREFEREE_RIGHTS_DIR", default=""))
# Days for which personal data is kept. 0 means until a worker or an operator erases it.
KEEP_ACCOUNTS_DAYS = whole_number_setting("MARKETPLACE_KEEP_ACCOUNTS_DAYS", 0)
KEEP_MESSAGES_DAYS = whole_number_setting("MARKETPLACE_KEEP_MESSAGES_DAYS", 365)
MAX_HELD = whole_number_setting("MARKETPLACE_MAX_HELD", 25, least=1)
INVITATION_HOURS = number_setting("MARKETPLACE_INVITATION_HOURS", 336, least=0.01)
PASSWORD_LINK_HOURS = number_setting("MARKETPLACE_PASSWORD_LINK_HOURS", 24, least=0.01)
PASSWORD_RESET_TIMEOUT = int(PASSWORD_LINK_HOURS * 3600)
# Limit of wrong passwords for one account in 15 minutes. The limit for one client address is ten times as high.
# 0 turns both off.
SIGNIN_ATTEMPTS = whole_number_setting("MARKETPLACE_SIGNIN_ATTEMPTS", 10)
# Number of proxies in front of the marketplace. The client's address is the entry of X-Forwarded-For at this position
# from the end.
PROXIES = whole_number_setting("MARKETPLACE_PROXIES", 1 if PRODUCTION else 0)
SIGNIN_LINK_HOURS = number_setting("MARKETPLACE_SIGNIN_LINK_HOURS", 168, least=0.01)
# The site's operator, named on every page for questions and legally required information.
OPERATOR = env.str("MARKETPLACE_OPERATOR", default="")
CONTACT = env.str("MARKETPLACE_CONTACT", default="")
PRIVACY_FILE = env.str("MARKETPLACE_PRIVACY_FILE", default="")
if PRIVACY_FILE and not Path(PRIVACY_FILE).is_file():
    raise ImproperlyConfigured(f"MARKETPLACE_PRIVACY_FILE={PRIVACY_FILE!r} is not a file.")
# Payment methods that workers can choose, and the payout day of the month. 0 means that no day is stated.
PAYOUT_METHODS = [name.strip() for name in env.list("MARKETPLACE_PAYOUT_METHODS", default=[]) if name.strip()]
PAYOUT_DAY = whole_number_setting("MARKETPLACE_PAYOUT_DAY", 0)
if PAYOUT_DAY > 28:
    raise ImproperlyConfigured("MARKETPLACE_PAYOUT_DAY must be 1 to 28 (days that every month has), or 0.")
if too_long := [name for name in PAYOUT_METHODS if len(name) > 60]:
    raise ImproperlyConfigured(f"MARKETPLACE_PAYOUT_METHODS: {too_long[0]!r} has more than 60 characters.")
# Languages that workers can choose from when they state which languages they read.
LANGUAGE_CHOICES = env.list(
    "MARKETPLACE_LANGUAGES",
    default=["ar", "de", "en", "es", "fr", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "uk", "zh"],
)
if no_tags := [
    tag for tag in LANGUAGE_CHOICES if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", tag)
]:
    raise ImproperlyConfigured(f"MARKETPLACE_LANGUAGES: {no_tags[0]!r} is not a language tag such as en.")
FRAME_SANDBOX = env.str("MARKETPLACE_FRAME_SANDBOX", default="allow-scripts allow-forms")
_SANDBOX_WORDS = {
    "allow-downloads",
    "allow-forms",
    "allow-modals",
    "allow-pointer-lock",
    "allow-popups",
    "allow-popups-to-escape-sandbox",
    "allow-same-origin",
    "allow-scripts",
    "allow-storage-access-by-user-activation",
}
if unknown := sorted(set(FRAME_SANDBOX.split()) - _SANDBOX_WORDS):
    raise ImproperlyConfigured(f"MARKETPLACE_FRAME_SANDBOX has unknown values: {', '.join(unknown)}.")
COUNT_CACHE_SECONDS = number_setting("MARKETPLACE_COUNT_CACHE_SECONDS", 1)

# The cost of one password hash. Production requires at least OWASP's minimum for Argon2id.
_LEAST_MEMORY, _LEAST_TIME = (19456, 2) if PRODUCTION else (8, 1)
ARGON2_MEMORY_KIB = whole_number_setting("MARKETPLACE_ARGON2_MEMORY_KIB", 102400, least=_LEAST_MEMORY)
ARGON2_TIME_COST = whole_number_setting("MARKETPLACE_ARGON2_TIME_COST", 2, least=_LEAST_TIME)
ARGON2_PARALLELISM = whole_number_setting("MARKETPLACE_ARGON2_PARALLELISM", 2, least=1)
if ARGON2_MEMORY_KIB < 8 * ARGON2_PARALLELISM:
    raise ImproperlyConfigured(
        "MARKETPLACE_ARGON2_MEMORY_KIB must be at least 8 times MARKETPLACE_ARGON2_PARALLELISM."
    )

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "marketplace",
]
MIDDLEWARE = [
    "marketplace.middleware.Probes",
    "config.middleware.plain_text.RefuseNulInAddresses",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "marketplace.middleware.OneLoopbackName",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.content_policy.ContentPolicy",
]
CSRF_FAILURE_VIEW = "marketplace.views.faults.csrf_failure"
ROOT_URLCONF = "marketplace.urls"
WSGI_APPLICATION = "marketplace.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "marketplace.context.site",
            ],
            "loaders": [
                ("django.template.loaders.cached.Loader", ["django.template.loaders.filesystem.Loader"])
            ],
        },
    }
]

DATABASES = {
    "default": database("MARKETPLACE_DATABASE_URL", f"sqlite:///{quote(str(DATA_DIR))}/marketplace.sqlite3")
}
# Connections are reused: opening SQLite for every request would take longer than answering most calls.
DATABASES["default"].setdefault("CONN_MAX_AGE", 60)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "marketplace.Worker"
PASSWORD_HASHERS = ["marketplace.hashers.Argon2Hasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "signin"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# Browsers send cookies to every port of a host. So separate names keep them apart from Preferee's on the same host.
SESSION_COOKIE_NAME = "marketplace_session"
CSRF_COOKIE_NAME = "marketplace_csrf"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
if PUBLIC_URL.startswith("https://"):
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    # With these names, no other host of the domain and no page without HTTPS can set the cookies.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-marketplace_session", "__Host-marketplace_csrf"
if PRODUCTION:
    # No redirect to HTTPS here, because Preferee's own calls may arrive over an internal network without it.
    SECURE_HSTS_SECONDS = whole_number_setting("MARKETPLACE_HSTS_SECONDS", 3600)
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "frame-src": [NONE],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
# Enough for a question of 65,535 bytes that is escaped as JSON, and for a long answer form.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

STATIC_URL = "static/"
STATICFILES_DIRS = [("marketplace", BASE_DIR / "static" / "marketplace")]
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 300

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "marketplace.logs.Masked",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": env.str("MARKETPLACE_LOG_LEVEL", default="WARNING")},
    # A refused call or task is a normal response, not worth logging.
    "loggers": {"django.request": {"level": "ERROR"}},
}
