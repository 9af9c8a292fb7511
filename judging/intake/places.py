"""Offer one place for each task that is still wanted."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import takewhile
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q, QuerySet

from config import clock
from config.background.job_kinds import Progress
from config.guidance import Action, Guidance
from judging.campaign.cost import pay_for
from judging.campaign.postings import current_posting
from judging.campaign.reservations import lock_commitments
from judging.crowds import crowd_for
from judging.crowds.interface import Crowd, PostingKind
from judging.errors import CrowdAlready, CrowdError, CrowdLater, CrowdNever
from judging.exchange.calls import Patience, Reply, perform
from judging.exchange.concurrent_calls import call_each
from judging.exchange.link_tokens import link_for
from judging.exchange.recovered_places import adopt_missing, look_is_due, reply_of
from judging.models import Campaign, CrowdCall, Place, Posting, Submission, Task
from judging.money.budget import room_for
from judging.money.offer_words import description_of, keywords_of, title_of
from judging.rules.deadlines import offered_seconds
from judging.rules.qualifications import requirement_words, same_requirements
from judging.workers.block_lists import hiding_requirements

#: The limit of MTurk's protocol.
LONGEST_KEYWORDS = 1000
#: The operations of the calls without which no further places are offered.
OFFERING = ["create_block_list", "create_kind", "post_place", "read_back"]


def want_places(campaign: Campaign) -> int:
    """Record a wanted place for each task that lacks one; return their number. Safe to call concurrently.

    While the budget lasts, there are as many live places as waiting or held tasks. If a place that was missing from
    our records is recorded meanwhile, its number is taken, and the places are counted again.
    """
    # Read the state again: the campaign may have been paused since the caller read it.
    if not Campaign.objects.filter(pk=campaign.pk, state__in=Campaign.OFFERING).exists():
        return 0
    posting = current_posting(campaign)
    if posting is None or lacking(campaign) <= 0:
        return 0
    for _ in range(10):
        try:
            return _want_missing(campaign, posting)
        except IntegrityError:
            continue
    return 0


@transaction.atomic
def _want_missing(campaign: Campaign, posting: Posting) -> int:
    """Record the places that are missing, as far as the budget allows. Raises IntegrityError for a taken number."""
    lock_commitments(campaign)
    last = posting.places.aggregate(last=Max("number"))["last"] or 0
    missing = lacking(campaign)
    if missing > 0 and (room := room_for(campaign)) is not None:
        missing = min(missing, room)
    rows = [Place(posting=posting, number=last + 1 + offset) for offset in range(missing)]
    Place.objects.bulk_create(rows, batch_size=2000)
    return len(rows)


def any_wanted(campaign: Campaign) -> bool:
    """Return whether any place waits to be offered: a new place, or one left by a failed or interrupted job.

    Returns False while a call needed to offer places has failed permanently, because further calls would fail too.
    """
    if campaign.crowd_calls.filter(operation__in=OFFERING, state=CrowdCall.State.FAILED).exists():
        return False
    return Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED).exists()


def lacking(campaign: Campaign) -> int:
    """Return how many places the campaign's tasks need besides the live ones; negative if there are too many.

    A pilot uses at most ``pilot_tasks`` places. Filled places count towards this limit even if their judgments do
    not count.
    """
    wanted = campaign.tasks.exclude(state=Task.State.DONE).count()
    live = Place.objects.filter(posting__campaign=campaign, state__in=Place.LIVE).count()
    posting = current_posting(campaign)
    if posting is None or posting.purpose != Posting.Purpose.PILOT:
        return wanted - live
    used = posting.places.filter(state__in=[*Place.LIVE, Place.State.FILLED]).count()
    return min(wanted - live, campaign.pilot_tasks - used)


def close_extra(campaign: Campaign, crowd: Crowd) -> int:
    """Close places that no task needs anymore, newest first; return the number closed. Safe to repeat.

    Places become superfluous if late work counts, or if an exclusion is reversed. Places that somebody is working on
    stay open.
    """
    now = clock.now()
    live = Place.objects.filter(posting__campaign=campaign, state__in=Place.LIVE)
    offered = live.exclude(state=Place.State.OPEN, expires_at__lte=now)
    extra = offered.count() - campaign.tasks.exclude(state=Task.State.DONE).count()
    if extra <= 0:
        return 0
    free = offered.filter(state=Place.State.OPEN).exclude(submissions__state__in=Submission.LIVE)
    left = list(free.select_related("posting").order_by("-posting__number", "-number")[:extra])
    return _close(campaign, crowd, left)


def kind_of_place(campaign: Campaign, further: Sequence[dict[str, Any]] = ()) -> PostingKind:
    """Return the properties of the campaign's places. ``further`` qualifications are added to the campaign's own."""
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
    """Return the campaign's keywords; add a unique one and those for the marketplace's list if they fit.

    A crowd groups places with equal content, even of different owners. Without a unique keyword, a worker who takes
    the next place could end up in another campaign with the same title and pay.
    """
    own = f"{campaign.keywords}, batch {campaign.call_key[:8]}".removeprefix(", ")
    for keywords in (f"{own}, {keywords_of(campaign)}", own):
        if len(keywords) <= LONGEST_KEYWORDS:
            return keywords
    return campaign.keywords


def post_places(campaign: Campaign, *, progress: Progress | None = None) -> int:
    """Post every wanted place of the campaign at the crowd, several at a time; return the number of places posted.

    A place posted by an earlier call whose reply was lost is counted, too. Safe to repeat and to call concurrently.

    A temporary failure for one place does not stop the others; its error is raised at the end. Several such failures
    in a row, and any other error, stop at once.
    """
    crowd, patience, found = crowd_for(campaign), Patience(), 0
    wanted = _wanted(campaign)
    if wanted and look_is_due(campaign):
        found = adopt_missing(campaign, crowd)
        wanted = _wanted(campaign)
    offered = _while_offering(campaign, crowd, wanted, patience)
    with closing(call_each(offered, lambda place: post_place(campaign, crowd, place))) as calls:
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
    """Yield places until the campaign is paused or ends, each after its posting was checked at the crowd."""
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
    """Return the campaign's wanted places, in the order in which to post them."""
    wanted = Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED)
    return list(wanted.select_related("posting").order_by("posting_id", "number"))


