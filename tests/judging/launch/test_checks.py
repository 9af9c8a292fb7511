import re
import socket
from decimal import Decimal

import pytest

from config.background.models import Job
from config.crowd_endpoints import KNOWN, default_hosts, is_loopback, known
from judging.campaign import strategy_figures
from judging.campaign.campaigns import REFERENCE_QUALIFICATIONS
from judging.campaign.gold_leaks import marks_in_words
from judging.campaign.rehearsal_copy import REHEARSE, keep_people_out, rehearsal_key, rehearsal_of
from judging.campaign.screening_forecast import rules_compared
from judging.campaign.strategy_figures import outcomes_of, recognizable_gold_warning
from judging.campaign.worker_texts import accept_texts
from judging.crowds.interface import QualificationKind
from judging.errors import NotReady
from judging.launch.check_results import Checked
from judging.launch.checks import check_list, each_check
from judging.launch.closure import close
from judging.launch.launches import Terms, launch_campaign, plan_offer
from judging.management.check_lines import in_lines
from judging.models import Campaign, GoldPair
from judging.rules.gold_detection import Detectability
from pooling.models import Passage
from tests.factories import make_qrels

PRODUCTION, SANDBOX = KNOWN


@pytest.fixture
def checks(fair, settings):
    """Checks that passed, and the refusal that ended them, of a campaign as it is in the database."""

    def run(campaign: Campaign, **terms) -> tuple[list[str], str]:
        campaign.refresh_from_db()
        passed: list[Checked] = []
        try:
            passed += check_list(plan_offer(campaign, campaign.tasks.count(), Terms(**terms)))
        except NotReady as refusal:
            told: list[Checked] = []
            with pytest.raises(NotReady):
                launch_campaign(campaign, **terms, tell=told.append)
            assert campaign.state == Campaign.State.DRAFT
            return [check.name for check in told], str(refusal)
        return [check.name for check in passed], ""

    return run


