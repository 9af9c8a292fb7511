"""Django's settings, read from the environment. docs/settings.md lists the environment variables."""

from pathlib import Path
from urllib.parse import quote, urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config.crowd_endpoints import default_hosts
from config.environment import (
    BASE_DIR,
    address,
    addresses,
    boolean,
    broker,
    choice,
    database,
    dollars_setting,
    env,
    hosts,
    kept_secret,
    mail_server,
    number_setting,
    openid_apps,
    refuse_weak_secrets,
    whole_number_setting,
)
from config.monitoring import logs
from config.process.private_files import tighten_folder

MODE = choice("PREFEREE_MODE", "embedded", {"embedded", "production"})
PRODUCTION = MODE == "production"
DATA_DIR = PREFEREE_DATA_DIR = Path(env.str("PREFEREE_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
tighten_folder(DATA_DIR)
DEBUG = boolean("PREFEREE_DEBUG", False)
if DEBUG and PRODUCTION:
    raise ImproperlyConfigured("PREFEREE_DEBUG must be off when PREFEREE_MODE=production.")

SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("SECRET_KEY is required when PREFEREE_MODE=production.")
    SECRET_KEY = kept_secret(DATA_DIR / "secret-key")
# Minimum number of characters of each secret. 0 means that someone else issues the secret.
LEAST_SECRETS = {
    "SECRET_KEY": 32,
    "SECRET_KEY_FALLBACKS": 0,
    "PREFEREE_METRICS_TOKEN": 16,
    "DATABASE_URL": 12,
    "REDIS_URL": 12,
    "CELERY_BROKER_URL": 12,
    "PREFEREE_EMAIL_URL": 0,
    "PREFEREE_OIDC_SECRET": 0,
    "PREFEREE_CROWD_SECRET_KEY": 0,
    "AWS_SECRET_ACCESS_KEY": 0,
}
if PRODUCTION:
    refuse_weak_secrets(LEAST_SECRETS)
#: Former keys, latest first: anything signed or sealed with them can still be read.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

#: If only one of PREFEREE_PORT and PREFEREE_PUBLIC_URL is set, the other is derived from it.
_PORT = whole_number_setting("PREFEREE_PORT", 8410, least=1)
PUBLIC_URL = address("PREFEREE_PUBLIC_URL", f"http://127.0.0.1:{_PORT}", {"http", "https"}, required=True)
PORT = whole_number_setting("PREFEREE_PORT", urlsplit(PUBLIC_URL).port or 8410, least=1)
HOST = env.str("PREFEREE_HOST", default="127.0.0.1")
ALLOWED_HOSTS = hosts(
    "ALLOWED_HOSTS",
    [str(urlsplit(PUBLIC_URL).hostname)] if PRODUCTION else ["127.0.0.1", "localhost", "[::1]", "testserver"],
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
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "config.background",
    "accounts",
    "pooling",
    "judging",
    "tournament",
    "leaderboard",
    "web",
]

MIDDLEWARE = [
    "config.monitoring.probes.probes",
    "config.middleware.plain_text.RefuseNulInAddresses",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "accounts.private_pages.keep_private",
    "config.middleware.signed_in.Sessions",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.middleware.signed_in.Authentication",
    "config.middleware.signed_in.Messages",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.second_factor.RequireSecondFactor",
    "web.common.kept_forms.KeepForms",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.content_policy.ContentPolicy",
    "config.middleware.not_now.SayNotNow",
    "judging.page.crowd_frame.CrowdsFrame",
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
                "accounts.context.ways_in",
                "web.common.page_context.theme",
            ]
        },
    }
]

DATABASES = {"default": database("DATABASE_URL", f"sqlite:///{quote(str(DATA_DIR))}/preferee.sqlite3")}
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

API_CALLS_PER_MINUTE = whole_number_setting("PREFEREE_API_CALLS_PER_MINUTE", 600, least=1)
API_ANONYMOUS_CALLS_PER_MINUTE = whole_number_setting("PREFEREE_API_ANONYMOUS_CALLS_PER_MINUTE", 60, least=1)

