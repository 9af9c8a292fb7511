"""The judging commands: JSON keys, refusals and exit statuses."""

import io
import json
from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.core.management import call_command

from config.background.followed_jobs import attend
from config.process import launcher
from judging import crowds
from judging.campaign.campaigns import campaign_named
from judging.campaign.screening_forecast import recommended_rule
from judging.errors import CrowdConfiguration, CrowdNever
from judging.intake import collection, places
from judging.management.commands import launch_campaign
from judging.models import Campaign, GoldPair, Judgment
from pooling.models import Pool
from tests.factories import make_qrels

#: Tasks of this small campaign can be passed without reading.
LAUNCH = ("launch_campaign", "first", "--accept-weak-screening")


@pytest.fixture(autouse=True)
def at_hand(monkeypatch, crowd):
    """Use the migrated test database, and the panel instead of the marketplace."""
    monkeypatch.setattr(launcher, "ensure_database", lambda: None)
    monkeypatch.setattr(launcher, "crowd_running", nullcontext)
    monkeypatch.setitem(crowds.FACTORIES, "mturk", lambda endpoint: crowd)


@pytest.fixture
def labeled(fair):
    """The fair with a known relevant passage for each query, and for some that only gold pairs use."""
    others = [fair.query(f"x{number}").qid for number in range(5)]
    fair.passages([f"{qid}-a" for qid in others] + [f"far-{number}" for number in range(12)])
    labels = [(qid, f"{qid}-a", 1) for qid in ["q0", "q1", "q2", "q3", *others]]
    fair.pool.qrel_set = make_qrels(fair.collection, "official", labels)
    fair.pool.save()
    return fair