ALL = [
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


def test_ready_campaign_passes_every_check_in_order(fair, checks):
    assert checks(fair.draft()) == (ALL, "")


def test_marked_words_that_tell_test_pairs_apart_are_counted_before_launch(fair):
    campaign = fair.draft(mark_query_words=True)
    Passage.objects.update(text="all about q0, q1, q2 and q3")
    Passage.objects.filter(pid__startswith="off-topic").update(text="a passage about boats")

    said = [
        check.words for check in check_list(plan_offer(campaign, 4, Terms())) if check.name == "marked words"
    ]

    (words,) = said
    assert "only one passage has a marked word in 6 of 6 gold pairs and in 0 of 12 other pairs" in words
    assert "can recognize gold pairs" in words
    Passage.objects.update(text="all about q0, q1, q2 and q3")
    assert "can tell" not in marks_in_words(campaign)


def checked(campaign: Campaign, name: str, **terms):
    plan = plan_offer(campaign, campaign.tasks.count(), Terms(**terms))
    return next(one for one in each_check(plan) if one.name == name)


def test_repeats_that_the_budget_cannot_pay_for_are_pointed_out(fair):
    campaign = fair.draft(slip_rate=0.2)
    roomy = checked(campaign, "cost", confirm_spend=Decimal(500))
    assert (roomy.passed, roomy.attention) == (True, False)

    capped = checked(campaign, "cost")  # without a budget, the cost without repeats is the most that is spent

    assert (capped.passed, capped.attention) == (True, True)
    assert "above the limit of $9.60" in capped.words
    assert in_lines(capped).startswith("  ! ")


def test_a_passage_that_is_the_wrong_one_in_most_test_pairs_is_pointed_out(fair):
    campaign = fair.draft(gold=6, gold_per_task=1, max_tasks_per_worker=2, pairs_per_task=2)
    assert not checked(campaign, "gold").attention
    first = campaign.gold_pairs.order_by("pk").first()
    campaign.gold_pairs.update(off_topic=first.off_topic, query=first.query)

    one = checked(campaign, "gold")

    assert one.passed
    assert one.attention
    assert f"appears in {campaign.gold_pairs.count()} gold pairs" in one.words


def test_a_worker_who_may_judge_most_of_a_campaign_is_pointed_out(fair):
    campaign = fair.draft(gold_per_task=1, max_tasks_per_worker=4, pairs_per_task=2)  # of 12 pairs

    one = checked(campaign, "gold")

    assert (one.passed, one.attention) == (True, True)
    assert "more than 35% of the campaign's pairs" in one.words
    assert "let a worker do at most 2 tasks (--max-tasks-per-worker)" in one.words


def test_tasks_that_ask_a_question_twice_are_refused_until_somebody_accepts_that(fair):
    campaign = fair.draft(
        gold_per_task=5, max_tasks_per_worker=1, pairs_per_task=6
    )  # 4 questions, 12 pairs, 2 tasks
    Campaign.objects.update(accept_weak_screening=False)
    campaign.refresh_from_db()

    one = checked(campaign, "strategies")

    assert not one.passed
    assert "2 tasks ask a question more than once" in one.words
    assert "use at most 4 pairs a task (--pairs-per-task)" in one.words
    assert "--accept-weak-screening" in one.next_step
    accepted = checked(campaign, "strategies", accept_weak_screening=True)
    assert (accepted.passed, accepted.attention) == (True, True)


def test_gold_pairs_that_anybody_passes_are_refused_and_the_log_says_who_went_ahead(fair):
    campaign = fair.draft(gold_per_task=1, max_tasks_per_worker=1)
    Campaign.objects.update(accept_weak_screening=False)
    campaign.refresh_from_db()

    with pytest.raises(NotReady, match=r"Not fit to screen: .*pass tasks too easily without reading"):
        launch_campaign(campaign)
    assert Campaign.objects.get().state == Campaign.State.DRAFT

    launch_campaign(campaign, accept_weak_screening=True)
    assert Campaign.objects.get().accept_weak_screening
    assert campaign.changes.filter(why__endswith="; weak screening accepted").exists()


def test_gold_that_a_classifier_recognizes_is_pointed_out(fair):
    told = recognizable_gold_warning(fair.draft(), Detectability(0.9, gold=30, real=200))

    assert "AUC 0.90" in told
    assert recognizable_gold_warning(fair.draft_of("other"), Detectability(0.65, gold=30, real=200)) == ""


def test_gold_from_labels_that_all_count_as_relevant_asks_for_a_higher_threshold(fair):
    campaign = fair.draft()
    qid = campaign.pairs.first().query.qid
    graded = make_qrels(campaign.collection, "graded", [(qid, "a", 3), (qid, "b", 1), (qid, "c", 2)])

    def told(labels):
        campaign.pool.qrel_set = labels
        return recognizable_gold_warning(campaign, Detectability(0.9, gold=30, real=200))

    assert "import_qrels fair-collection FILE --set NAME --min-grade 2" in told(graded)
    graded.min_grade = 2
    assert "--min-grade" not in told(graded)
    assert "--min-grade" not in told(make_qrels(campaign.collection, "sparse", [(qid, "a", 1)]))


def test_strategies_that_pass_tasks_without_reading_are_pointed_out_with_what_to_do(fair):
    campaign = fair.draft()  # two gold pairs a task
    Passage.objects.filter(pid__startswith="relevant").update(text="all about q0")

    one = checked(campaign, "strategies")

    assert (one.passed, one.attention) == (True, True)
    assert "overlap (100.0% of single tasks, 100.0% of 3 in a row)" in one.words
    assert one.words.startswith("Not fit to screen: ")
    assert one.next_step == (
        "Add gold pairs to each task: with 5 (--gold-per-task) guessing passes 3.1% of single tasks. "
        "Balance the gold pairs: “overlap” answers 100% of them correctly; half is best. "
        "Accept 6 more that it answers incorrectly. Below half, the opposite strategy would pass."
    )
    assert one.next_step in in_lines(one)


def test_a_command_prints_every_strategy_below_the_check(fair):
    campaign = fair.draft()
    Passage.objects.filter(pid__startswith="relevant").update(text="all about q0")
    one = checked(campaign, "strategies")

    _, head, *rows = in_lines(one).splitlines()

    columns = ["strategy", "right on gold", "passes 1 task", "passes 3 tasks", "agrees with labels"]
    assert re.split(r"  +", head.strip()) == columns
    assert [row.strip().split("  ")[0] for row in rows] == [row.name for row in one.outcomes.rows]
    assert rows[0].split() == ["overlap", "100.0%", "100.0%", "100.0%", "–"]


def test_guessing_is_distinguished_from_gold_that_does_not_screen(fair):
    one = checked(fair.draft(gold_per_task=3, max_tasks_per_worker=2), "strategies")

    assert one.attention
    assert "guessing alone passes 12.5% of single tasks with 3 gold pairs a task" in one.words
    assert "Not fit" not in one.words
    assert one.next_step.startswith("Add gold pairs to each task: with 5 ")
    assert "Balance" not in one.next_step


def test_gold_that_a_strategy_answers_too_often_is_balanced_towards_half(fair):
    campaign = fair.draft(gold=6, max_tasks_per_worker=1)  # two are needed
    keys = campaign.gold_pairs.order_by("pk").values_list("relevant", "query__text")[:4]
    for relevant, question in keys:
        Passage.objects.filter(pk=relevant).update(text=f"all about {question}")

    said = checked(campaign, "strategies").next_step

    assert (
        "answers 83% of them correctly; half is best. Drop 4 that it answers correctly, or accept 4 more"
        in said
    )


def test_strategies_are_tried_again_when_gold_or_texts_change(fair):
    campaign = fair.draft()
    before = checked(campaign, "strategies")
    assert checked(campaign, "strategies").outcomes == before.outcomes

    Passage.objects.filter(pid__startswith="relevant").update(text="all about q0")
    assert checked(campaign, "strategies").outcomes != before.outcomes

    campaign.gold_pairs.filter(pk=campaign.gold_pairs.first().pk).delete()
    assert checked(campaign, "strategies").outcomes.gold == before.outcomes.gold - 1


def test_strategies_that_hardly_pass_a_task_need_no_attention(fair):
    one = checked(fair.draft(gold_per_task=6, max_tasks_per_worker=1), "strategies")

    assert (one.attention, one.next_step) == (False, ""), one.words
    assert one.words.startswith(
        "no strategy tried passes more than 5% of single tasks; the most successful is "
    )


def test_a_rehearsal_tries_no_strategies(fair):
    campaign = fair.draft()
    Campaign.objects.filter(pk=campaign.pk).update(rehearsal_of=fair.draft_of("other"))
    campaign.refresh_from_db()

    assert "strategies" not in [one.name for one in each_check(plan_offer(campaign, 4, Terms()))]


def test_a_launch_waits_for_a_rehearsal_or_for_whoever_ends_it(fair):
    campaign = fair.draft()
    copy = rehearsal_of(campaign)
    keep_people_out(copy)
    launch_campaign(copy)

    one = checked(campaign, "rehearsal")
    with pytest.raises(NotReady, match="are judging the rehearsal fair-rehearsal"):
        launch_campaign(campaign)
    close(copy)

    assert not one.passed
    assert one.next_step.asks_for("close_campaign")

    job = Job.objects.create(kind=REHEARSE, key=rehearsal_key(campaign))
    with pytest.raises(NotReady, match="is starting or ending"):
        launch_campaign(campaign)
    job.delete()

    assert launch_campaign(campaign).places == campaign.tasks.count()


def test_it_stops_at_the_first_failure_and_lists_passed_checks(fair, checks):
    campaign = fair.draft()
    GoldPair.objects.first().delete()
    Campaign.objects.update(texts_accepted_at=None)

    passed, refusal = checks(campaign)

    assert passed == ["endpoint", "balance", "cost", "spending"]
    assert "5 gold pairs are accepted and 6 are needed" in refusal


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        (PRODUCTION, "of real money at MTurk production"),
        (SANDBOX, "in play money at MTurk sandbox"),
        ("https://crowd.example", "of real money at another crowd at https://crowd.example"),
    ],
)
def test_endpoint_and_its_mode_are_named_before_money_is_spent(fair, checks, settings, endpoint, words):
    settings.CROWD_ENDPOINT = endpoint

    passed, refusal = checks(fair.draft(), endpoint=endpoint)

    assert passed == []
    assert words in refusal
    assert "--confirm-spend 9.60" in refusal


