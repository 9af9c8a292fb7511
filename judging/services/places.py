"""Places: as many as there are tasks still wanted, offered once each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import takewhile
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q, QuerySet

from config import clock
from config.background.registry import Progress
from judging.crowds import crowd_for
from judging.crowds.seam import Crowd, PostingKind
from judging.deadlines import offered_seconds
from judging.errors import CrowdAlready, CrowdError, CrowdLater, CrowdNever
from judging.models import Campaign, CrowdCall, Place, Posting, Submission, Task
from judging.requirements import requirement_words, same_requirements
from judging.services.adopting import adopt_missing, look_is_due, reply_of
from judging.services.blocking import spared
from judging.services.budget import room_for
from judging.services.calls import Patience, Reply, campaign_key, perform
from judging.services.cost import pay_for
from judging.services.in_flight import each
from judging.services.offer_words import description_of, keywords_of, title_of
from judging.services.postings import current_posting
from judging.tokens import link_for

#: At crowds of MTurk's protocol.
LONGEST_KEYWORDS = 1000
#: Calls without which nothing can be offered.
OFFERING = ["create_block_list", "create_kind", "post_place", "read_back"]
LIVE = [Place.State.WANTED, Place.State.OPEN]


def want_places(campaign: Campaign) -> int:
    """Record the intent to offer as many more places as tasks lack one; returns how many. Safe to race.

    A task that waits or is held has one live place, as long as the budget lasts. Two callers at once compute
    the same numbers, and the unique constraint lets one of them through; the other counts again.
    """
    # As it is now: whoever calls may have read the campaign before somebody paused it.
    if not Campaign.objects.filter(pk=campaign.pk, state__in=Campaign.OFFERING).exists():
        return 0
    posting = current_posting(campaign)
    if posting is None:
        return 0
    for _ in range(10):
        # The last number is read before the count: whoever reads an old count collides on the number.
        last = posting.places.aggregate(last=Max("number"))["last"] or 0
        missing = lacking(campaign)
        if missing > 0 and (room := room_for(campaign)) is not None:
            missing = min(missing, room)
        if missing <= 0:
            return 0
        rows = [Place(posting=posting, number=last + 1 + offset) for offset in range(missing)]
        try:
            with transaction.atomic():
                Place.objects.bulk_create(rows, batch_size=2000)
            return missing
        except IntegrityError:
            continue
    return 0


def any_wanted(campaign: Campaign) -> bool:
    """Whether places wait to be offered: new ones, and those that a failed or interrupted job left.

    None while the crowd has refused one for good: it would refuse the others too.
    """
    if campaign.crowd_calls.filter(operation__in=OFFERING, state=CrowdCall.State.FAILED).exists():
        return False
    return Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED).exists()


def lacking(campaign: Campaign) -> int:
    """How many places fewer are live than tasks are wanted (negative: more).

    A pilot wants no more than its own number of submissions, whatever their standing.
    """
    wanted = campaign.tasks.exclude(state=Task.State.DONE).count()
    live = Place.objects.filter(posting__campaign=campaign, state__in=LIVE).count()
    posting = current_posting(campaign)
    if posting is None or posting.purpose != Posting.Purpose.PILOT:
        return wanted - live
    used = posting.places.filter(state__in=[*LIVE, Place.State.FILLED]).count()
    return min(wanted - live, campaign.pilot_tasks - used)


def close_extra(campaign: Campaign, crowd: Crowd) -> int:
    """Take places that no task needs any more off the crowd, newest first; returns how many. Safe to repeat.

    There are some when work came in that was given up for lost, or counts again. A place that somebody works on
    stays.
    """
    now = clock.now()
    live = Place.objects.filter(posting__campaign=campaign, state__in=LIVE)
    offered = live.exclude(state=Place.State.OPEN, expires_at__lte=now)
    extra = offered.count() - campaign.tasks.exclude(state=Task.State.DONE).count()
    if extra <= 0:
        return 0
    at_work = [Submission.State.HELD, Submission.State.FINISHED]
    free = offered.filter(state=Place.State.OPEN).exclude(submissions__state__in=at_work)
    left = list(free.select_related("posting").order_by("-posting__number", "-number")[:extra])
    return _close(campaign, crowd, left)


def kind_of(campaign: Campaign, further: Sequence[dict[str, Any]] = ()) -> PostingKind:
    """What every place of this campaign says to workers; ``further`` qualifications come after its own."""
    return PostingKind(
        title=title_of(campaign),
        description=description_of(campaign),
        keywords=_keywords(campaign),
        reward=pay_for(campaign).base,
        assignment_seconds=offered_seconds(campaign.assignment_seconds),
        auto_approval_seconds=campaign.auto_approval_seconds,
        qualifications=(*campaign.qualifications, *further),
    )


def _keywords(campaign: Campaign) -> str:
    """The campaign's keywords, one of its own, and what the marketplace's list says; as many as fit.

    A crowd shows places of equal content under one heading, whosever they are: whoever takes the next one there
    would go over to another campaign with the same title and pay.
    """
    own = f"{campaign.keywords}, batch {campaign_key(campaign)[:8]}".removeprefix(", ")
    for keywords in (f"{own}, {keywords_of(campaign)}", own):
        if len(keywords) <= LONGEST_KEYWORDS:
            return keywords
    return campaign.keywords


def post_places(campaign: Campaign, *, progress: Progress | None = None) -> int:
    """Offer every wanted place of the campaign, several calls at a time; returns how many.

    Safe to repeat and to race.

    A place that could not be offered for now holds up no other; at the end the crowd's error says that there are
    such. Any other error ends it at once.
    """
    crowd, patience, found = crowd_for(campaign), Patience(), 0
    wanted = _wanted(campaign)
    if wanted and look_is_due(campaign):
        found = adopt_missing(campaign, crowd)
        wanted = _wanted(campaign)
    offered = _while_offering(campaign, crowd, wanted, patience)
    with closing(each(offered, lambda place: post_place(campaign, crowd, place))) as calls:
        for done, call in enumerate(calls, start=1):
            with patience.one():
                call.result()
                found += 1
            if progress:
                progress(done, len(wanted), "Offering places")
    patience.done()
    return found


def _while_offering(
    campaign: Campaign, crowd: Crowd, wanted: list[Place], patience: Patience
) -> Iterator[Place]:
    """The places that may be offered now: as long as the campaign is, once their posting was read back."""
    checked: set[int] = set()
    for place in wanted:
        if campaign_state(campaign) not in Campaign.OFFERING:
            return
        if place.posting_id not in checked:
            with patience.one():
                _check_posting(campaign, crowd, place)
                checked.add(place.posting_id)
        if place.posting_id in checked:
            yield place


def _wanted(campaign: Campaign) -> list[Place]:
    """Places that are to be offered, in order."""
    wanted = Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED)
    return list(wanted.select_related("posting").order_by("posting_id", "number"))


def campaign_state(campaign: Campaign) -> str:
    """The state as it is in the database now."""
    return Campaign.objects.values_list("state", flat=True).get(pk=campaign.pk)


def place_key(campaign: Campaign, place: Place) -> str:
    """The key of the intent to offer this place."""
    return f"{campaign_key(campaign)}-{place.posting.number}-{place.number}"


def post_place(campaign: Campaign, crowd: Crowd, place: Place) -> None:
    """Offer one place, exactly once."""
    posting = place.posting
    posting.campaign = campaign  # its link names the campaign's key
    kind_id = posting.crowd_key or create_kind(campaign, crowd, posting)
    key = place_key(campaign, place)

    def act() -> Reply:
        posted = crowd.post_place(
            kind_id=kind_id, url=link_for(posting), lifetime_seconds=campaign.lifetime_seconds, key=key
        )
        return reply_of(posted)

    def find(already: CrowdAlready | None) -> Reply | None:
        if already and already.found:
            try:
                return reply_of(crowd.place(already.found))
            except CrowdError:
                pass  # the id in the message was something else: look through the list
        found = crowd.find_place(key)
        return reply_of(found) if found else None

    reply = perform(
        campaign=campaign, operation="post_place", key=key, request={"kind": kind_id}, act=act, find=find
    )
    Place.objects.filter(pk=place.pk, state=Place.State.WANTED).update(
        state=Place.State.OPEN, crowd_id=reply["crowd_id"], expires_at=reply["expires_at"]
    )


def create_kind(campaign: Campaign, crowd: Crowd, posting: Posting) -> str:
    """Have the crowd know the posting's kind of place; identical content gives the same id."""
    kind = kind_of(campaign, spared(campaign, crowd))
    reply = perform(
        campaign=campaign,
        operation="create_kind",
        key=f"{campaign_key(campaign)}-kind-{posting.number}",
        request={"title": campaign.title, "reward": str(pay_for(campaign).base)},
        act=lambda: {"kind_id": crowd.create_kind(kind)},
        find=lambda _already: {"kind_id": crowd.create_kind(kind)},
    )
    posting.crowd_key, posting.crowd_seconds = reply["kind_id"], kind.assignment_seconds
    Posting.objects.filter(pk=posting.pk).update(
        crowd_key=posting.crowd_key, crowd_seconds=posting.crowd_seconds
    )
    return str(reply["kind_id"])