# Signing in. People are invited; both kinds of open sign-up are off by default.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "web:signed_in", "web:home"
OPEN_SIGNUP = boolean("PREFEREE_OPEN_SIGNUP", False)
INVITATION_DAYS = whole_number_setting("PREFEREE_INVITATION_DAYS", 7, least=1)
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "accounts.adapters.SocialAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_USERNAME_VALIDATORS = "accounts.user_names.VALIDATORS"
ACCOUNT_FORMS = {
    "add_email": "accounts.account_forms.NewAddress",
    "change_password": "accounts.account_forms.NewPassword",
    "reauthenticate": "accounts.account_forms.PasswordAgain",
}
# A session can be stolen, so it alone cannot change an address. The account's owner is notified of changes.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = urlsplit(PUBLIC_URL).scheme
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ADMIN_SECOND_FACTOR = boolean("PREFEREE_ADMIN_SECOND_FACTOR", PRODUCTION)
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Preferee"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # without a mail server no address can be verified
# Sign-in attempts are limited per client address. Behind proxies, this is the address that the outermost one reports.
ALLAUTH_TRUSTED_PROXY_COUNT = whole_number_setting("PREFEREE_TRUSTED_PROXIES", 1 if PRODUCTION else 0)
OIDC_URL = address("PREFEREE_OIDC_URL", "", {"http", "https"})
OIDC_SIGNUP = boolean("PREFEREE_OIDC_SIGNUP", False)
OIDC_HOSTS = addresses(
    "PREFEREE_OIDC_HOSTS", ["{0.scheme}://{0.netloc}".format(urlsplit(OIDC_URL))] if OIDC_URL else []
)
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": openid_apps(OIDC_URL), "OAUTH_PKCE_ENABLED": True}}

_EMAIL_URL = env.str("PREFEREE_EMAIL_URL", default="")
MAIL = bool(_EMAIL_URL)
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
if MAIL:
    globals().update(mail_server("PREFEREE_EMAIL_URL", _EMAIL_URL))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("PREFEREE_EMAIL_FROM", default=f"preferee@{urlsplit(PUBLIC_URL).hostname}")
ACCOUNT_EMAIL_VERIFICATION = ("mandatory" if OPEN_SIGNUP or OIDC_SIGNUP else "optional") if MAIL else "none"

REDIS_URL = address("REDIS_URL", "", {"redis", "rediss", "unix"})
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
    # Parts of pages that never change (the template tag "cache"), cached in the process that renders them.
    "template_fragments": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "fragments",
    },
}

