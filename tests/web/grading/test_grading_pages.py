"""Graded campaigns in the browser: created, judged, decided, and published as labels."""

import re
from unittest.mock import ANY

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from accounts.services.tokens import make_token
from config import clock
from judging.grading.graded_campaigns import delete_graded_campaign
from judging.grading.grades import carry_out_decision
from judging.models import Campaign, Grade, GradedCampaign, GradedItem, TopicAssignment, TopicDecision
from judging.rules.topic_life import LifeRules
from pooling.models import Collection, Passage, Pool, Team, TeamMember
from tests.web.api_caller import Api
from tests.web.conftest import SCRIPT
from web.grading import views

ONE = ["harbour", "swell"]


@pytest.fixture
def people(cast):
    """The cast; the topic q1 of ``swell`` is the owner's."""
    cast.page = reverse("web:graded_campaign", args=ONE)
    cast.judging = reverse("web:assess", args=[*ONE, cast.taken.pk])
    return cast


def text(reply) -> str:
    return reply.content.decode()


def grade(people, value, **extra):
    item = people.taken.items.get()
    return people.clients["owner"].post(
        people.judging, {"item": item.pk, "grade": value, **extra}, follow=True
    )


def test_a_graded_campaign_is_created_with_the_papers_numbers(people):
    address = reverse("web:graded_campaigns", args=["harbour"])
    form = people.clients["owner"].get(address).context["form"]
    assert form["pool"].value() == Pool.objects.get().name  # the only one is chosen
    of_pairs = people.clients["owner"].get(reverse("web:new_campaign", args=["harbour"]), {"pool": "tide"})
    assert f'href="{address}?pool=tide#h-new"' in text(of_pairs)
    assert people.clients["owner"].get(address, {"pool": "x"}).context["form"]["pool"].value() == "x"
    said = {name: field.initial for name, field in form.fields.items() if field.initial is not None}

    reply = people.clients["owner"].post(
        address, said | {"name": "own", "pool": "tide", "accept_judged": 9, "small_pools": "on"}
    )

    assert reply.status_code == 302, reply.context["form"].errors
    made = GradedCampaign.objects.get(name="own")
    assert (made.life.accept_judged, made.life.opening) == (9, LifeRules().opening)
    assert made.levels[0].name == "Irrelevant"
    assert made.topics.count() == 3


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"scale": "Yes"}, "the scale, line 1: expected a level"),
        ({"accept_density": "40"}, "“Accept with a density below” is a share and cannot be 40."),
        (
            {"accept_judged": "400"},
            "Lower “Accept with at least this many judged” or raise “Reject with more judged than”.",
        ),
        ({"min_grade": "4"}, "Grade 4 cannot be the lowest relevant grade"),
        ({"name": "swell"}, "already has a graded campaign"),
    ],
)
def test_a_wrong_field_is_explained_beside_the_form(people, wrong, words):
    address = reverse("web:graded_campaigns", args=["harbour"])
    form = people.clients["owner"].get(address).context["form"]
    said = {name: field.initial for name, field in form.fields.items() if field.initial is not None}

    reply = people.clients["owner"].post(
        address, said | {"name": "own", "pool": "tide", "small_pools": "on"} | wrong
    )

    assert (reply.status_code, words in text(reply)) == (422, True)


def test_a_passage_is_judged_by_key_changed_and_taken_back(people):
    shown = people.clients["owner"].get(people.judging)
    assert 'data-key="1"' in text(shown)
    assert "text of a" in text(shown)
    assert "No" in text(shown)
    assert "0 of 1 passage judged; more may follow" in text(shown)

    grade(people, 1)
    carry_out_decision(people.taken.topic, "reversed", why="look again", who="owner")
    earlier = text(people.clients["owner"].get(people.judging)).split("Change an earlier grade")[1]
    assert people.taken.topic.campaign.levels[1].name in earlier
    assert "text of a" in earlier
    people.clients["owner"].post(people.judging, {"undo": "1"})

    assert list(Grade.objects.order_by("pk").values_list("grade", flat=True)) == [1, None]
    assert people.taken.items.get().grade is None


