"""After a restore, forgotten workers stay forgotten and withdrawn judgments stay withdrawn."""

from datetime import timedelta

import pytest
import time_machine
from django.db import transaction

from config import clock
from config.sweep import SweepFailed
from judging.errors import CampaignRefused
from judging.jobs import enforce_retention_job
from judging.models import Campaign, CrowdIdentity, Judgment, Payment, RightsRequest, Submission, Worker
from judging.people import rights_journal
from judging.people.rights import forget_worker, withdraw_worker
from judging.people.rights_replay import reapply_rights

pytestmark = pytest.mark.django_db


def since_the_backup(*acts):
    """Run the block, then restore the database to before it. The list outside the database stays."""
    with transaction.atomic():
        for act in acts:
            act()
        transaction.set_rollback(True)


@pytest.fixture
def judged(fair, campaign):
    """AMARTHA and AHENRY each did a task, collected and paid."""
    for worker in ("AMARTHA", "AHENRY"):
        fair.do_task(campaign, worker)
    fair.collect(campaign)
    return campaign


def known(crowd_id):
    return CrowdIdentity.objects.get(crowd_worker_id=crowd_id).worker


def counted(campaign):
    return Judgment.objects.filter(campaign=campaign).counted().count()


def test_requests_made_since_the_backup_are_repeated_once(judged):
    martha, henry = known("AMARTHA"), known("AHENRY")
    since_the_backup(lambda: forget_worker(martha, why="by mail"), lambda: withdraw_worker(judged, henry))
    assert (CrowdIdentity.objects.count(), counted(judged)) == (2, 6)

    first, second = reapply_rights(), reapply_rights()

    assert (first.applied, first.refused) == (2, [])
    assert (second.applied, second.standing) == (0, 2)
    assert (CrowdIdentity.objects.get().worker, counted(judged)) == (henry, 3)
    assert all(
        "reapplied after a restore" in why for why in RightsRequest.objects.values_list("why", flat=True)
    )


def test_requests_are_repeated_automatically_with_retention(judged):
    martha = known("AMARTHA")
    since_the_backup(lambda: forget_worker(martha))

    assert enforce_retention_job()["done_again"] == 1

    assert not CrowdIdentity.objects.filter(worker=martha).exists()


def test_a_reused_number_is_another_worker(judged):
    martha = known("AMARTHA")
    since_the_backup(lambda: forget_worker(martha))
    Worker.objects.filter(pk=martha.pk).update(created_at=clock.now())

    assert reapply_rights().unknown == 1

    assert CrowdIdentity.objects.filter(worker=martha).exists()


def test_workers_owed_money_in_the_backup_are_named_and_forgotten_later(fair, judged):
    martha = known("AMARTHA")
    since_the_backup(lambda: forget_worker(martha))
    Payment.objects.filter(submission__worker=martha).update(state="owed")
    assert "still owed" in reapply_rights().refused[0]

    Payment.objects.filter(submission__worker=martha).update(state="paid")

    assert reapply_rights().applied == 1


def test_the_list_names_nobody_and_is_private(judged):
    forget_worker(known("AMARTHA"), why="by mail on Monday")

    assert rights_journal.journal_file().stat().st_mode & 0o077 == 0
    assert not {"AMARTHA", "Monday"} & set(rights_journal.journal_file().read_text().split('"'))


def test_nothing_is_erased_if_the_list_cannot_be_written(judged, settings, tmp_path):
    (tmp_path / "a-file").touch()
    settings.RIGHTS_DIR = str(tmp_path / "a-file")

    with pytest.raises(CampaignRefused, match="cannot be written"):
        forget_worker(known("AMARTHA"))

    assert CrowdIdentity.objects.count() == 2


def test_a_line_that_was_cut_off_hides_no_other(judged):
    forget_worker(known("AMARTHA"))
    with rights_journal.journal_file().open("ab") as lines:
        lines.write(
            b'{"what": "forget", "worker": 1, "since": "\xff", "campaign": "", "at": ""}\n{"what": "for'
        )
    forget_worker(known("AHENRY"))

    assert [entry.what for entry in rights_journal.journal_entries()] == ["forget", "forget"]


def test_one_failure_stops_neither_other_wishes_nor_the_retention(judged, settings, monkeypatch):
    martha, henry = known("AMARTHA"), known("AHENRY")
    since_the_backup(lambda: forget_worker(martha), lambda: forget_worker(henry))
    Submission.objects.update(comment="written")
    noted = rights_journal.note_request

    def note(what, worker, campaign=None):
        assert worker != martha
        noted(what, worker, campaign)

    monkeypatch.setattr(rights_journal, "note_request", note)
    settings.KEEP_IDENTITIES_DAYS = settings.KEEP_COMMENTS_DAYS = 30
    Campaign.objects.update(state="closed")

    with (
        time_machine.travel(clock.now() + timedelta(days=40)),
        pytest.raises(SweepFailed, match=rf"worker {martha.pk} \(AssertionError\)") as failed,
    ):
        enforce_retention_job()

    assert len(failed.value.failures) == 2  # by age, and by the list
    assert [row.worker for row in CrowdIdentity.objects.all()] == [martha]
    assert not Submission.objects.exclude(comment="").exists()
