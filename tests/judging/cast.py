"""A small world for judging: a pool with texts, gold pairs, a fake crowd and people at work."""

from collections.abc import Sequence
from decimal import Decimal

from config import clock
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.worker_texts import accept_texts
from judging.crowds.interface import Arrival
from judging.intake.collection import Collected, collect
from judging.intake.places import post_places
from judging.launch.launches import launch_campaign
from judging.models import Campaign, Choice, GoldPair, Posting, Slot, Submission
from judging.money.payments import pay_owed
from judging.page import arrivals, session
from judging.page.last_step import final_answers
from pooling.models import Collection, Passage, Pool, PooledPassage, Query
from tests.factories import passages_of
from tests.judging.fake_crowd import FakeCrowd, FakePlace

#: Budget in dollars for a campaign where money does not matter.
PLENTY = Decimal("1000")


class Fair:
    """A campaign over ``queries`` queries with ``passages`` passages each, and its workers."""

    def __init__(self, crowd: FakeCrowd, *, queries: int = 4, passages: int = 3, name: str = "fair") -> None:
        self.crowd = crowd
        self.collection = Collection.objects.create(name=f"{name}-collection")
        self.pool = Pool.objects.create(collection=self.collection, name=f"{name}-pool")
        made = Query.objects.bulk_create(
            Query(collection=self.collection, qid=f"q{number}", text=f"what is q{number}?", position=number)
            for number in range(queries)
        )
        pids = {
            query: [f"{query.qid}-{letter}" for letter in "abcdefghijklmnop"[:passages]] for query in made
        }
        known = self.passages([pid for of_query in pids.values() for pid in of_query])
        PooledPassage.objects.bulk_create(
            PooledPassage(pool=self.pool, query=query, passage=known[pid])
            for query, of_query in pids.items()
            for pid in of_query
        )
        self.name = name

    def query(self, qid: str) -> Query:
        position = Query.objects.filter(collection=self.collection).count()
        return Query.objects.create(
            collection=self.collection, qid=qid, text=f"what is {qid}?", position=position
        )

    def passage(self, pid: str, **details) -> Passage:
        return self.passages([pid], **details)[pid]

    def passages(self, pids: Sequence[str], **details) -> dict[str, Passage]:
        """Return pid → passage, creating missing ones in this order."""

        def new(pid: str) -> Passage:
            values = {"text": f"This is {pid.replace('-', '')}", "class_key": f"key-{pid}"} | details
            return Passage(collection=self.collection, pid=pid, **values)

        return passages_of(self.collection, pids, new)

    def draft(self, *, gold: int = 0, **settings) -> Campaign:
        """Create a draft with the fake crowd, accepted texts, and ``gold`` accepted gold pairs (or all needed)."""
        values = {"gold_per_task": 2, "max_tasks_per_worker": 3, "pairs_per_task": 3} | settings
        campaign = create_campaign(name=self.name, settings=CampaignSettings(**values), pool=self.pool)
        # Its tiny tasks can all be passed without reading.
        Campaign.objects.filter(pk=campaign.pk).update(crowd="fake", accept_weak_screening=True)
        campaign.refresh_from_db()
        accept_texts(campaign)
        self.add_gold(campaign, gold or values["gold_per_task"] * values["max_tasks_per_worker"])
        return campaign

    def draft_of(self, name: str) -> Campaign:
        """Create another draft over the same pool."""
        return create_campaign(name=name, settings=CampaignSettings(), pool=self.pool)

    def add_gold(self, campaign: Campaign, count: int) -> None:
        there = campaign.gold_pairs.count()
        first = Query.objects.filter(collection=self.collection).order_by("pk").first()
        assert first is not None
        last = Query.objects.filter(collection=self.collection).count()
        # Each needs its own question, or few would fit a task. All have the same text.
        queries = Query.objects.bulk_create(
            Query(
                collection=self.collection,
                qid=f"gold-{campaign.pk}-{number}",
                text=first.text,
                position=last + number,
            )
            for number in range(there, there + count)
        )
        pids = [(f"relevant-{number}", f"off-topic-{number}") for number in range(there, there + count)]
        known = self.passages([pid for both in pids for pid in both])
        GoldPair.objects.bulk_create(
            GoldPair(
                campaign=campaign,
                query=query,
                relevant=known[relevant],
                off_topic=known[off_topic],
                state=GoldPair.State.ACCEPTED,
                decided_at=clock.now(),
            )
            for query, (relevant, off_topic) in zip(queries, pids, strict=True)
        )

    def launched(self, campaign: Campaign) -> Campaign:
        """Launch the campaign with money for repeats, without offering its places."""
        Campaign.objects.filter(pk=campaign.pk, budget=None).update(budget=PLENTY)
        campaign.refresh_from_db()
        launch_campaign(campaign)
        return campaign

    def opened(self, **settings) -> Campaign:
        """Launch a campaign and offer its places."""
        from tests.judging import saved

        return saved.campaign_of(self, settings)

    def opened_afresh(self, **settings) -> Campaign:
        """Do the same through the product's services, without saved rows."""
        campaign = self.launched(self.draft(**settings))
        post_places(campaign)
        return campaign

    def next_opened(self, name: str, **settings) -> Campaign:
        """Launch another campaign of the same collection."""
        self.name = name
        return self.opened(**settings)

    # People.

    def open_task(
        self, campaign: Campaign, worker: str, place: FakePlace | None = None, *, signed: bool = False
    ) -> Submission:
        """Let ``worker`` take a place at the crowd, which can sign that, open its page and consent to the task."""
        taken = self.crowd.take(worker, place)
        posting = Posting.objects.filter(campaign=campaign).order_by("-number").first()
        assert posting is not None
        taken_at = clock.now() if signed else None
        crowd_id = taken.posted.crowd_id
        arrival = Arrival(taken.assignment_id, crowd_id, worker, "", preview=False, taken_at=taken_at)
        submission = arrivals.open_task(posting, arrival)
        if submission.state == Submission.State.HELD:
            session.give_consent(submission, of_age=True)
        return submission

    def answer(self, submission: Submission, *, pass_gold: bool = True, only: int | None = None) -> None:
        """Choose the left of every pair (of the first ``only`` slots), and the right answer of gold pairs."""
        for slot in submission.slots.select_related("gold_pair").order_by("number")[:only]:
            session.save_choice(submission, number=slot.number, sequence=0, side=good_side(slot, pass_gold))

    def answer_slot(self, submission: Submission, slot: Slot) -> None:
        """Choose correctly in one slot."""
        session.save_choice(submission, number=slot.number, sequence=0, side=good_side(slot))

    def send_off(self, submission: Submission) -> None:
        """Submit what is judged so far, here and at the crowd."""
        session.finish(submission)
        self.hand_in(submission)

    def hand_in(self, submission: Submission, answers: dict[str, str] | None = None) -> None:
        """Submit the crowd's form, whatever our page knows."""
        place = next(
            one for one in [*self.crowd.posted.values()] if one.assignment_id == submission.assignment_id
        )
        self.crowd.hand_in(place, dict(final_answers(submission)) if answers is None else answers)

    def do_task(self, campaign: Campaign, worker: str, *, pass_gold: bool = True) -> Submission:
        """Do a whole task, from taking the place to the crowd's form."""
        submission = self.open_task(campaign, worker)
        self.answer(submission, pass_gold=pass_gold)
        session.finish(submission)
        self.hand_in(submission)
        return submission

    def collect(self, campaign: Campaign) -> Collected:
        """Collect, pay and offer missing places, as the jobs do."""
        campaign.refresh_from_db()
        collected = collect(campaign, sweep=True)
        pay_owed(campaign)
        post_places(campaign)
        return collected


def good_side(slot: Slot, pass_gold: bool = True) -> str:
    """Return the side of a gold pair's relevant passage (or the other one), or the left side for a pair."""
    if slot.gold_pair is None:
        return Choice.Side.LEFT
    relevant_left = slot.left_id == slot.gold_pair.relevant_id
    return Choice.Side.LEFT if relevant_left == pass_gold else Choice.Side.RIGHT
