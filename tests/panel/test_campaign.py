"""A whole campaign at a completion-code panel, with the same services, pages and jobs but another crowd module."""

import csv
from decimal import Decimal

import pytest
import time_machine

from config import clock
from judging.campaign.campaigns import pause, resume
from judging.errors import NotReady
from judging.intake.collection import collect
from judging.launch.closure import close, pending_work
from judging.models import (
    BlockList,
    Campaign,
    CrowdCall,
    Exclusion,
    Judgment,
    Payment,
    Place,
    Submission,
    Task,
)
from judging.money.ledger import compare_books, ledger
from judging.money.rejections import override_rejection, reject
from judging.page.admission import UNKNOWN_SESSIONS
from judging.people.exclusions import exclude_worker
from judging.workers.messages import addressees, send_message
from tests.judging.visitor import text
from tests.panel.module import completion_code
from tests.panel.panel import APPROVED, AWAITING_REVIEW, REJECTED, SITE
from tests.panel.participant import participant_id
from tournament.services.judgment_export import export_judgments


def standing(person) -> str:
    return Submission.objects.get(assignment_id=person.session).standing


def test_launch_goes_through_the_check_list_and_offers_one_study_with_a_place_for_each_task(effort, panel):
    passed = effort.launch()

    assert [line.partition(":")[0] for line in passed] == [
        "endpoint",
        "balance",
        "cost",
        "spending",
        "gold",
        "strategies",
        "screening",
        "page",
        "crowd hosts",
        "qualifications",
        "texts",
        "pay",
        "time",
    ]
    assert "fees $2.40" in passed[2]
    (study,) = panel.studies.values()
    assert (study.places, study.draft.reward, panel.free_places(study.name)) == (4, Decimal("0.20"), 4)
    assert [*Place.objects.order_by("number").values_list("state", flat=True)] == ["open"] * 4
    assert not BlockList.objects.exists()


def test_whole_campaign_counts_pays_and_excludes_as_at_any_crowd(effort, panel, tmp_path):
    campaign = effort.campaign
    effort.launch()

    good = effort.takes("ann").do_task()
    failed = effort.takes("bob").do_task(pass_gold=False)
    early = effort.takes("cy")
    early.begin()
    early.judge(only=1)
    early.come_back(early.leave())
    returned = effort.takes("dee")
    returned.begin()
    returned.judge(only=2)
    panel.give_back(returned.session)
    effort.collect()

    assert [standing(one) for one in (good, failed, early)] == ["counted", "excluded", "unfinished"]
    assert returned.submission.state == Submission.State.RETURNED
    assert campaign.tasks.filter(state=Task.State.DONE).count() == 1
    assert (panel.studies[effort.study].places, panel.free_places(effort.study)) == (6, 3)

    # The panel does not hide studies from excluded participants; our own pages refuse them.
    again = effort.takes("bob")
    refused = again.arrive()
    assert refused.status_code == 403
    assert 'data-reason="excluded"' in text(refused)
    panel.give_back(again.session)
    assert not CrowdCall.objects.filter(operation__in=["create_block_list", "block"]).exists()

    repeats = [effort.takes(name).do_task() for name in ("eve", "fay", "gil")]
    effort.collect()
    assert [standing(one) for one in repeats] == ["counted"] * 3
    assert not campaign.tasks.exclude(state=Task.State.DONE).exists()

    check_judgments(campaign, failed)
    check_money(campaign, panel, early)
    close(campaign, why="all is judged")
    effort.collect()
    assert campaign.state == Campaign.State.CLOSED
    assert panel.free_places(effort.study) == 0
    check_export(campaign, tmp_path / "judgments.tsv")


def check_judgments(campaign, failed):
    """Check that every pair has exactly one counted judgment; the excluded worker's judgments do not count."""
    counted = Judgment.objects.filter(campaign=campaign, submission__standing="counted")
    pairs = list(counted.values_list("pair_id", flat=True))
    assert sorted(pairs) == sorted(campaign.pairs.values_list("pk", flat=True))
    assert len(pairs) == 12
    assert {one.preferred_id == one.left_id for one in counted} == {True}

    exclusion = Exclusion.objects.get(campaign=campaign)
    assert exclusion.worker.identity.crowd_worker_id == failed.id
    assert exclusion.gold_answers.count() == 2
    assert Judgment.objects.filter(worker=exclusion.worker, submission__standing="excluded").count() == 3


