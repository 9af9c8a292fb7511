"""What deploy/ offers can be read by what it is for, and names only settings, programs and ports that there are.

Docker is not needed: the files are read as their programs read them, and what they say is asked of the code.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
TEXTS = [
    *UNITS,
    DEPLOY / "preferee.env.example",
    DEPLOY / "compose.yaml",
    DEPLOY / "backup.sh",
    DEPLOY / "restore.sh",
]
#: Settings of other programs.
FOREIGN = {"POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB", "PREFEREE_WEB", "PREFEREE_CROWD"}


def documented() -> set[str]:
    pages = [(ROOT / "docs" / name).read_text() for name in ("settings.md", "marketplace.md")]
    return set(re.findall(r"`([A-Z][A-Z_]+)`", "\n".join(pages)))


def compose() -> dict:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_setting_named_is_documented(path):
    named = set(
        re.findall(
            r"\b((?:PREFEREE|MARKETPLACE|POSTGRES)_[A-Z_]+|DATABASE_URL|REDIS_URL)\b", path.read_text()
        )
    )

    assert named - documented() - FOREIGN == set()


@pytest.mark.parametrize(
    "path", [path for path in UNITS if path.suffix == ".service"], ids=lambda path: path.name
)
def test_units_start_programs_that_there_are(path):
    command = re.search(r"^ExecStart=(.*)$", path.read_text(), re.M).group(1).split()

    assert command[0].startswith("/opt/preferee/")
    if command[0].endswith(".sh"):
        assert (ROOT / command[0].removeprefix("/opt/preferee/")).exists()
    elif command[1] == "manage.py":
        assert command[2] in get_commands()
    else:
        assert command[0].rpartition("/")[2] in {"celery", "python"}


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_units_are_sound(tmp_path):
    for path in UNITS:  # the programs lie elsewhere here; everything else must hold
        text = re.sub(r"^ExecStart=.*$", "ExecStart=/bin/true", path.read_text(), flags=re.M)
        (tmp_path / path.name).write_text(text)

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *sorted(tmp_path.iterdir())], capture_output=True, text=True
    )

    said = [line for line in done.stderr.splitlines() if "preferee" in line]
    assert said == []
    assert done.returncode == 0


def test_compose_names_only_services_volumes_and_files_that_there_are():
    parts = compose()

    for name, service in parts["services"].items():
        assert "image" in service or "build" in service, name
        assert set(service.get("depends_on", [])) <= set(parts["services"])
        for volume in service.get("volumes", []):
            source = volume.rsplit(":", 2 if volume.endswith(":ro") else 1)[0]
            # The folder of backups is the operator's.
            assert source in parts["volumes"] or "PREFEREE_BACKUPS" in source or (DEPLOY / source).exists()
        if "build" in service:
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).exists()
        for word in service.get("command", [])[2:3]:
            if service["command"][1] == "manage.py":
                assert word in get_commands()


def test_compose_runs_one_scheduler_and_keeps_what_must_last():
    services = compose()["services"]

    assert [name for name, service in services.items() if "beat" in service.get("command", [])] == ["beat"]
    assert any("/var/lib/postgresql" in volume for volume in services["postgres"]["volumes"])
    for name in ("web", "worker", "beat", "marketplace"):
        assert {"data:/var/lib/preferee", "rights:/var/lib/preferee-rights"} <= set(services[name]["volumes"])


@pytest.mark.parametrize("name", ["backup", "restore"])
def test_containers_are_backed_up_and_put_back_with_the_databases_own_programs(name):
    services = compose()["services"]
    service = services[name]
    mounted = {volume.split(":")[1]: volume for volume in service["volumes"] if not volume.startswith("$")}

    assert service["image"] == services["postgres"]["image"]
    assert service["profiles"]  # not started with the others
    assert service["environment"] == services["web"]["environment"]
    assert service["environment"]["PREFEREE_DATA_DIR"] in mounted
    assert service["environment"]["PREFEREE_RIGHTS_DIR"] in mounted
    assert mounted["/deploy"] == ".:/deploy:ro"
    script = DEPLOY / service["entrypoint"][0].removeprefix("/deploy/")
    assert script.stat().st_mode & 0o111
    # That image has no Python; it is needed for SQLite alone.
    assert "postgres" in service["environment"]["DATABASE_URL"]
    page = (ROOT / "docs" / "operations.md").read_text()
    assert f"compose.yaml run --rm {name}" in page


@pytest.mark.parametrize("name", ["backup.sh", "restore.sh"])
def test_scripts_can_be_run_and_say_what_they_need(name):
    script = DEPLOY / name

    subprocess.run(["sh", "-n", str(script)], check=True)
    done = subprocess.run([str(script)], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})

    assert done.returncode != 0
    assert f"deploy/{name}" in done.stderr


def test_proxies_hide_metrics_and_log_no_addresses_of_judging_pages():
    nginx = (DEPLOY / "nginx.conf").read_text()

    judging = re.search(r"location /judge/ \{(.*?)\}", nginx, re.S).group(1)
    assert "access_log off;" in judging
    assert re.search(r"location = /metrics \{\s*return 404;", nginx)
    assert nginx.count("X-Forwarded-Proto") == nginx.count("proxy_pass")
    assert "respond /metrics 404" in (DEPLOY / "Caddyfile").read_text()
