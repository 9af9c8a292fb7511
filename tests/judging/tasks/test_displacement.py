"""Forged worker ids at a crowd that does not sign arrivals, and honest workers among them."""

from datetime import timedelta

import pytest

from config import clock
from judging.crowds.interface import Arrival
from judging.errors import WorkRefused
from judging.exchange.link_tokens import Proof, digest_of_choices, digest_of_work, proof_token
from judging.models import Campaign, CrowdIdentity, Slot, Submission, Task, Worker
from judging.page import arrivals, session
from judging.page.admission import ARRIVALS_AT_PLACE
from judging.tasks.displacement import MOST_LEASES
from judging.tasks.evidence import PROOF
from judging.tasks.lease_ends import end_submission
from tests.judging.cast import Fair


def arrive(campaign, place, *, worker="AFORGED", number=0, choices=0, **details) -> Submission:
    """Open a place's address with forged ids, consent, and make this many choices."""
    arrival = Arrival(f"3{worker}{number}", place.posted.crowd_id, worker, "", preview=False, **details)
    submission = arrivals.open_task(campaign.postings.get(), arrival)
    if choices:
        session.give_consent(submission)
        for slot in range(1, choices + 1):
            session.save_choice(submission, number=slot, sequence=0, side="left")
    return submission


def attack(campaign, place, count: int, **details) -> list[Submission]:
    return [arrive(campaign, place, worker=f"AFORGED{number}", **details) for number in range(count)]


@pytest.fixture
def single(crowd, db) -> Campaign:
    """A campaign with one task, and therefore one place."""
    return Fair(crowd, queries=1, passages=2, name="single").opened()


def held(campaign) -> int:
    return campaign.tasks.filter(state=Task.State.HELD).count()


def test_made_up_names_at_one_place_hold_a_few_tasks_and_an_honest_worker_gets_one(crowd, db):
    large = Fair(crowd, queries=8, name="large")
    campaign = large.opened()

    attack(campaign, crowd.take("AHOLDER"), 10)

    assert held(campaign) == MOST_LEASES
    assert large.do_task(campaign, "AHONEST").state == "finished"


@pytest.mark.parametrize("choices", [0, 2])
def test_worker_who_took_the_only_place_gets_its_task_whoever_came_first(fair, crowd, single, choices):
    place = crowd.take("AHONEST")
    attack(single, place, 5, choices=choices)

    honest = arrive(single, place, worker="AHONEST")
    session.give_consent(honest)
    fair.answer(honest)
    session.finish(honest)
    place.assignment_id = honest.assignment_id
    fair.hand_in(honest)
    fair.collect(single)

    honest.refresh_from_db()
    assert (honest.standing, single.tasks.get().state) == ("counted", "done")
    assert {payment.state for payment in honest.payments.all()} == {"paid"}
    assert sum(payment.amount for payment in honest.payments.all()) == single.reward
    assert not Submission.objects.filter(campaign=single, state="held").exists()


def test_worker_whose_task_went_to_a_made_up_name_goes_on_and_is_counted(fair, crowd, single):
    place = crowd.take("AHONEST")
    honest = arrive(single, place, worker="AHONEST")
    session.give_consent(honest)
    fair.answer_slot(honest, honest.slots.get(number=1))  # correctly, in case it is a gold pair

    forged = arrive(single, place)
    fair.answer_slot(honest, honest.slots.get(number=2))
    fair.answer_slot(honest, honest.slots.get(number=3))
    session.finish(honest)
    place.assignment_id = honest.assignment_id
    fair.hand_in(honest)
    fair.collect(single)

    for submission in (honest, forged):
        submission.refresh_from_db()
    assert (honest.standing, forged.state, single.tasks.get().holder) == ("counted", "returned", honest)


