"""The API: its description, and the calls of each room."""

from __future__ import annotations

from web.api import (
    analyses,
    asking,
    board_rules,
    check_list,
    collection_details,
    drafts,
    members,
    pay_decisions,
    pools,
    preparing,
    problems,
    publishing,
    runs,
    sent_files,
    spending,
    test_pairs,
    top_ups,
    uploads,
    versions,
    voices,
    webhooks,
    workers,
)
from web.api.callers import Bearer, PerCaller
from web.api.description import DescribedAPI, ObjectParser

# No page with the description is served: the usual ones load scripts from elsewhere. docs/api.md has examples.
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
problems.handle(api)
api.add_router("", collection_details.router, tags=["collections"])
api.add_router("", sent_files.router, tags=["collections"])
api.add_router("", board_rules.router, tags=["collections"])
api.add_router("", members.router, tags=["members"])
api.add_router("", spending.router, tags=["members"])
api.add_router("", runs.router, tags=["runs"])
api.add_router("", uploads.router, tags=["uploads"])
api.add_router("", versions.router, tags=["versions and scores"])
api.add_router("", analyses.router, tags=["versions and scores"])
api.add_router("", publishing.router, tags=["publishing"])
api.add_router("", drafts.router, tags=["campaigns"])
api.add_router("", workers.router, tags=["workers"])
api.add_router("", voices.router, tags=["workers"])
api.add_router("", test_pairs.router, tags=["workers"])
api.add_router("", pay_decisions.router, tags=["payments"])
api.add_router("", top_ups.router, tags=["payments"])
api.add_router("", pools.router, tags=["pools"])
api.add_router("", asking.router, tags=["campaigns on their way to launch"])
api.add_router("", preparing.router, tags=["campaigns on their way to launch"])
api.add_router("", check_list.router, tags=["campaigns on their way to launch"])
api.add_router("", webhooks.router, tags=["webhooks"])
