"""Permissions on pages: every address × every role. An address that is missing in the table fails the test.

The calls of the API are in test_call_permissions.py.
"""

import re
from dataclasses import dataclass, field

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse

from accounts.models import ApiToken
from judging.models import Campaign
from tests.web.addresses import arguments_of
from tests.web.conftest import PEOPLE, PUBLIC, ROLES, Harbour

pytestmark = pytest.mark.one_database

OWNERS = {"owner", "administrator"}


@dataclass(frozen=True)
class Page:
    """An address of a collection, and who gets ``done``; None means everybody who sees the collection."""

    only: set[str] | None = None
    post: dict = field(default_factory=dict)
    done: int = 200
    of_owner: int = 0  # the owner's status, if it differs
    of_submitter: int = 0
    others: int = 0  # the status for outsiders, who must not see that it exists
    results: bool = True  # whether an assessor of a private collection is refused: it shows runs or labels

    def expected(self, person: str, published: bool) -> int:
        if person in PUBLIC and (self.others or not published):
            return 404
        if person == "assessor" and self.others:
            return 404 if published else 403
        if person == "assessor" and not published and self.only is None and self.results:
            return 403
        if person == "submitter" and self.of_submitter:
            return self.of_submitter
        if person == "owner" and self.of_owner:
            return self.of_owner
        return self.done if self.only is None or person in self.only else 403


MEMBERS = {*ROLES, "administrator"}
RUNS = {"maintainer", "owner", "administrator"}
SENDERS = {"submitter", *RUNS}
TEAM = {"submitter", *MEMBERS}
STEERS = {"submitter", *OWNERS}
MONEY = {"manager", *OWNERS}
ASSESSORS = {"assessor", *OWNERS}
STAFF = {*RUNS, *MONEY}
GRADING = {"assessor", *MEMBERS}
ACT = {"only": OWNERS, "done": 302}