def test_displaced_before_agreeing_means_another_task_when_one_waits(fair, crowd):
    campaign = fair.opened()
    place = crowd.take("AHONEST")
    honest = arrive(campaign, place, worker="AHONEST")
    first = honest.task
    attack(campaign, place, MOST_LEASES, choices=1)
    assert not Task.objects.filter(holder=honest).exists()

    session.give_consent(honest)

    assert Task.objects.get(holder=honest) == honest.task != first
    assert {slot.pair for slot in honest.slots.exclude(pair=None)} == {
        both.pair for both in honest.task.task_pairs.all()
    }


def test_nobody_uses_up_the_gold_or_the_tasks_of_a_worker_whose_id_they_know(fair, crowd):
    campaign = fair.opened(max_tasks_per_worker=2)
    places = [*crowd.posted.values()]
    forged = [arrive(campaign, place, worker="AHONEST", number=n) for n, place in enumerate(places[:3])]
    for submission in forged:
        session.give_consent(submission)

    honest = arrive(campaign, places[3], worker="AHONEST", number=9)
    session.give_consent(honest)

    assert honest.slots.exclude(gold_pair=None).count() == campaign.gold_per_task
    assert not Slot.objects.filter(submission=forged[0], given_back=False).exists()


def test_opened_task_draws_nothing_before_its_worker_agrees(fair, crowd):
    campaign = fair.opened()

    submission = arrive(campaign, crowd.take("AHONEST"), worker="AHONEST")

    assert not submission.slots.exists()


def test_task_that_was_given_back_untouched_shows_other_pairs_next_time_as_long_as_there_are_any(fair):
    campaign = fair.opened(max_tasks_per_worker=2)
    seen = []
    for _ in range(2):
        submission = fair.open_task(campaign, "A1")
        seen.append({*submission.slots.values_list("pair", "gold_pair")})
        end_submission(submission, Submission.State.RETURNED)

    third = fair.open_task(campaign, "A1")  # all four gold pairs were seen, so they are drawn again

    assert not seen[0] & seen[1]
    assert third.slots.exclude(gold_pair=None).count() == 2
    assert third.slots.exclude(pair=None).count() == 3


def test_work_without_a_choice_that_the_crowd_lists_after_all_counts_by_its_signed_form(fair):
    campaign = fair.opened()
    late = fair.open_task(campaign, "A1")
    form = {f"choice-{slot.number}": "left" for slot in late.slots.all()}
    # Only our server signs a form, so its choices were saved here before an older backup was restored.
    proof = Proof(digest_of_work(late.assignment_id, "A1"), len(form), len(form), digest_of_choices(form))
    end_submission(late, Submission.State.LAPSED)
    assert late.slots.filter(given_back=True).exists()

    fair.hand_in(late, form | {PROOF: proof_token(proof)})
    fair.collect(campaign)

    late.refresh_from_db()
    assert late.state == "submitted"
    assert late.judgments.count() == 3
    assert not late.slots.filter(given_back=True).exists()


def test_form_of_a_task_that_nobody_agreed_to_counts_nothing(fair, crowd):
    campaign = fair.opened()
    place = crowd.take("A1")
    opened = arrive(campaign, place, worker="A1")
    place.assignment_id = opened.assignment_id

    fair.hand_in(opened, {f"choice-{number}": "left" for number in range(1, 6)})
    fair.collect(campaign)

    opened.refresh_from_db()
    assert (opened.standing, opened.judgments.count(), held(campaign)) == ("unknown", 0, 0)


@pytest.mark.parametrize("state", ["paused", "open"])
def test_arrivals_without_a_task_leave_no_row(fair, crowd, single, state):
    place = crowd.take("AHONEST")
    honest = fair.open_task(single, "AHONEST", place)
    fair.answer(honest)
    fair.send_off(honest)
    fair.collect(single)
    Campaign.objects.filter(pk=single.pk).update(state=state)
    rows = (Worker.objects.count(), CrowdIdentity.objects.count())

    for number in range(4):
        with pytest.raises(session.WorkRefused):
            arrive(single, place, worker=f"AFORGED{number}")

    assert (Worker.objects.count(), CrowdIdentity.objects.count()) == rows


