"""The output of `manage.py run` at its start."""

import socket
from contextlib import nullcontext

import pytest
from django.core.management import call_command

from config.process import launcher, server
from tests.provision import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        ("http://127.0.0.1:8411", "Marketplace: http://127.0.0.1:8411/   (where workers take tasks)"),
        ("https://crowd.example.org", "Crowd:       https://crowd.example.org   (not served here)"),
    ],
)
def test_run_prints_the_addresses_that_it_serves(settings, monkeypatch, capsys, endpoint, said):
    settings.PORT = free_port()
    settings.EMBEDDED_CROWD_ENDPOINT, settings.CROWD_ENDPOINT = "http://127.0.0.1:8411", endpoint
    monkeypatch.setattr(launcher, "crowd_running", nullcontext)
    monkeypatch.setattr(server, "run_web_server", lambda **options: None)

    monkeypatch.setattr(launcher, "ensure_database", lambda: before.append(capsys.readouterr().err))
    before: list[str] = []

    call_command("run")

    assert before[0].startswith("Starting Preferee.")  # before the database is set up
    assert said in "".join(capsys.readouterr())


def test_the_port_of_a_server_that_is_ending_is_waited_for(settings, monkeypatch):
    used = iter([OSError("in use"), OSError("in use"), None])
    monkeypatch.setattr(server, "_port_error", lambda: next(used))

    server.require_free_port()

    assert next(used, "all asked") == "all asked"


def test_a_second_server_at_the_same_port_is_refused(settings, monkeypatch, capsys):
    monkeypatch.setattr(server, "PORT_SECONDS", 0)
    monkeypatch.setattr(launcher, "crowd_running", nullcontext)

    with socket.create_server(("127.0.0.1", 0)) as first:
        settings.HOST, settings.PORT = first.getsockname()
        with pytest.raises(SystemExit):
            call_command("run")

    assert "Address already in use.\nIf Preferee already runs there, stop it." in capsys.readouterr().err
