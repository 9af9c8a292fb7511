"""Event messages: an event as a message body with links. It contains only ids, names, numbers and addresses.

It contains no texts, workers, people or tokens. Unreleased runs are named, because the webhook's owner can see them;
the owner's rights are checked before every message (see endpoints.check_owner_rights).
"""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from config.background.models import Event
from judging.launch.closure import CAMPAIGN_FINISHED
from pooling.models import Collection
from pooling.runs.runs import RUN_CHECKED
from tournament.services.publication import VERSION_PUBLISHED

#: The kind of test messages, which have no event. Webhooks cannot subscribe to it.
TEST = "webhook.test"
#: Kind of event → its label in the form.
KINDS = {
    RUN_CHECKED: "a run file was checked: imported, refused, or only checked",
    CAMPAIGN_FINISHED: "a campaign is closed and nothing is pending",
    VERSION_PUBLISHED: "a version of the preference qrels was published",
}


def body_of(event: Event, collection: Collection) -> str:
    told = {"collection": _collection_data(collection)} | _DETAILS[event.kind](collection, event.facts)
    return _message_body(event.kind, event.happened_at, told)


def test_body(collection: Collection, now: datetime) -> str:
    return _message_body(TEST, now, {"collection": _collection_data(collection)})


def _message_body(kind: str, at: datetime, told: dict[str, Any]) -> str:
    content = {"type": kind, "timestamp": at.isoformat(), "data": told}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _collection_data(collection: Collection) -> dict[str, Any]:
    return {"name": collection.name, "url": _page_address("web:collection", collection.name)}


def _run_data(collection: Collection, facts: dict[str, Any]) -> dict[str, Any]:
    run, upload = facts["run"], facts["upload"]
    if run is not None:
        run = run | {"url": _page_address("web:run", collection.name, run["id"])}
    if upload is not None:
        upload = {"id": upload, "url": _page_address("web:upload", collection.name, upload)}
    return facts | {"run": run, "upload": upload}


def _campaign_data(_: Collection, facts: dict[str, Any]) -> dict[str, Any]:
    name = facts["campaign"]
    return facts | {"campaign": {"name": name, "url": _page_address("web:campaign", name)}}


def _version_data(collection: Collection, facts: dict[str, Any]) -> dict[str, Any]:
    number, campaign = facts["version"], facts["campaign"]
    return facts | {
        "version": number,
        "url": _page_address("web:version", collection.name, number),
        "qrels_url": settings.PUBLIC_URL + f"/api/v1/collections/{collection.name}/versions/{number}/qrels",
        "campaign": {"name": campaign, "url": _page_address("web:campaign", campaign)},
    }


def _page_address(name: str, *args: Any) -> str:
    return settings.PUBLIC_URL + reverse(name, args=args)


_DETAILS: dict[str, Callable[[Collection, dict[str, Any]], dict[str, Any]]] = {
    RUN_CHECKED: _run_data,
    CAMPAIGN_FINISHED: _campaign_data,
    VERSION_PUBLISHED: _version_data,
}