def test_names_from_one_network_are_paced_and_a_room_of_thirty_is_not(fair, crowd, settings):
    large = Fair(crowd, queries=40, name="large")
    campaign = large.opened()
    posting = campaign.postings.get()

    def arrives(worker: str, place) -> Submission:
        arrival = Arrival(f"3{worker}", place.posted.crowd_id, worker, "", preview=False)
        return arrivals.open_task(posting, arrival, network="192.0.2.7")

    for number in range(ARRIVALS_AT_PLACE):
        arrives(f"AFORGED{number}", crowd.posted["PLACE0000"])
    with pytest.raises(session.WorkRefused, match="crowded"):
        arrives("AFORGED9", crowd.posted["PLACE0000"])
    room = [arrives(f"ASTUDENT{number}", crowd.posted[f"PLACE{number:04d}"]) for number in range(1, 31)]
    again = arrives("AFORGED0", crowd.posted["PLACE0000"])

    assert {submission.state for submission in [*room, again]} == {"held"}
    settings.ARRIVALS_PER_NETWORK = 35
    with pytest.raises(session.WorkRefused, match="crowded"):
        arrives("ALATE", crowd.posted["PLACE0031"])


# At a crowd that signs arrivals.


def test_signed_arrival_is_never_displaced(fair, crowd, single):
    place = crowd.take("AHONEST")
    honest = arrive(single, place, worker="AHONEST", taken_at=clock.now())

    with pytest.raises(session.WorkRefused, match="no-task"):
        arrive(single, place)

    assert single.tasks.get().holder == honest


def test_place_that_was_handed_on_is_its_new_holders_and_an_old_address_opens_nothing(fair, crowd):
    campaign = fair.opened()
    place, now = crowd.take("AFORMER"), clock.now()
    former = arrive(campaign, place, worker="AFORMER", choices=1, taken_at=now)

    present = arrive(campaign, place, worker="APRESENT", taken_at=now + timedelta(minutes=1))

    former.refresh_from_db()
    assert (former.state, present.state, held(campaign)) == ("returned", "held", 1)
    with pytest.raises(session.WorkRefused, match="returned"):
        arrive(campaign, place, worker="AEARLIER", taken_at=now - timedelta(minutes=1))
    present.refresh_from_db()
    assert present.state == "held"


def test_signed_tasks_count_towards_the_workers_share_from_the_beginning(fair, crowd):
    campaign = fair.opened(max_tasks_per_worker=1)
    places = [*crowd.posted.values()]
    now = clock.now()
    arrive(campaign, places[0], worker="A1", taken_at=now)

    with pytest.raises(session.WorkRefused, match="enough-tasks"):
        arrive(campaign, places[1], worker="A1", number=1, taken_at=now)


def test_choice_that_comes_in_after_the_task_was_sent_off_is_refused(fair):
    submission = fair.open_task(fair.opened(), "A1")
    fair.answer(submission)
    late = Submission.objects.get(pk=submission.pk)  # as a concurrent request has it
    session.finish(submission)

    with pytest.raises(session.WorkRefused, match="finished"):
        session.save_choice(late, number=1, sequence=1, side="right")

    assert submission.slots.get(number=1).choices.count() == 1


def test_consent_to_a_task_that_ended_meanwhile_takes_no_other_task(fair, crowd):
    campaign = fair.opened()
    read_before = arrive(campaign, crowd.take("A1"), worker="A1")
    end_submission(Submission.objects.get(pk=read_before.pk), Submission.State.RETURNED)

    with pytest.raises(WorkRefused, match="returned"):
        session.give_consent(read_before)

    assert not held(campaign)
    assert not read_before.slots.exists()


def test_task_sent_off_here_and_given_back_at_the_crowd_goes_to_the_next_holder(fair, crowd, single):
    place, now = crowd.take("ASLY"), clock.now()
    sly = arrive(single, place, worker="ASLY", taken_at=now)
    session.give_consent(sly)
    session.finish(sly)

    honest = arrive(single, place, worker="AHONEST", number=1, taken_at=now + timedelta(seconds=5))

    sly.refresh_from_db()
    assert (single.tasks.get().holder, sly.state) == (honest, "finished")
