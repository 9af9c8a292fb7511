"""The API: its description and the routers of all features."""

from web.analyses import api as analyses, better_than_perfect_api as better_than_perfect
from web.api import problem_details
from web.api.callers import Bearer, PerCaller
from web.api.description import DescribedAPI, ObjectParser
from web.boards import rule_api as board_rules
from web.campaigns import api as campaigns, gold_api as gold
from web.collections import (
    api as collections,
    cluster_api as clusters,
    file_api as sent_files,
    member_api as members,
)
from web.grading import api as grading, assessor_api as assessing
from web.payments import api as payments
from web.pools import api as pools
from web.preparation import api as preparation, check_list_api as check_list
from web.releases import api as publishing
from web.runs import api as runs, upload_api as uploads
from web.spending import api as spending
from web.teams import api as teams
from web.versions import api as versions
from web.webhooks import api as webhooks
from web.workers import api as workers

# No schema viewer is served: the usual ones load scripts from other sites. docs/api.md has examples.
api = DescribedAPI(
    title="Preferee",
    version="1",
    urls_namespace="v1",
    description="Collections, runs, versions, leaderboards, campaigns. Errors are RFC 9457 problem details.",
    docs_url=None,
    auth=Bearer(),
    throttle=[PerCaller()],
    parser=ObjectParser(),
)
problem_details.handle(api)
api.add_router("", collections.router, tags=["collections"])
api.add_router("", sent_files.router, tags=["collections"])
api.add_router("", clusters.router, tags=["collections"])
api.add_router("", board_rules.router, tags=["collections"])
api.add_router("", members.router, tags=["members"])
api.add_router("", spending.router, tags=["members"])
api.add_router("", runs.router, tags=["runs"])
api.add_router("", teams.router, tags=["teams"])
api.add_router("", uploads.router, tags=["uploads"])
api.add_router("", versions.router, tags=["versions and scores"])
api.add_router("", analyses.router, tags=["versions and scores"])
api.add_router("", publishing.router, tags=["publishing"])
api.add_router("", campaigns.router, tags=["campaigns"])
api.add_router("", workers.router, tags=["workers"])
api.add_router("", gold.router, tags=["workers"])
api.add_router("", payments.router, tags=["payments"])
api.add_router("", pools.router, tags=["pools"])
api.add_router("", better_than_perfect.router, tags=["campaigns on their way to launch"])
api.add_router("", preparation.router, tags=["campaigns on their way to launch"])
api.add_router("", check_list.router, tags=["campaigns on their way to launch"])
api.add_router("", grading.router, tags=["graded campaigns"])
api.add_router("", assessing.router, tags=["graded campaigns"])
api.add_router("", webhooks.router, tags=["webhooks"])
