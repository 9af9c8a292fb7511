"""The API's messages do not assume a terminal; and the budget after launch."""

import ast
import re
from decimal import Decimal

import pytest
from django.conf import settings
from django.core.management import get_commands
from django.http import Http404

from config.background.models import Job
from config.errors import Refusal
from config.guidance import Action, Guidance, Option
from judging.models import Campaign, CampaignChange
from pooling.models import Membership
from tests.due_jobs import work_off_everything
from tests.factories import grant_to
from tests.web.api_caller import api as api, problem
from tests.web.runs.test_api_uploads import announce, send_part
from web.common.directions import guidance_for_programs

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/collections/harbour/versions/99/qrels", "There is no such version here."),
        ("/collections/harbour/runs/999999", "There is no such run here."),
        ("/collections/harbour/uploads/999999", "There is no such upload here."),
        ("/collections/harbour/pools/none", "There is no such pool here."),
        ("/new-collections/999999", "There is no such new collection here."),
        ("/collections/harbour/files/999999", "There is no such addition of files here."),
    ],
)
def test_missing_objects_are_reported_in_plain_words(api, address, words):
    assert problem(api.get(address), 404)["detail"] == words


def test_a_missing_object_is_named_whatever_django_says(api, monkeypatch):
    monkeypatch.setattr("django.shortcuts.Http404", lambda _words: Http404("Rien de tel."))

    said = problem(api.get("/collections/harbour/runs/999999"), 404)

    assert said["detail"] == "There is no such run here."


def test_a_refusal_names_the_page_instead_of_a_command(api):
    said = problem(api.get("/collections/harbour/scores?qrels=@99"), 404)

    assert "manage.py" not in str(said)
    assert said["next_step"].startswith("Publish the next version")


def test_submitting_a_file_that_is_still_arriving_says_how_much_is_missing(api):
    where = announce(api, check_only=True)["Location"]
    send_part(api, where, b"q1 Q0", 0)

    reply = api.post(f"{where.removeprefix('/api/v1')}/submit", {})

    assert "incomplete: 5 of" in problem(reply, 409)["detail"]
    assert reply["Upload-Offset"] == "5"


def test_the_list_of_collections_says_the_callers_role(api):
    assert [one["role"] for one in api.get("/collections").json()] == ["owner"]
    assert [one["role"] for one in api.client.get("/api/v1/collections").json()] == [""]


def test_a_campaigns_status_names_no_commands(api, published):
    campaign = Campaign.objects.filter(collection=published.collection).first()
    Campaign.objects.filter(pk=campaign.pk).update(state="paused")

    said = api.get(f"/campaigns/{campaign.name}/status").json()

    assert (
        said["next"] == "Resume it (POST /api/v1/campaigns/spring/resume) offers the remaining tasks again."
    )


def test_answers_name_no_calls_that_the_caller_may_not_make(api, published):
    campaign = Campaign.objects.filter(collection=published.collection).first()
    Campaign.objects.filter(pk=campaign.pk).update(state="paused")
    raised = Guidance(Action("raise_budget", campaign.name, "9.00"))
    failed = {"state": "failed", "fault": "refused", "failure_message": "No money.", "next_step": raised}
    arguments = {"campaign_id": campaign.pk}
    job = Job.objects.create(kind="web.challenge", key="past", arguments=arguments, **failed)
    work = f"/campaigns/{campaign.name}/challenges/work/{job.pk}"
    assert api.get(work).json()["next_step"] == "Change the budget (POST /api/v1/campaigns/spring/budget)"

    Membership.objects.filter(user=api.user).update(role="viewer")

    roles = "(only an owner or a campaign manager can)"
    assert api.get(work).json()["next_step"] == f"Change the budget {roles}"
    status = api.get(f"/campaigns/{campaign.name}/status").json()
    assert status["next"] == f"Resume it {roles} offers the remaining tasks again."


def test_a_refusal_names_no_call_that_the_caller_may_not_make(api, published, monkeypatch):
    def refuse(campaign):
        raise Refusal("No money is left.", Action("raise_budget", campaign.name, "9.00"))

    monkeypatch.setattr("web.campaigns.api.campaign_status", refuse)
    Membership.objects.filter(user=api.user).update(role="viewer")

    said = problem(api.get("/campaigns/spring/status"), 422)

    assert said["next_step"] == "Change the budget (only an owner or a campaign manager can)"


