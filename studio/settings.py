"""Django's settings, and the one reading of the process environment.

The variables are the fields of `studio.environment_variables.EnvironmentVariables`; a value that cannot be
used stops the process with a line per variable that names it and what is allowed.
"""

from __future__ import annotations

import os
import secrets
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dj_database_url
from celery.schedules import crontab, schedule
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from studio.environment_variables import EnvironmentVariables
from studio.identity_provider import PROVIDER, provider_settings, unusable_provider
from studio.locations import DEFAULT_VAR, RESOURCES
from studio.log_lines import logging_configuration
from studio.public_host import unsafe_in_public
from studio.static_files import storages
from studio.variable import BadVariable, shown

try:
    WORLDWRIGHT = EnvironmentVariables.read()
except BadVariable as error:
    raise ImproperlyConfigured(str(error)) from None

VAR_DIR: Path = WORLDWRIGHT.var_folder or DEFAULT_VAR
BUNDLES_DIR = VAR_DIR / "bundles"
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]", "testserver", ".localhost"}


def _stored_secret(path: Path) -> str:
    """The secret in a file that is made once; another process that is faster wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    return path.read_text()


def _require_extra(variable: str, extra: str, *modules: str) -> None:
    """Pass when the packages of an extra that a variable needs are installed."""
    for module in modules:
        try:
            missing = find_spec(module) is None
        except ModuleNotFoundError:  # not even what it is a part of
            missing = True
        if missing:
            raise ImproperlyConfigured(
                f"{variable} needs more packages: pip install 'worldwright[studio,{extra}]', or unset it."
            )


def _archives() -> dict[str, Any]:
    """The storage of archives: the folder BUNDLES_DIR, or a bucket when one is named."""
    if not WORLDWRIGHT.bucket:
        return {"BACKEND": "studio.archive_folder.ArchiveFolder"}
    _require_extra("WORLDWRIGHT_BUCKET", "s3", "storages", "boto3")
    options = {
        "bucket_name": WORLDWRIGHT.bucket,
        "endpoint_url": WORLDWRIGHT.bucket_endpoint,
        "region_name": WORLDWRIGHT.bucket_region,
        "location": WORLDWRIGHT.bucket_folder,
        "access_key": WORLDWRIGHT.bucket_key_id,
        "secret_key": shown(WORLDWRIGHT.bucket_secret) or None,
    }
    return {"BACKEND": "studio.archive_bucket.ArchiveBucket", "OPTIONS": options}


# The web server

DEBUG = WORLDWRIGHT.debug
ALLOWED_HOSTS = list(WORLDWRIGHT.hosts)
HTTPS = WORLDWRIGHT.https

PUBLIC_HOSTS = [host for host in ALLOWED_HOSTS if host not in LOCAL_HOSTS]
SECRET_KEY = shown(WORLDWRIGHT.secret_key)
SECRET_KEY_FALLBACKS = [
    key for part in shown(WORLDWRIGHT.secret_key_fallbacks).split(",") if (key := part.strip())
]
if unsafe := unsafe_in_public(PUBLIC_HOSTS, debug=DEBUG, secret=SECRET_KEY, fallbacks=SECRET_KEY_FALLBACKS):
    raise ImproperlyConfigured("\n".join(unsafe))
if unusable := unusable_provider(WORLDWRIGHT):
    raise ImproperlyConfigured("\n".join(unusable))
SECRET_KEY = SECRET_KEY or _stored_secret(VAR_DIR / "secret_key")

INSTALLED_APPS = [
    "studio.apps.StudioConfig",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "django_tables2",
    "django_filters",
    "csp",
    "auditlog",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    f"allauth.socialaccount.providers.{PROVIDER}",
    "ninja",
]

MIDDLEWARE = [
    "studio.audit_middleware.RequestIds",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "studio.middleware.StorableText",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "studio.middleware.ProjectVisibility",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "studio.audit_middleware.AuditTrail",
    "studio.middleware.RefusalPages",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "studio.urls"
ASGI_APPLICATION = "studio.asgi.application"
WSGI_APPLICATION = "studio.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [RESOURCES / "templates"],
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

STATIC_URL = "/static/"
STATICFILES_DIRS = [RESOURCES / "static"]
STATIC_ROOT = WORLDWRIGHT.static_folder
STORAGES = storages(STATIC_ROOT) | {"archives": _archives()}
"""archives: where bundles, collections and exports of trajectories are, a folder or a bucket."""
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
"""By default files are served from where they lie: no collectstatic between a clone and a page."""

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "object-src": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = False
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
CSRF_TRUSTED_ORIGINS = [f"https://{host.lstrip('.')}" for host in ALLOWED_HOSTS] if HTTPS else []
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 2**20
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
CSRF_FAILURE_VIEW = "studio.views.errors.csrf_failure"
ROLE_BACKEND = "studio.role_backend.RoleBackend"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", ROLE_BACKEND]
PASSWORD_RESET_TIMEOUT = 24 * 3600
AXES_FAILURE_LIMIT = WORLDWRIGHT.sign_in_attempts
AXES_COOLOFF_TIME = timedelta(minutes=WORLDWRIGHT.sign_in_minutes)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
"""Both together: nobody locks somebody else out from elsewhere."""
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_LOCKOUT_CALLABLE = "studio.views.errors.too_many_sign_ins"
AXES_CLIENT_IP_CALLABLE = "studio.services.accounts.remote_address.remote_address"
ACCOUNT_EMAIL_VERIFICATION = SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_ADAPTER = "studio.views.accounts.single_sign_on.AccountRules"
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_PROVIDERS = provider_settings(WORLDWRIGHT)
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

NINJA_PAGINATION_CLASS = "studio.api.pagination.Pages"

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = WORLDWRIGHT.time_zone

# The database

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def _database(url: str) -> dict[str, Any]:
    """Django's description of the database at an address; an SQLite file under var/ without one."""
    if not url:
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        url = f"sqlite:///{VAR_DIR / 'studio.sqlite3'}"
    database: dict[str, Any] = dict(dj_database_url.parse(url))
    options = database.setdefault("OPTIONS", {})
    if database["ENGINE"].endswith("sqlite3"):
        options |= {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON",
        }
    else:
        database["ENGINE"] = "studio.postgresql"
        options.setdefault("connect_timeout", 2)
        options |= {"pool": {"min_size": 1, "max_size": 16, "timeout": 30}}
        # A connection that the server closed meanwhile is replaced when it is taken from the pool.
        database["CONN_HEALTH_CHECKS"] = True
    return database