def _check_posting(campaign: Campaign, crowd: Crowd, place: Place) -> None:
    """Read the posting back from a place that is offered, or from this one, offered for it."""
    offered = place.posting.places.exclude(crowd_id="").first()
    if offered is None:
        post_place(campaign, crowd, place)
    check_requirements(campaign, crowd, offered or place)


def check_requirements(campaign: Campaign, crowd: Crowd, place: Place) -> None:
    """Read back what the crowd asks of workers for a posting's place, once; CrowdNever when it is not what we asked.

    Then nothing more is offered: anybody might do what only some should, or nobody could.
    """
    place.refresh_from_db()
    wanted = kind_of(campaign, spared(campaign, crowd)).qualifications

    def read() -> Reply:
        try:
            asked = crowd.asked_of_workers(place.crowd_id)
        except CrowdNever as error:  # a place of a moment ago may not be known yet to those who describe it
            raise CrowdLater(error.message, "It is tried again by itself.") from None
        if not same_requirements(wanted, asked):
            raise CrowdNever(
                f"The crowd asks other things of workers for {place.crowd_id} than the campaign: "
                f"{requirement_words(asked)} instead of {requirement_words(wanted)}.",
                f"Run: manage.py pause_campaign {campaign.name}. Look at the qualifications at the crowd.",
            )
        return {"asked": requirement_words(asked)}

    key = f"{campaign_key(campaign)}-asked-{place.posting.number}"
    request = {"place": place.crowd_id}
    perform(
        campaign=campaign,
        operation="read_back",
        key=key,
        request=request,
        act=read,
        find=lambda _already: None,
    )