def test_cost_names_fees_repeats_and_honest_workers_excluded(fair):
    campaign = fair.draft()
    cost = next(one.words for one in check_list(plan_offer(campaign, 4, Terms())) if one.name == "cost")

    # One of the four tasks each, with two gold pairs: 1 − (1 − s)² are excluded and repeated.
    assert "4 tasks cost $9.60 (rewards $8.00, fees $1.60)" in cost
    assert "miss 0.05 to 1% of the gold pairs (0.22% expected, assumed; a pilot measures it)" in cost
    assert "each does one task, 0.1 to 2% of workers are excluded and 0.1 to 2% of tasks are repeated" in cost
    assert "about $9.64 in total ($9.61 to $9.79)" in cost


def test_pages_that_only_this_machine_reaches_do_for_its_own_crowd_only(fair, checks, settings):
    settings.CROWD_ENDPOINT = SANDBOX

    passed, refusal = checks(fair.draft(), endpoint=SANDBOX, confirm_spend=Decimal(100))

    assert passed[-1] == "screening"
    assert "that only this machine can use" in refusal


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8410", "http://localhost", "http://[::1]:1", "http://127.9.9.9"]
)
def test_addresses_of_this_machine_are_known(address):
    assert is_loopback(address)
    assert not is_loopback(
        address.replace("localhost", "judge.example").replace("127.", "128.").replace("::1", "::2")
    )


