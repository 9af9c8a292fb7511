"""API to rename or delete a draft. It uses the campaigns' router: an address can have only one router."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Status

from judging.campaign.drafts import delete_draft, rename_draft
from web.api.bodies import Body
from web.api.callers import campaign_to_change
from web.api.works import Text
from web.campaigns.api import CampaignOut, read_facts, router


class NameIn(Body):
    """The campaign's new name, which is part of its addresses."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]


@router.post(
    "/campaigns/{name}/rename",
    response=CampaignOut,
    summary="Rename a draft that was never offered; its addresses change too",
)
def rename(request: HttpRequest, name: str, asked: NameIn) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "prepare campaign")
    rename_draft(found, asked.name, who=user.get_username())
    return read_facts(request, found)


@router.delete(
    "/campaigns/{name}",
    response={204: None},
    summary="Delete a draft that nobody has worked on, with its pairs, tasks, gold pairs and texts",
)
def delete(request: HttpRequest, name: str) -> Status[None]:
    user, found = campaign_to_change(request, name, "prepare campaign")
    delete_draft(found, who=user.get_username())
    return Status(204, None)