# Celery only wakes workers; the job table is authoritative. So a lost or duplicate message changes nothing.
CELERY_BROKER_URL = broker("CELERY_BROKER_URL", REDIS_URL or "memory://")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# In KiB. A process that has checked a large run does not release the memory, so it is replaced after that task.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 1024**2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
JOB_SWEEP_SECONDS = number_setting("PREFEREE_JOB_SWEEP_SECONDS", 2, least=0.1)
JOB_LEASE_SECONDS = number_setting("PREFEREE_JOB_LEASE_SECONDS", 60, least=1)
COLLECT_SECONDS = number_setting("PREFEREE_COLLECT_SECONDS", 60, least=1)
WATCHDOG_SECONDS = number_setting("PREFEREE_WATCHDOG_SECONDS", 600, least=1)
KEEP_IDENTITIES_DAYS = whole_number_setting("PREFEREE_KEEP_IDENTITIES_DAYS", 365)
KEEP_COMMENTS_DAYS = whole_number_setting("PREFEREE_KEEP_COMMENTS_DAYS", 365)
KEEP_ANALYSES_DAYS = whole_number_setting("PREFEREE_KEEP_ANALYSES_DAYS", 180)
KEEP_ANALYSES_BYTES = whole_number_setting("PREFEREE_KEEP_ANALYSES_BYTES", 2 * 1024**3)
WEBHOOK_SECONDS = number_setting("PREFEREE_WEBHOOK_SECONDS", 5, least=0.1)
WEBHOOK_TIMEOUT_SECONDS = number_setting("PREFEREE_WEBHOOK_TIMEOUT_SECONDS", 10, least=0.1)
WEBHOOK_PRIVATE_ADDRESSES = boolean("PREFEREE_WEBHOOK_PRIVATE_ADDRESSES", False)
KEEP_DELIVERIES_DAYS = whole_number_setting("PREFEREE_KEEP_DELIVERIES_DAYS", 30)
RIGHTS_DIR = env.str("PREFEREE_RIGHTS_DIR", default="")
RETENTION_SECONDS = 6 * 3600
FORGET_UPLOADS_SECONDS = 3600
#: The kinds of jobs that the schedule starts, with the seconds between two starts.
SCHEDULED_JOBS = {
    "judging.collect_open_campaigns": COLLECT_SECONDS,
    "judging.watchdog": WATCHDOG_SECONDS,
    "judging.retention": RETENTION_SECONDS,
    "pooling.forget_uploads": FORGET_UPLOADS_SECONDS,
    "pooling.release_after_embargoes": RETENTION_SECONDS,
    "leaderboard.forget_analyses": RETENTION_SECONDS,
    "tournament.advance_challenges": COLLECT_SECONDS,
    "tournament.compare_versions": COLLECT_SECONDS,
    "web.keep_boards": COLLECT_SECONDS,
    "web.mail_ended_work": WEBHOOK_SECONDS,
    "web.webhooks": WEBHOOK_SECONDS,
    "web.forget_webhooks": RETENTION_SECONDS,
}
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "config.background.tasks.sweep", "schedule": JOB_SWEEP_SECONDS},
    **{
        kind: {"task": "config.background.tasks.start", "schedule": seconds, "args": [kind]}
        for kind, seconds in SCHEDULED_JOBS.items()
    },
}

METRICS_DIR = Path(env.str("PREFEREE_METRICS_DIR", default=str(DATA_DIR / "metrics")))
METRICS_TOKEN = env.str("PREFEREE_METRICS_TOKEN", default="")

