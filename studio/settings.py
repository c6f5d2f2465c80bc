"""Django's settings, and the only place that reads the process environment.

The variables stand in `studio.environment_variables.VARIABLES`; a value that cannot be used stops the
process with a line per variable that names it and what is allowed.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

import dj_database_url
from celery.schedules import schedule
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from studio.environment_variables import BadVariable, read

BASE_DIR = Path(__file__).resolve().parent.parent

try:
    ENV = read(os.environ)
except BadVariable as error:
    raise ImproperlyConfigured(str(error)) from None

VAR_DIR: Path = ENV["WORLDWRIGHT_VAR"] or BASE_DIR / "var"
BUNDLES_DIR = VAR_DIR / "bundles"
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]", "testserver", ".localhost"}


def _kept_secret(path: Path) -> str:
    """The secret in a file that is made once; another process that is faster wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    return path.read_text()


# The web server

DEBUG: bool = ENV["WORLDWRIGHT_DEBUG"]
ALLOWED_HOSTS: list[str] = ENV["WORLDWRIGHT_HOSTS"]
HTTPS: bool = ENV["WORLDWRIGHT_HTTPS"]

if ENV["WORLDWRIGHT_SECRET_KEY"]:
    SECRET_KEY: str = ENV["WORLDWRIGHT_SECRET_KEY"]
elif DEBUG or set(ALLOWED_HOSTS) <= LOCAL_HOSTS:
    SECRET_KEY = _kept_secret(VAR_DIR / "secret_key")
else:
    raise ImproperlyConfigured(
        "WORLDWRIGHT_SECRET_KEY is required because WORLDWRIGHT_HOSTS names a public host; "
        "set it to 50 or more random characters that all web and worker processes share."
    )

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
    "template_partials",
    "django_tables2",
    "django_filters",
    "csp",
    "auditlog",
    "ninja",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "auditlog.middleware.AuditlogMiddleware",
    "studio.middleware.RefusalPages",
]

ROOT_URLCONF = "studio.urls"
ASGI_APPLICATION = "studio.asgi.application"
WSGI_APPLICATION = "studio.wsgi.application"
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

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
"""Files are served from where they lie: no collectstatic between a clone and a page."""

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
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE: str = ENV["WORLDWRIGHT_TIME_ZONE"]

# The database

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def _database(url: str | None) -> dict[str, Any]:
    """Django's description of the database at an address; an SQLite file under var/ without one."""
    if url is None:
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
        options |= {"pool": {"min_size": 1, "max_size": 16, "timeout": 30}}
        # A connection that the server closed meanwhile is replaced when it is taken from the pool.
        database["CONN_HEALTH_CHECKS"] = True
    return database


DATABASES = {"default": _database(ENV["DATABASE_URL"])}

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


CELERY_BROKER_URL: str = ENV["CELERY_BROKER_URL"] or "filesystem://localhost"
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
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not EMBEDDED_BROKER
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = {
    "reap lost runs": {
        "task": "studio.reap_runs",
        "schedule": schedule(max(5.0, ENV["WORLDWRIGHT_LOST_AFTER_SECONDS"] / 2)),
    }
}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")

# Logs

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": ENV["WORLDWRIGHT_LOG_LEVEL"]},
    "loggers": {"django.request": {"level": "ERROR"}},
}

# Auditlog

AUDITLOG_DISABLE_REMOTE_ADDR = True
