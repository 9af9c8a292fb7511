"""The files in deploy/, as interpreted by the programs that read them."""

import ast
import functools
import json
import os
import re
import shlex
import subprocess
import sys
from urllib.parse import urlsplit

import click
import pytest
from celery.app.utils import find_app
from celery.bin.celery import celery as celery_program
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError

from tests.test_deploy import DEPLOY, ROOT, UNITS, compose, operations

STRONG = "k3Vt9QzXw7RmB2nLfH5sPdJ8yCgAe4Ua"


def example_settings(*names: str) -> dict[str, str]:
    """Return the example settings, filled in; both files unless named."""
    files = [DEPLOY / f"{name}.example" for name in names or ("preferee.env", "marketplace.env")]
    lines = [line for file in files for line in file.read_text().splitlines()]
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {name: re.sub(r"change-me[a-z-]*", STRONG, value) for name, value in given.items()}


def environment_in(service: str) -> dict[str, str]:
    """Return a compose service's environment: its env file, overridden by the compose file's own values."""
    described = compose()["services"][service]
    own = {
        name: re.sub(r"\$\{\w+(:\?[^}]*)?\}", STRONG, value)
        for name, value in described["environment"].items()
    }
    return example_settings(described["env_file"]) | own


def asked(environment: dict[str, str], program: str) -> dict:
    """Return the JSON that ``program`` prints in exactly this environment."""
    return json.loads(_printed(tuple(sorted(environment.items())), program))


@functools.cache
def _printed(environment: tuple[tuple[str, str], ...], program: str) -> str:
    clean = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=clean | dict(environment),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SETTINGS = """
import json
from config import marketplace_settings as crowd, settings as ours
database = ours.DATABASES["default"]
print(json.dumps({
    "ours": [ours.HOST, ours.PORT, str(ours.DATA_DIR), str(ours.METRICS_DIR), ours.PUBLIC_URL, ours.CROWD_ENDPOINT],
    "crowd": [crowd.HOST, crowd.PORT, str(crowd.DATA_DIR), crowd.PUBLIC_URL, crowd.RIGHTS_DIR],
    "keys": [str(ours.CROWD_KEY_FILE), str(crowd.KEY_FILE)],
    "databases": [
        [one["HOST"], str(one["PORT"]), one["NAME"], one["USER"], one["PASSWORD"]]
        for one in (database, crowd.DATABASES["default"])
    ],
    "broker": ours.CELERY_BROKER_URL,
    "production": [ours.PRODUCTION, crowd.PRODUCTION],
    "static": str(ours.STATIC_ROOT),
    "hosts": ours.ALLOWED_HOSTS,
}))
"""
HEALTHY = """
import json, os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from django.test import Client
client = Client(headers={"host": "127.0.0.1:8410"})
alive, asked = client.get("/healthz"), client.get(os.environ["ASKED"])
words = asked.content.decode()
print(json.dumps({"alive": alive.status_code, "asked": asked.status_code, "words": words}))
"""

CROWD_HEALTHY = """
import json, os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.marketplace_settings"
import django
django.setup()
from django.conf import settings
from django.test import Client
client = Client(headers={"host": "127.0.0.1:8411"})
asked, page = client.get(os.environ["ASKED"]), client.get("/signin/")
words = asked.content.decode()
print(json.dumps({"port": settings.PORT, "asked": asked.status_code, "page": page.status_code, "words": words}))
"""


def check_command(words: list[str]) -> None:
    """Raise unless the program exists and accepts the arguments."""
    program = words[0].rpartition("/")[2]
    if program == "celery":
        assert words[1] == "-A", words
        find_app(words[2])
        command = celery_program.commands[words[3]]
        command.make_parser(click.Context(command)).parse_args(words[4:])
    elif words[1] == "manage.py":
        name = words[2]
        assert name in get_commands(), words
        found = get_commands()[name]
        command = load_command_class(found, name) if isinstance(found, str) else found
        command.create_parser("manage.py", name).parse_args(words[3:])
    elif words[1:3] == ["-m", "marketplace"]:
        assert (ROOT / "marketplace" / "management" / "commands" / f"{words[3]}.py").exists(), words
    else:
        raise AssertionError(f"what is {words}?")