RUNS_DIR = DATA_DIR / "runs"
S3_BUCKET = env.str("PREFEREE_S3_BUCKET", default="").strip()
S3_PREFIX = env.str("PREFEREE_S3_PREFIX", default="").strip().strip("/")
S3_ENDPOINT = address("PREFEREE_S3_ENDPOINT", "", {"http", "https"})
S3_REGION = env.str("PREFEREE_S3_REGION", default="").strip()
S3_CACHE_BYTES = whole_number_setting("PREFEREE_S3_CACHE_BYTES", 10 * 1024**3)
if not S3_BUCKET and (S3_PREFIX or S3_ENDPOINT or S3_REGION):
    raise ImproperlyConfigured("PREFEREE_S3_BUCKET is empty, but other PREFEREE_S3_ settings are not.")
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "files"},
    },
    "runs": {
        "BACKEND": "pooling.storage.bucket.Bucket",
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
FILE_UPLOAD_PERMISSIONS = 0o600  # Django's default lets every account of the machine read stored files
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = not PRODUCTION
MAX_UPLOAD_BYTES = whole_number_setting("PREFEREE_MAX_UPLOAD_BYTES", 2 * 1024**3, least=1)
# Limits per person for uploaded files that are incomplete or have not been read yet.
MAX_WAITING_FILES = whole_number_setting("PREFEREE_MAX_WAITING_FILES", 500, least=1)
MAX_WAITING_BYTES = whole_number_setting("PREFEREE_MAX_WAITING_BYTES", 20 * 1024**3, least=1)
# Checking a run takes up to four times its size in memory.
MAX_RUN_BYTES = whole_number_setting("PREFEREE_MAX_RUN_BYTES", 4 * 1024**3, least=1)
MAX_DECOMPRESSED_BYTES = whole_number_setting("PREFEREE_MAX_DECOMPRESSED_BYTES", 20 * 1024**3, least=1)
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# Files sent with forms are accepted only from people who are signed in, and stored next to their final place.
FILE_UPLOAD_HANDLERS = ["web.common.form_files.ToDisk"]
# Folder with passage files that people can choose on pages instead of uploading them. Empty means no folder.
SOURCES_DIR = env.str("PREFEREE_SOURCES_DIR", default="")
# Limit of requests per second for each worker's page, averaged over ten seconds. 0 turns it off.
PAGE_REQUESTS_PER_SECOND = whole_number_setting("PREFEREE_PAGE_REQUESTS_PER_SECOND", 10)
# Limit of new workers from one network in ten minutes, at a crowd that does not sign worker ids. 0 turns it off.
ARRIVALS_PER_NETWORK = whole_number_setting("PREFEREE_ARRIVALS_PER_NETWORK", 120)
# Limit of unfinished tasks in a row for each worker (judging/workers/unfinished.py). 0 turns it off.
MOST_UNFINISHED = whole_number_setting("PREFEREE_MOST_UNFINISHED", 5)
# Submissions without a judged pair are rejected this many hours before the crowd would approve them automatically.
# 0 means that only people reject them.
REJECT_UNJUDGED_HOURS = whole_number_setting("PREFEREE_REJECT_UNJUDGED_HOURS", 24)

# The crowd. Only the endpoint distinguishes marketplace, sandbox and production.
MARKETPLACE_PORT = whole_number_setting("MARKETPLACE_PORT", 8411, least=1)
EMBEDDED_CROWD_ENDPOINT = f"http://127.0.0.1:{MARKETPLACE_PORT}"
CROWD_ENDPOINT = address("PREFEREE_CROWD_ENDPOINT", EMBEDDED_CROWD_ENDPOINT, {"http", "https"})
CROWD_KEY_FILE = Path(env.str("PREFEREE_CROWD_KEY_FILE", default=str(DATA_DIR / "marketplace-key.json")))
CROWD_ACCESS_KEY = env.str("PREFEREE_CROWD_ACCESS_KEY", default="")
CROWD_SECRET_KEY = env.str("PREFEREE_CROWD_SECRET_KEY", default="")
CROWD_CALLS_PER_SECOND = number_setting("PREFEREE_CROWD_CALLS_PER_SECOND", 0)
CROWD_CALLS_AT_ONCE = whole_number_setting("PREFEREE_CROWD_CALLS_AT_ONCE", 4, least=1)
CROWD_TIMEOUT_SECONDS = number_setting("PREFEREE_CROWD_TIMEOUT_SECONDS", 15, least=0.1)
# Origins of the sites that can frame the judging page and receive its final form.
CROWD_HOSTS = addresses("PREFEREE_CROWD_HOSTS", default_hosts(CROWD_ENDPOINT))
BUDGET_CAP = dollars_setting("PREFEREE_BUDGET_CAP", "0")
# Limit for all campaigns together within SPENDING_DAYS. It is enough to run the reference experiment (421 tasks at
# $2.40) twice, with repeats.
SPENDING_CAP = dollars_setting("PREFEREE_SPENDING_CAP", "2500")
SPENDING_DAYS = whole_number_setting("PREFEREE_SPENDING_DAYS", 30, least=1)

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF, *OIDC_HOSTS],  # browsers also apply this to the redirect to the provider
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
if PUBLIC_URL.startswith("https://"):
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    # With these names, no other host of the domain and no page without HTTPS can set the cookies.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
if PRODUCTION:
    SECURE_HSTS_SECONDS = whole_number_setting("PREFEREE_HSTS_SECONDS", 3600)
    SECURE_SSL_REDIRECT = boolean("PREFEREE_SSL_REDIRECT", True)
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Languages of the judging pages, set per campaign; all other pages are in English.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "German")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

LOG_LEVEL = choice("PREFEREE_LOG_LEVEL", "WARNING", {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
LOG_FORMAT = choice("PREFEREE_LOG_FORMAT", "plain", {"plain", "json"})
LOGGING = logs.configuration(json_lines=LOG_FORMAT == "json", level=LOG_LEVEL)