def test_a_stale_window_does_not_silently_replace_a_grade(people):
    people.taken.topic.campaign.refresh_from_db()
    shown = text(people.clients["owner"].get(people.judging))
    assert '<input type="hidden" name="seen" value="">' in shown
    grade(people, 1, seen="")
    carry_out_decision(people.taken.topic, "reversed", why="look again", who="owner")

    same = grade(people, 1, seen="")
    other = grade(people, 0, seen="")

    assert "in another window" not in text(same)
    assert "Passage 1 was given grade 1 in another window." in text(other)
    assert 'name="seen" value="1"' in text(other)
    assert list(Grade.objects.values_list("grade", flat=True)) == [1]
    grade(people, 0, seen="1")
    assert people.taken.items.get().grade == 0


def test_an_assessor_sees_no_passage_id_run_or_rank(people):
    people.taken.items.update(rank=987654)
    TopicAssignment.objects.update(assessor=get_user_model().objects.get(username="assessor"))
    client = people.clients["assessor"]

    for address in (people.judging, people.page):
        shown = text(client.get(address))
        assert all(word not in shown for word in ("quay", "987654", "tide"))
    assert '<table class="stacks" id="topics">' not in text(client.get(people.page))


def test_an_assessor_of_a_private_collection_sees_no_runs_and_labels(people):
    Collection.objects.update(visibility="private")
    client, everybody = people.clients["assessor"], ["harbour"]
    pages = [
        reverse(f"web:{name}", args=everybody) for name in ("runs", "queries", "leaderboard", "analyses")
    ]

    refused = [client.get(page) for page in pages]

    assert [reply.status_code for reply in refused] == [403] * 4
    assert "Assessors of harbour do not see its runs, labels and results" in text(refused[0])
    overview = text(client.get(reverse("web:collection", args=everybody)))
    assert "Choose topics to judge" in overview
    hidden = ("h-qrels", "h-board", "h-versions", "harbour/runs", "harbour/leaderboard")
    assert [word for word in hidden if word in overview] == []
    assert all(client.get(page).status_code == 200 for page in (reverse("web:home"), people.page))
    assert [people.clients["viewer"].get(page).status_code for page in pages] == [200] * 4
    listed = client.get(reverse("web:collections"))
    assert [row.runs for row in listed.context["listed"] if row.collection.name == "harbour"] == [0]

    user = get_user_model().objects.get(username="assessor")
    team = Team.objects.create(collection=Collection.objects.get(), name="buoy")
    TeamMember.objects.create(collection=team.collection, team=team, user=user)

    assert client.get(pages[0]).status_code == 200  # a submitter, too


@pytest.mark.parametrize("wrong", ["9", "-1", "x", ""])
def test_a_grade_outside_the_scale_is_refused(people, wrong):
    reply = grade(people, wrong)

    assert Grade.objects.count() == 0
    assert "grade" in text(reply).lower()


def test_a_passage_of_somebody_elses_topic_is_not_found(people):
    people.taken.items.update(
        assignment=TopicAssignment.objects.create(topic=people.taken.topic, second=True)
    )
    other = TopicAssignment.objects.get(second=True).items.get()

    reply = people.clients["owner"].post(people.judging, {"item": other.pk, "grade": "1"})

    assert reply.status_code == 404


def test_an_assessor_whose_topic_was_taken_away_is_led_to_the_list(people):
    staff = reverse("web:decide_topic", args=[*ONE, people.taken.topic_id])
    people.clients["manager"].post(staff, {"decision": "taken away", "why": "ill"})

    reply = grade(people, 1)

    assert reply.redirect_chain == [(people.page, 302)]
    assert (
        f"The organizers took “{people.taken.topic.query.text}” from you: ill. Your grades stay on record"
        in text(reply)
    )
    assert Grade.objects.count() == 0
    assert people.clients["assessor"].get(people.judging).status_code == 404


def test_a_topic_that_the_budget_decided_says_so(people):
    GradedCampaign.objects.update(budget=1, rules={"opening": 1, "discard_share": 1.0})
    item = people.taken.items.get()
    extra = Passage.objects.exclude(pk=item.passage_id).filter(collection__name="harbour").first()
    GradedItem.objects.create(assignment=people.taken, passage=extra, position=1, batch=0)

    sent = {"item": item.pk, "grade": 1}
    shown = text(people.clients["owner"].post(people.judging, sent, follow=True))

    assert "This topic is rejected." in shown
    assert "The budget of 1 judged passage is used up." in shown


def test_texts_of_people_are_escaped(people):
    decline = reverse("web:decline_topic", args=[*ONE, people.taken.pk])

    people.clients["owner"].post(decline, {"why": SCRIPT})

    assert SCRIPT not in text(people.clients["owner"].get(people.page))
    assert "&lt;script&gt;" in text(people.clients["owner"].get(people.page))