def run(*words: str) -> dict:
    """Return the command's --json result."""
    out = io.StringIO()
    call_command(*words, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def shown(*words: str) -> str:
    """Return what the command prints for a person."""
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def refused(*words: str) -> tuple[int, str]:
    """Return (exit status, output) of a refused command."""
    err = io.StringIO()
    with pytest.raises(SystemExit) as exit_:
        call_command(*words, stdout=io.StringIO(), stderr=err)
    return exit_.value.code, err.getvalue()


def create(*words: str) -> dict:
    small = ["--pairs-per-task", "3", "--gold-per-task", "2", "--max-tasks-per-worker", "2"]
    return run("create_campaign", "first", "--pool", "fair-pool", *small, *words)


def test_campaign_from_the_pool_to_places_offered(labeled):
    created = create()
    proposed = run("propose_gold", "first")
    accepted = run("accept_gold", "first", "--all")
    texts = run("set_texts", "first", "--accept")
    launched = run(*LAUNCH)
    status = run("campaign_status", "first")

    assert (created["pairs"], created["tasks"], created["cost"]) == (12, 4, 9.6)
    assert (proposed["needed"], proposed["waiting"], accepted["accepted"]) == (4, 6, 6)
    assert texts["accepted"]
    assert (launched["state"], launched["posted"], launched["cost"]) == ("open", 4, 9.6)
    assert (status["state"], status["tasks"], status["places"]["open"]) == ("open", 4, 4)
    assert labeled.crowd.open_places == 4


def test_a_second_launch_changes_nothing_unless_its_amount_differs(labeled):
    create()
    for words in ("propose_gold first", "accept_gold first --all", "set_texts first --accept"):
        run(*words.split())
    run(*LAUNCH, "--confirm-spend", "20")
    answer = "Campaign first is already open, launched with $20.00 confirmed. Nothing changed."

    for words in ([], ["--confirm-spend", "20"], ["--screen", campaign_named("first").screen]):
        err = io.StringIO()
        call_command(*LAUNCH, *words, stdout=io.StringIO(), stderr=err)
        assert answer in err.getvalue()
    status, told = refused(*LAUNCH, "--confirm-spend", "21")

    assert status == 1
    assert answer in told
    assert labeled.crowd.open_places == 4


def test_the_recommended_screening_rule_takes_one_option(labeled):
    create()
    run("propose_gold", "first")
    run("accept_gold", "first", "--all")
    run("set_texts", "first", "--accept")
    campaign = campaign_named("first")
    best = recommended_rule(campaign)
    assert best != campaign.screen

    status, told = refused(*LAUNCH, "--screen", "recommended")

    assert status == 1
    assert "Nobody has accepted the texts" in told
    run("set_texts", "first", "--accept")
    assert run(*LAUNCH)["state"] == "open"
    assert campaign_named("first").screen == best


def test_a_launch_names_the_recommended_screening_rule(labeled):
    create()
    _, told = refused(*LAUNCH)

    best = recommended_rule(campaign_named("first"))
    assert f"Recommended screening rule for this campaign: {best} (now: reference)." in told
    assert "--screen recommended" in told


def test_a_launch_tells_of_places_that_a_killed_process_offered(labeled, monkeypatch):
    create()
    for words in (["propose_gold"], ["accept_gold", "--all"], ["set_texts", "--accept"]):
        run(words[0], "first", *words[1:])

    def taken_over(job, **options):
        places.post_places(campaign_named("first"))  # before it is killed
        return attend(job, **options)

    monkeypatch.setattr(launch_campaign, "attend", taken_over)

    assert run(*LAUNCH)["posted"] == 4


def test_collect_takes_in_pays_and_offers_again(labeled):
    create("--budget", "20")
    for words in ("propose_gold first", "accept_gold first --all", "set_texts first --accept"):
        run(*words.split())
    run(*LAUNCH)
    campaign = campaign_named("first")
    labeled.do_task(campaign, "A1")
    labeled.do_task(campaign, "A2", pass_gold=False)

    status = run("collect", "first")

    assert (status["judgments"]["counted"], status["judgments"]["excluded"]) == (3, 3)
    assert (status["exclusions"], status["spent"], status["committed"]) == (1, 4.8, 12.0)
    assert labeled.crowd.open_places == 3
    assert "worker" in shown("campaign_status", "first")


def test_places_that_an_interrupted_launch_left_are_offered_by_collect(labeled):
    create()
    for words in ("propose_gold first", "accept_gold first --all", "set_texts first --accept"):
        run(*words.split())
    labeled.crowd.fail("post_place", CrowdConfiguration("the key is not known"))

    status, words = refused(*LAUNCH)
    assert (status, "the key is not known" in words) == (1, True)
    assert labeled.crowd.open_places == 0
    assert "collect first" in refused(*LAUNCH, "--confirm-spend", "99")[1]

    run("collect", "first")
    assert labeled.crowd.open_places == 4


def test_permanently_refused_calls_are_retried_on_a_persons_request(labeled):
    create()
    for words in ("propose_gold first", "accept_gold first --all", "set_texts first --accept"):
        run(*words.split())
    labeled.crowd.fail("post_place", CrowdNever("the address is not allowed"))

    status, words = refused(*LAUNCH)
    assert (status, "the address is not allowed" in words) == (1, True)
    asked = labeled.crowd.calls["post_place"]
    status = run("collect", "first")
    assert labeled.crowd.calls["post_place"] == asked
    assert "ask_again first" in status["problems"][0]

    assert run("ask_again", "first")["problems"] == []
    assert labeled.crowd.open_places == 4


def test_collect_can_wait_until_every_task_is_done(labeled, monkeypatch):
    create()
    for words in ("propose_gold first", "accept_gold first --all", "set_texts first --accept"):
        run(*words.split())
    run(*LAUNCH)
    campaign = campaign_named("first")
    workers = iter(["A1", "A2", "A3", "A4"])
    monkeypatch.setattr(
        "judging.management.commands.collect.time.sleep", lambda _: labeled.do_task(campaign, next(workers))
    )

    assert run("collect", "first", "--wait")["complete"]


def test_pausing_withdraws_places_and_resuming_offers_them_again(labeled):
    create()
    for words in ("propose_gold first", "accept_gold first --all", "set_texts first --accept"):
        run(*words.split())
    run(*LAUNCH)

    assert run("pause_campaign", "first", "--why", "holiday")["state"] == "paused"
    assert labeled.crowd.open_places == 0
    assert run("resume_campaign", "first")["state"] == "open"
    assert labeled.crowd.open_places == 4
    held = labeled.open_task(campaign_named("first"), "A1")
    said = shown("close_campaign", "first")
    assert "waits for" in said
    assert "1 task that workers hold" in said
    assert labeled.crowd.open_places == 0
    assert held.state == "held"


def test_campaign_that_is_closed_says_of_nothing_that_it_waits_for_it(labeled):
    create()

    said = shown("close_campaign", "first")

    assert "closed" in said
    assert "waits" not in said


def test_launch_that_is_not_ready_is_refused_with_what_to_do(labeled):
    create()

    status, words = refused(*LAUNCH)

    assert status == 1
    assert "0 gold pairs are accepted and 4 are needed" in words
    assert "propose_gold" in words
    assert campaign_named("first").state == Campaign.State.DRAFT


def test_spending_elsewhere_is_refused_without_confirmation_and_done_with_it(labeled, settings, pages):
    create()
    for words in ("propose_gold first", "accept_gold first --all", "set_texts first --accept"):
        run(*words.split())
    settings.CROWD_ENDPOINT = "https://crowd.example"

    status, words = refused(*LAUNCH)
    assert (status, "--confirm-spend 9.60" in words) == (1, True)
    assert refused(*LAUNCH, "--confirm-spend", "plenty")[0] == 2

    launched = run(*LAUNCH, "--endpoint", "https://crowd.example", "--confirm-spend", "9.60")
    assert launched["endpoint"] == "https://crowd.example"


def test_gold_pairs_are_looked_at_one_by_one(labeled, monkeypatch):
    create()
    run("propose_gold", "first")
    answers = iter(["a", "d", "s", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))

    result = run("accept_gold", "first")

    assert (result["changed"], result["accepted"]) == (2, 1)
    states = GoldPair.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["accepted", "dropped", "proposed", "proposed", "proposed", "proposed"]


def test_gold_pairs_are_named_by_number_and_shown_side_by_side(labeled):
    create()
    run("propose_gold", "first")
    gold = GoldPair.objects.order_by("pk").first()
    err = io.StringIO()

    call_command("accept_gold", "first", "--list", stdout=io.StringIO(), stderr=err)
    assert gold.relevant.text in err.getvalue()
    assert gold.off_topic.text in err.getvalue()

    run("accept_gold", "first", str(gold.pk), "--drop")
    gold.refresh_from_db()
    assert gold.state == GoldPair.State.DROPPED


def test_all_gold_pairs_are_dropped_with_those_accepted_earlier(labeled):
    create()
    run("propose_gold", "first")
    run("accept_gold", "first", "--all")

    assert run("accept_gold", "first", "--drop", "--all")["changed"] == 0
    assert run("accept_gold", "first", "--drop", "--all", "--accepted")["accepted"] == 0
    assert refused("accept_gold", "first", "--accepted")[0] == 2


def test_asking_about_gold_pairs_with_nobody_there_is_wrong_usage(labeled, monkeypatch):
    create()
    run("propose_gold", "first")

    def nobody(_):
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    assert refused("accept_gold", "first")[0] == 2


def test_workers_excluded_elsewhere_are_refused_unless_told_otherwise(labeled):
    create()
    run("create_campaign", "kind", "--pool", "fair-pool", "--no-refuse-excluded-elsewhere")

    assert campaign_named("first").refuse_excluded_elsewhere
    assert not campaign_named("kind").refuse_excluded_elsewhere


def test_too_few_gold_pairs_say_what_to_lower(labeled):
    run("create_campaign", "large", "--pool", "fair-pool", "--max-tasks-per-worker", "500")
    err = io.StringIO()

    call_command("propose_gold", "large", stdout=io.StringIO(), stderr=err)

    assert "Lower the tasks per worker" in err.getvalue()


def test_bad_gold_file_leaves_no_campaign_behind(labeled, tmp_path):
    gold = tmp_path / "gold.tsv"
    gold.write_text("q0 q0-a\n")

    status, words = refused("create_campaign", "first", "--pool", "fair-pool", "--gold", str(gold))

    assert (status, "gold.tsv, line 1" in words) == (1, True)
    assert not Campaign.objects.exists()
    gold.write_text("q0 q0-a q1-a\n")
    assert create("--gold", str(gold))["gold_pairs"] == 1


def test_texts_of_ones_own_are_shown_as_workers_see_them(labeled, tmp_path):
    create()
    consent = tmp_path / "consent.txt"
    consent.write_text("{pairs} pairs for ${reward}")

    assert "5 pairs for $2.00" in shown("set_texts", "first", "--consent", str(consent))
    assert refused("set_texts", "first", "--consent", str(tmp_path / "none.txt"))[0] == 2


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["create_campaign", "x", "--pool", "nowhere"], 1),
        (["create_campaign", "x", "--pool", "fair-pool", "--reward", "much"], 2),
        (["create_campaign", "x", "--pool", "fair-pool", "--gold", "nowhere.tsv"], 2),
        (["create_campaign", "x", "--pool", "fair-pool", "--pairs-per-task", "0"], 1),
        (["campaign_status", "nowhere"], 1),
        (["collect", "nowhere"], 1),
        (["import_judgments", "nowhere", "nowhere.tsv"], 2),
        (["export_judgments", "nowhere", "--out", "/nowhere/at/all.tsv"], 2),
    ],
)
def test_refusals_and_wrong_usage_differ_in_their_status(fair, words, status):
    assert refused(*words)[0] == status


