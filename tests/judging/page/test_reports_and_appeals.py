"""Workers' reports and appeals reach the researcher."""

import csv
import io

import pytest
from django.core.management import call_command

from judging.errors import CampaignRefused
from judging.models import Appeal, PairReport, Submission
from judging.page import reports_and_appeals, session
from judging.people import appeal_answers
from judging.people.rights import forget_worker
from judging.watching.status import campaign_status
from pooling.models import Collection
from tournament.services.judgment_export import COLUMNS, SIGNALS, export_judgments


@pytest.fixture
def spoken(fair):
    """A worker who reported a pair and a gold pair, and one who is excluded and appeals."""
    campaign = fair.opened()
    submission = fair.open_task(campaign, "AGOOD")
    gold = submission.slots.exclude(gold_pair=None).first()
    pair = submission.slots.exclude(pair=None).first()
    reports_and_appeals.report_pair(submission, number=pair.number, kind="broken", words="cut off")
    reports_and_appeals.report_pair(submission, number=gold.number, kind="language")
    fair.answer(submission)
    fair.send_off(submission)
    bad = fair.do_task(campaign, "ABAD", pass_gold=False)
    reports_and_appeals.make_appeal(campaign, bad.worker, refusal="excluded", words="My hand slipped.")
    fair.collect(campaign)
    return campaign


def typed(*words):
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_reports_name_the_pair_and_what_was_chosen(spoken):
    broken, language = appeal_answers.report_rows(spoken)

    assert (broken["kind"], broken["words"], broken["gold_pair"]) == ("broken", "cut off", None)
    assert broken["qid"] in broken["left"]
    assert broken["chosen"] == "left"
    assert language["gold_pair"] is not None
    assert campaign_status(spoken)["voices"] == {"reports": 2, "appeals": 1}


def test_the_command_lists_and_settles(spoken):
    report, appeal = PairReport.objects.first(), Appeal.objects.get()

    listed = typed("reports", spoken.name)
    typed("reports", spoken.name, "--settle", f"r{report.pk}", "--why", "pair dropped")
    settled = typed("reports", spoken.name, "--settle", f"a{appeal.pk}", "--why", "reinstated")

    assert "cut off" in listed
    assert "My hand slipped." in listed
    again = f"manage.py reinstate_worker {spoken.name} {appeal.worker_id} --why"
    assert again in settled
    assert again not in listed
    assert "cut off" not in settled
    assert "pair dropped" in typed("reports", spoken.name, "--all")
    assert campaign_status(spoken)["voices"] == {"reports": 1, "appeals": 0}


@pytest.mark.parametrize("name", ["r0", "x1", "", "r", "a99999999999999999999", "r²"])
def test_settling_what_is_not_there_is_refused(spoken, name):
    with pytest.raises(CampaignRefused, match="no open report or appeal"):
        appeal_answers.settle_report_or_appeal(spoken, name, why="looked at it")


def test_pages_show_them_escaped_and_to_members_only(spoken, client, admin_client):
    PairReport.objects.filter(kind="broken").update(words="<script>alert(1)</script>")
    campaign, reports = f"/campaigns/{spoken.name}/", f"/campaigns/{spoken.name}/reports/"
    Collection.objects.update(visibility=Collection.Visibility.PUBLISHED)

    to_a_stranger = client.get(campaign).content.decode()
    to_a_member = admin_client.get(reports).content.decode()

    assert reports not in to_a_stranger
    assert "appeal" not in to_a_stranger
    assert client.get(reports).status_code in (302, 403, 404)
    assert reports in admin_client.get(campaign).content.decode()
    assert "My hand slipped." in to_a_member
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in to_a_member
    assert "<script>alert" not in to_a_member


def test_a_forged_id_neither_uses_up_nor_reads_a_workers_appeal(fair, spoken):
    worker = Appeal.objects.get().worker
    said = {"refusal": "excluded", "words": "not me"}

    made = [
        reports_and_appeals.make_appeal(spoken, worker, came_by=f"FORGED{number}", **said)
        for number in range(reports_and_appeals.MOST_WAITING)
    ]
    with pytest.raises(session.WorkRefused, match="enough-said"):
        reports_and_appeals.make_appeal(spoken, worker, came_by="FORGED9", **said)

    assert made == [True] * reports_and_appeals.MOST_WAITING
    assert reports_and_appeals.appeal_of(spoken, worker).words == "My hand slipped."
    assert reports_and_appeals.appeal_of(spoken, worker, "FORGED9") is None
    Appeal.objects.filter(came_by="").delete()
    assert reports_and_appeals.make_appeal(
        spoken, worker, **said
    )  # through the crowd's message: always accepted
    assert [row["confirmed"] for row in appeal_answers.appeals(spoken)] == [
        False
    ] * reports_and_appeals.MOST_WAITING + [True]
    assert "anybody could have made up" in typed("reports", spoken.name)


def test_an_appeal_counts_as_the_workers_own_once_the_crowd_names_its_assignment(fair, spoken):
    mine = Appeal.objects.get()
    listed = mine.worker.submissions.get()
    of_another = Submission.objects.exclude(worker=mine.worker).first()
    assert (listed.state, of_another.state) == ("submitted", "submitted")

    made_by = {}
    for came_by in (listed.assignment_id, of_another.assignment_id, "FORGED"):
        reports_and_appeals.make_appeal(
            spoken, mine.worker, refusal="excluded", words=came_by, came_by=came_by
        )
        made_by[came_by] = Appeal.objects.get(came_by=came_by).pk

    assert {row.pk for row in Appeal.objects.confirmed()} == {mine.pk, made_by[listed.assignment_id]}
    Submission.objects.update(state=Submission.State.FINISHED)  # not yet confirmed by the crowd
    assert [row.pk for row in Appeal.objects.confirmed()] == [mine.pk]


def test_texts_are_erased_when_a_worker_is_forgotten(spoken):
    for row in (PairReport.objects.first().submission.worker, Appeal.objects.get().worker):
        forget_worker(row)

    assert set(PairReport.objects.values_list("words", flat=True)) == {""}
    assert Appeal.objects.get().words == ""


def exported(campaign, out, **options):
    export_judgments(campaign, out, **options)
    with out.open(newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def test_signals_are_exported_only_when_asked(fair, tmp_path):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "AGOOD")
    first = submission.slots.order_by("number").first()
    for sequence, side, seconds in ((0, "right", 0.01), (1, "left", 0.02)):
        signals = session.Signals(
            seconds=seconds, hidden=3.0, focus_lost=1, input_method="touch", viewport="narrow"
        )
        session.save_choice(submission, number=1, sequence=sequence, side=side, signals=signals)
    reports_and_appeals.report_pair(submission, number=1, kind="other")
    fair.answer(submission)
    session.finish(submission, pasted=True)
    fair.hand_in(submission)
    fair.collect(campaign)

    plain = exported(campaign, tmp_path / "plain.tsv")
    told = exported(campaign, tmp_path / "told.tsv", signals=True)

    assert [*plain[0]] == COLUMNS
    assert [*told[0]] == [*COLUMNS, *SIGNALS]
    row = next(row for row in told if row["position"] == str(first.number))
    assert {name: row[name] for name in SIGNALS} == {
        "position": "1",
        "seconds_shown": "0.03",
        "seconds_hidden": "6.0",
        "changes": "1",
        "focus_lost": "2",
        "input_method": "touch",
        "viewport": "narrow",
        "fast": "1",
        "comment_pasted": "1",
        "reported": "other",
    }
    other = next(row for row in told if row["position"] == "2")
    assert (other["seconds_shown"], other["fast"], other["changes"]) == ("", "", "0")
