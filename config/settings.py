"""Settings, read from the environment (all of them: docs/settings.md)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import logs
from config.crowd_endpoints import default_hosts
from config.environment import (
    BASE_DIR,
    address,
    boolean,
    broker,
    choice,
    database,
    env,
    kept_secret,
    number,
    whole,
)

MODE = choice("PREFEREE_MODE", "embedded", {"embedded", "production"})
PRODUCTION = MODE == "production"
DATA_DIR = PREFEREE_DATA_DIR = Path(env.str("PREFEREE_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
DEBUG = boolean("PREFEREE_DEBUG", False)
if DEBUG and PRODUCTION:
    raise ImproperlyConfigured("PREFEREE_DEBUG must be off when PREFEREE_MODE=production.")

SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("SECRET_KEY is required when PREFEREE_MODE=production.")
    SECRET_KEY = kept_secret(DATA_DIR / "secret-key")

PUBLIC_URL = address("PREFEREE_PUBLIC_URL", "http://127.0.0.1:8410", {"http", "https"})
PORT = whole("PREFEREE_PORT", urlsplit(PUBLIC_URL).port or 8410, least=1)
HOST = env.str("PREFEREE_HOST", default="127.0.0.1")
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS",
    default=[urlsplit(PUBLIC_URL).hostname]
    if PRODUCTION
    else ["127.0.0.1", "localhost", "[::1]", "testserver"],
)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "config.background",
    "accounts",
    "pooling",
    "judging",
    "tournament",
    "leaderboard",
    "web",
]

MIDDLEWARE = [
    "config.probes.probes",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": database("DATABASE_URL", f"sqlite:///{DATA_DIR / 'preferee.sqlite3'}")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

REDIS_URL = address("REDIS_URL", "", {"redis", "rediss", "unix"})
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# Celery is the doorbell, the job table the truth: a lost or doubled message changes nothing.
CELERY_BROKER_URL = broker("CELERY_BROKER_URL", REDIS_URL or "memory://localhost/")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
JOB_SWEEP_SECONDS = number("PREFEREE_JOB_SWEEP_SECONDS", 2, least=0.1)
JOB_LEASE_SECONDS = number("PREFEREE_JOB_LEASE_SECONDS", 60, least=1)
COLLECT_SECONDS = number("PREFEREE_COLLECT_SECONDS", 60, least=1)
WATCHDOG_SECONDS = number("PREFEREE_WATCHDOG_SECONDS", 600, least=1)
KEEP_IDENTITIES_DAYS = whole("PREFEREE_KEEP_IDENTITIES_DAYS", 365)
KEEP_COMMENTS_DAYS = whole("PREFEREE_KEEP_COMMENTS_DAYS", 365)
RETENTION_SECONDS = 6 * 3600
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "config.background.tasks.sweep", "schedule": JOB_SWEEP_SECONDS},
    "collect": {
        "task": "config.background.tasks.start",
        "schedule": COLLECT_SECONDS,
        "args": ["judging.collect_open_campaigns"],
    },
    "watch": {
        "task": "config.background.tasks.start",
        "schedule": WATCHDOG_SECONDS,
        "args": ["judging.watchdog"],
    },
    "retention": {
        "task": "config.background.tasks.start",
        "schedule": RETENTION_SECONDS,
        "args": ["judging.retention"],
    },
    "advance": {
        "task": "config.background.tasks.start",
        "schedule": COLLECT_SECONDS,
        "args": ["tournament.advance_challenges"],
    },
}

METRICS_DIR = Path(env.str("PREFEREE_METRICS_DIR", default=str(DATA_DIR / "metrics")))
METRICS_TOKEN = env.str("PREFEREE_METRICS_TOKEN", default="")

RUNS_DIR = DATA_DIR / "runs"
S3_BUCKET = env.str("PREFEREE_S3_BUCKET", default="").strip()
S3_PREFIX = env.str("PREFEREE_S3_PREFIX", default="").strip().strip("/")
S3_ENDPOINT = address("PREFEREE_S3_ENDPOINT", "", {"http", "https"})
S3_REGION = env.str("PREFEREE_S3_REGION", default="").strip()
S3_CACHE_BYTES = whole("PREFEREE_S3_CACHE_BYTES", 10 * 1024**3)
if not S3_BUCKET and (S3_PREFIX or S3_ENDPOINT or S3_REGION):
    raise ImproperlyConfigured("PREFEREE_S3_BUCKET is empty, but other PREFEREE_S3_ settings are not.")
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "files"},
    },
    "runs": {
        "BACKEND": "config.bucket.Bucket",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "location": S3_PREFIX,
            "endpoint_url": S3_ENDPOINT or None,
            "region_name": S3_REGION or None,
        },
    }
    if S3_BUCKET
    else {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": RUNS_DIR}},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    if PRODUCTION
    else {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = not PRODUCTION
MAX_UPLOAD_BYTES = whole("PREFEREE_MAX_UPLOAD_BYTES", 2 * 1024**3, least=1)
MAX_DECOMPRESSED_BYTES = whole("PREFEREE_MAX_DECOMPRESSED_BYTES", 20 * 1024**3, least=1)
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# The crowd. Only the endpoint tells marketplace, sandbox and production apart.
MARKETPLACE_PORT = whole("MARKETPLACE_PORT", 8411, least=1)
EMBEDDED_CROWD_ENDPOINT = f"http://127.0.0.1:{MARKETPLACE_PORT}"
CROWD_ENDPOINT = address("PREFEREE_CROWD_ENDPOINT", EMBEDDED_CROWD_ENDPOINT, {"http", "https"})
CROWD_KEY_FILE = Path(env.str("PREFEREE_CROWD_KEY_FILE", default=str(DATA_DIR / "marketplace-key.json")))
CROWD_ACCESS_KEY = env.str("PREFEREE_CROWD_ACCESS_KEY", default="")
CROWD_SECRET_KEY = env.str("PREFEREE_CROWD_SECRET_KEY", default="")
CROWD_CALLS_PER_SECOND = number("PREFEREE_CROWD_CALLS_PER_SECOND", 0)
CROWD_TIMEOUT_SECONDS = number("PREFEREE_CROWD_TIMEOUT_SECONDS", 15, least=0.1)
# Hosts that may frame the judging page and receive its final form.
CROWD_HOSTS = env.list("PREFEREE_CROWD_HOSTS", default=default_hosts(CROWD_ENDPOINT))
try:
    BUDGET_CAP = Decimal(env.str("PREFEREE_BUDGET_CAP", default="0"))
except InvalidOperation:
    raise ImproperlyConfigured("PREFEREE_BUDGET_CAP is not an amount in dollars.") from None

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
if PUBLIC_URL.startswith("https://"):
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
if PRODUCTION:
    SECURE_HSTS_SECONDS = whole("PREFEREE_HSTS_SECONDS", 3600)
    SECURE_SSL_REDIRECT = boolean("PREFEREE_SSL_REDIRECT", True)
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

LOG_LEVEL = choice("PREFEREE_LOG_LEVEL", "WARNING", {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
LOG_FORMAT = choice("PREFEREE_LOG_FORMAT", "plain", {"plain", "json"})
LOGGING = logs.configuration(json_lines=LOG_FORMAT == "json", level=LOG_LEVEL)
