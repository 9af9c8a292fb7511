"""API to rename or delete a draft. It uses the campaigns' router, since an address can have only one."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Status

from accounts.models import ApiToken
from judging.campaign.drafts import delete_draft, rename_draft
from judging.models import Campaign
from web.api.bodies import Body
from web.api.callers import actor
from web.api.works import Text
from web.campaigns.api import CampaignOut, read_facts, router
from web.common.access import campaign_for


class NameIn(Body):
    """The campaign's new name, which is part of its addresses."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]


@router.post(
    "/campaigns/{name}/rename",
    response=CampaignOut,
    summary="Rename a draft that was never offered; its addresses change too",
)
def rename(request: HttpRequest, name: str, asked: NameIn) -> dict[str, Any]:
    found, who = _draft(request, name)
    rename_draft(found, asked.name, who=who)
    return read_facts(request, found)


@router.delete(
    "/campaigns/{name}",
    response={204: None},
    summary="Delete a draft that nobody has worked on, with its pairs, tasks, gold pairs and texts",
)
def delete(request: HttpRequest, name: str) -> Status[None]:
    found, who = _draft(request, name)
    delete_draft(found, who=who)
    return Status(204, None)


def _draft(request: HttpRequest, name: str) -> tuple[Campaign, str]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = campaign_for(user, name, "prepare campaign")
    return found, user.get_username()
