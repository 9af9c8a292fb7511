"""A person's requests for collections that have not been created: waiting, or refused lately."""

from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q

from config import clock
from pooling.models import NewCollection, RunUpload
from pooling.services.quotas import keys_that_failed
from web.runs.upload_pages import STATES

#: How long a refusal is listed.
REFUSALS_LISTED = timedelta(days=7)


def unmade_collections(user: Any) -> list[NewCollection]:
    """Return the person's waiting and recently refused requests, newest first, each with its state in words.

    A refusal is left out once the person has requested a collection of that name again.
    """
    if not user.is_authenticated:
        return []
    state = NewCollection.State
    mine = NewCollection.objects.filter(user=user.pk)
    again = mine.filter(name=OuterRef("name"), pk__gt=OuterRef("pk"))
    lately = Q(state=state.REFUSED, finished_at__gt=clock.now() - REFUSALS_LISTED) & ~Exists(again)
    listed = list(mine.filter(Q(state__in=[state.RECEIVING, state.WAITING]) | lately).order_by("-pk"))
    failed = keys_that_failed(one for one in listed if one.state == state.WAITING)
    for one in listed:
        said = "check failed" if one.job_key in failed else STATES[RunUpload.State(one.state)]
        one.words = said  # type: ignore[attr-defined]
    return listed
