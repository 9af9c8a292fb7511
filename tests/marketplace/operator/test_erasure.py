"""Forgetting a person: nothing identifies them anymore, and the books stay correct."""

import json
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import transaction

from marketplace.errors import AccountRefused, RequestError, SweepFailed
from marketplace.models import Assignment, Invitation, LedgerEntry, Outgoing, Payout, Worker
from marketplace.services import messages, outbox
from marketplace.services.account import accounts, invitations
from marketplace.services.operator import cleanup, erasure, forgotten_list, payouts
from marketplace.services.worker import letters
from tests.marketplace.conftest import NOW, hours, make_hit, work

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
TRACES = ("martha", "room 12")


@pytest.fixture
def martha(ask, hit_type, requester, settings):
    """A worker with an approved task for $2.00, a letter, a message, and an outgoing mail."""
    settings.MAIL = True
    sent = invitations.make_invitation(
        now=NOW, email="martha@example.org", note="room 12", country="DE", mail=True
    )
    token = sent.link.rstrip("/").rpartition("/")[2]
    martha = invitations.accept_invitation(
        token, username="martha", password=PASSWORD, email="martha@example.org", country="DE", now=NOW
    )
    make_hit(ask, hit_type)
    ask("ApproveAssignment", AssignmentId=work(martha, hit_type))
    letters.write_letter(martha, requester, "I am martha", NOW)
    messages.message_workers([martha], requester, "Dear martha", "Thank you, martha.", NOW)
    outbox.send_due_messages(NOW)
    martha.refresh_from_db()
    return martha


def pay(state="paid"):
    made = payouts.get_or_make_batch(
        f"batch-{Payout.objects.count()}", until=NOW + hours(1), now=NOW + hours(1)
    )[0]
    reference = made.payouts.get().reference
    payouts.record_csv(["reference,state,note\n", f"{reference},{state},to martha\n"], NOW + hours(2))


def rows():
    return [
        str(row)
        for model in apps.get_app_config("marketplace").get_models()
        for row in model._default_manager.values_list()
    ]


def test_a_forgotten_worker_leaves_tasks_and_payments_but_no_personal_data(martha, client):
    client.force_login(martha)
    pay()

    done = erasure.erase_worker(martha, NOW)

    assert done == {"accounts": 1, "letters": 1, "messages": 1, "mails": 2, "invitations": 1, "notes": 1}
    for trace in TRACES:
        assert not [row for row in rows() if trace in row], trace
    assert (Worker.objects.get().country, Invitation.objects.get().country) == ("", "")
    assert LedgerEntry.objects.get(kind="reward").worker.worker_id == martha.worker_id
    assert Assignment.objects.get().status == Assignment.Status.APPROVED
    assert (Payout.objects.get().amount_cents, Payout.objects.get().state) == (200, "paid")
    assert client.get("/").status_code == 302
    assert set(erasure.erase_worker(Worker.objects.get(), NOW).values()) == {0}


@pytest.mark.parametrize("state", ["open", "due", "failed"])
def test_nobody_is_forgotten_while_money_is_owed(martha, state):
    if state == "due":
        payouts.get_or_make_batch("b", until=NOW + hours(1), now=NOW + hours(1))
    if state == "failed":
        pay("failed")

    with pytest.raises(AccountRefused, match=r"still owed \$2\.00"):
        erasure.erase_worker(martha, NOW)

    assert Worker.objects.get().username == "martha"


def test_nobody_is_forgotten_with_work_in_review(ask, hit_type, ada):
    make_hit(ask, hit_type)
    work(ada, hit_type)

    with pytest.raises(AccountRefused, match="has a task in review"):
        erasure.erase_worker(ada, NOW)


def test_waived_money_is_in_no_payout(martha):
    pay("failed")

    erasure.erase_worker(martha, NOW, waive=True)

    with pytest.raises(AccountRefused, match="nothing to pay out"):
        payouts.get_or_make_batch("next", until=NOW + hours(9), now=NOW + hours(9))


def test_forgotten_workers_are_neither_paid_nor_messaged(ask, martha):
    pay()
    erasure.erase_worker(martha, NOW)
    assignment = Assignment.objects.get().assignment_id

    told = ask("NotifyWorkers", Subject="s", MessageText="m", WorkerIds=[martha.worker_id])

    assert told["NotifyWorkersFailureStatuses"][0]["WorkerId"] == martha.worker_id
    with pytest.raises(RequestError, match="no longer has an account"):
        ask("SendBonus", WorkerId=martha.worker_id, AssignmentId=assignment, BonusAmount="1.00", Reason="r")


def test_the_command_forgets_for_good(martha, capsys):
    pay()
    call_command("forget_worker", "martha", "--json")
    assert json.loads(capsys.readouterr().out)["worker_id"] == martha.worker_id

    call_command("workers", "--json")
    [described] = json.loads(capsys.readouterr().out)["workers"]
    assert (described["state"], described["email"], described["earned"]) == ("forgotten", "", "2.00")
    with pytest.raises(CommandError, match="was forgotten"):
        call_command("set_worker", martha.worker_id, "--reopen")


