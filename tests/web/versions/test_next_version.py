"""From new runs to the next version in the browser: unseen passages, cost, and the preview of publishing."""

from decimal import Decimal

import pytest

from config.background.models import Job
from judging.models import Campaign, CampaignChange, Judgment, TaskPair
from pooling.models import Passage, Query
from tests.due_jobs import work_off_everything
from tests.factories import make_run
from tournament.models import Challenge, ChallengedQuery, QrelVersion
from tournament.services import advance_challenges
from tournament.services.challenges import beyond_budget
from web.common.campaign_steps import step_after_judging
from web.errors import AnotherUnderWay
from web.versions.jobs import ring_for_publishing
from web.versions.next_version import challenge_lines

CHALLENGE = "/campaigns/spring/challenge/"
PUBLISH = "/campaigns/spring/publish/"


def text_of(reply, status=200) -> str:
    assert reply.status_code == status
    return reply.content.decode()


@pytest.fixture
def owner(cast):
    """The owner's client, with a launched campaign and a new run with an unseen top for q1."""
    cast.campaign.state = "open"
    cast.campaign.launched_at = cast.version.published_at
    cast.campaign.save()
    make_run(cast.collection, "wave", {"q1": ["w1"], "q2": ["a2"]})
    cast.passage("w1")
    return cast.clients["owner"]


def planned(client, *tags: str) -> str:
    """Return the page after the plan for these runs is ready."""
    assert client.post(CHALLENGE + "plan", {"run": tags, "rule": "single"}).status_code == 302
    work_off_everything()
    return text_of(client.get(CHALLENGE))


def judged_by_everybody(campaign) -> None:
    """Judge every requested pair in favor of the newcomer."""
    for row in TaskPair.objects.filter(task__campaign=campaign, pair__round__gt=0).select_related("pair"):
        new = max(row.pair.passage_a, row.pair.passage_b, key=lambda one: one.pid)
        old = min(row.pair.passage_a, row.pair.passage_b, key=lambda one: one.pid)
        Judgment.objects.create(
            campaign=campaign, pair=row.pair, left=new, right=old, preferred=new, judge_kind="human"
        )


def previewed(client, **asked: str) -> str:
    assert client.post(PUBLISH + "preview", asked or {"sure": "1"}).status_code == 302
    work_off_everything()
    return text_of(client.get(PUBLISH))


def fingerprint(client) -> str:
    return client.get(PUBLISH).context["preview"]["fingerprint"]


def test_the_whole_way_from_a_new_run_to_version_2(cast, owner):
    page = planned(owner, "wave")

    assert "Challenge and spend up to $2.40" in page
    assert "text of w1" in page
    assert not Challenge.objects.exists()

    cost = str(owner.get(CHALLENGE).context["cost"])
    owner.post(CHALLENGE + "open", {"run": ["wave"], "rule": "single", "confirm": cost})
    work_off_everything()
    assert "Challenge 1 is open:" in text_of(owner.get(CHALLENGE))
    assert "0 of 1 requested so far" in text_of(owner.get(CHALLENGE))

    judged_by_everybody(cast.campaign)
    advance_challenges(campaign=cast.campaign)
    page = previewed(owner)
    assert "Publish version 2 of harbour" in page
    assert "Queries that differ from version 1" in page
    assert "1 query listed. After publication, <em>What changed and why</em> lists all" in page
    assert QrelVersion.objects.count() == 1

    owner.post(PUBLISH + "now", {"as_shown": fingerprint(owner)})
    work_off_everything()
    assert "Version 2 is published." in text_of(owner.get(PUBLISH))
    assert QrelVersion.objects.get(number=2).published_by == "owner"
    assert CampaignChange.objects.filter(what="version 2", who="owner").exists()
    changed = text_of(owner.get("/collections/harbour/versions/2/changes/"))
    assert "challenge 1 added 1 new passage, with wave" in changed
    board = owner.get("/collections/harbour/leaderboard/").context["board"]
    moves = {line.row.run: line.move for line in board.page}
    assert board.moves.before == 1
    assert moves["wave"] > 0
    assert moves["perfect run"] is None


def test_a_run_without_unseen_tops_needs_no_challenge(owner):
    assert "There is nothing to judge" in planned(owner, "quay")