@pytest.mark.parametrize(
    "words",
    [
        ["python", "manage.py", "runn"],
        ["python", "manage.py", "run", "--no-such-option"],
        ["celery", "-A", "config.celery", "worker", "--no-such-option"],
        ["celery", "-A", "config.celeri", "beat"],
        ["python", "-m", "marketplace", "server"],
    ],
)
def test_commands_that_would_not_start_are_noticed(words):
    with pytest.raises(
        (AssertionError, CommandError, SystemExit, ImportError, AttributeError, click.ClickException)
    ):
        check_command(words)


@pytest.mark.parametrize("name", ["migrate", "web", "worker", "beat", "marketplace"])
def test_services_start_with_arguments_that_their_programs_take(name):
    service = compose()["services"][name]
    if "command" in service:
        check_command(service["command"])
        return
    shell = json.loads(re.search(r"^CMD (.*)$", (DEPLOY / "Dockerfile").read_text(), re.M).group(1))
    assert shell[:2] == ["sh", "-c"]
    check_command(shlex.split(shell[2].partition("exec ")[2]))


@pytest.mark.parametrize(
    "path", [path for path in UNITS if path.suffix == ".service"], ids=lambda path: path.name
)
def test_units_start_with_arguments_that_their_programs_take(path):
    words = shlex.split(re.search(r"^ExecStart=(.*)$", path.read_text(), re.M).group(1))

    if words[0].endswith(".sh"):
        assert os.access(ROOT / words[0].removeprefix("/opt/preferee/"), os.X_OK)
    else:
        check_command(words)


def test_settings_of_the_units_are_taken_and_agree_with_one_another_and_the_proxy():
    found = asked(example_settings(), SETTINGS)

    assert found["production"] == [True, True]
    # The marketplace writes the key to its own folder, and the operator gives Preferee a copy.
    assert f"{found['keys'][1]} {found['keys'][0]}" in operations()
    assert found["ours"][5] == found["crowd"][3]
    assert [found["databases"][0][2], found["databases"][1][2]] == ["preferee", "marketplace"]
    for proxy in ("nginx.conf", "Caddyfile"):
        text = (DEPLOY / proxy).read_text()
        assert {int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)", text)} == {
            found["ours"][1],
            found["crowd"][1],
        }
        assert {urlsplit(found["ours"][4]).hostname, urlsplit(found["crowd"][3]).hostname} <= set(
            re.findall(r"[\w.]+\.example\.org", text)
        )
    for path in UNITS:
        unit = path.read_text()
        if path.suffix != ".service":
            continue
        kept = dict(line.split("=", 1) for line in unit.splitlines() if "Directory" in line)
        assert "UMask=0077" in unit
        assert {kept[name] for name in kept if name.endswith("DirectoryMode")} <= {"0700"}
        if "StateDirectory" in kept:
            owner = "crowd" if "marketplace" in path.name else "ours"
            assert f"/var/lib/{kept['StateDirectory']}" == found[owner][2]
            assert kept["StateDirectoryMode"] == "0700"
        if "RuntimeDirectory" in kept:
            assert found["ours"][3].startswith(f"/run/{kept['RuntimeDirectory']}/")
            assert kept["RuntimeDirectoryMode"] == "0700"