def places_offered(campaign: Campaign) -> QuerySet[Place]:
    """The places of the campaign that the crowd may still offer."""
    live = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN)
    return live.filter(Q(expires_at=None) | Q(expires_at__gt=clock.now()))


def any_offered(campaign: Campaign) -> bool:
    """Whether the crowd may still offer places of the campaign."""
    return places_offered(campaign).exists()


def close_places(campaign: Campaign, *, progress: Progress | None = None) -> int:
    """Let nobody take a place of the campaign from now on, several calls at a time; who holds one may finish.

    Safe to repeat. It stops when the campaign goes on meanwhile: its places are wanted again.
    """
    if campaign_state(campaign) in Campaign.OFFERING:
        return 0
    crowd = crowd_for(campaign)
    Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED).exclude(
        pk__in=_being_posted(campaign)
    ).update(state=Place.State.GONE)
    places = list(
        Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN).select_related("posting")
    )
    over = takewhile(lambda _place: campaign_state(campaign) not in Campaign.OFFERING, places)
    tell = (lambda done: progress(done, len(places), "Closing places")) if progress else None
    return _close(campaign, crowd, over, tell=tell)


def _close(
    campaign: Campaign, crowd: Crowd, places: Iterable[Place], *, tell: Callable[[int], None] | None = None
) -> int:
    """Close these places, several calls at a time; returns how many were looked at. One that fails for now holds up
    no other; its error is raised at the end."""
    patience, done = Patience(), 0
    with closing(each(places, lambda place: close_place(campaign, crowd, place))) as calls:
        for done, call in enumerate(calls, start=1):
            with patience.one():
                call.result()
            if tell:
                tell(done)
    patience.done()
    return done


def close_place(campaign: Campaign, crowd: Crowd, place: Place) -> None:
    """Let nobody take one place from now on, exactly once."""

    def close() -> Reply:
        crowd.close_place(place.crowd_id)
        return {"closed": place.crowd_id}

    def find(_already: CrowdAlready | None) -> Reply | None:
        return None if crowd.place(place.crowd_id).open else {"closed": place.crowd_id}

    key = f"{campaign_key(campaign)}-close-{place.posting.number}-{place.number}"
    request = {"place": place.crowd_id}
    perform(campaign=campaign, operation="close_place", key=key, request=request, act=close, find=find)
    Place.objects.filter(pk=place.pk).filter(Q(expires_at=None) | Q(expires_at__gt=clock.now())).update(
        expires_at=clock.now()
    )


def _being_posted(campaign: Campaign) -> list[int]:
    """Wanted places whose call was tried already: it may have had its effect, so they are not given up."""
    prefix = campaign_key(campaign)
    tried = campaign.crowd_calls.filter(operation="post_place", attempts__gt=0).values_list("key", flat=True)
    numbers = {tuple(key.removeprefix(f"{prefix}-").split("-")) for key in tried}
    wanted = Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED).select_related(
        "posting"
    )
    return [place.pk for place in wanted if (str(place.posting.number), str(place.number)) in numbers]