#: View name → its page; the address is built from the cast.
OF_A_COLLECTION = {
    "web:campaign": Page(),
    "web:progress": Page(),
    "web:campaign_live": Page(),
    "web:campaign_activity": Page(only=MEMBERS),
    "web:campaign_step": Page(only=MONEY),
    "web:campaign_budget": Page(only=MONEY),
    "web:campaign_payments": Page(only=MONEY),
    "web:campaign_ask_again": Page(only=MONEY, post={"sure": "1"}, done=302),
    "web:campaign_failed": Page(only=MONEY, post={"sure": "1"}, done=302),
    "web:simulate": Page(only=MONEY),
    "web:campaign_workers": Page(only=MEMBERS),
    "web:campaign_worker": Page(only=MEMBERS),
    "web:decide_worker": Page(only=MONEY),
    "web:campaign_message": Page(only=MONEY),
    "web:campaign_reports": Page(only=MEMBERS),
    "web:settle_report": Page(only=MONEY, post={"why": "seen"}, done=302),
    "web:campaign_appeal": Page(only=MONEY),
    "web:campaign_gold": Page(only=MEMBERS),
    "web:suspend_gold": Page(only=MONEY, done=404),  # it has none
    "web:campaign_differences": Page(only=MEMBERS),
    "web:campaign_judgments": Page(only=MEMBERS),
    "web:judgments_file": Page(only=MEMBERS),
    "web:top_up": Page(only=MONEY),
    "web:collection": Page(results=False),
    "web:queries": Page(),
    "web:collection_query": Page(done=302),  # a version covers it
    "web:query_map": Page(),
    "web:versus": Page(),
    "web:pools": Page(only=MEMBERS),
    "web:near_duplicates": Page(only=MEMBERS),
    "web:clustering": Page(only=MEMBERS),
    "web:near_duplicate_labels": Page(only=MEMBERS),
    "web:change_near_duplicates": Page(only=RUNS, post={"action": "remove", "sure": "1"}, done=302),
    "web:collection_campaigns": Page(results=False),
    "web:collection_settings": Page(only=MEMBERS),
    "web:policy": Page(),
    "web:drop_policy": Page(post={"why": "spring"}, **ACT),
    "web:withhold_labels": Page(post={"why": "spring"}, **ACT),
    "web:split": Page(only=MEMBERS),
    "web:leaderboard": Page(),
    "web:drawing_board": Page(),
    "web:leaderboard_file": Page(),
    "web:comparison": Page(done=301),
    "web:comparison_file": Page(done=301),
    "web:timeline": Page(done=301),
    "web:timeline_file": Page(done=301),
    "web:analyses": Page(),
    "web:analysis": Page(),
    "web:analysing": Page(),
    "web:analysis_file": Page(done=404),  # it was not run yet
    "web:run_analysis": Page(only=MEMBERS, post={"trials": "10"}, done=302),
    "web:run": Page(),
    "web:runs": Page(),
    "web:send_runs": Page(only=SENDERS),
    "web:run_metadata": Page(only=RUNS),
    "web:withdraw_announced": Page(only=RUNS, post={"run": "quay"}, done=302),
    "web:run_fields": Page(only=RUNS),
    "web:add_files": Page(only=RUNS),
    "web:document_labels": Page(only=RUNS),
    "web:document_label_sources": Page(only=RUNS, done=404),  # the cast has none
    "web:fetch_texts": Page(only=RUNS, post={"sure": "1"}, done=302),
    "web:candidates_file": Page(only=SENDERS, done=404),  # the cast has none
    "web:remove_candidates": Page(only=RUNS, post={"sure": "1"}, done=302),
    "web:added": Page(only=RUNS),
    "web:adding": Page(only=RUNS),
    "web:read_again": Page(only=RUNS, post={"x": "1"}, done=404, of_owner=302),
    "web:drop_files": Page(only=RUNS, post={"x": "1"}, done=404, of_owner=302),
    "web:describe_run": Page(only=RUNS),
    "web:release_runs": Page(only=RUNS, post={"release": "scores", "run": "1"}, done=302),
    "web:release_run": Page(only=RUNS, post={"release": "scores"}, done=302),
    "web:withdraw_run": Page(only=RUNS),
    "web:uploads": Page(only=SENDERS),
    "web:begin_upload": Page(
        only=SENDERS, post={"file_name": "x", "size_bytes": "5", "release": "private"}, done=201
    ),
    # A submitter sees only the team's uploads, and this is the owner's.
    "web:upload": Page(only=SENDERS, of_submitter=404),
    "web:checking": Page(only=SENDERS, of_submitter=404),
    "web:teams": Page(),
    "web:apply_as_team": Page(),
    "web:new_team": Page(post={"name": "Gulls"}, **ACT),
    "web:decide_application": Page(post={"decision": "decline"}, **ACT),
    "web:plan_round": Page(post={"name": "x"}, only=OWNERS, done=422),
    "web:delete_round": Page(post={"sure": "1"}, **ACT),
    # A team's page is for its people and members; its first member (here the submitter) and owners manage it.
    "web:team": Page(only=TEAM, others=404),
    "web:invite_to_team": Page(only=STEERS, post={"email": "no address"}, done=302, others=404),
    "web:withdraw_from_team": Page(only=STEERS, post={"sure": "1"}, done=302, others=404),
    "web:remove_from_team": Page(only=STEERS, post={"sure": "1"}, done=302, others=404),
    # Nobody can continue somebody else's upload; this one is the owner's.
    "web:send_part": Page(only=SENDERS, post={"x": "1"}, done=404, of_owner=400),
    "web:check_again": Page(only=SENDERS, post={"x": "1"}, done=404, of_owner=302),
    "web:submit_uploads": Page(only=SENDERS, post={"x": "1"}, done=302),
    "web:submit_upload": Page(only=SENDERS, post={"x": "1"}, done=404, of_owner=302),
    "web:drop_upload": Page(only=SENDERS, post={"x": "1"}, done=404, of_owner=302),
    "web:version": Page(),
    "web:query": Page(),
    "web:query_file": Page(),
    "web:queries_file": Page(),
    "web:qrels_file": Page(),
    "web:changes": Page(),
    "web:release": Page(only=MEMBERS),
    "web:version_doi": Page(only=RUNS, post={"doi": "10.5281/zenodo.1"}, done=302),
    "web:releasing": Page(only=MEMBERS),
    "web:release_file": Page(only=MEMBERS, done=404),  # it has not been created yet
    "web:count_release": Page(only=MEMBERS, post={"sure": "1"}, done=302),
    "web:make_release": Page(only=RUNS, post={"sure": "1"}, done=302),
    "web:delete_release": Page(only=OWNERS),
    "web:challenge_with": Page(only=MEMBERS),
    "web:challenge": Page(only=MEMBERS),
    "web:challenging": Page(only=MEMBERS),
    "web:plan_challenge": Page(only=MEMBERS, post={"run": "quay"}, done=302),
    "web:open_challenge": Page(only=RUNS, post={"run": "quay", "confirm": "1.00"}, done=302),
    "web:publish": Page(only=MEMBERS),
    "web:publishing": Page(only=MEMBERS),
    "web:preview_version": Page(only=MEMBERS, post={"allow_open": "1"}, done=302),
    "web:publish_version": Page(only=RUNS, post={"as_shown": "x"}, done=302),
    "web:changes_file": Page(),
    "web:members": Page(only=MEMBERS),
    "web:add_member": Page(post={"whom": "stranger", "role": "viewer"}, **ACT),
    "web:change_role": Page(post={"role": "manager"}, **ACT),
    "web:remove_member": Page(post={"sure": "1"}, **ACT),
    "web:transfer": Page(post={"sure": "1"}, **ACT),
    "web:withdraw_invitation": Page(post={"sure": "1"}, **ACT),
    "web:describe_collection": Page(only=RUNS),
    "web:visibility": Page(post={"visibility": "private"}, **ACT),
    "web:webhooks": Page(only=OWNERS),
    "web:webhook": Page(only=OWNERS),
    "web:webhook_step": Page(post={"sure": "1"}, **ACT),
    "web:webhook_again": Page(post={"sure": "1"}, **ACT),
    "web:graded_campaigns": Page(only=GRADING),
    "web:graded_campaign": Page(only=GRADING),
    "web:decide_topic": Page(only=STAFF, post={"decision": "rejected", "why": "x"}, done=302),
    "web:end_grading": Page(only=STAFF, post={"why": "x"}, done=302),
    "web:delete_grading": Page(only=STAFF, post={"sure": "1"}, done=302),
    "web:ask_crowd": Page(only=MONEY, post={"name": "crowd"}, done=302),
    "web:publish_labels": Page(only=RUNS, post={"set": "graded"}, done=302),
    "web:grades_file": Page(only=MEMBERS),
    "web:take_topic": Page(only=ASSESSORS, post={"sure": "1"}, done=302),
    # Nobody can judge somebody else's topic; this one is the owner's.
    "web:assess": Page(only=ASSESSORS, done=404, of_owner=200),
    "web:choosing": Page(only=ASSESSORS, done=404, of_owner=200),
    "web:decline_topic": Page(only=ASSESSORS, post={"why": "x"}, done=404, of_owner=302),
}
MANAGERS = {"manager", *OWNERS}
OF_A_COLLECTION |= {
    "web:pool_plan": Page(only=MEMBERS),
    "web:build_pool": Page(only=MANAGERS, post={"name": "wave"}, done=302),
    "web:pool_work": Page(only=MEMBERS),
    "web:build_again": Page(only=MANAGERS, post={"sure": "1"}, done=302),
    "web:pool": Page(only=MEMBERS),
    "web:build_fraction": Page(
        only=MANAGERS, post={"name": "wave", "fraction": "2", "fraction_seed": "1"}, done=302
    ),
    "web:asking_plan": Page(only=MEMBERS),
    "web:make_asking": Page(only=MANAGERS, post={"name": "wave", "run": "quay"}, done=302),
    "web:asking_work": Page(only=MEMBERS),
    "web:asking_again": Page(only=MANAGERS, post={"sure": "1"}, done=302),
    "web:new_campaign": Page(only=MANAGERS),
    "web:prepare": Page(only=MANAGERS, done=302),
    "web:prepare_settings": Page(only=MANAGERS),
    "web:use_recommended_rule": Page(only=MANAGERS, post={"sure": "1"}, done=302),
    "web:rename_draft": Page(only=MANAGERS, post={"name": "other"}, done=302),
    "web:delete_draft": Page(only=MANAGERS),
    "web:prepare_gold": Page(only=MANAGERS),
    "web:propose_gold": Page(only=MANAGERS, post={"sure": "1"}, done=302),
    "web:bring_gold": Page(only=MANAGERS, post={"sure": "1"}, done=302),
    "web:decide_gold": Page(only=MANAGERS, post={"decision": "accept-all"}, done=302),
    "web:prepare_texts": Page(only=MANAGERS),
    "web:usual_texts": Page(only=MANAGERS, post={"sure": "1"}, done=302),
    "web:preview_texts": Page(only=MANAGERS),
    "web:try_texts": Page(only=MANAGERS, post={"sure": "1"}, done=302),
    "web:prepare_pay": Page(only=MANAGERS),
    "web:prepare_rehearsal": Page(only=MANAGERS),
    "web:prepare_pilot": Page(only=MANAGERS),
    "web:end_pilot": Page(only=MANAGERS, post={"sure": "1"}, done=302),
    "web:prepare_check": Page(only=MANAGERS),
    "web:prepare_launch": Page(only=MANAGERS),
}
#: Public addresses, with the status for a person without an account.
ANYBODY = {
    "web:home": 200,
    "web:signed_in": 302,
    "web:theme": 405,
    "web:leaderboards": 200,
    "web:campaigns": 200,
    "web:collections": 200,
    "web:help": 200,
    "web:document": 200,
    "web:document_picture": 200,
    "no_such_call": 404,
    "web:invitation": 404,  # the secret is wrong
    "account_login": 200,
    "account_logout": 302,
    "account_inactive": 200,
    "account_signup": 200,  # explains that accounts are created by invitation
    "account_email_verification_sent": 200,
    "account_confirm_email": 200,
    "account_confirm_login_code": 302,
    "account_reset_password": 200,
    "account_reset_password_done": 200,
    "account_reset_password_from_key": 200,
    "account_reset_password_from_key_done": 200,
    "mfa_authenticate": 302,  # there is no sign-in under way
    "openid_connect_login": 404,  # no provider is set
    "openid_connect_callback": 404,
    "socialaccount_login_cancelled": 200,
    "socialaccount_login_error": 401,
    "socialaccount_signup": 302,  # there is no sign-in under way
    # Workers are not users: the token in the address opens these pages, and this one is invalid.
    "judging:arrive": 404,
    "judging:work": 404,
    "judging:consent": 405,
    "judging:save": 405,
    "judging:finish": 405,
    "judging:leave": 404,
    "judging:report": 405,
    "judging:more-time": 405,
    "judging:time-up": 405,
    "judging:appeal": 404,
    "judging:state": 409,
    "judging:trial": 404,
}
#: Pages of one's own account: without signing in, they redirect to the sign-in page.
OWN = {
    "web:create_collection",
    "web:load_sample",
    "web:mail_when_done",
    "web:making",
    "web:making_progress",
    "web:make_again",
    "web:drop_new_collection",
    "web:spending",
    "web:grant_spending",
    "web:change_grant",
    "web:revoke_grant",
    "accounts:tokens",
    "accounts:revoke_token",
    "account_change_password",
    "account_set_password",
    "account_email",
    "account_reauthenticate",
    "mfa_index",
    "mfa_reauthenticate",
    "mfa_activate_totp",
    "mfa_deactivate_totp",
    "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes",
    "mfa_download_recovery_codes",
    "socialaccount_connections",
}
#: Unnamed old addresses of django-allauth, which redirect to named ones.
REDIRECTS = {
    "accounts/social/login/cancelled/",
    "accounts/social/login/error/",
    "accounts/social/signup/",
} | {"accounts/social/connections/"}