def test_staff_reverse_the_decision_of_the_rules(people):
    grade(people, 1)
    decision = TopicDecision.objects.get()
    assert (decision.verdict, decision.decided_by) == ("discarded", "")
    shown = text(people.clients["maintainer"].get(people.page))
    assert "1 of the first 1 passages are relevant." in shown

    address = reverse("web:decide_topic", args=[*ONE, people.taken.topic_id])
    assert f'name="reverses" value="{decision.pk}"' in shown
    sent = {"decision": "reversed", "why": "a small pool", "reverses": decision.pk}
    people.clients["maintainer"].post(address, sent)

    assert TopicDecision.objects.get().reversed_by == "maintainer"
    assert "reversed by maintainer: a small pool" in text(people.clients["maintainer"].get(people.page))


@pytest.mark.parametrize("missing", [False, True])
def test_a_stale_page_does_not_reverse_a_newer_decision(people, missing):
    grade(people, 1)
    first, topic = TopicDecision.objects.get(), people.taken.topic
    carry_out_decision(topic, "reversed", why="look again", who="owner")
    carry_out_decision(topic, "accepted", why="complete", who="owner")

    reply = people.clients["maintainer"].post(
        reverse("web:decide_topic", args=[*ONE, topic.pk]),
        {"decision": "reversed", "why": "a small pool"} | ({} if missing else {"reverses": first.pk}),
        follow=True,
    )

    assert "Topic q1 has a newer decision: accepted." in text(reply)
    assert TopicDecision.objects.get(verdict="accepted").reversed_at is None


@pytest.mark.parametrize("page", ["decide_topic", "end_grading", "decline_topic"])
def test_reasons_are_stored_without_nul_and_cut_to_their_limit(people, page):
    keys = {"decide_topic": [people.taken.topic_id], "decline_topic": [people.taken.pk], "end_grading": []}
    reply = people.clients["owner"].post(
        reverse(f"web:{page}", args=[*ONE, *keys[page]]),
        {"why": "\0sea" + "x" * 20_000, "decision": "taken away"},
    )

    people.taken.refresh_from_db()
    kept = people.taken.over_why or GradedCampaign.objects.get().ended_why
    assert reply.status_code == 302
    assert kept == "sea" + "x" * 497


def test_labels_and_grades_are_downloaded(people):
    grade(people, 1)
    topic = people.taken.topic
    carry_out_decision(topic, "reversed", why="look again", who="owner")
    carry_out_decision(topic, "accepted", why="complete", who="owner")

    address = reverse("web:publish_labels", args=ONE)
    page = text(people.clients["maintainer"].post(address, {"set": "ours"}, follow=True))
    assert (
        'The qrel set <a href="/collections/harbour/#h-qrels">ours</a> was created: '
        "1 label of 1 accepted topic, relevant from grade 1."
    ) in page
    assert "ours: 1 label of 1 topic ·" in page
    assert "/collections/harbour/leaderboard/?version=none&amp;official=ours" in page
    file = b"".join(people.clients["viewer"].get(reverse("web:grades_file", args=ONE)))

    assert people.collection.qrel_sets.get(name="ours").qrels.get().grade == 1
    columns, row = (line.split(",") for line in file.decode().splitlines())
    assert dict(zip(columns, row, strict=True)) == {
        "qid": "q1",
        "pid": "a",
        "grade": "1",
        "source": "pool",
        "stage": "first of the pool",
        "rank": "1",
        "assignment": str(people.taken.pk),
        "assessor": "owner",
        "second": "false",
        "given_at": ANY,
        "standing": "current",
        "counts": "true",
        "fraction": "",
        "fraction_seed": "",
    }


def test_labels_without_withdrawn_grades_need_a_confirmation(people):
    grade(people, 1)
    carry_out_decision(people.taken.topic, "reversed", why="look again", who="owner")
    people.clients["owner"].post(people.judging, {"undo": "1"})
    TopicDecision.objects.update(verdict="accepted", reversed_at=None)
    address, client = reverse("web:publish_labels", args=ONE), people.clients["maintainer"]
    assert "Leave out passages with withdrawn grades (1)" in text(client.get(people.page))

    refused = text(client.post(address, {"set": "ours"}, follow=True))
    over_api = Api(client, people.collection).post(
        "/collections/harbour/grading/swell/labels", {"set": "ours"}
    )

    assert "The grades of 1 passage of accepted topics were withdrawn: q1 (1)." in refused
    assert "“Leave out passages with withdrawn grades”" in refused
    assert "choose “incomplete” to leave them out" in str(over_api.json())
    assert not people.collection.qrel_sets.filter(name="ours").exists()


