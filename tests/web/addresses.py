"""The arguments in the address of each page for the cast, by view name."""

from typing import Any

from django.contrib.auth import get_user_model

from config.background.models import Job
from pooling.models import Round, TeamApplication, TeamMember
from tests.web.conftest import Harbour
from web.models import MadeBundle
from web.releases.pages import WORDS

#: Views whose only argument is a campaign's name, including all of its preparation.
OF_A_CAMPAIGN = {
    "web:bring_gold",
    "web:campaign",
    "web:campaign_activity",
    "web:campaign_ask_again",
    "web:campaign_budget",
    "web:campaign_differences",
    "web:campaign_gold",
    "web:campaign_judgments",
    "web:campaign_live",
    "web:campaign_message",
    "web:campaign_payments",
    "web:campaign_reports",
    "web:campaign_workers",
    "web:challenge",
    "web:challenging",
    "web:decide_gold",
    "web:delete_draft",
    "web:end_pilot",
    "web:open_challenge",
    "web:plan_challenge",
    "web:prepare",
    "web:preview_texts",
    "web:preview_version",
    "web:progress",
    "web:propose_gold",
    "web:publish",
    "web:publish_version",
    "web:publishing",
    "web:rename_draft",
    "web:simulate",
    "web:top_up",
    "web:try_texts",
    "web:use_recommended_rule",
    "web:usual_texts",
}
#: Views whose arguments are a collection and a version number.
OF_A_VERSION = {
    "web:changes",
    "web:count_release",
    "web:make_release",
    "web:qrels_file",
    "web:release",
    "web:release_file",
    "web:releasing",
    "web:version",
    "web:version_doi",
}
#: View name → arguments that are the same for every cast.
FIXED: dict[str, list[Any]] = {
    "web:campaign_step": ["spring", "close"],
    "web:campaign_failed": ["spring", 1, "away"],
    "web:settle_report": ["spring", 1],
    "web:suspend_gold": ["spring", 1],
    "web:judgments_file": ["spring", "tsv"],
    "web:leaderboard_file": ["harbour", "csv"],
    "web:comparison_file": ["harbour", "json"],
    "web:timeline_file": ["harbour", "json"],
    "web:analysis": ["harbour", "stability"],
    "web:analysing": ["harbour", "stability"],
    "web:analysis_file": ["harbour", "stability", "json"],
    "web:run_analysis": ["harbour", "stability"],
    "web:pool": ["harbour", "tide"],
    "web:build_fraction": ["harbour", "tide"],
    "web:near_duplicate_labels": ["harbour", "official", "once"],
    "web:withhold_labels": ["harbour", "official"],
    "web:document_label_sources": ["harbour", "official"],
    "web:graded_campaign": ["harbour", "swell"],
    "web:end_grading": ["harbour", "swell"],
    "web:delete_grading": ["harbour", "swell"],
    "web:ask_crowd": ["harbour", "swell"],
    "web:publish_labels": ["harbour", "swell"],
    "web:grades_file": ["harbour", "swell"],
    "web:change_grant": [1],
    "web:revoke_grant": [1],
    "web:making": [1],
    "web:making_progress": [1],
    "web:make_again": [1],
    "web:drop_new_collection": [1],
    "web:queries_file": ["harbour", 1, "csv"],
    "web:changes_file": ["harbour", 1, "csv"],
    "no_such_call": ["wrong"],
    "web:document": ["glossary"],
    "web:document_picture": ["query.webp"],
    "web:invitation": ["wrong"],
    "accounts:revoke_token": [1],
    "account_confirm_email": ["wrong"],
    "account_reset_password_from_key": ["1", "wrong"],
    "openid_connect_login": ["oidc"],
    "openid_connect_callback": ["oidc"],
}


def arguments_of(name: str, cast: Harbour) -> list[Any] | None:
    """Return the arguments in the view's address; None if it has at most the collection's name."""
    if name in OF_A_CAMPAIGN or name.startswith("web:prepare_"):
        return ["spring"]
    if name in OF_A_VERSION:
        return ["harbour", 1]
    return FIXED.get(name) or _by_keys(cast).get(name)