def test_texts_by_people_are_unchanged_in_a_campaigns_status(api, published, monkeypatch):
    wrote = "better --late, as manage.py close_campaign says"
    ours = Guidance(Action("raise_budget", "spring", "9.00"))
    stalled = {"what": wrote, "count": 1, "since": "", "why": ours, "next": ours, "words": ours}
    status = {
        "exclusion_reasons": [{"worker": 1, "rule": "by hand", "reason": wrote}],
        "pilot": {"comments": [wrote]},
        "problems": [ours],
        "stalled": [stalled],
        "next": ours,
    }
    monkeypatch.setattr("web.campaigns.api.campaign_status", lambda campaign: status)
    campaign = Campaign.objects.filter(collection=published.collection).first()

    said = api.get(f"/campaigns/{campaign.name}/status").json()

    assert said["exclusion_reasons"][0]["reason"] == said["pilot"]["comments"][0] == wrote
    told = (said["problems"][0], said["stalled"][0]["why"], said["stalled"][0]["words"], said["next"])
    assert told == ("Change the budget (POST /api/v1/campaigns/spring/budget)",) * 4


def test_the_budget_is_changed_after_launch_once(api, published):
    campaign = Campaign.objects.filter(collection=published.collection).first()
    Campaign.objects.filter(pk=campaign.pk).update(state="open")
    grant_to(collection=campaign.collection)
    address = f"/campaigns/{campaign.name}/budget"

    replies = [api.post(address, {"amount": 900.5, "why": "repeats"}) for _ in range(2)]

    assert [reply.status_code for reply in replies] == [200, 200]
    assert Decimal(replies[1].json()["budget"]) == Decimal("900.50")
    change = CampaignChange.objects.get(what="budget $900.50")
    assert (change.why, change.who) == ("repeats", "olga")


@pytest.mark.parametrize("amount", [0, -1, 1.234, 1e12, "nan", None])
def test_an_invalid_amount_is_refused(api, published, amount):
    campaign = Campaign.objects.filter(collection=published.collection).first()

    problem(api.post(f"/campaigns/{campaign.name}/budget", {"amount": amount}), 422)
    assert not CampaignChange.objects.filter(what__startswith="budget").exists()


@pytest.mark.parametrize(
    ("option", "field"),
    [("skip-unknown", "skip_unknown"), ("tag", "run_tag"), ("confirm-spend", "confirm_spend")],
)
def test_an_option_is_the_field_of_a_call(option, field):
    assert guidance_for_programs(Guidance("Say ", Option(option), ".")) == f"Say “{field}”."


def test_services_name_commands_only_as_actions():
    """``manage.py COMMAND`` becomes a page; a bare name of a command would stay as it is, on pages and over HTTP."""
    commands = [name for name in get_commands() if "_" in name]
    bare = re.compile(rf"(?<!manage\.py )(?<![.\w])(?:{'|'.join(commands)})\b")
    wrong = {}
    for room in ("accounts", "pooling", "judging", "tournament", "leaderboard", "web"):
        for path in (settings.BASE_DIR / room).rglob("*.py"):
            found = [words for words in _sentences(path) if bare.search(words)]
            if found and not {"management", "migrations"} & set(path.parts):
                wrong[str(path)] = found

    assert wrong == {}


def _sentences(path):
    """Return the sentences in a file's code, without docstrings and names."""
    tree = ast.parse(path.read_text())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and " " in str(node.value) and id(node) not in docstrings:
            yield str(node.value)


def test_problems_of_files_are_worded_for_calls_and_for_pages(api, published, data_dir):
    api.client.force_login(api.user)
    where = api.send(options="file_name=sent.txt&run_tag=quay")["Location"]
    work_off_everything()

    told = api.client.get(where, headers=api.headers).json()
    page = api.client.get(where.removeprefix("/api/v1") + "/").content.decode()

    [problem] = told["problems"]
    assert problem["next_step"] == "Import this file under another tag with “run_tag”."
    assert "under another tag with “run tag”" in page