def addresses(resolver=None, prefix="", namespace=""):
    """Yield (view name or None, pattern) of every address."""
    for one in (resolver or get_resolver()).url_patterns:
        pattern = prefix + str(one.pattern)
        if hasattr(one, "url_patterns"):
            inner = f"{namespace}{one.namespace}:" if one.namespace else namespace
            yield from addresses(one, pattern, inner)
        else:
            yield (f"{namespace}{one.name}" if one.name else None), pattern


def address_of(name: str, cast: Harbour) -> str:
    of_the_rest = (
        ["harbour"] if name in OF_A_COLLECTION else ["made-up"] if name.startswith("judging:") else []
    )
    found = arguments_of(name, cast)
    return reverse(name, args=of_the_rest if found is None else found)


def asked(client: Client, address: str, post: dict) -> int:
    """Return the status of the response, and undo its changes."""
    with transaction.atomic():
        reply = client.post(address, post) if post else client.get(address)
        transaction.set_rollback(True)
    if reply.status_code == 403:
        assert b">Home</a> / " in reply.content, address
        assert b"not permitted" in reply.content, address
    return reply.status_code


def test_every_address_is_in_the_table():
    served = {name or pattern for name, pattern in addresses() if not pattern.startswith("admin/")}
    served = {name for name in served if not name.startswith("v1:")}

    assert served - REDIRECTS == OF_A_COLLECTION.keys() | ANYBODY.keys() | OWN