def _by_keys(cast: Harbour) -> dict[str, list[Any]]:
    q1 = cast.query("q1").pk
    of_one = {
        "web:campaign_worker": ["spring", cast.judge.pk],
        "web:decide_worker": ["spring", cast.judge.pk, "exclude"],
        "web:campaign_appeal": ["spring", cast.appeal.pk],
        "web:pool_work": ["harbour", pool_job(cast).pk],
        "web:asking_work": ["harbour", asking_job(cast).pk],
        "web:build_again": ["harbour", pool_job(cast).pk],
        "web:asking_again": ["harbour", asking_job(cast).pk],
        "web:query": ["harbour", 1, q1],
        "web:collection_query": ["harbour", q1],
        "web:query_file": ["harbour", 1, q1, "csv"],
        "web:delete_release": ["harbour", 1, made_bundle(cast).pk],
        "web:withdraw_from_team": ["harbour", cast.team.pk, cast.team_invited.pk],
        "web:remove_from_team": ["harbour", cast.team.pk, teammate(cast).pk],
        "web:decide_application": ["harbour", application(cast).pk],
        "web:delete_round": ["harbour", planned_round(cast).pk],
        **{f"web:{one}_topic": ["harbour", "swell", cast.taken.topic_id] for one in ("decide", "take")},
        **{
            f"web:{one}": ["harbour", "swell", cast.taken.pk]
            for one in ("assess", "choosing", "decline_topic")
        },
        "web:webhook_step": ["harbour", cast.hook.pk, "delete"],
        "web:webhook_again": ["harbour", cast.hook.pk, cast.message.pk],
    }
    of_a_row = {
        cast.quay: "run describe_run release_run withdraw_run",
        cast.added: "added adding read_again drop_files",
        cast.sent: "upload checking send_part check_again submit_upload drop_upload",
        cast.invited: "withdraw_invitation",
        cast.hook: "webhook",
        cast.team: "team invite_to_team",
        cast.member: "change_role remove_member transfer",
    }
    rows = {f"web:{name}": ["harbour", row.pk] for row, names in of_a_row.items() for name in names.split()}
    return of_one | rows


def teammate(cast: Harbour) -> TeamMember:
    """Return a member whom the team's first member can remove."""
    user, _ = get_user_model().objects.get_or_create(username="mate")
    how = {"collection": cast.collection, "user": user, "defaults": {"team": cast.team}}
    return TeamMember.objects.get_or_create(**how)[0]


def application(cast: Harbour) -> TeamApplication:
    """Return a waiting application."""
    return TeamApplication.objects.get_or_create(
        collection=cast.collection, email="c@example.org", state="waiting", defaults={"team_name": "Seals"}
    )[0]


def planned_round(cast: Harbour) -> Round:
    """Return a past round without runs."""
    opens = cast.version.published_at.replace(year=2001)
    return Round.objects.get_or_create(
        collection=cast.collection,
        name="old",
        defaults={"opens_at": opens, "closes_at": opens.replace(year=2002), "most_runs": 1},
    )[0]


def made_bundle(cast: Harbour) -> MadeBundle:
    return MadeBundle.objects.get_or_create(
        version=cast.version,
        sha256="0" * 64,
        defaults={
            "name": "gone.zip",
            "size": 1,
            "key": "",
            "summary": {"counts": dict.fromkeys(WORDS, 0), "left_out": {}, "files": {}},
            "facts": {"runs": {}, "private": [], "withdrawn": []},
        },
    )[0]


def asking_job(cast: Harbour) -> Job:
    """Return the job that creates a campaign against the qrels."""
    arguments = {"run_id": cast.quay.pk, "name": "swell"}
    return Job.objects.get_or_create(
        kind="leaderboard.ask_better_than_perfect", key="swell", defaults={"arguments": arguments}
    )[0]


def pool_job(cast: Harbour) -> Job:
    """Return the job that builds a pool."""
    arguments = {"collection_id": cast.collection.pk, "name": "wave"}
    return Job.objects.get_or_create(
        kind="pooling.build_pool", key="wave", defaults={"arguments": arguments}
    )[0]
