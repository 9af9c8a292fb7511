"""The files in deploy/ are valid and name only existing settings, programs and ports.

Docker is not needed: the files are parsed as their programs do, and compared with the code.
"""

import fnmatch
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands
from psycopg.conninfo import conninfo_to_dict

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
TEXTS = [
    *UNITS,
    DEPLOY / "preferee.env.example",
    DEPLOY / "marketplace.env.example",
    DEPLOY / "databases.sh",
    DEPLOY / "compose.yaml",
    DEPLOY / "backup.sh",
    DEPLOY / "restore.sh",
]
#: Settings of other programs.
FOREIGN = {
    *("POSTGRES_PASSWORD", "PREFEREE_DATABASE_PASSWORD", "MARKETPLACE_DATABASE_PASSWORD"),
    *("PREFEREE_WEB", "PREFEREE_CROWD"),
}


def operations() -> str:
    """Return the documents for operators."""
    return "\n".join((ROOT / "docs" / name).read_text() for name in ("operations.md", "maintenance.md"))


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
    for path in UNITS:  # programs are in other places here; everything else must be valid
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
    for name in ("web", "worker", "beat"):
        assert {"data:/var/lib/preferee", "rights:/var/lib/preferee-rights"} <= set(services[name]["volumes"])


def test_the_marketplace_shares_nothing_with_the_product_but_its_requesters_key():
    services = compose()["services"]
    ours, crowds = (
        {volume.partition(":")[0] for volume in services[name]["volumes"]} for name in ("web", "marketplace")
    )

    assert ours & crowds == {"crowd"}
    assert services["marketplace"]["env_file"] == "marketplace.env"
    assert not set(services["marketplace"]["environment"]) & set(services["web"]["environment"])
    assert "queue" not in services["marketplace"]["networks"]
    units = {path.name: path.read_text() for path in UNITS}
    assert "User=preferee-marketplace" in units["preferee-marketplace.service"]
    assert "preferee.env" not in units["preferee-marketplace.service"]


def test_containers_have_no_rights_that_they_do_not_need_and_images_that_do_not_change():
    for name, service in compose()["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"] is True, name
        if "image" in service:
            assert re.search(r":\d+\.\d+(\.\d+)?-\w+$", service["image"]), name
    assert re.search(r"^FROM python:3\.\d+\.\d+-", (DEPLOY / "Dockerfile").read_text())


def test_what_is_installed_has_the_hash_that_was_locked():
    for recipe in (
        DEPLOY / "Dockerfile",
        ROOT / "Makefile",
        ROOT / "docs" / "operations.md",
        ROOT / "docs" / "maintenance.md",
    ):
        for line in re.findall(r"pip install.* -r requirements.*", recipe.read_text()):
            assert "--require-hashes" in line, recipe
    for name in ("requirements.txt", "requirements-dev.txt"):
        pinned = re.findall(r"^\S+==.*?(?=^\S|\Z)", (ROOT / name).read_text(), re.M | re.S)
        assert len(pinned) > 50
        assert [one for one in pinned if "--hash=sha256:" not in one] == []


def test_the_image_takes_only_what_is_named():
    """Docker's rules, as far as the file needs them: the last matching line decides, ``**/`` is any folder."""
    rules = [
        (line.startswith("!"), line.removeprefix("!").removeprefix("**/"), "**/" in line)
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if not line.startswith("#")
    ]

    def taken(path: str) -> bool:
        names, found = path.split("/"), True
        for back, pattern, anywhere in rules:
            heads = names if anywhere else ["/".join(names[: end + 1]) for end in range(len(names))]
            if any(
                fnmatch.fnmatchcase(head, pattern) and (anywhere or "*" not in pattern or "/" not in head)
                for head in heads
            ):
                found = back
        return found

    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    secret = {".env", "deploy/.env", "deploy/preferee.env", "config/.env", "web/.env.local", "var/secret-key"}
    assert {path for path in secret if taken(path)} == set()
    program = ("accounts", "config", "judging", "leaderboard", "locale", "marketplace", "pooling", "static")
    program += ("templates", "tournament", "web", "manage.py", "pyproject.toml", "docs/sample")
    wanted = [path for path in tracked.stdout.split() if path.startswith(program)]
    assert [path for path in wanted if not taken(path)] == []
    assert not taken("tests/conftest.py")
    assert not taken("somebodys-notes.txt")


