"""The members of a collection, and its visibility."""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.roles import CHOICES, Role
from accounts.services import invitations
from pooling.collections import members as service
from pooling.models import Collection, CollectionChange, Membership
from web.collections.pages import membership_or_404, seen_by_everybody
from web.common.access import needs
from web.common.shown_refusals import complain_if_refused

CHANGES_SHOWN = 50
ADDRESS = re.compile(r"\S+@\S+")


@require_safe
@needs("see members")
def members(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show members and roles, invitations, visibility, and the log of changes."""
    return _members_page(request, collection)


def _members_page(
    request: HttpRequest, collection: Collection, *, link: str = "", invited: str = ""
) -> HttpResponse:
    context = {
        "collection": collection,
        "members": Membership.objects.filter(collection=collection)
        .select_related("user")
        .order_by("user__username"),
        "invitations": service.open_invitations(collection).order_by("pk"),
        "roles": CHOICES,
        "may_change": (may_change := service.may(request.user, "change members", collection)),
        "changes": _latest_changes(collection, addresses=may_change),
        "link": link,
        "invited": invited,
    }
    return render(request, "web/collections/members.html", context)


def _latest_changes(collection: Collection, *, addresses: bool) -> list[CollectionChange]:
    """Return the latest entries of the log. Without ``addresses``, invited people stay anonymous."""
    rows = list(CollectionChange.objects.filter(collection=collection).order_by("-pk")[:CHANGES_SHOWN])
    for row in rows:
        row.what = row.what if addresses else ADDRESS.sub("somebody", row.what)
    return rows


@require_POST
@needs("change members")
def add_or_invite(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Add a person by account name, or invite somebody by e-mail address."""
    whom, role = request.POST.get("whom", "").strip(), _typed_role(request)
    with complain_if_refused(request):
        if "@" not in whom:
            who = request.user.get_username()
            service.add_member(collection=collection, username=whom, role=role, who=who)
            return _back_to_members(collection)
        invited = service.invite_member(
            collection=collection,
            email=whom,
            role=role,
            invited_by=request.user,  # type: ignore[arg-type]
        )
        if not invitations.mail(invited, to_what=collection.name):
            # No redirect: the link is shown only in this response and is not stored.
            return _members_page(request, collection, link=invited.link, invited=whom)
        messages.success(request, f"The invitation was sent to {whom}.")
    return _back_to_members(collection)


@require_POST
@needs("change members")
def change_member_role(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    member = membership_or_404(collection, key)
    with complain_if_refused(request):
        service.set_member_role(member=member, role=_typed_role(request), who=request.user.get_username())
    return _back_to_members(collection)


@require_POST
@needs("change members")
def end_membership(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    member = membership_or_404(collection, key)
    with complain_if_refused(request):
        service.remove_member(member=member, who=request.user.get_username())
    return _back_to_members(collection)


@require_POST
@needs("change members")
def transfer(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Transfer the collection: the member becomes an owner and the caller a maintainer."""
    member = membership_or_404(collection, key)
    with complain_if_refused(request):
        service.transfer_ownership(member=member, by=request.user)  # type: ignore[arg-type]
    return _back_to_members(collection)


@require_POST
@needs("change members")
def revoke_member_invitation(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    invited = get_object_or_404(collection.invited_members.select_related("invitation"), pk=key)
    with complain_if_refused(request):
        service.withdraw_member_invitation(invited=invited, who=request.user.get_username())
    return _back_to_members(collection)


@require_POST
@needs("change visibility")
def visibility(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Publish the collection after a confirmation that lists what becomes visible, or make it private."""
    shown = request.POST.get("visibility", "")
    if shown not in Collection.Visibility.values:
        messages.error(request, "Choose private or published.")
        return _back_to_members(collection)
    if shown == Collection.Visibility.PUBLISHED and "sure" not in request.POST:
        return render(request, "web/collections/publish_collection.html", seen_by_everybody(collection))
    with complain_if_refused(request):
        service.set_visibility(collection=collection, visibility=shown, who=request.user.get_username())
    return _back_to_members(collection)


def _typed_role(request: HttpRequest) -> Role:
    """Return the role in the form, or the viewer's role if it is unknown."""
    asked = request.POST.get("role", "")
    return Role(asked) if asked in dict(CHOICES) else Role.VIEWER


def _back_to_members(collection: Collection) -> HttpResponse:
    return redirect("web:members", collection.name)
