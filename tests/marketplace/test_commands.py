"""The marketplace's commands."""

import io
import json
import stat
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from marketplace.management.commands.serve import ensure_key_file
from marketplace.models import Requester, RequesterKey, Worker

pytestmark = pytest.mark.django_db


def test_the_key_file_is_made_once_and_is_private(settings, tmp_path):
    settings.KEY_FILE = tmp_path / "keys" / "key.json"

    first = json.loads(ensure_key_file().read_text())
    second = json.loads(ensure_key_file().read_text())

    assert first == second
    assert set(first) == {"access_key", "secret_key", "endpoint"}
    assert stat.S_IMODE(settings.KEY_FILE.stat().st_mode) == 0o600
    assert Requester.objects.get().available_cents == 1_000_000


def test_a_lost_key_file_is_written_again_with_the_same_key(settings, tmp_path):
    settings.KEY_FILE = tmp_path / "key.json"
    first = ensure_key_file().read_text()
    settings.KEY_FILE.write_text("{")

    assert ensure_key_file().read_text() == first
    assert RequesterKey.objects.count() == 1


def test_a_key_of_another_database_is_replaced(settings, tmp_path):
    settings.KEY_FILE = tmp_path / "key.json"
    settings.KEY_FILE.write_text('{"access_key": "OLD", "secret_key": "x", "endpoint": "y"}')

    assert json.loads(ensure_key_file().read_text())["access_key"] != "OLD"


def test_a_requester_is_made_and_topped_up(capsys):
    call_command("create_requester", "lab", "--balance", "12.50")
    key = json.loads(capsys.readouterr().out)
    call_command("top_up", "lab", "7.50")

    assert RequesterKey.objects.get().access_key == key["access_key"]
    assert "$20.00 available" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no requester"):
        call_command("top_up", "nobody", "1")
    with pytest.raises(CommandError, match="already"):
        call_command("create_requester", "lab")


@pytest.mark.parametrize("amount", ["-1", "1.001", "nan", "much"])
def test_an_amount_is_dollars_and_cents(amount):
    with pytest.raises(CommandError, match="dollars and cents"):
        call_command("top_up", "lab", "--", amount)


def test_many_workers_get_a_link_each(client, tmp_path):
    out = tmp_path / "links.jsonl"

    call_command("create_workers", "--count", "3", "--prefix", "student", "--country", "de", "--out", out)

    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["username"] for row in rows] == ["student-1", "student-2", "student-3"]
    assert set(Worker.objects.values_list("country", flat=True)) == {"DE"}
    path = rows[0]["link"].partition(":8411")[2]
    assert client.post(path)["Location"] == "/"
    assert rows[0]["worker_id"] in client.get("/").content.decode()


def test_workers_are_made_all_or_none(tmp_path, ada):
    Worker.objects.filter(pk=ada.pk).update(username="w-2")

    with pytest.raises(CommandError, match="w-2"):
        call_command("create_workers", "--count", "3", "--prefix", "w", "--out", tmp_path / "links")

    assert Worker.objects.count() == 1


def test_one_worker_is_made_with_a_password_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse battery\n"))

    call_command("create_worker", "ada", "--country", "gb")

    worker = Worker.objects.get()
    assert worker.check_password("correct horse battery")
    assert worker.worker_id in capsys.readouterr().out


def test_every_command_knows_json_and_says_so():
    for name in (app := get_commands()):
        if app[name] == "marketplace":
            parser = load_command_class("marketplace", name).create_parser("marketplace", name)
            assert "--json" in parser.format_help(), name
            assert "Example:" in parser.format_help(), name


def test_results_are_json_when_asked(capsys, tmp_path, monkeypatch):
    def told(*words):
        call_command(*words, "--json")
        return json.loads(capsys.readouterr().out)

    assert set(told("create_requester", "lab", "--balance", "1")) == {"access_key", "secret_key", "endpoint"}
    file = tmp_path / "key.json"
    assert told("create_requester", "other", "--key-file", str(file))["key_file"] == str(file)
    assert told("top_up", "lab", "2.50") == {"requester": "lab", "added": True, "available": "3.50"}
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
    assert told("create_worker", "ada")["username"] == "ada"
    links = tmp_path / "links"
    assert told("create_workers", "--count", "2", "--out", links) == {"workers": 2, "file": str(links)}
    assert told("marketplace_tick") == {"deadlines": 0, "messages": 0}


def test_a_closed_pipe_is_not_an_error():
    command = [sys.executable, "-m", "marketplace", "help"]
    pipe = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pipe.stdout.close()

    assert pipe.stderr.read() == ""
    pipe.stderr.close()
    assert pipe.wait(60) == 141


def test_a_tick_applies_what_is_due(capsys):
    call_command("marketplace_tick")

    assert "0 deadlines applied" in capsys.readouterr().out