def test_tops_with_the_best_answers_text_are_added_without_judging(cast, owner):
    """The best answer of q1 is b; its twin is the top passage of ``ebb``."""
    Passage.objects.filter(pk=cast.passage("b").pk).update(class_key="same")
    Passage.objects.filter(pk=cast.passage("twin").pk).update(class_key="same")
    make_run(cast.collection, "ebb", {"q1": ["twin"]})

    page = planned(owner, "ebb")
    assert "1 passage joins a best answer without being judged" in page
    assert "Add 1 passage to the best answers" in page
    assert "nothing to judge" not in page

    cost = str(owner.get(CHALLENGE).context["cost"])
    owner.post(CHALLENGE + "open", {"run": ["ebb"], "rule": "single", "confirm": cost})
    work_off_everything()
    assert "Challenge 1 is done:</strong> 1 passage joins a best answer." in text_of(owner.get(CHALLENGE))
    assert TaskPair.objects.filter(pair__round__gt=0).count() == 0
    said = text_of(owner.get("/campaigns/spring/"))
    assert "1 query has new passages with the text of its best answer" in said
    assert "Preview the next version" in said

    previewed(owner)
    owner.post(PUBLISH + "now", {"as_shown": fingerprint(owner)})
    work_off_everything()
    qrels = QrelVersion.objects.get(number=2).qrels.filter(query__qid="q1")
    assert sorted(qrels.values_list("passage__pid", flat=True)) == ["b", "twin"]
    assert "There is nothing to judge" in planned(owner, "ebb")


def test_adding_equal_texts_costs_nothing_even_when_the_budget_is_used_up(cast):
    type(cast.campaign).objects.filter(pk=cast.campaign.pk).update(budget=Decimal(0))
    cast.campaign.refresh_from_db()

    assert beyond_budget(cast.campaign, Decimal("0.01")) is not None
    assert beyond_budget(cast.campaign, Decimal(0)) is None


def test_an_unknown_run_is_refused_with_a_reason(owner):
    page = planned(owner, "nobody")

    assert "notice stop" in page
    assert "nobody" in page


@pytest.mark.parametrize("confirm", ["", "abc", "NaN", "-1", "1e99", "Infinity"])
def test_an_invalid_amount_opens_no_challenge(owner, confirm):
    owner.post(CHALLENGE + "open", {"run": ["wave"], "confirm": confirm})
    work_off_everything()

    assert not Challenge.objects.exists()


def test_more_than_was_agreed_to_is_not_spent(cast, owner):
    planned(owner, "wave")
    owner.post(CHALLENGE + "open", {"run": ["wave"], "rule": "single", "confirm": "0.01"})
    work_off_everything()

    assert "can cost up to $2.40, but you agreed to $0.01" in text_of(owner.get(CHALLENGE))
    assert not Challenge.objects.exists()


def test_real_money_takes_a_role_that_spends_it(cast, owner):
    type(cast.campaign).objects.filter(pk=cast.campaign.pk).update(endpoint="https://crowd.example")

    page = planned(cast.clients["maintainer"], "wave")
    reply = cast.clients["maintainer"].post(CHALLENGE + "open", {"run": ["wave"], "confirm": "2.40"})

    assert "an owner of harbour can do it" in page
    assert reply.status_code == 403


def test_a_missing_choice_of_runs_is_reported(owner):
    assert "No run is chosen" in text_of(owner.post(CHALLENGE + "plan", {"x": "1"}, follow=True))


@pytest.mark.parametrize("tag", ["", " ", "no-such-run", "\0", "<b>"])
def test_a_run_that_is_not_there_is_refused_at_once(owner, tag):
    for what in ("plan", "open"):
        page = text_of(owner.post(CHALLENGE + what, {"run": [tag], "confirm": "1.00"}, follow=True))

        assert "has no run" in page or "No run is chosen" in page
    assert not Job.objects.filter(kind="web.challenge").exists()


def test_with_one_campaign_that_asks_a_run_leads_to_it(cast, owner):
    reply = owner.get("/collections/harbour/challenge/", {"run": "wave"})

    assert reply["Location"] == f"{CHALLENGE}?run=wave"
    assert [run.run_tag for run, chosen in owner.get(reply["Location"]).context["runs"] if chosen] == ["wave"]


def test_with_several_campaigns_one_is_chosen_and_without_any_the_page_says_so(cast, owner):
    launched = {
        "collection": cast.collection,
        "pool": cast.pool,
        "seed": 1,
        "launched_at": cast.version.published_at,
    }
    second = type(cast.campaign).objects.create(name="summer", state="open", **launched)
    several = text_of(owner.get("/collections/harbour/challenge/", {"run": "wave"}))
    second.delete()
    type(cast.campaign).objects.update(state="closed")
    none = text_of(owner.get("/collections/harbour/challenge/"))

    assert "/campaigns/summer/challenge/?run=wave" in several
    assert "No campaign of harbour can offer tasks" in none
    assert "/collections/harbour/campaigns/new/" in none