def test_pages_behind_https_are_asked_whether_they_are_ours(fair, checks, pages):
    assert checks(fair.draft()) == (ALL, "")


def test_pages_of_another_installation_are_refused(fair, checks, pages, settings, monkeypatch):
    from config.monitoring import health

    monkeypatch.setattr(health, "installation", lambda: "somebody else's")

    assert "Another server answers" in checks(fair.draft())[1]


def test_pages_whose_certificate_nobody_trusts_are_refused(fair, checks, pages, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")

    assert "certificate verify failed" in checks(fair.draft())[1].lower()


def test_pages_that_do_not_answer_or_not_over_https_are_refused(fair, checks, settings):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        settings.PUBLIC_URL = f"https://0.0.0.0:{nobody.getsockname()[1]}"
        campaign = fair.draft()
        assert "do not answer" in checks(campaign)[1]
    settings.PUBLIC_URL = "http://judge.example"
    assert "not served over HTTPS" in checks(campaign)[1]


def test_sites_of_known_crowds_are_allowed_by_default():
    assert default_hosts(SANDBOX) == ["https://workersandbox.mturk.com"]
    assert default_hosts(PRODUCTION)[0] == "https://www.mturk.com"  # takes the form
    assert default_hosts("https://crowd.example") == ["https://crowd.example"]
    assert known(PRODUCTION + "/").real_money


def test_allow_list_without_the_crowds_worker_sites_is_refused(fair, checks, pages, settings):
    settings.CROWD_ENDPOINT = PRODUCTION
    settings.CROWD_HOSTS = [PRODUCTION]
    campaign, terms = fair.draft(), {"endpoint": PRODUCTION, "confirm_spend": Decimal(100)}

    assert "https://www.mturk.com and https://worker.mturk.com" in checks(campaign, **terms)[1]
    settings.CROWD_HOSTS = ["https://www.mturk.com"]
    assert "shown at https://worker.mturk.com" in checks(campaign, **terms)[1]
    settings.CROWD_HOSTS = []
    assert "is not a web address" in checks(campaign, **terms)[1]
    settings.CROWD_HOSTS = default_hosts(PRODUCTION)
    assert checks(campaign, **terms) == (ALL, "")


def test_qualifications_are_read_back_from_the_crowd(fair, checks):
    campaign = fair.draft()
    Campaign.objects.update(qualifications=REFERENCE_QUALIFICATIONS)
    assert "did not return the qualification 00000000000000000071" in checks(campaign)[1]

    for asked in REFERENCE_QUALIFICATIONS:
        name = {"71": "country", "40": "approved", "L0": "percent"}[asked["QualificationTypeId"][-2:]]
        fair.crowd.qualifications[asked["QualificationTypeId"]] = QualificationKind(name, active=True)
    said = [str(one) for one in check_list(plan_offer(Campaign.objects.get(), 4, Terms()))]
    assert (
        "qualifications: country EqualTo US; approved GreaterThan 10000; percent GreaterThanOrEqualTo 97"
        in said
    )

    fair.crowd.qualifications["000000000000000000L0"] = QualificationKind("percent", active=False)
    assert "inactive" in checks(campaign)[1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"consent_text": " "}, "consent text is empty"),
        ({"instructions_text": "Do {this_thing}."}, "instructions text contains {this_thing}"),
        ({"title": " "}, "no title"),
    ],
)
def test_texts_that_are_not_complete_are_refused(fair, checks, changes, words):
    campaign = fair.draft()
    Campaign.objects.update(**changes)
    accept_texts(campaign)

    assert words in checks(campaign)[1]


def test_pay_below_the_least_is_refused_with_the_reward_that_would_do(fair, checks):
    campaign = fair.draft()  # $2.00 for five pairs of forty seconds: $36.00 an hour

    assert checks(campaign, minimum_hourly=Decimal("36.00")) == (ALL, "")
    passed, refusal = checks(campaign, minimum_hourly=Decimal("36.01"))
    assert passed == ALL[:-2]
    assert "$36.00 an hour" in refusal
    assert "--reward 2.01" in refusal


def test_least_pay_is_kept_with_the_campaign(fair):
    campaign = fair.draft()

    launch_campaign(campaign, minimum_hourly=Decimal("12.50"))

    assert campaign.minimum_hourly == Decimal("12.50")