@pytest.mark.parametrize("name", ["web", "worker", "beat", "migrate"])
def test_settings_of_the_containers_name_the_other_containers(name):
    services = compose()["services"]
    found = asked(environment_in(name) | environment_in("marketplace"), SETTINGS)

    made = (DEPLOY / "databases.sh").read_text()
    for host, port, database, user, password in found["databases"]:
        assert (host, port, password) == ("postgres", "5432", STRONG)
        assert f"CREATE ROLE {user} LOGIN" in made
        assert f"CREATE DATABASE {database} OWNER {user};" in made
        assert f"{user.upper()}_DATABASE_PASSWORD" in services["postgres"]["environment"]
    broker = urlsplit(found["broker"])
    assert (broker.hostname, broker.port) == ("redis", 6379)
    mounted = [volume.split(":")[1] for volume in services[name]["volumes"]]
    assert found["ours"][2] in mounted
    assert found["keys"][0] == found["keys"][1]
    for service in (name, "marketplace"):
        mounted = {volume.split(":")[1] for volume in services[service]["volumes"]}
        assert found["keys"][0].rpartition("/")[0] in mounted
    assert {found["crowd"][2], found["crowd"][4]} <= mounted
    https = services["https"]["environment"]
    assert https == {
        "PREFEREE_WEB": f"web:{found['ours'][1]}",
        "PREFEREE_CROWD": f"marketplace:{found['crowd'][1]}",
    }
    assert (found["ours"][0], found["crowd"][0]) == ("0.0.0.0", "0.0.0.0")
    assert set(re.findall(r"\{\$(\w+):", (DEPLOY / "Caddyfile").read_text())) == set(https)


def test_health_check_asks_an_address_that_answers_there():
    test = compose()["services"]["web"]["healthcheck"]["test"]
    program = ast.parse(test[test.index("-c") + 1])
    (address,) = (
        node.value
        for node in ast.walk(program)
        if isinstance(node, ast.Constant) and str(node.value).startswith("http")
    )

    assert urlsplit(address).port == int(environment_in("web")["PREFEREE_PORT"])
    # Under a host name other than the public one, over plain HTTP; no process is ready without its database.
    told = asked(environment_in("web") | {"ASKED": urlsplit(address).path}, HEALTHY)
    assert (told["alive"], told["asked"]) == (200, 503)
    assert "database" in told["words"]


def test_health_check_of_the_marketplace_asks_what_answers_by_any_name():
    words = " ".join(compose()["services"]["marketplace"]["healthcheck"]["test"])
    (address,) = re.findall(r"http://[^']+", words)

    told = asked(environment_in("marketplace") | {"ASKED": urlsplit(address).path}, CROWD_HEALTHY)

    assert f":{told['port']}/" in address
    assert (told["asked"], told["page"]) == (503, 400)
    assert "database" in told["words"]


def test_image_has_the_files_and_the_python_that_the_software_needs():
    text = (DEPLOY / "Dockerfile").read_text()
    built = re.search(r"PREFEREE_DATA_DIR=(\S+)", text).group(1)

    for source in re.findall(r"^COPY (\S+) ", text, re.M):
        assert (ROOT / source).exists()
    version = tuple(map(int, re.search(r"^FROM python:([\d.]+)", text).group(1).split(".")))
    assert version >= (3, 11)
    static = asked(example_settings() | {"PREFEREE_DATA_DIR": built}, SETTINGS)["static"]
    assert (
        f"ln -sfn {static} {asked(environment_in('web') | environment_in('marketplace'), SETTINGS)['static']}"
        in text
    )


def test_operations_names_only_files_units_and_commands_that_there_are():
    page = operations()
    blocks = "\n".join(re.findall(r"^```\n(.*?)^```", page, re.M | re.S))

    for name in set(re.findall(r"\bdeploy/[\w./-]+\w", page)) - {
        "deploy/preferee.env",
        "deploy/marketplace.env",
        "deploy/.env",
    }:
        assert (ROOT / name).exists(), name
    units = {path.name.partition(".")[0] for path in UNITS}
    assert set(re.findall(r"\bpreferee-[a-z]+", page)) - {"preferee-token"} <= units
    for line in re.findall(r"python (manage\.py (?!\"\$@)[^\n&'#]+)", blocks):
        check_command(["python", *shlex.split(line)])
    # The functions that run a command as the service's account.
    for program, line in re.findall(r"(?:^|&& )(preferee|marketplace) ([a-z_]+[^\n&'#]*)", blocks, re.M):
        words = ["manage.py"] if program == "preferee" else ["-m", "marketplace"]
        check_command(["python", *words, *shlex.split(line)])
    services = re.findall(r"compose\.yaml exec (\w+) ", page)
    assert set(services) <= set(compose()["services"])
