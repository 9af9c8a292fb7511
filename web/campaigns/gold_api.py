"""API to suspend a bad gold pair of a live campaign."""

from typing import Annotated, Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema

from judging.jobs import continue_if_launched
from judging.models import GoldPair
from judging.people.gold_suspension import resting_on, suspend_gold_pair
from web.api.bodies import Body, DryRun
from web.api.callers import campaign_to_change
from web.api.works import Text

router = Router()


class SuspensionIn(Body):
    """The reason why the gold pair is bad. ``dry_run`` only returns the effects of a suspension."""

    why: Annotated[Text, Field(max_length=500)] = ""
    dry_run: DryRun = False


class SuspensionOut(Schema):
    """The effects of a suspension. ``done``: whether the gold pair is now suspended.

    ``resting``: number of exclusions based partly or only on a wrong answer to this gold pair. ``reinstated``: number
    of workers whose exclusion is not justified without this gold pair. ``reopened``: number of other submissions that
    are screened again. A dry run counts only ``resting``; the other two are 0.
    """

    gold_pair: int
    done: bool
    resting: int
    reinstated: int = 0
    reopened: int = 0


@router.post(
    "/campaigns/{name}/gold/{int:key}/suspend",
    response=SuspensionOut,
    summary="Suspend a gold pair and revoke exclusions that depend on it, or preview the effects",
)
def suspend_gold(request: HttpRequest, name: str, key: int, asked: SuspensionIn) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "judge workers")
    gold = get_object_or_404(GoldPair, campaign=found, pk=key)
    said = {"gold_pair": gold.pk, "done": not asked.dry_run, "resting": len(resting_on(found, gold))}
    if asked.dry_run:
        return said
    done = suspend_gold_pair(found, gold, why=asked.why, who=user.get_username())
    continue_if_launched(found)
    return said | {"reinstated": done.reinstated, "reopened": done.reopened}