def test_another_rule_than_the_recommended_one_is_pointed_out(fair):
    campaign = fair.draft()

    said = checked(campaign, "screening")

    assert said.passed
    (best,) = [one.rule for one in rules_compared(campaign) if one.recommended]
    assert best != "reference"
    assert said.words.startswith(f"reference is chosen, but {best} is recommended for this campaign. ")
    assert f"{best} (recommended)" in said.words
    for row in rules_compared(campaign):
        Campaign.objects.filter(pk=campaign.pk).update(screen=row.rule)
        campaign.refresh_from_db()
        assert checked(campaign, "screening").attention is not row.level


def test_rules_are_compared_for_workers_who_follow_what_passes_most_easily(fair):
    campaign = fair.draft(max_tasks_per_worker=1)
    before = rules_compared(campaign)
    Passage.objects.filter(pid__startswith="relevant").update(text="all about q0")

    rows, said = rules_compared(campaign), checked(campaign, "screening").words

    assert "half of them guess; half follow “overlap”, right on 100% of the gold pairs" in said
    assert all(easy.bad_judgments > row.bad_judgments for easy, row in zip(rows, before, strict=True))


def test_the_two_expected_costs_say_whose_work_they_include(fair):
    campaign = fair.draft()

    assert "without careless workers" in checked(campaign, "cost").words
    assert "Costs include the tasks of careless workers" in checked(campaign, "screening").words


def test_strategies_are_tried_again_only_when_something_changed(fair, monkeypatch):
    campaign = fair.draft()
    first = outcomes_of(campaign)
    tried = []
    monkeypatch.setattr(strategy_figures, "try_strategies", lambda *_, **__: tried.append(1) or first)

    assert outcomes_of(campaign) == first
    assert tried == []
    campaign.gold_pairs.first().delete()
    outcomes_of(campaign)
    assert tried == [1]


def test_a_consent_text_that_does_not_name_the_rule_is_pointed_out(fair):
    campaign = fair.draft()
    assert not checked(campaign, "texts").attention
    Campaign.objects.filter(pk=campaign.pk).update(consent_text="Read both.")
    campaign.refresh_from_db()

    said = checked(campaign, "texts")

    assert (said.passed, said.attention) == (True, True)
    assert "{screening}" in said.words


def test_gold_on_questions_that_tasks_ask_is_refused_or_pointed_out(fair):
    campaign = fair.draft(max_tasks_per_worker=2)  # two gold pairs a task
    questions = list(campaign.gold_pairs.order_by("pk").values_list("query", flat=True))

    campaign.gold_pairs.update(query=questions[0])
    refused = checked(campaign, "gold")
    assert not refused.passed
    assert "fewer than 2 gold pairs that fit, so no worker can take" in refused.words
    assert "never repeats a question of the same task" in refused.words

    only = campaign.tasks.order_by("pk").first()
    asked = list(only.task_pairs.values_list("pair__query", flat=True))
    for gold, query in zip(campaign.gold_pairs.order_by("pk"), [asked[0]] * 3 + questions[:1], strict=True):
        campaign.gold_pairs.filter(pk=gold.pk).update(query=query)
    assert not checked(campaign, "gold").passed  # one task has too few, whatever fits the others

    for gold, query in zip(
        campaign.gold_pairs.order_by("pk"), [*questions[:2], questions[0], questions[0]], strict=True
    ):
        campaign.gold_pairs.filter(pk=gold.pk).update(query=query)
    one = checked(campaign, "gold")
    assert (one.passed, one.attention) == (True, True)
    assert "run out of gold pairs after 1 task instead of 2" in one.words


def test_a_limit_below_four_times_what_the_texts_take_is_refused_with_one_that_would_do(fair, checks):
    campaign = fair.draft(assignment_seconds=780)
    passed, said = checks(campaign)
    assert (passed, said) == (ALL[:-1], said)
    assert "limit of 13 minutes a task is less than 4 times the 3.3 minutes expected (estimated)" in said
    assert "Allow at least 15 minutes a task (--task-minutes)" in said
    Campaign.objects.update(assignment_seconds=900)
    campaign.refresh_from_db()
    assert checks(campaign) == (ALL, "")


def test_long_texts_are_given_more_time_when_nobody_chose_it(fair):
    assert fair.draft().assignment_seconds == 3600
    Passage.objects.update(text="word " * 1000)

    longer = fair.draft_of("longer")

    # 13 pairs of 2,003 words at 238 a minute and 10 seconds for each choice: 111.6 minutes
    assert longer.assignment_seconds == 60 * 450
    assert fair.draft_of("chosen").assignment_seconds == 60 * 450
