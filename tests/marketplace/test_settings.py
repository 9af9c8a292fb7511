"""A wrong setting stops start-up with its name."""

import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from marketplace.services.requester.operations import OPERATIONS


def start(tmp_path, **environment):
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MARKETPLACE_")}
    return subprocess.run(
        [sys.executable, "-m", "marketplace", "check"],
        env=variables | {"PREFEREE_DATA_DIR": str(tmp_path)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MARKETPLACE_MODE", "productive"),
        ("MARKETPLACE_PORT", "zero"),
        ("MARKETPLACE_DATABASE_URL", "mysql://a/b"),
        ("MARKETPLACE_OPENING_BALANCE", "1.005"),
        ("MARKETPLACE_FRAME_SANDBOX", "allow-scripts allow-top-navigation"),
        ("MARKETPLACE_OPEN_SIGNUP", "perhaps"),
        ("MARKETPLACE_ARGON2_MEMORY_KIB", "8"),
        ("MARKETPLACE_PUBLIC_URL", "ftp://a"),
        ("MARKETPLACE_THROTTLE_PER_SECOND", "-1"),
        ("MARKETPLACE_EMAIL_URL", "pigeon://coop"),
        ("MARKETPLACE_EMAIL_URL", "filemail://folder"),
    ],
)
def test_a_wrong_value_is_named(tmp_path, name, value):
    done = start(tmp_path, **{name: value})

    assert done.returncode != 0
    assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_production_needs_a_secret_key_and_strong_hashes(tmp_path):
    without = start(tmp_path, MARKETPLACE_MODE="production")
    weak = start(
        tmp_path,
        MARKETPLACE_MODE="production",
        MARKETPLACE_SECRET_KEY="k3Vt9QzXw7RmB2nLfH5sPdJ8yCgAe4Ua",
        MARKETPLACE_ARGON2_MEMORY_KIB="8",
    )
    example = start(tmp_path, MARKETPLACE_MODE="production", MARKETPLACE_SECRET_KEY="change-me-as-well")

    assert "MARKETPLACE_SECRET_KEY is required" in without.stderr
    assert "MARKETPLACE_SECRET_KEY is an example value. To create one: python3" in example.stderr
    assert "MARKETPLACE_ARGON2_MEMORY_KIB" in weak.stderr


def test_the_default_settings_pass_their_checks(tmp_path):
    done = start(tmp_path)

    assert done.returncode == 0, done.stderr


def test_every_setting_is_documented():
    root = Path(__file__).resolve().parents[2]
    read = re.findall(r'"(MARKETPLACE_[A-Z0-9_]+)"', (root / "config/marketplace_settings.py").read_text())
    told = "".join(
        (root / "docs" / name).read_text() for name in ("marketplace.md", "marketplace-protocol.md")
    )

    assert [name for name in [*read, "MARKETPLACE_CLOCK_OFFSET"] if f"`{name}`" not in told] == []


def test_every_command_and_operation_is_documented():
    root = Path(__file__).resolve().parents[2]
    told = "".join(
        (root / "docs" / name).read_text() for name in ("marketplace.md", "marketplace-protocol.md")
    )
    commands = {file.stem for file in (root / "marketplace/management/commands").glob("[a-z]*.py")}

    assert [name for name in sorted(commands) if f"python -m marketplace {name}" not in told] == []
    assert [name for name in OPERATIONS if not re.search(rf"\b{name}\b", told)] == []


@pytest.mark.django_db
def test_no_migration_is_missing():
    out = StringIO()

    try:
        call_command("makemigrations", check=True, dry_run=True, stdout=out)
    except SystemExit:
        pytest.fail(out.getvalue())

    assert "No changes detected" in out.getvalue()