def test_backups_by_hand_take_what_the_script_takes():
    script = (DEPLOY / "backup.sh").read_text()
    page = operations()

    taken = re.search(r'^files "\$PREFEREE_DATA_DIR" files (.*)$', script, re.M).group(1).split()
    by_hand = re.search(r'^tar .*"\$PREFEREE_DATA_DIR" (.*)$', page, re.M).group(1).split()

    assert {"runs", "files", "sources", "secret-key", "marketplace-secret-key"} < set(taken)
    assert by_hand == taken
    for name in taken:
        assert f"`{name}" in page, f"docs/operations.md does not say what {name} is"


@pytest.mark.parametrize("name", ["backup", "restore"])
def test_containers_are_backed_up_and_put_back_with_the_databases_own_programs(name):
    services = compose()["services"]
    service = services[name]
    mounted = {volume.split(":")[1]: volume for volume in service["volumes"] if not volume.startswith("$")}

    assert service["image"] == services["postgres"]["image"]
    assert service["profiles"]  # not started with the others
    both = services["web"]["environment"] | services["marketplace"]["environment"]
    assert service["environment"] == both
    for variable in (
        "PREFEREE_DATA_DIR",
        "PREFEREE_RIGHTS_DIR",
        "MARKETPLACE_DATA_DIR",
        "MARKETPLACE_RIGHTS_DIR",
    ):
        assert both[variable] in mounted
    assert mounted["/deploy"] == ".:/deploy:ro"
    script = DEPLOY / service["entrypoint"][0].removeprefix("/deploy/")
    assert script.stat().st_mode & 0o111
    # That image has no Python, which only SQLite needs.
    assert "postgres" in service["environment"]["DATABASE_URL"]
    page = operations()
    assert f"compose.yaml run --rm {name}" in page


@pytest.mark.parametrize("name", ["backup.sh", "restore.sh"])
def test_scripts_can_be_run_and_say_what_they_need(name):
    script = DEPLOY / name

    subprocess.run(["sh", "-n", str(script)], check=True)
    done = subprocess.run([str(script)], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})

    assert done.returncode != 0
    assert f"deploy/{name}" in done.stderr


@pytest.mark.parametrize(
    ("address", "user", "password"),
    [
        ("postgres://me:p%40s%2F%3A%C3%A9@127.0.0.1:5432/db?sslmode=require&CONN_MAX_AGE=7", "me", "p@s/:é"),
        ("postgres://me@db.example.org/db?connect_timeout=3", "me", ""),
        ("postgres:////run/postgresql/db", "", ""),
    ],
)
def test_no_password_stands_in_the_list_of_processes(tmp_path, address, user, password):
    told = tmp_path / "told"
    for name in ("pg_dump", "psql", "pg_restore"):
        program = tmp_path / name
        program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$PGPASSWORD" "$@" >> {told}\ncase $0 in *psql) echo 0 ;; esac\n'
        )
        program.chmod(0o755)
    given = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "PREFEREE_DATA_DIR": str(tmp_path / "var"),
        "DATABASE_URL": address,
    }
    (tmp_path / "var").mkdir()

    made = subprocess.run(
        [DEPLOY / "backup.sh", tmp_path / "backups"], env=given, capture_output=True, text=True, check=True
    ).stdout.strip()
    (Path(made) / "preferee.dump").touch()
    (Path(made) / "SHA256SUMS").write_text("")
    with (Path(made) / "SHA256SUMS").open("w") as sums:
        subprocess.run(["sha256sum", "preferee.dump", "files.tar.gz"], cwd=made, stdout=sums, check=True)
    subprocess.run([DEPLOY / "restore.sh", made], env=given, capture_output=True, check=True)

    lines = told.read_text().splitlines()
    named = [line.removeprefix("--dbname=") for line in lines if line.startswith("--dbname=")]
    assert len(named) == 4  # dumped, looked at, restored, analyzed
    for name in named:
        found = conninfo_to_dict(name)
        assert (found.get("user", ""), found.get("password"), found["dbname"]) == (user, None, "db")
    assert lines.count(password) == (4 if password else lines.count(""))
