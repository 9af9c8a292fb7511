"""The operator's services for requesters: keys and money."""

import csv
import io
import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from marketplace import clock
from marketplace.management.commands.serve import ensure_key_file
from marketplace.models import Requester, RequesterKey
from tests.marketplace.conftest import make_hit, work

pytestmark = pytest.mark.django_db


def run(capsys, *words):
    call_command(*words, "--json")
    return json.loads(capsys.readouterr().out)


def test_a_new_key_leaves_the_old_one_a_while(key, capsys, monkeypatch):
    made = run(capsys, "rotate_key", "lab", "--grace", "2")

    states = {row["access_key"]: row["state"] for row in run(capsys, "requester_keys", "lab")["keys"]}
    assert states == {made["access_key"]: "valid", key.access_key: "replaced"}
    assert RequesterKey.objects.get(access_key=made["access_key"]).secret_key == made["secret_key"]
    later = clock.now() + timedelta(hours=3)
    valid = RequesterKey.objects.valid_at(later).values_list("access_key", flat=True)
    assert list(valid) == [made["access_key"]]


def test_rotating_again_never_prolongs_an_old_key(key, capsys):
    run(capsys, "rotate_key", "lab", "--grace", "1")
    until = RequesterKey.objects.get(pk=key.pk).expires_at

    run(capsys, "rotate_key", "lab", "--grace", "100")

    assert RequesterKey.objects.get(pk=key.pk).expires_at == until


def test_a_new_key_can_go_into_a_file(key, capsys, tmp_path):
    file = tmp_path / "lab.json"

    result = run(capsys, "rotate_key", "lab", "--key-file", str(file))

    assert "secret_key" not in result
    assert json.loads(file.read_text())["access_key"] == result["access_key"]


def test_a_revoked_key_signs_nothing(key, capsys):
    run(capsys, "revoke_key", key.access_key)
    run(capsys, "revoke_key", key.access_key)

    assert not RequesterKey.objects.valid_at(clock.now()).exists()
    assert run(capsys, "requester_keys", "lab")["keys"][0]["state"] == "revoked"
    with pytest.raises(CommandError, match="no key"):
        call_command("revoke_key", "PREFNONE")


def test_a_server_whose_first_key_was_revoked_gets_another(settings, tmp_path):
    settings.KEY_FILE = tmp_path / "key.json"
    first = json.loads(ensure_key_file().read_text())["access_key"]
    call_command("revoke_key", first)

    second = json.loads(ensure_key_file().read_text())["access_key"]

    assert second != first
    assert Requester.objects.count() == 1


def test_a_transfer_is_added_once(key, capsys):
    for _ in range(3):
        call_command("top_up", "lab", "25.00", "--reference", "invoice 7")

    assert Requester.objects.get().balance_cents == 102_500
    assert "was already added" in capsys.readouterr().err
    with pytest.raises(CommandError, match="another amount"):
        call_command("top_up", "lab", "26.00", "--reference", "invoice 7")


def test_top_ups_without_a_reference_all_count(key):
    call_command("top_up", "lab", "1.00")
    call_command("top_up", "lab", "1.00")

    assert Requester.objects.get().balance_cents == 100_200


def test_the_ledger_adds_up_to_the_balance(ask, hit_type, ada, capsys):
    make_hit(ask, hit_type)
    assignment = work(ada, hit_type)
    ask("ApproveAssignment", AssignmentId=assignment)
    ask("SendBonus", WorkerId=ada.worker_id, AssignmentId=assignment, BonusAmount="0.31", Reason="r")
    call_command("top_up", "lab", "3.00", "--reference", "t1")
    capsys.readouterr()

    call_command("ledger", "lab")

    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    total = sum(Decimal(row["amount"]) + Decimal(row["fee"]) for row in rows)
    assert total * 100 == Requester.objects.get().balance_cents
    assert [row["kind"] for row in rows] == ["opening", "reward", "bonus", "top up"]


def test_requesters_are_listed_with_what_they_have(ask, hit_type, capsys):
    make_hit(ask, hit_type)

    [row] = run(capsys, "requesters")["requesters"]

    assert (row["name"], row["available"], row["on_hold"], row["valid_keys"]) == ("lab", "997.60", "2.40", 1)
    call_command("requesters")
    assert "997.60" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["requester_keys", "rotate_key", "ledger"])
def test_an_unknown_requester_is_named(command):
    with pytest.raises(CommandError, match="no requester nobody"):
        call_command(command, "nobody")
