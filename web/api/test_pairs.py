"""The test pairs of a campaign that people judge: suspending a bad one."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema

from judging.models import GoldPair
from judging.services.suspending import resting_on, suspend
from web.api.bodies import Body, DryRun
from web.api.workers import judged, offer_more
from web.api.works import Text

router = Router()


class SuspensionIn(Body):
    """Why the test pair is a bad one. ``dry_run`` only says what rests on it."""

    why: Annotated[Text, Field(max_length=500)] = ""
    dry_run: DryRun = False


class SuspensionOut(Schema):
    """What a suspension comes to. ``done``: it was decided.

    ``resting``: exclusions that count a failure of this test pair. ``reinstated``: workers whose exclusion does not
    stand without it. ``reopened``: other submissions that were looked at again.
    """

    gold_pair: int
    done: bool
    resting: int
    reinstated: int = 0
    reopened: int = 0


@router.post(
    "/campaigns/{name}/gold/{int:key}/suspend",
    response=SuspensionOut,
    summary="Suspend a test pair, or ask what rests on it; exclusions that need it are taken back",
)
def suspend_gold(request: HttpRequest, name: str, key: int, asked: SuspensionIn) -> dict[str, Any]:
    user, found = judged(request, name)
    gold = get_object_or_404(GoldPair, campaign=found, pk=key)
    said = {"gold_pair": gold.pk, "done": not asked.dry_run, "resting": len(resting_on(found, gold))}
    if asked.dry_run:
        return said
    done = suspend(found, gold, why=asked.why, who=user.get_username())
    offer_more(found)
    return said | {"reinstated": done.reinstated, "reopened": done.reopened}