@pytest.mark.parametrize(
    "published",
    [pytest.param(True, id="published"), pytest.param(False, id="private", marks=pytest.mark.soak)],
)
def test_pages_of_a_collection(cast, published):
    cast.collection.visibility = "published" if published else "private"
    cast.collection.save()
    if not published:  # for instance drafts, which only members see
        Campaign.objects.filter(pk=cast.campaign.pk).update(state=Campaign.State.DRAFT, launched_at=None)

    wrong = {}
    for name, page in OF_A_COLLECTION.items():
        for person in (
            (*PUBLIC, "submitter", "assessor") if published else PEOPLE
        ):  # a member's rights are the same
            address = address_of(name, cast)
            found = asked(cast.clients[person], address, page.post)
            expected = page.expected(person, published)
            if person in ("submitter", "assessor") and not published and address.startswith("/campaigns/"):
                expected = 404  # drafts do not exist for non-members
            if found != expected:
                wrong[name, person] = (found, expected)

    assert wrong == {}


def test_no_page_shows_a_row_without_a_name(cast):
    pages = {name: address_of(name, cast) for name, page in OF_A_COLLECTION.items() if not page.post}
    shown = {name: cast.clients["owner"].get(address) for name, address in pages.items()}

    nameless = [name for name, page in shown.items() if not page.streaming and b" object (" in page.content]

    assert shown["web:added"].status_code == shown["web:add_files"].status_code == 200
    assert nameless == []


