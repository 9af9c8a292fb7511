"""A wrong setting stops start-up with its name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import MAKE_ONE, mail_server, refuse_weak_secrets
from config.settings import LEAST_SECRETS

ROOT = Path(__file__).resolve().parents[2]


def start_with(tmp_path, words="from django.conf import settings; settings.DEBUG", **variables):
    given = {"DJANGO_SETTINGS_MODULE": "config.settings", "PREFEREE_DATA_DIR": str(tmp_path)}
    return subprocess.run(
        [sys.executable, "-c", words],
        cwd=ROOT,
        env=os.environ | given | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PREFEREE_MODE", "live"),
        ("PREFEREE_DEBUG", "perhaps"),
        ("PREFEREE_PUBLIC_URL", "ftp://example.org"),
        ("PREFEREE_PUBLIC_URL", ""),
        ("PREFEREE_JOB_LEASE_SECONDS", "soon"),
        ("PREFEREE_JOB_SWEEP_SECONDS", "0"),
        ("PREFEREE_CROWD_ENDPOINT", "example.org"),
        ("DATABASE_URL", "mysql://localhost/x"),
        ("REDIS_URL", "localhost:6379"),
        ("PREFEREE_BUDGET_CAP", "a lot"),
        ("PREFEREE_S3_ENDPOINT", "s3.example.org"),
        ("PREFEREE_S3_CACHE_BYTES", "-1"),
    ],
)
def test_a_wrong_value_stops_start_up_with_its_name(tmp_path, name, value):
    done = start_with(tmp_path, **{name: value})

    assert done.returncode != 0
    assert name in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"PREFEREE_PORT": "9123"}, "http://127.0.0.1:9123 9123"),
        ({"PREFEREE_PUBLIC_URL": "http://127.0.0.1:9124"}, "http://127.0.0.1:9124 9124"),
        (
            {"PREFEREE_PORT": "9125", "PREFEREE_PUBLIC_URL": "https://judge.example"},
            "https://judge.example 9125",
        ),
    ],
)
def test_the_address_and_the_port_follow_each_other(tmp_path, given, told):
    words = "from config import settings; print(settings.PUBLIC_URL, settings.PORT)"

    assert start_with(tmp_path, words, **given).stdout.strip() == told


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("filemail:///var/mail/tries", "/var/mail/tries"),
        ("filemail:////tries", "/tries"),
        ("filemail:///a%20b", "/a b"),
    ],
)
def test_mail_for_trials_goes_to_the_folder_that_is_named(url, folder):
    assert mail_server("PREFEREE_EMAIL_URL", url)["EMAIL_FILE_PATH"] == folder


@pytest.mark.parametrize("url", ["memory://", "memory://localhost/"])
def test_the_broker_in_memory_may_be_named(tmp_path, url):
    words = "from django.conf import settings; print(settings.CELERY_BROKER_URL)"

    done = start_with(tmp_path, words, CELERY_BROKER_URL=url)

    assert done.stdout.startswith("memory://localhost"), done.stderr


def test_settings_for_s3_without_a_bucket_stop_start_up(tmp_path):
    done = start_with(tmp_path, PREFEREE_S3_ENDPOINT="http://127.0.0.1:9000")

    assert done.returncode != 0
    assert "PREFEREE_S3_BUCKET is empty" in done.stderr


def test_production_without_a_secret_key_refuses_to_start(tmp_path):
    done = start_with(tmp_path, PREFEREE_MODE="production", SECRET_KEY="")

    assert done.returncode != 0
    assert "SECRET_KEY is required" in done.stderr


STRONG = "k3Vt9QzXw7RmB2nLfH5sPdJ8yCgAe4Ua"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "change-me"),
        ("SECRET_KEY", "change-me-to-something-of-fifty-characters-0123456789"),
        ("SECRET_KEY", STRONG[:31]),
        ("SECRET_KEY", "abcabcabc" * 8),
        ("SECRET_KEY_FALLBACKS", f"{STRONG},change-me"),
        ("PREFEREE_METRICS_TOKEN", "change-me-too"),
        ("PREFEREE_METRICS_TOKEN", "open-sesame"),
        ("DATABASE_URL", "postgres://preferee:password@127.0.0.1/preferee"),
        ("DATABASE_URL", "postgres://preferee:change%2Dme@127.0.0.1/preferee"),
        ("REDIS_URL", "redis://:redis@127.0.0.1/0"),
        ("PREFEREE_EMAIL_URL", "smtp+tls://preferee:change-me@mail.example.org:587"),
        ("PREFEREE_OIDC_SECRET", "change-me"),
        ("PREFEREE_CROWD_SECRET_KEY", "change-me"),
        ("AWS_SECRET_ACCESS_KEY", "change-me"),
    ],
)
def test_production_refuses_secrets_that_can_be_guessed_by_name(monkeypatch, name, value):
    for other in ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("SECRET_KEY", STRONG)
    refuse_weak_secrets(LEAST_SECRETS)

    monkeypatch.setenv(name, value)

    with pytest.raises(ImproperlyConfigured, match=name) as refused:
        refuse_weak_secrets(LEAST_SECRETS)
    assert value not in str(refused.value)
    assert MAKE_ONE in str(refused.value) or "you were given" in str(refused.value)


def test_production_starts_only_with_strong_secrets(tmp_path):
    given = {"PREFEREE_MODE": "production", "DATABASE_URL": f"sqlite:///{tmp_path}/one", "REDIS_URL": ""}

    weak = start_with(tmp_path, **given, SECRET_KEY="change-me")
    strong = start_with(tmp_path, **given, SECRET_KEY=STRONG)

    assert f"SECRET_KEY is an example value. To create one: {MAKE_ONE}" in weak.stderr
    assert strong.returncode == 0, strong.stderr


def test_the_embedded_secret_is_made_once_and_private(tmp_path):
    first = start_with(tmp_path, SECRET_KEY="")
    secret = (tmp_path / "secret-key").read_text()
    start_with(tmp_path, SECRET_KEY="")

    assert first.returncode == 0
    assert (tmp_path / "secret-key").read_text() == secret
    assert len(secret) > 40
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0


def test_an_installations_files_are_private_to_its_owner(tmp_path):
    folder, elsewhere = tmp_path / "var", tmp_path / "elsewhere.sqlite3"
    (folder / "runs").mkdir(parents=True)
    for left in (folder / "preferee.sqlite3", elsewhere, elsewhere.with_name(f"{elsewhere.name}-wal")):
        left.touch()
        left.chmod(0o644)
    for opened in (tmp_path, folder, folder / "runs"):
        opened.chmod(0o755)
    words = "from django.conf import settings; settings.DEBUG; (settings.DATA_DIR / 'new').touch()"

    stored = "; from django.core.files.storage import storages as to; from django.core.files.base import ContentFile"
    stored += "; to['runs'].save('1/stored', ContentFile(b'-'))"

    for module, more in (("config.settings", stored), ("config.marketplace_settings", "")):
        given = {"DATABASE_URL": f"sqlite:///{elsewhere}", "DJANGO_SETTINGS_MODULE": module}
        assert start_with(folder, words + more, **given).returncode == 0

    written = [folder, *folder.rglob("*"), elsewhere, elsewhere.with_name(f"{elsewhere.name}-wal")]
    assert {path.name for path in written} >= {
        "var",
        "runs",
        "preferee.sqlite3",
        "new",
        "secret-key",
        "stored",
    }
    assert [path for path in written if path.stat().st_mode & 0o077] == []
    assert tmp_path.stat().st_mode & 0o077  # a folder that only holds a database is somebody else's


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("config.settings", "SECRET_KEY_FALLBACKS"),
        ("config.marketplace_settings", "MARKETPLACE_SECRET_KEY_FALLBACKS"),
    ],
)
def test_former_keys_are_read_from_the_environment(tmp_path, module, name):
    words = f"from {module} import SECRET_KEY_FALLBACKS; print(SECRET_KEY_FALLBACKS)"

    done = start_with(
        tmp_path, words, MARKETPLACE_DATA_DIR=str(tmp_path), **{name: "the last,the one before"}
    )

    assert done.stdout.strip() == "['the last', 'the one before']", done.stderr


COOKIES = """
from django.conf import settings as s
print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.SESSION_COOKIE_PATH, s.SESSION_COOKIE_DOMAIN)
print(s.SESSION_COOKIE_SECURE and s.CSRF_COOKIE_SECURE)
"""
HOSTS = "from django.conf import settings as s; print(s.PUBLIC_URL, *s.CROWD_HOSTS, *s.OIDC_HOSTS, *s.ALLOWED_HOSTS)"


@pytest.mark.parametrize(
    ("module", "prefix"), [("config.settings", ""), ("config.marketplace_settings", "marketplace_")]
)
@pytest.mark.parametrize("scheme", ["https", "http"])
def test_cookies_are_bound_to_the_host_where_there_is_https(tmp_path, module, prefix, scheme):
    words = f"import os; os.environ['DJANGO_SETTINGS_MODULE'] = {module!r}\n{COOKIES}"
    public = f"{scheme}://judge.example.org"

    done = start_with(tmp_path, words, PREFEREE_PUBLIC_URL=public, MARKETPLACE_PUBLIC_URL=public)

    session, csrf, path, domain, secure = done.stdout.split()
    assert [name.startswith("__Host-") for name in (session, csrf)] == [scheme == "https"] * 2
    assert all(prefix in name for name in (session, csrf))
    assert (path, domain, secure) == ("/", "None", str(scheme == "https"))


def test_hosts_outside_of_ascii_are_named_as_browsers_name_them(tmp_path):
    names = {
        "PREFEREE_PUBLIC_URL": "https://bücher.example",
        "PREFEREE_CROWD_HOSTS": "https://straße.example:8411,https://crowd.example",
        "PREFEREE_OIDC_HOSTS": "https://логин.example",
        "ALLOWED_HOSTS": "bücher.example",
    }

    done = start_with(tmp_path, HOSTS, **names)

    assert done.stdout.split() == [
        "https://xn--bcher-kva.example",
        "https://xn--strae-oqa.example:8411",
        "https://crowd.example",
        "https://xn--c1akhkc.example",
        "xn--bcher-kva.example",
    ]


def test_a_host_that_is_no_name_stops_start_up(tmp_path):
    done = start_with(tmp_path, PREFEREE_CROWD_HOSTS="https://ü..example")

    assert "PREFEREE_CROWD_HOSTS" in done.stderr.splitlines()[-1]