def test_ended_judging_takes_no_grade_until_it_is_reopened(people):
    end = reverse("web:end_grading", args=ONE)
    people.clients["manager"].post(end, {"why": "the money is spent"})
    grade(people, 1)
    assert Grade.objects.count() == 0
    assert "the money is spent" in text(people.clients["owner"].get(people.page))

    for garbage in ("x", "0", "9" * 11, "9" * 5000):
        reply = people.clients["manager"].post(end, {"why": "more money", "reopen": "1", "budget": garbage})
        assert reply.status_code == 302
    assert GradedCampaign.objects.get().ended_at is not None
    people.clients["manager"].post(end, {"why": "more money", "reopen": "1", "budget": ""})
    grade(people, 1)

    assert Grade.objects.count() == 1


def test_the_collection_leads_assessors_to_their_topics(people):
    collection = reverse("web:collection", args=["harbour"])
    shown = {name: text(people.clients[name].get(collection)) for name in ("assessor", "owner", "stranger")}

    assert {name: "Choose topics to judge" in page for name, page in shown.items()} == {
        "assessor": True,
        "owner": False,
        "stranger": False,
    }


def test_a_second_opinion_is_given_after_the_judging_ended(people):
    grade(people, 1)
    people.clients["manager"].post(reverse("web:end_grading", args=ONE), {"why": "summer"})
    client = people.clients["assessor"]
    assert "Give second opinion" in text(client.get(people.page))

    take = reverse("web:take_topic", args=[*ONE, people.taken.topic_id])
    judging = client.post(take, {"second": "1"})["Location"]
    item = TopicAssignment.objects.get(second=True).items.get()
    assert "text of a" in text(client.get(judging))
    client.post(judging, {"item": item.pk, "grade": "0"})

    assert "All passages are judged." in text(client.get(judging))
    assert (people.taken.items.get().grade, TopicDecision.objects.count()) == (1, 1)


def test_a_topic_without_a_judged_passage_is_not_offered_for_a_second_opinion(people):
    people.clients["manager"].post(reverse("web:end_grading", args=ONE), {"why": "summer"})
    assert TopicDecision.objects.get().verdict == "rejected"

    assert "Give second opinion" not in text(people.clients["assessor"].get(people.page))


def test_a_program_reads_the_field_of_a_wrong_rule(people, client):
    body = {"name": "own", "pool": "tide", "rules": {"accept_density": 1.4}}

    reply = Api(client, people.collection).post("/collections/harbour/grading", body)

    assert reply.status_code == 422
    assert "“rules.accept_density” is a share and cannot be 1.4." in str(reply.json())


def test_small_pools_are_refused_with_the_number_of_topics_until_accepted(people, client):
    address = reverse("web:graded_campaigns", args=["harbour"])
    owner = people.clients["owner"]
    said = owner.get(address).context["form"].fields
    fields = {name: field.initial for name, field in said.items() if field.initial is not None}
    asked = fields | {"name": "own", "pool": "tide"}

    form = owner.get(address, {"pool": "tide"})
    refused = owner.post(address, asked)
    called = Api(client, people.collection).post(
        "/collections/harbour/grading", {"name": "own", "pool": "tide"}
    )

    words = "3 of 3 topics have at most"
    assert words in text(form)
    assert (refused.status_code, text(refused).count(words)) == (422, 2)  # as an error, and in the forecast
    assert "lower “Accept with at least this many relevant”, raise “Discard a topic" in text(refused)
    assert "or accept such topics with “Accept small pools" in text(refused)
    assert called.status_code == 409
    assert words in called.json()["detail"]
    assert "“small_pools”" in str(called.json())
    assert not GradedCampaign.objects.filter(name="own").exists()
    assert owner.post(address, asked | {"small_pools": "on"}).status_code == 302


