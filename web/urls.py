"""URLs of all pages."""

from django.urls import path

from web import preparation_urls as preparing_urls
from web.analyses import views as analyses
from web.boards import views as board_rules
from web.campaigns import (
    difference_views as differences,
    gold_views as test_pairs,
    judgment_views as judgments,
    views as campaigns,
)
from web.collections import (
    added_file_views as added_files,
    cluster_views as clusters,
    member_views as members,
    new_collection_views as new_collections,
    views as collections,
)
from web.grading import urls as grading_urls
from web.help import views as help_pages
from web.home import invitation_views as invitations, views as home
from web.payments import views as payments
from web.preparation import simulation_views as simulating
from web.queries import views as queries
from web.releases import views as releases
from web.runs import metadata_views as run_details, upload_views as uploads, views as runs
from web.spending import views as spending
from web.teams import views as teams
from web.versions import next_version_views as next_version, views as versions
from web.webhooks import urls as webhook_urls
from web.workers import views as workers

app_name = "web"
COMPARE, PROGRESS = {"kind": "compare"}, {"kind": "progress"}
urlpatterns = [
    path("", home.home, name="home"),
    path("signed-in/", home.signed_in, name="signed_in"),
    path("theme", home.choose_theme, name="theme"),
    path("mail-when-done", home.request_end_notice, name="mail_when_done"),
    path("leaderboards/", home.leaderboards, name="leaderboards"),
    path("campaigns/", home.campaigns_list, name="campaigns"),
    path("collections/", home.collections, name="collections"),
    path("help/", help_pages.shelf, name="help"),
    path("help/pictures/<str:name>", help_pages.picture, name="document_picture"),
    path("help/<slug:name>/", help_pages.read, name="document"),
    path("accounts/invitations/<str:secret>/", invitations.invitation_page, name="invitation"),
    path("spending/", spending.spending, name="spending"),
    path("spending/grants/", spending.create_spending_grant, name="grant_spending"),
    path("spending/grants/<int:key>/change", spending.change_spending_grant, name="change_grant"),
    path("spending/grants/<int:key>/revoke", spending.revoke_spending_grant, name="revoke_grant"),
    path("campaigns/<slug:name>/", campaigns.campaign, name="campaign"),
    path("campaigns/<slug:name>/progress", campaigns.campaign_row, name="progress"),
    path("campaigns/<slug:name>/live", campaigns.campaign_live_part, name="campaign_live"),
    path("campaigns/<slug:name>/activity/", campaigns.activity, name="campaign_activity"),
    path("campaigns/<slug:name>/steps/<slug:step>/", campaigns.change_state, name="campaign_step"),
    path("campaigns/<slug:name>/budget/", campaigns.campaign_budget, name="campaign_budget"),
    path("campaigns/<slug:name>/test-pairs/", test_pairs.campaign_gold_pairs, name="campaign_gold"),
    path("campaigns/<slug:name>/test-pairs/<int:key>/suspend/", test_pairs.suspend, name="suspend_gold"),
    path("campaigns/<slug:name>/differences/", differences.differences, name="campaign_differences"),
    path("campaigns/<slug:name>/judgments/", judgments.judgments, name="campaign_judgments"),
    path("campaigns/<slug:name>/judgments.<slug:form>", judgments.judgments_file, name="judgments_file"),
    path("campaigns/<slug:name>/top-up/", payments.top_up_payments, name="top_up"),
    path("campaigns/<slug:name>/payments/", payments.payments, name="campaign_payments"),
    path("campaigns/<slug:name>/ask-again", campaigns.ask_again, name="campaign_ask_again"),
    path("campaigns/<slug:name>/failed/<int:key>/<slug:what>", campaigns.job_failure, name="campaign_failed"),
    path("campaigns/<slug:name>/simulate/", simulating.simulate, name="simulate"),
    path("campaigns/<slug:name>/workers/", workers.workers, name="campaign_workers"),
    path("campaigns/<slug:name>/workers/<int:key>/", workers.worker, name="campaign_worker"),
    path(
        "campaigns/<slug:name>/workers/<int:key>/<slug:decision>/",
        workers.decide_about_worker,
        name="decide_worker",
    ),
    path("campaigns/<slug:name>/message/", workers.message, name="campaign_message"),
    path("campaigns/<slug:name>/reports/", workers.reports, name="campaign_reports"),
    path("campaigns/<slug:name>/reports/<int:key>/settle", workers.settle_pair_report, name="settle_report"),
    path("campaigns/<slug:name>/appeals/<int:key>/", workers.appeal_decision, name="campaign_appeal"),
    path("collections/<slug:name>/", collections.collection, name="collection"),
    path("collections/<slug:name>/queries/", queries.list_queries, name="queries"),
    path("collections/<slug:name>/queries/map/", queries.query_map, name="query_map"),
    path("collections/<slug:name>/queries/<int:key>/", versions.collection_query, name="collection_query"),
    path("collections/<slug:name>/pools/", collections.pools, name="pools"),
    path("collections/<slug:name>/near-duplicates/", clusters.near_duplicate_classes, name="near_duplicates"),
    path(
        "collections/<slug:name>/near-duplicates/labels/<str:labels>/<str:form>",
        clusters.labels_file,
        name="near_duplicate_labels",
    ),
    path(
        "collections/<slug:name>/near-duplicates/change",
        clusters.change_near_duplicates,
        name="change_near_duplicates",
    ),
    path("collections/<slug:name>/near-duplicates/progress", clusters.clustering_progress, name="clustering"),
    path("collections/<slug:name>/campaigns/", collections.campaign_lists, name="collection_campaigns"),
    path("collections/<slug:name>/settings/", collections.collection_settings, name="collection_settings"),
    path("collections/<slug:name>/about/", collections.edit_description, name="describe_collection"),
    path("collections/<slug:name>/policy/", board_rules.policy, name="policy"),
    path("collections/<slug:name>/policy/drop", board_rules.delete_board_policy, name="drop_policy"),
    path(
        "collections/<slug:name>/labels/<slug:labels>/withhold", board_rules.withhold, name="withhold_labels"
    ),
    path("collections/<slug:name>/split/", board_rules.split, name="split"),
    path("collections/<slug:name>/leaderboard/", collections.leaderboard, name="leaderboard"),
    path("collections/<slug:name>/leaderboard/drawing", collections.drawing_board, name="drawing_board"),
    path(
        "collections/<slug:name>/leaderboard.<slug:form>",
        collections.leaderboard_file,
        name="leaderboard_file",
    ),
    path("collections/<slug:name>/compare/", analyses.moved, COMPARE, name="comparison"),
    path("collections/<slug:name>/compare.<slug:form>", analyses.moved, COMPARE, name="comparison_file"),
    path("collections/<slug:name>/timeline/", analyses.moved, PROGRESS, name="timeline"),
    path("collections/<slug:name>/timeline.<slug:form>", analyses.moved, PROGRESS, name="timeline_file"),
    path("collections/<slug:name>/analyses/", analyses.analyses_list, name="analyses"),
    path("collections/<slug:name>/analyses/<slug:kind>/", analyses.analysis, name="analysis"),
    path("collections/<slug:name>/analyses/<slug:kind>/run", analyses.run_analysis, name="run_analysis"),
    path("collections/<slug:name>/analyses/<slug:kind>/progress", analyses.live_analysis, name="analysing"),
    path("collections/<slug:name>/analyses/<slug:kind>.<slug:form>", analyses.file, name="analysis_file"),
    # Collections and runs: create, upload, describe.
    path("new-collection/", new_collections.create, name="create_collection"),
    path("new-collection/sample", new_collections.load_sample, name="load_sample"),
    path("new-collection/<int:key>/", new_collections.making, name="making"),
    path("new-collection/<int:key>/progress", new_collections.making_progress, name="making_progress"),
    path("new-collection/<int:key>/again", new_collections.retry_collection, name="make_again"),
    path("new-collection/<int:key>/drop", new_collections.discard_new_collection, name="drop_new_collection"),
    path("collections/<slug:name>/two-runs/", runs.versus, name="versus"),
    path("collections/<slug:name>/runs/", runs.runs, name="runs"),
    path("collections/<slug:name>/teams/", teams.teams, name="teams"),
    path("collections/<slug:name>/teams/apply/", teams.apply, name="apply_as_team"),
    path("collections/<slug:name>/teams/new/", teams.new_team, name="new_team"),
    path(
        "collections/<slug:name>/teams/applications/<int:key>/",
        teams.decide_team_application,
        name="decide_application",
    ),
    path("collections/<slug:name>/teams/rounds/", teams.plan_round, name="plan_round"),
    path("collections/<slug:name>/teams/rounds/<int:key>/delete/", teams.remove_round, name="delete_round"),
    path("collections/<slug:name>/teams/<int:key>/", teams.team, name="team"),
    path("collections/<slug:name>/teams/<int:key>/invite/", teams.invite_team_member, name="invite_to_team"),
    path(
        "collections/<slug:name>/teams/<int:key>/invitations/<int:invited>/withdraw/",
        teams.withdraw_team_invitation,
        name="withdraw_from_team",
    ),
    path(
        "collections/<slug:name>/teams/<int:key>/people/<int:member>/remove/",
        teams.remove_team_member,
        name="remove_from_team",
    ),
    path("collections/<slug:name>/runs/send/", uploads.send_runs, name="send_runs"),
    path("collections/<slug:name>/runs/metadata/", run_details.run_metadata, name="run_metadata"),
    path(
        "collections/<slug:name>/runs/announced/", run_details.withdraw_announced, name="withdraw_announced"
    ),
    path("collections/<slug:name>/runs/fields/", run_details.run_fields, name="run_fields"),
    path("collections/<slug:name>/runs/release/", runs.change_releases, name="release_runs"),
    path("collections/<slug:name>/runs/<int:key>/", runs.run, name="run"),
    path("collections/<slug:name>/runs/<int:key>/describe/", runs.edit_run_description, name="describe_run"),
    path("collections/<slug:name>/runs/<int:key>/release/", runs.change_release, name="release_run"),
    path("collections/<slug:name>/runs/<int:key>/withdraw/", runs.run_withdrawal, name="withdraw_run"),
    path("collections/<slug:name>/files/", added_files.add_collection_files, name="add_files"),
    path("collections/<slug:name>/files/texts", added_files.fetch_texts, name="fetch_texts"),
    path(
        "collections/<slug:name>/files/candidates/remove",
        added_files.remove_candidates,
        name="remove_candidates",
    ),
    path("collections/<slug:name>/files/<int:key>/", added_files.added, name="added"),
    path("collections/<slug:name>/files/<int:key>/progress", added_files.adding, name="adding"),
    path("collections/<slug:name>/files/<int:key>/again", added_files.read_again, name="read_again"),
    path("collections/<slug:name>/files/<int:key>/drop", added_files.discard_added_files, name="drop_files"),
    path("collections/<slug:name>/uploads/", uploads.uploads, name="uploads"),
    path("collections/<slug:name>/uploads/begin", uploads.announce_upload, name="begin_upload"),
    path("collections/<slug:name>/uploads/submit", uploads.submit_all, name="submit_uploads"),
    path("collections/<slug:name>/uploads/<int:key>/", uploads.upload, name="upload"),
    path("collections/<slug:name>/uploads/<int:key>/part", uploads.receive_upload_part, name="send_part"),
    path("collections/<slug:name>/uploads/<int:key>/progress", uploads.upload_progress, name="checking"),
    path("collections/<slug:name>/uploads/<int:key>/again", uploads.check_again, name="check_again"),
    path("collections/<slug:name>/uploads/<int:key>/submit", uploads.submit, name="submit_upload"),
    path("collections/<slug:name>/uploads/<int:key>/drop", uploads.discard_upload, name="drop_upload"),
    path("collections/<slug:name>/versions/<int:number>/", versions.version, name="version"),
    path("collections/<slug:name>/versions/<int:number>/doi", versions.keep_doi, name="version_doi"),
    path("collections/<slug:name>/versions/<int:number>/qrels.txt", versions.qrels_file, name="qrels_file"),
    path(
        "collections/<slug:name>/versions/<int:number>/queries.<slug:form>",
        versions.queries_file,
        name="queries_file",
    ),
    path("collections/<slug:name>/versions/<int:number>/changes/", versions.show_changes, name="changes"),
    path(
        "collections/<slug:name>/versions/<int:number>/changes.<slug:form>",
        versions.changes_file,
        name="changes_file",
    ),
    path("collections/<slug:name>/versions/<int:number>/queries/<int:key>/", versions.query, name="query"),
    path(
        "collections/<slug:name>/versions/<int:number>/queries/<int:key>.<slug:form>",
        versions.query_file,
        name="query_file",
    ),
    path("collections/<slug:name>/versions/<int:number>/bundle/", releases.release_preview, name="release"),
    path(
        "collections/<slug:name>/versions/<int:number>/bundle/<int:key>/delete/",
        releases.delete_release,
        name="delete_release",
    ),
    path(
        "collections/<slug:name>/versions/<int:number>/bundle.zip", releases.release_file, name="release_file"
    ),
    path(
        "collections/<slug:name>/versions/<int:number>/bundle/count",
        releases.count_release,
        name="count_release",
    ),
    path(
        "collections/<slug:name>/versions/<int:number>/bundle/make",
        releases.make_release,
        name="make_release",
    ),
    path(
        "collections/<slug:name>/versions/<int:number>/bundle/progress", releases.releasing, name="releasing"
    ),
    path("collections/<slug:name>/challenge/", next_version.challenge_with, name="challenge_with"),
    path("campaigns/<slug:name>/challenge/", next_version.challenge, name="challenge"),
    path("campaigns/<slug:name>/challenge/plan", next_version.start_challenge_plan, name="plan_challenge"),
    path("campaigns/<slug:name>/challenge/open", next_version.start_challenge, name="open_challenge"),
    path("campaigns/<slug:name>/challenge/progress", next_version.challenging, name="challenging"),
    path("campaigns/<slug:name>/publish/", next_version.publication_page, name="publish"),
    path("campaigns/<slug:name>/publish/preview", next_version.start_version_preview, name="preview_version"),
    path("campaigns/<slug:name>/publish/now", next_version.publish_version, name="publish_version"),
    path("campaigns/<slug:name>/publish/progress", next_version.publishing, name="publishing"),
    path("collections/<slug:name>/members/", members.members, name="members"),
    path("collections/<slug:name>/members/add", members.add_or_invite, name="add_member"),
    path("collections/<slug:name>/members/<int:key>/role", members.change_member_role, name="change_role"),
    path("collections/<slug:name>/members/<int:key>/remove", members.end_membership, name="remove_member"),
    path("collections/<slug:name>/members/<int:key>/transfer", members.transfer, name="transfer"),
    path(
        "collections/<slug:name>/invitations/<int:key>/withdraw",
        members.revoke_member_invitation,
        name="withdraw_invitation",
    ),
    path("collections/<slug:name>/visibility", members.visibility, name="visibility"),
    *preparing_urls.urlpatterns,
    *grading_urls.urlpatterns,
    *webhook_urls.urlpatterns,
]