def test_idle_workers_are_forgotten_unless_they_are_owed_money(martha, settings, caplog):
    idle = accounts.create_worker("grace", password=None, now=NOW)
    later = NOW + timedelta(days=100)
    accounts.create_worker("new", password=None, now=later)
    cleanup.tidy(later)
    assert not Worker.objects.exclude(forgotten_at=None).exists()

    settings.KEEP_ACCOUNTS_DAYS = 90
    cleanup.tidy(later)

    assert list(Worker.objects.exclude(forgotten_at=None)) == [idle]
    assert "still owed" in caplog.text


def test_letters_and_messages_are_kept_as_configured(martha, settings):
    cleanup.tidy(NOW + timedelta(days=360))
    assert (martha.letters.count(), martha.messages.count()) == (1, 1)

    cleanup.tidy(NOW + timedelta(days=380))

    assert (martha.letters.count(), martha.messages.count()) == (0, 0)
    assert Invitation.objects.get().email == ""
    assert Worker.objects.get().email == "martha@example.org"


@pytest.mark.parametrize("way", ["command", "by itself"])
def test_workers_in_a_restored_backup_are_forgotten_again(martha, capsys, way):
    pay()
    with transaction.atomic():
        erasure.erase_worker(martha, NOW)
        transaction.set_rollback(True)  # restores the database; the list outside it stays
    assert Worker.objects.get().username == "martha"

    if way == "command":
        for expected in (1, 0):
            call_command("reapply_forgettings", "--json")
            assert json.loads(capsys.readouterr().out)["forgotten"] == expected
    else:
        cleanup.tidy(NOW)

    assert Worker.objects.get().forgotten_at is not None
    assert "martha" not in forgotten_list.forgotten_file().read_text()


def test_workers_who_are_owed_money_in_the_backup_are_kept_and_named(martha, caplog):
    with transaction.atomic():
        erasure.erase_worker(martha, NOW, waive=True)
        transaction.set_rollback(True)
    payouts.get_or_make_batch("b", until=NOW + hours(1), now=NOW + hours(1))

    assert erasure.forget_again(NOW) == {"forgotten": 0, "left": 1}
    assert "is back after a restore" in caplog.text


@pytest.mark.parametrize("name", ["forgotten-1", "FORGOTTEN-1", "forgotten_1", ".forg0tten1", "ｆorgotten-1"])
def test_nobody_can_choose_a_forgotten_workers_name(client, tmp_path, name):
    link = invitations.make_invitation(now=NOW, hours=10**6).link.partition("//")[2].partition("/")[2]
    form = {"username": name, "password": PASSWORD}

    assert client.post("/signup/", form).status_code == 422
    assert client.post(f"/{link}", form).status_code == 422
    with pytest.raises(CommandError, match="No account was created"):
        call_command("create_workers", count=1, prefix=name, out=tmp_path / "links")

    assert not Worker.objects.exists()


def test_a_guessed_name_stops_no_forgetting(martha, ada):
    Worker.objects.filter(pk=ada.pk).update(username=f"forgotten-{martha.pk}")
    pay()

    assert erasure.erase_worker(martha, NOW)["accounts"] == 1

    name = Worker.objects.get(pk=martha.pk).username
    assert name.startswith("forgotten-")
    assert len(name) == len("forgotten-") + 32


def test_one_failure_stops_no_other_forgetting_and_no_other_step(martha, ada, grace, settings, monkeypatch):
    noted = forgotten_list.note_forgotten

    def note(worker_id, **more):
        assert worker_id != ada.worker_id
        noted(worker_id, **more)

    monkeypatch.setattr(forgotten_list, "note_forgotten", note)
    pay()
    settings.KEEP_ACCOUNTS_DAYS, settings.KEEP_MESSAGES_DAYS = 90, 30

    with pytest.raises(SweepFailed, match=rf"worker {ada.worker_id} \(AssertionError\) failed"):
        cleanup.tidy(NOW + timedelta(days=100))

    assert list(Worker.objects.filter(forgotten_at=None)) == [ada]
    assert Worker.objects.get(pk=ada.pk).username == "ada"


def test_a_tick_does_every_step_and_fails_at_the_end(martha, settings, tmp_path):
    settings.RIGHTS_DIR = str(tmp_path)
    forgotten_list.forgotten_file().mkdir()
    settings.KEEP_MESSAGES_DAYS = 1
    outbox.write_mail("a@example.org", "waiting", "text", NOW)

    with pytest.raises(CommandError, match="forgetting again"):
        call_command("marketplace_tick")

    assert martha.letters.count() == 0
    assert not Outgoing.objects.exclude(due_at=None).exists()