def campaign_state(campaign: Campaign) -> str:
    """Return the campaign's state as it is in the database now."""
    return Campaign.objects.values_list("state", flat=True).get(pk=campaign.pk)


def place_key(campaign: Campaign, place: Place) -> str:
    """Return the key of the call that posts this place."""
    return f"{campaign.call_key}-{place.posting.number}-{place.number}"


def post_place(campaign: Campaign, crowd: Crowd, place: Place) -> None:
    """Post one place at the crowd, exactly once, and mark it as open."""
    posting = place.posting
    posting.campaign = campaign  # its link contains the campaign's key
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
                pass  # the id in the message was something else: search the list
        found = crowd.find_place(key)
        return reply_of(found) if found else None

    reply = perform(
        campaign=campaign, operation="post_place", key=key, request={"kind": kind_id}, act=act, find=find
    )
    Place.objects.filter(pk=place.pk, state=Place.State.WANTED).update(
        state=Place.State.OPEN, crowd_id=reply["crowd_id"], expires_at=reply["expires_at"]
    )


def create_kind(campaign: Campaign, crowd: Crowd, posting: Posting) -> str:
    """Create the posting's kind of place at the crowd and return its id. Identical content gives the same id."""
    kind = kind_of_place(campaign, hiding_requirements(campaign, crowd))
    reply = perform(
        campaign=campaign,
        operation="create_kind",
        key=f"{campaign.call_key}-kind-{posting.number}",
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
    """Check the requirements of a posting at one of its posted places; if there is none yet, post ``place`` first."""
    offered = place.posting.places.exclude(crowd_id="").first()
    if offered is None:
        post_place(campaign, crowd, place)
    check_requirements(campaign, crowd, offered or place)


def check_requirements(campaign: Campaign, crowd: Crowd, place: Place) -> None:
    """Check, once for each posting, that the crowd's requirements for workers are those of the campaign.

    Raises CrowdNever if the requirements differ. Then nothing more is offered, because the wrong workers could take
    the tasks, or nobody could.
    """
    place.refresh_from_db()
    wanted = kind_of_place(campaign, hiding_requirements(campaign, crowd)).qualifications

    def read() -> Reply:
        try:
            asked = crowd.asked_of_workers(place.crowd_id)
        except CrowdNever as error:  # the crowd may not describe a brand-new place yet
            raise CrowdLater(error.message, "It is retried automatically.") from None
        if not same_requirements(wanted, asked):
            raise CrowdNever(
                f"The crowd's requirements for {place.crowd_id} differ from the campaign's: "
                f"{requirement_words(asked)} instead of {requirement_words(wanted)}.",
                Guidance(Action("pause_campaign", campaign.name), ". Check the qualifications at the crowd."),
            )
        return {"asked": requirement_words(asked)}

    key = f"{campaign.call_key}-asked-{place.posting.number}"
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
    """Return the campaign's places that the crowd may still offer."""
    live = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN)
    return live.filter(Q(expires_at=None) | Q(expires_at__gt=clock.now()))


def close_places(campaign: Campaign, *, progress: Progress | None = None) -> int:
    """Close the campaign's places to new workers, several at a time; return the number of open places processed.

    Workers who hold a place can finish. Wanted places that were never posted are given up. This stops if the campaign
    is resumed meanwhile, because its places are wanted again. Safe to repeat.
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
    """Close these places, several at a time; return the number processed, including failures.

    A temporary failure for one place does not stop the others unless several follow in a row; its error is raised at
    the end.
    """
    patience, done = Patience(), 0
    with closing(call_each(places, lambda place: close_place(campaign, crowd, place))) as calls:
        for done, call in enumerate(calls, start=1):
            with patience.one():
                call.result()
            if tell:
                tell(done)
    patience.done()
    return done


def close_place(campaign: Campaign, crowd: Crowd, place: Place) -> None:
    """Close one place to new workers, exactly once."""

    def close() -> Reply:
        crowd.close_place(place.crowd_id)
        return {"closed": place.crowd_id}

    def find(_already: CrowdAlready | None) -> Reply | None:
        return None if crowd.place(place.crowd_id).open else {"closed": place.crowd_id}

    key = f"{campaign.call_key}-close-{place.posting.number}-{place.number}"
    request = {"place": place.crowd_id}
    perform(campaign=campaign, operation="close_place", key=key, request=request, act=close, find=find)
    Place.objects.filter(pk=place.pk).filter(Q(expires_at=None) | Q(expires_at__gt=clock.now())).update(
        expires_at=clock.now()
    )


def _being_posted(campaign: Campaign) -> list[int]:
    """Return the keys of wanted places that we already tried to post, so that the crowd may have them."""
    prefix = campaign.call_key
    tried = campaign.crowd_calls.filter(operation="post_place", attempts__gt=0).values_list("key", flat=True)
    numbers = {tuple(key.removeprefix(f"{prefix}-").split("-")) for key in tried}
    wanted = Place.objects.filter(posting__campaign=campaign, state=Place.State.WANTED).select_related(
        "posting"
    )
    return [place.pk for place in wanted if (str(place.posting.number), str(place.number)) in numbers]