def test_the_form_forecasts_the_passages_to_judge_for_its_choices(people):
    address = reverse("web:graded_campaigns", args=["harbour"])
    owner = people.clients["owner"]

    unlimited = owner.get(address, {"pool": "tide", "accept_judged": "10", "batch": "5"})
    limited = owner.get(address, {"pool": "tide", "budget": "12"})
    wrong = owner.get(address, {"pool": "tide", "budget": "-1"})

    sizes = unlimited.context["forecast"]["effort"]
    assert (sizes.topics, sizes.most, sizes.small) == (3, None, 3)
    assert sizes.pools <= 30 <= sizes.accepted <= 42
    assert "no limit</td>" in text(unlimited)
    assert limited.context["forecast"]["effort"].accepted == limited.context["forecast"]["effort"].most == 12
    assert "no limit</td>" not in text(limited)
    assert wrong.context["forecast"] is None


def test_the_page_warns_of_topics_beyond_the_rejection(people):
    assert "Every topic needs its whole pool" in text(people.clients["owner"].get(people.page))
    assert "undecided topic has" not in text(people.clients["owner"].get(people.page))
    grade(people, 1)
    TopicDecision.objects.all().delete()
    GradedCampaign.objects.update(rules={"reject_judged": 0.5})

    said = text(people.clients["owner"].get(people.page))

    assert "1 undecided topic has more than 0 judged passages." in said


def test_a_topic_of_a_campaign_that_is_deleted_meanwhile_is_refused(people, monkeypatch):
    TopicAssignment.objects.all().delete()
    find = views._topic_or_404

    def find_and_delete(campaign, key):
        found = find(campaign, key)
        delete_graded_campaign(GradedCampaign.objects.get())
        return found

    monkeypatch.setattr(views, "_topic_or_404", find_and_delete)
    take = reverse("web:take_topic", args=[*ONE, people.taken.topic_id])
    reply = people.clients["assessor"].post(take, follow=True)

    assert reply.redirect_chain[-1][0] == reverse("web:graded_campaigns", args=["harbour"])
    assert "Graded campaign swell was deleted." in text(reply)


def test_the_page_offers_only_what_is_possible_after_the_end(people):
    shown = text(people.clients["assessor"].get(people.page))
    assert "You have no topics yet." in shown
    TopicAssignment.objects.all().delete()
    assert "You have no topics yet. Take one below." in text(people.clients["assessor"].get(people.page))
    assert "Judged by a crowd" in text(people.clients["owner"].get(people.page))

    people.clients["manager"].post(reverse("web:end_grading", args=ONE), {"why": "summer"})

    shown = text(people.clients["assessor"].get(people.page))
    assert "Your topics" not in shown
    assert "Take one below" not in shown
    assert "Judged by a crowd" not in text(people.clients["owner"].get(people.page))


# A crowd instead of assessors.


@pytest.fixture
def free(people):
    """The topics of ``swell``, all free."""
    TopicAssignment.objects.all().delete()
    return people


def test_a_crowd_is_asked_from_the_page_and_its_campaign_leads_back_to_the_topics(free):
    owner = free.clients["owner"]
    assert "Prepare tasks for 1 free topic" in text(owner.get(free.page))

    reply = owner.post(reverse("web:ask_crowd", args=ONE), {"name": "crowd"})

    made = Campaign.objects.get(name="crowd")
    assert reply["Location"] == reverse("web:prepare_settings", args=["crowd"])
    offered = owner.get(reply["Location"]).context["form"].fields
    assert offered["pairs_per_task"].label == "Passages per task"
    assert not {"allow_undecided", "repeats_per_task"} & set(offered)
    assert [name for name, field in offered.items() if "pair" in f"{field.label} {field.help_text}"] == []
    settings = " ".join(re.sub(r"<[^>]*>", " ", text(owner.get(reply["Location"]))).split())
    assert "Save and continue to test passages" in settings
    assert "passages per task, the judgments per passage or the seed" in settings
    assert re.findall(r"[^.;]* pairs?\b[^.;]*", settings) == []
    assert (made.grading.name, made.state, made.pairs.count()) == ("swell", "draft", 1)
    page = text(owner.get(free.page))
    assert "workers of crowd" in page
    assert reverse("web:campaign", args=["crowd"]) in page
    assert "A worker sees only one of the two" in text(owner.get(reverse("web:prepare_gold", args=["crowd"])))
    assert "Topics of swell" in text(owner.get(reverse("web:campaign", args=["crowd"])))
    for preview in ("offer", "consent", "pairs"):
        shown = text(owner.get(reverse("web:preview_texts", args=["crowd"]), {"page": preview}))
        assert "passage" in shown
        assert "pairs" not in shown
    owner.post(reverse("web:usual_texts", args=["crowd"]), {"sure": "1"})
    made.refresh_from_db()
    assert (made.example_text, "two passages" in made.instructions_text) == ("", False)
    assert "Worked example" not in text(owner.get(reverse("web:prepare_texts", args=["crowd"])))