def test_a_closed_campaign_says_where_new_runs_can_challenge(cast, owner):
    type(cast.campaign).objects.update(state="closed", launched_at=cast.version.published_at)

    page = text_of(owner.get("/campaigns/spring/"))
    over = text_of(owner.get(CHALLENGE))
    seen_by_maintainer = text_of(cast.clients["maintainer"].get(CHALLENGE))
    summer = type(cast.campaign).objects.create(
        name="summer",
        state="paused",
        collection=cast.collection,
        pool=cast.pool,
        seed=1,
        launched_at=cast.version.published_at,
    )
    there = text_of(owner.get(CHALLENGE))

    assert "It is closed, and its best answers are published." in page
    assert 'href="/collections/harbour/challenge/"' in page
    assert "cannot be reopened" in over
    assert "/collections/harbour/pools/new/" in over
    assert "/collections/harbour/pools/new/" not in seen_by_maintainer
    assert "Owners and campaign managers can create campaigns." in seen_by_maintainer
    assert f"/campaigns/{summer.name}/challenge/" in there
    assert "Start the challenge from a new campaign" not in there


def test_a_challenge_beyond_the_budget_is_not_offered(cast, owner):
    assert "Challenge and spend up to" in planned(owner, "wave")

    cast.campaign.budget = Decimal("0.50")
    cast.campaign.save()
    page = text_of(owner.get(CHALLENGE))
    of_maintainer = text_of(cast.clients["maintainer"].get(CHALLENGE))

    assert "over its budget of $0.50" in page
    assert "Challenge and spend up to" not in page
    assert "/campaigns/spring/budget/" in page
    assert "ask an owner or a campaign manager" in of_maintainer
    assert "/campaigns/spring/budget/" not in of_maintainer


def test_the_preview_warns_of_queries_that_another_campaign_decided(cast, owner):
    other = type(cast.campaign).objects.get(pk=cast.campaign.pk)
    other.pk, other.name, other.call_key = None, "winter", "0" * 16
    other.save()
    QrelVersion.objects.update(campaign=other)
    cast.add_queries(1)

    page = previewed(owner)

    assert "that winter decided in version 1" in page
    assert f"now decided by {cast.campaign.name}" in page


def test_changes_since_the_preview_are_not_published(cast, owner):
    previewed(owner)
    cast.add_queries(1)
    previewed(owner)
    seen = fingerprint(owner)
    cast.add_queries(1)

    owner.post(PUBLISH + "now", {"as_shown": seen})
    work_off_everything()

    assert "has changed since the preview" in text_of(owner.get(PUBLISH))
    assert QrelVersion.objects.count() == 1


def test_open_queries_are_published_only_if_ticked(cast, owner):
    cast.pooled("q1", late=[cast.quay])
    page = previewed(owner)
    assert "open, left out" in page

    page = previewed(owner, allow_open="1")
    assert "open, with the best answers so far" in page
    owner.post(PUBLISH + "now", {"as_shown": fingerprint(owner), "allow_open": "1"})
    work_off_everything()

    assert QrelVersion.objects.get(number=2).queries.filter(status="open").count() == 1


def test_an_unchanged_version_has_a_note_and_no_button(owner):
    page = previewed(owner)

    assert "No changes: version 1 already has the same content" in page
    assert "publish/now" not in page


def test_a_viewer_can_preview_but_not_publish(cast, owner):
    cast.add_queries(1)
    previewed(owner)

    page = text_of(cast.clients["viewer"].get(PUBLISH))

    assert "Owners and maintainers of harbour can publish it" in page
    assert "publish/now" not in page


def test_pages_of_running_work_update_automatically(cast, owner):
    owner.post(PUBLISH + "preview", {"sure": "1"})

    assert 'data-refresh="/campaigns/spring/publish/progress"' in text_of(owner.get(PUBLISH))
    assert "No background worker is running." in text_of(owner.get(PUBLISH + "progress"))
    Job.objects.update(state="done", result={})
    assert "data-over" in text_of(owner.get(PUBLISH + "progress"))


def test_what_comes_next_after_a_version_is_a_challenge_and_after_that_the_next_version(owner, cast):
    assert step_after_judging(cast.campaign).link == CHALLENGE

    asked = Challenge.objects.create(
        campaign=cast.campaign, number=1, rule="single", run_tags=["wave"], version=cast.version
    )

    assert "Challenge 1 continues" in step_after_judging(cast.campaign).words
    one, other = Query.objects.filter(collection=cast.campaign.collection)[:2]
    ChallengedQuery.objects.create(challenge=asked, query=one, challenger_ids=[1])
    ChallengedQuery.objects.create(
        challenge=asked, query=other
    )  # its new top has the text of a judged passage
    assert [line.queries for line in challenge_lines(cast.campaign)] == [1]

    asked.state = Challenge.State.DONE
    asked.save()

    assert step_after_judging(cast.campaign).link == PUBLISH


def test_a_refused_publication_names_the_collection_not_the_new_campaign(cast, owner):
    other = Campaign.objects.create(
        name="autumn", collection=cast.collection, pool=cast.campaign.pool, seed=1
    )
    asked = {"allow_open": True, "as_shown": "", "who": "owner"}
    ring_for_publishing(cast.campaign, **asked)

    with pytest.raises(AnotherUnderWay, match=f"Another job for the next version of {cast.collection.name} "):
        ring_for_publishing(other, **asked)