def check_money(campaign, panel, early):
    """Check both books: six are paid the base reward, five the whole bonus and one a fifth of it."""
    paid = [one for one in panel.sessions.values() if one.state == APPROVED]
    assert len(paid) == 6
    assert sorted(bonus.amount for bonus in panel.bonuses) == [Decimal("0.36"), *[Decimal("1.80")] * 5]
    assert [bonus.amount for bonus in panel.bonuses if bonus.participant == early.id] == [Decimal("0.36")]

    books = compare_books(campaign)
    assert books.differences == []
    assert books.ours == books.theirs == 6 * Decimal("0.20") + 5 * Decimal("1.80") + Decimal("0.36")
    sums = ledger(campaign)
    assert (sums["owed"], sums["promised"]) == (0, 0)
    assert sums["spent"] == Decimal("1000.00") - panel.dollars == Decimal("13.73")
    assert not Payment.objects.exclude(state=Payment.State.PAID).exists()


def check_export(campaign, file):
    """Check that the export has every judgment under a pseudonym, and which of them count."""
    export_judgments(campaign, file)

    with file.open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] == "judgment"]
    assert [row["counted"] for row in rows].count("1") == 12
    assert [row["excluded"] for row in rows].count("1") == 3
    assert participant_id("ann") not in file.read_text()


def test_participant_comes_back_with_the_completion_code(effort, panel):
    effort.launch()
    ann = effort.takes("ann")
    ann.begin()
    ann.judge()
    last = ann.finish()

    code = panel.studies[effort.study].code
    assert f'id="completion-code">{code}<' in text(last)
    assert "<form" not in text(last)
    assert code not in ann.page
    assert ann.come_back(last) == f"{SITE}/complete?code={code}"
    assert (panel.sessions[ann.session].code, panel.sessions[ann.session].state) == (code, AWAITING_REVIEW)
    assert code != completion_code("another campaign")


def test_a_session_has_no_place_until_the_panel_lists_it(effort):
    effort.launch()
    Place.objects.filter(number=1).update(state=Place.State.WANTED, crowd_id="")
    ann = effort.takes("ann")
    ann.begin()
    assert ann.submission.place is None

    ann.judge()
    ann.come_back(ann.finish())
    effort.offer()
    effort.collect()

    assert ann.submission.place == Place.objects.get(number=1)


def test_the_last_page_links_only_to_allowed_hosts(effort, settings):
    effort.launch()
    ann = effort.takes("ann")
    ann.begin()
    ann.judge()

    settings.CROWD_HOSTS = ["https://other.example"]
    last = ann.finish()

    assert last.status_code == 404
    assert "a site other than the task site" in text(last)
    assert SITE not in text(last)


def test_pages_of_a_panel_without_frames_are_framed_by_nobody(effort):
    effort.launch()
    ann = effort.takes("ann")
    pages = [ann.arrive(), ann.begin()]
    ann.judge()
    pages.append(ann.finish())

    for page in pages:
        policy = dict(part.strip().split(" ", 1) for part in page["Content-Security-Policy"].split(";"))
        assert policy["frame-ancestors"] == policy["form-action"] == "'self'"


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 200), ("?participant=ann&session=1", 404), ("?participant=" + "a" * 24, 404)],
)
def test_link_without_participant_is_a_preview_and_a_broken_one_is_refused(effort, client, query, status):
    effort.launch()
    path = effort.takes("ann").address.partition("?")[0].removeprefix("http://").partition("/")[2]

    response = client.get(f"/{path}{query}")

    assert response.status_code == status
    assert not Submission.objects.exists()


def test_offering_twice_or_losing_the_record_raises_the_number_of_places_once(effort, panel):
    effort.launch()
    CrowdCall.objects.filter(operation="post_place").delete()
    Place.objects.update(state=Place.State.WANTED, crowd_id="")

    effort.offer()

    assert panel.studies[effort.study].places == 4
    assert Place.objects.filter(state=Place.State.OPEN).exclude(crowd_id="").count() == 4


def test_pausing_stops_the_study_and_resuming_publishes_another(effort, panel):
    effort.launch()
    ann = effort.takes("ann")
    ann.begin()
    first = effort.study
    pause(effort.campaign)
    effort.close_places()

    assert (panel.free_places(first), panel.calls["stop"]) == (0, 1)
    ann.judge()
    ann.come_back(ann.finish())
    effort.collect()
    assert standing(ann) == "counted"
    assert Place.objects.filter(state=Place.State.GONE).count() == 3

    resume(effort.campaign)
    effort.collect()
    assert effort.study != first
    assert panel.free_places(effort.study) == 3
    assert len(panel.drafts) == 1
    for name in ("bob", "cy", "dee"):
        effort.takes(name).do_task()
    effort.collect()
    assert not effort.campaign.tasks.exclude(state=Task.State.DONE).exists()