def test_judgments_made_elsewhere_are_imported_and_exported(fair, tmp_path):
    file, out = tmp_path / "judgments.tsv", tmp_path / "out.tsv"
    file.write_text(
        "topic\tleft\tright\tpreferred\tphase\nq0\ta\tb\ta\tI\nq0\ta\tb\tb\tII\nq0\ta\tb\tb\tIII\n"
    )
    run("create_campaign", "elsewhere", "--collection", "fair-collection")

    imported = run("import_judgments", "elsewhere", str(file), "--phase", "I,II")
    exported = run("export_judgments", "elsewhere", "--out", str(out))

    assert (imported["judgments"], imported["other_phases"]) == (2, 1)
    assert (exported["judgments"], exported["left_out"]) == (2, 0)
    assert len(out.read_text().splitlines()) == 3
    assert Judgment.objects.count() == 2
    assert Pool.objects.count() == 1


# Money.


def test_the_ledger_lists_payments_and_differences_from_the_crowd(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.collect(campaign)

    result = run("ledger", "fair", "--check")

    assert (result["spent"], result["promised"], result["check"]["differences"]) == (2.4, 7.2, [])
    assert "equal" in shown("ledger", "fair", "--check")
    fair.crowd.paid_bonuses.clear()
    status, said = refused("ledger", "fair", "--check")
    assert status == 1
    assert "$1.80 here, $0.00 there" in said


def test_a_rejection_warns_first(fair):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1")
    collection.collect(campaign, sweep=True)
    words = ("reject_assignment", "fair", submission.assignment_id, "--why", "a script")

    status, said = refused(*words)
    assert (status, "stays on the worker's record" in said) == (1, True)
    assert fair.crowd.rejections == {}
    assert run(*words, "--yes")["rejected"] == submission.assignment_id
    assert run("override_rejection", "fair", submission.assignment_id)["approved"] == submission.assignment_id
    assert len(fair.crowd.paid_bonuses) == 1


def test_a_top_up_is_planned_then_paid_once(fair):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1")
    fair.collect(campaign)
    submission.refresh_from_db()
    submission.finished_at = submission.opened_at + timedelta(seconds=600)
    submission.save()

    planned = run("top_up", "fair", "--minimum-hourly", "15", "--dry-run")
    paid = run("top_up", "fair", "--minimum-hourly", "15")
    again = run("top_up", "fair", "--minimum-hourly", "15")

    assert (planned["amount"], planned["paid"], paid["amount"], paid["paid"]) == (0.5, False, 0.5, True)
    assert (again["bonuses"], again["paid"]) == (0, False)
    assert len(fair.crowd.paid_bonuses) == 2
    assert refused("top_up", "fair", "--minimum-hourly", "much")[0] == 2


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--base-reward", "3"], 1),
        (["--base-reward", "0.001"], 1),
        (["--base-reward", "nan"], 2),
        (["--reward", "Infinity"], 2),
        (["--withdrawal-days", "-1"], 1),
    ],
)
def test_invalid_pay_is_refused(fair, words, status):
    assert refused("create_campaign", "x", "--pool", "fair-pool", *words)[0] == status


def test_a_campaign_is_archived_and_restored(labeled):
    create()

    assert run("archive_campaign", "first", "--why", "replaced")["archived"] is True
    assert campaign_named("first").changes.get(what="archived").why == "replaced"
    assert run("archive_campaign", "first", "--restore")["archived"] is False