DATABASES = {"default": _database(shown(WORLDWRIGHT.database_url))}

# Workers


def _broker_folders(folder: Path) -> dict[str, Any]:
    """Options of the broker that keeps its messages as files."""
    for name in ("messages", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    messages = str(folder / "messages")
    return {
        "data_folder_in": messages,
        "data_folder_out": messages,
        "control_folder": str(folder / "control"),
        "polling_interval": 0.1,
    }


CELERY_BROKER_URL = shown(WORLDWRIGHT.celery_broker_url) or "filesystem://localhost"
EMBEDDED_BROKER = CELERY_BROKER_URL.startswith("filesystem:")
"""Whether messages are files under var/, so that only workers on this machine get them."""

CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {}
if EMBEDDED_BROKER:
    CELERY_BROKER_TRANSPORT_OPTIONS = _broker_folders(VAR_DIR / "broker")
elif CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 24 * 3600, "global_keyprefix": "worldwright:"}
CELERY_TASK_DEFAULT_QUEUE = "worldwright"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
"""After a lost connection Celery would raise the count again from the thread of a run, which reads RabbitMQ's
answer from the connection that the worker reads, too: one waits for ever, and the worker takes nothing."""
CELERY_WORKER_CONSUMER = "studio.later_tasks:PatientConsumer"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not EMBEDDED_BROKER
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = {
    "reap lost runs": {
        "task": "studio.reap_runs",
        "schedule": schedule(max(5.0, WORLDWRIGHT.lost_after_seconds / 2)),
    },
    "send notifications": {"task": "studio.send_notifications", "schedule": schedule(30.0)},
    "apply retention": {"task": "studio.apply_retention", "schedule": crontab(hour="3", minute="30")},
}

# E-mail

EMAIL_HOST = WORLDWRIGHT.email_host
EMAIL_PORT = WORLDWRIGHT.email_port
EMAIL_USE_TLS = WORLDWRIGHT.email_security == "starttls"
EMAIL_USE_SSL = WORLDWRIGHT.email_security == "tls"
EMAIL_HOST_USER = WORLDWRIGHT.email_user
EMAIL_HOST_PASSWORD = shown(WORLDWRIGHT.email_password) or ""
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = WORLDWRIGHT.email_from

# Logs

LOGGING = logging_configuration(form=WORLDWRIGHT.log_format, level=WORLDWRIGHT.log_level)

# Telemetry; studio.apps begins it

if WORLDWRIGHT.otel_endpoint:
    _require_extra(
        "WORLDWRIGHT_OTEL_ENDPOINT", "otel", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"
    )
if WORLDWRIGHT.sentry_dsn:
    _require_extra("WORLDWRIGHT_SENTRY_DSN", "sentry", "sentry_sdk")

# Auditlog

AUDITLOG_DISABLE_REMOTE_ADDR = True
AUDITLOG_CID_GETTER = "studio.services.audit.request_ids.current"