def test_closing_waits_for_active_participants_and_pays_them(effort, panel):
    effort.launch()
    ann = effort.takes("ann")
    ann.begin()
    ann.judge()
    close(effort.campaign)
    effort.close_places()
    effort.collect()
    assert effort.campaign.state == Campaign.State.CLOSING
    assert pending_work(effort.campaign).held == 1

    ann.come_back(ann.finish())
    effort.collect()

    assert effort.campaign.state == Campaign.State.CLOSED
    assert panel.dollars == Decimal("1000.00") - Decimal("2.60")


def test_work_wanted_after_its_study_was_stopped_goes_to_a_study_that_begins_there(effort, panel):
    effort.launch()
    first = effort.study
    done = [effort.takes(name).do_task() for name in ("ann", "bob", "cy", "dee")]
    effort.collect()
    panel.stop(first)  # by hand, at the panel's site
    worker = done[0].submission.worker
    exclude_worker(effort.campaign, worker, why="wrote to say that a sister did it", who="ada")

    effort.collect()

    assert (effort.study == first, panel.free_places(effort.study)) == (False, 1)
    fifth = Place.objects.get(state=Place.State.OPEN)
    assert (fifth.number, fifth.posting.number) == (5, 1)
    eve = effort.takes("eve").do_task()
    effort.collect()
    fifth.refresh_from_db()
    assert (fifth.state, eve.submission.place) == (Place.State.FILLED, fifth)
    assert not effort.campaign.tasks.exclude(state=Task.State.DONE).exists()
    assert compare_books(effort.campaign).differences == []


def test_bonus_whose_reply_was_lost_is_found_by_its_note_and_paid_once(effort, panel):
    effort.launch()
    effort.takes("ann").do_task()
    effort.collect()
    Payment.objects.filter(kind=Payment.Kind.BONUS).update(state=Payment.State.OWED, paid_at=None, call=None)
    CrowdCall.objects.filter(operation="pay_bonus").update(state=CrowdCall.State.INTENDED)

    effort.collect()

    assert [bonus.amount for bonus in panel.bonuses] == [Decimal("1.80")]
    assert Payment.objects.get(kind=Payment.Kind.BONUS).state == Payment.State.PAID


def test_messages_rejections_and_their_reversal_reach_the_panel(effort, panel):
    effort.launch()
    ann = effort.takes("ann").do_task()
    collect(effort.campaign, sweep=True)

    reject(effort.campaign, ann.submission, why="a form without choices")
    assert (panel.sessions[ann.session].state, panel.dollars) == (REJECTED, Decimal("1000.00"))
    override_rejection(effort.campaign, ann.submission, why="the choices came in after all")
    effort.collect()
    send_message(effort.campaign, addressees(effort.campaign), subject="Sorry", text="You are paid.")

    assert panel.sessions[ann.session].state == APPROVED
    assert panel.messages == [(ann.id, "Sorry", "You are paid.")]
    assert compare_books(effort.campaign).differences == []


def test_qualifications_are_refused_at_launch(effort):
    asked = {"QualificationTypeId": "00000000000000000071", "Comparator": "EqualTo"}
    effort.campaign.qualifications = [asked]
    effort.campaign.save()

    with pytest.raises(NotReady, match="no qualifications"):
        effort.launch()


def test_forged_sessions_get_no_task_and_lookups_are_limited(effort, panel, settings):
    # Use a separate cache, because other tests clear the shared one.
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    effort.launch()
    real, gone = effort.takes("ada"), effort.takes("bob")
    panel.give_back(gone.session)
    forged = effort.takes("eve")
    forged.address = forged.address.replace(forged.session, real.session)  # somebody else's session
    study = panel.studies[effort.study]

    with time_machine.travel(clock.now(), tick=False):
        assert [one.arrive().status_code for one in (gone, forged)] == [404, 404]
        assert "Before you begin" in text(real.arrive())
        panel.calls.clear()
        for number in range(UNKNOWN_SESSIONS.a_minute):
            made_up = participant_id(f"forged {number}")
            forged.address = study.address + f"?participant={made_up}&session={made_up}"
            last = forged.arrive()

    assert last.status_code == 503  # and reloads automatically
    assert panel.calls["is_at_work"] == UNKNOWN_SESSIONS.a_minute - 2
    assert Submission.objects.get().assignment_id == real.session
    assert effort.campaign.tasks.filter(state="held").count() == 1