def test_pages_of_anybody(cast):
    found = {name: asked(cast.clients["nobody"], address_of(name, cast), {}) for name in ANYBODY}

    assert found == ANYBODY


def test_account_pages_ask_to_sign_in(cast):
    for name in sorted(OWN):
        address = address_of(name, cast)
        posted = (
            "revoke_token",
            "load_sample",
            "make_again",
            "mail_when_done",
            "drop_new_collection",
            "grant_spending",
            "change_grant",
            "revoke_grant",
        )
        post = {"sure": "1"} if name.endswith(posted) else {}
        reply = cast.clients["nobody"].post(address, post) if post else cast.clients["nobody"].get(address)

        assert reply.status_code == 302, name
        assert reply["Location"].startswith("/accounts/login/"), name


def test_the_admin_is_for_administrators(cast):
    asked_of = {person: cast.clients[person].get("/admin/") for person in PEOPLE}

    assert asked_of["administrator"].status_code == 200
    assert asked_of["owner"].status_code == 302
    assert asked_of["nobody"]["Location"].startswith("/admin/login/")
    assert cast.clients["nobody"].get("/admin/login/")["Location"].startswith("/accounts/login/")
    assert cast.clients["owner"].get("/admin/login/").status_code == 403


def test_nobody_revokes_the_token_of_somebody_else(cast):
    owner = get_user_model().objects.get(username="owner")
    far = cast.version.published_at.replace(year=2999)
    token = ApiToken.objects.create(user=owner, name="ci", mark="x", digest="0" * 64, expires_at=far)
    address = reverse("accounts:revoke_token", args=[token.pk])

    assert cast.clients["administrator"].post(address).status_code == 404
    assert cast.clients["owner"].post(address).status_code == 302


def test_the_first_page_lists_what_a_person_sees(cast):
    cast.collection.visibility = "private"
    cast.collection.save()

    listed = {person: "harbour" in cast.clients[person].get("/").content.decode() for person in PEOPLE}

    assert listed == {person: person not in PUBLIC for person in PEOPLE}


def test_no_page_of_a_private_collection_differs_from_one_that_is_not_there(cast):
    cast.collection.visibility = "private"
    cast.collection.save()
    there = cast.clients["stranger"].get("/collections/harbour/")
    nowhere = cast.clients["stranger"].get("/collections/atlantis/")

    shown, not_there = (re.sub(r'value="\w{64}"', "", page.content.decode()) for page in (there, nowhere))
    assert shown.replace("harbour", "") == not_there.replace("atlantis", "")