def test_the_page_names_drafts_before_the_judging_ends_and_after_it(free):
    owner = free.clients["owner"]
    owner.post(reverse("web:ask_crowd", args=ONE), {"name": "crowd"})
    before = text(owner.get(free.page))
    owner.post(reverse("web:end_grading", args=ONE), {"why": "summer"})
    after = text(owner.get(free.page))

    held = "has not been launched. It has 1 topic that nobody has judged. It stays undecided"
    assert f"{held} if you end the judging" in before
    assert f"{held}. Reopen judging to launch the campaign." in after
    assert '<span class="state">prepared</span>' in after
    assert not TopicDecision.objects.exists()
    checks = text(owner.get(reverse("web:prepare_launch", args=["crowd"])))
    assert "The judging of swell has ended." in checks
    assert 'href="/collections/harbour/grading/">' in checks


@pytest.mark.parametrize("page", ["challenge", "publish"])
def test_pages_about_best_answers_send_a_crowds_campaign_to_its_topics(free, page):
    owner = free.clients["owner"]
    owner.post(reverse("web:ask_crowd", args=ONE), {"name": "crowd"})

    reply = owner.get(reverse(f"web:{page}", args=["crowd"]), follow=True)

    assert reply.redirect_chain == [(free.page, 302)]
    assert "it has no tournament and no best answers." in text(reply)


def test_the_list_of_topics_shows_the_size_of_each_pool(free):
    assert "1 passage in the pool" in text(free.clients["assessor"].get(free.page))
    assert '<td data-label="Pool" class="number">1</td>' in text(free.clients["viewer"].get(free.page))


def test_topics_of_a_closed_crowd_are_offered_again(free):
    owner = free.clients["owner"]
    owner.post(reverse("web:ask_crowd", args=ONE), {"name": "crowd"})
    made = Campaign.objects.filter(name="crowd")
    assert "Prepare tasks for" not in text(owner.get(free.page))
    none = "No topics are free: 1 topic is kept for a crowd’s campaign that is not launched."
    assert none in text(free.clients["assessor"].get(free.page))
    made.update(state=Campaign.State.CLOSED, launched_at=clock.now())

    assert "1 topic is undecided, and free for assessors" in text(
        owner.get(reverse("web:campaign", args=["crowd"]))
    )
    person = get_user_model().objects.get(username="assessor")
    token = make_token(user=person, name="t", scopes=["read"], days=1)[1]
    called = Client().get(
        "/api/v1/collections/harbour/grading/swell", headers={"Authorization": f"Bearer {token}"}
    )
    assert [one["state"] for one in called.json()["listed"]] == ["left undecided"]
    page = text(owner.get(free.page))
    assert "left undecided" in page
    assert "Prepare tasks for 1 free topic" in page
    owner.post(reverse("web:ask_crowd", args=ONE), {"name": "second"})
    closed = "taken from workers of crowd: The campaign closed before the topic was decided."
    assert closed in text(owner.get(free.page))
    assert "workers of second" in text(owner.get(free.page))


@pytest.mark.parametrize("name", ["", "crowd", "no name"])
def test_an_unusable_crowd_is_refused_with_the_reason(free, name):
    owner = free.clients["owner"]
    owner.post(reverse("web:ask_crowd", args=ONE), {"name": "crowd"})

    reply = owner.post(reverse("web:ask_crowd", args=ONE), {"name": name}, follow=True)

    assert Campaign.objects.filter(grading__isnull=False).count() == 1
    assert [str(one) for one in reply.context["messages"]]


def test_a_program_asks_a_crowd_once(free, client):
    api = Api(client, Collection.objects.get(name="harbour"))
    body = {"name": "crowd", "grading": "swell", "pairs_per_task": 1}
    address = "/collections/harbour/campaigns"

    replies = [api.post(address, body) for _ in range(2)]
    wrong = [api.post(address, one) for one in (body | {"pool": "tide"}, {"name": "x"})]

    assert [one.status_code for one in replies] == [201, 200]
    assert [one.status_code for one in wrong] == [422, 422]
    assert Campaign.objects.get(name="crowd").tasks.count() == 1
