"""The worker pages, without a script."""

import html
import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from marketplace import clock
from marketplace.models import Assignment
from marketplace.protocol.arrival_signature import sign
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import make_hit, make_type, make_worker, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(client, ada):
    client.force_login(ada)
    return ada


@pytest.fixture
def hit(ask, hit_type):
    return make_hit(ask, hit_type, at=clock.now(), MaxAssignments=2)


def frame(page, name):
    """Return the address and the sandbox of a frame on a page."""
    tag = re.search(rf'<iframe id="{name}"[^>]*>', page.content.decode())
    assert tag, page.content.decode()
    address = html.unescape(re.search(r'src="([^"]+)"', tag[0])[1])
    return urlsplit(address), re.search(r'sandbox="([^"]+)"', tag[0])[1]


def take(client, hit_type, **fields):
    return client.post(f"/groups/{hit_type}/take/", fields, follow=True)


def submit(client, assignment_id, **fields):
    return client.post("/mturk/externalSubmit", {"assignmentId": assignment_id, "choice": "left"} | fields)


@pytest.mark.parametrize("path", ["/", "/done/", "/groups/3X/", "/tasks/3X/", "/tasks/3X/status/"])
def test_pages_ask_to_sign_in(client, path):
    assert client.get(path)["Location"] == f"/signin/?next={path}"


def test_home_lists_groups_with_what_they_pay_and_how_many_are_left(client, worker, hit, hit_type):
    page = client.get("/").content.decode()

    assert f'data-hit-type="{hit_type}" data-left="1"' in page
    for word in ("Compare passages", "$2.00", "1 task left", "Time limit 1 hour", "lab"):
        assert word in page


def test_kinds_of_the_same_name_are_told_apart_by_when_they_were_offered(client, worker, ask, settings):
    settings.COUNT_CACHE_SECONDS = 0
    for title in ("Twin", "Single"):
        make_hit(ask, make_type(ask, Title=title), at=clock.now())
    single = client.get("/").content.decode()
    make_hit(ask, make_type(ask, Title="Twin", Keywords="batch 2"), at=clock.now())

    page = client.get("/").content.decode()

    assert "offered since" not in single
    assert page.count("offered since") == 2
    assert "Single" in single


def test_home_leads_to_the_task_in_hand_and_says_how_much_time_is_left(client, worker, ask):
    kind = make_type(ask, Keywords="limit:60", AssignmentDurationInSeconds=7200)
    for _ in range(2):
        make_hit(ask, kind, at=clock.now())
    row = taking.take_task(worker, kind, clock.now() - timedelta(minutes=20))

    page = client.get("/").content.decode()
    with clock.shifted(timedelta(minutes=50)):
        late = client.get("/").content.decode()

    assert page.count(f'href="/tasks/{row.assignment_id}/"') == 2
    assert f"/groups/{kind}/take/" not in page
    assert re.search(r"started 20 minutes ago, (40 minutes|39 minutes \d+ seconds?) left of 1 hour", page)
    assert "the limit of 1 hour is over, unless you added time on the task&#x27;s page" in late


def test_home_hides_what_a_worker_may_not_discover(client, worker, ask):
    hidden = [
        {
            "QualificationTypeId": "00000000000000000040",
            "Comparator": "GreaterThan",
            "IntegerValues": [9],
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        }
    ]
    shown = [hidden[0] | {"ActionsGuarded": "Accept"}]
    secret = make_type(ask, QualificationRequirements=hidden)
    closed = make_type(ask, QualificationRequirements=shown)
    for type_id in (secret, closed):
        make_hit(ask, type_id, at=clock.now())

    page = client.get("/").content.decode()

    assert secret not in page
    assert f'data-closed-hit-type="{closed}"' in page
    assert "number of approved tasks: more than 9" in page


def test_home_hides_the_groups_of_a_requester_who_blocked(client, worker, ask, hit, hit_type):
    ask("CreateWorkerBlock", WorkerId=worker.worker_id, Reason="spam", at=clock.now())

    assert hit_type not in client.get("/").content.decode()
    refused = take(client, hit_type)
    assert refused.status_code == 403
    assert b'data-refusal="blocked"' in refused.content


def test_a_preview_names_neither_worker_nor_assignment(client, worker, hit, hit_type):
    address, sandbox = frame(client.get(f"/groups/{hit_type}/"), "preview-frame")

    assert parse_qs(address.query) == {
        "link": ["a"],
        "v": ["2"],
        "assignmentId": ["ASSIGNMENT_ID_NOT_AVAILABLE"],
        "hitId": [hit],
    }
    assert sandbox == "allow-scripts allow-forms"


def test_a_taken_task_is_shown_in_a_sandboxed_frame(client, worker, requester, hit, hit_type):
    page = take(client, hit_type)

    address, sandbox = frame(page, "task-frame")
    assignment = Assignment.objects.get()
    params = parse_qs(address.query)
    [signature] = params.pop("arrivalSignature")
    secret = requester.keys.get().secret_key
    ids = {"assignment_id": assignment.assignment_id, "hit_id": hit, "worker_id": worker.worker_id}
    assert signature == sign([secret], taken_at=assignment.accepted_at, **ids)
    assert params == {
        "link": ["a"],
        "v": ["2"],
        "assignmentId": [assignment.assignment_id],
        "hitId": [hit],
        "workerId": [worker.worker_id],
        "turkSubmitTo": ["http://127.0.0.1:8411"],
    }
    assert sandbox == "allow-scripts allow-forms"
    assert page.redirect_chain == [(f"/tasks/{assignment.assignment_id}/", 302)]


def test_a_page_may_frame_its_task_and_our_answer_and_be_framed_by_nobody(client, worker, hit, hit_type):
    page = take(client, hit_type)

    policy = page["Content-Security-Policy"]
    assert "frame-src 'self' http://127.0.0.1:9;" in policy + ";"
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy
    assert page["X-Frame-Options"] == "DENY"


def test_the_answer_to_a_submission_may_be_shown_in_the_frame(client, worker, hit, hit_type):
    take(client, hit_type)

    answer = submit(client, Assignment.objects.get().assignment_id)

    assert b'data-result="submitted"' in answer.content
    assert "X-Frame-Options" not in answer
    assert "frame-ancestors 'self'" in answer["Content-Security-Policy"]


def test_a_submission_needs_no_cookie_and_can_be_repeated(client, worker, hit, hit_type):
    from django.test import Client

    take(client, hit_type)
    assignment_id = Assignment.objects.get().assignment_id
    stranger = Client(enforce_csrf_checks=True)

    first, again = (submit(stranger, assignment_id, workerId=worker.worker_id) for _ in range(2))

    assert (first.status_code, again.status_code) == (200, 200)
    assert b'data-result="already"' in again.content
    assert client.get(f"/tasks/{assignment_id}/status/").json() == {"state": "submitted"}


@pytest.mark.parametrize(
    ("fields", "status", "reason"),
    [
        ({"assignmentId": "3NONE", "choice": "left"}, 404, "unknown"),
        ({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "choice": "left"}, 404, "unknown"),
        ({"choice": "left"}, 400, "malformed"),
        ({"assignmentId": "3NONE"}, 400, "malformed"),
    ],
)
def test_a_submission_that_cannot_count_says_why(client, db, fields, status, reason):
    answer = client.post("/mturk/externalSubmit", fields)

    assert answer.status_code == status
    assert f'data-refusal="{reason}"' in answer.content.decode()


def test_after_submitting_the_next_task_is_one_press_away(client, worker, hit, ask, hit_type):
    make_hit(ask, hit_type, at=clock.now())
    take(client, hit_type, take_next="on")
    first = Assignment.objects.get().assignment_id
    submit(client, first)

    done = client.get(f"/tasks/{first}/").content.decode()
    following = take(client, hit_type, take_next="on")

    assert f'id="next-form" method="post" action="/groups/{hit_type}/take/" data-take-next' in done
    assert frame(following, "task-frame")
    assert Assignment.objects.count() == 2


def test_after_the_last_task_nothing_more_is_offered(client, worker, hit, hit_type):
    take(client, hit_type, take_next="on")
    last = Assignment.objects.get().assignment_id
    submit(client, last)

    done = client.get(f"/tasks/{last}/").content.decode()

    assert "next-form" not in done
    assert "You have done all the tasks of this kind that are open to you." in done


def test_a_returned_task_is_free_for_others(client, worker, hit, hit_type):
    take(client, hit_type)
    assignment_id = Assignment.objects.get().assignment_id

    returned = client.post(f"/tasks/{assignment_id}/return/", {"confirmed": "yes"})
    assert "You returned the task." in client.get(returned["Location"]).content.decode()

    assert returned["Location"] == f"/groups/{hit_type}/"
    assert Assignment.objects.get().status == "Free"
    after = client.get(f"/tasks/{assignment_id}/")
    assert (after.status_code, b"You returned this task." in after.content) == (409, True)
    assert b"A returned task pays nothing." in after.content
    assert client.get(f"/tasks/{assignment_id}/status/").json() == {"state": "gone"}


def test_nobody_sees_or_returns_anothers_task(client, worker, hit, hit_type):
    from marketplace.services.worker import tasks as taking

    other = taking.take_task(make_worker("grace"), hit_type, clock.now())

    assert b'data-refusal="not_held"' in client.get(f"/tasks/{other.assignment_id}/").content
    assert client.post(f"/tasks/{other.assignment_id}/return/").status_code == 409


def test_an_abandoned_task_is_gone(client, worker, hit, hit_type):
    take(client, hit_type)
    assignment_id = Assignment.objects.get().assignment_id

    with clock.shifted(timedelta(hours=2)):
        late = submit(client, assignment_id)
        state = client.get(f"/tasks/{assignment_id}/status/").json()
        page = client.get(f"/tasks/{assignment_id}/").content.decode()

    assert "The time for this task ran out before it was submitted." in page
    assert (late.status_code, state) == (409, {"state": "gone"})
    assert b'data-refusal="too_late"' in late.content


def test_done_shows_states_rewards_and_bonuses(client, worker, ask, hit, hit_type):
    take(client, hit_type)
    assignment_id = Assignment.objects.get().assignment_id
    submit(client, assignment_id)
    now = clock.now()
    ask("ApproveAssignment", AssignmentId=assignment_id, RequesterFeedback="Well done", at=now)
    bonus = {"WorkerId": worker.worker_id, "BonusAmount": "0.75", "Reason": "more"}
    ask("SendBonus", AssignmentId=assignment_id, at=now, **bonus)

    page = client.get("/done/").content.decode()

    for word in ("$2.75", "$0.75", "Well done", 'data-state="Approved"'):
        assert word in page


def test_a_requester_cannot_smuggle_markup_into_a_page(client, worker, ask):
    type_id = make_type(ask, Title="<script>alert(1)</script>")
    make_hit(ask, type_id, at=clock.now())

    assert "<script>alert(1)" not in client.get("/").content.decode()


def test_the_other_loopback_name_leads_to_the_public_one(client, db):
    response = client.get("/signin/?next=/done/", headers={"host": "localhost:8411"})

    assert response["Location"] == "http://127.0.0.1:8411/signin/?next=/done/"


def test_health_asks_the_database(client, db):
    assert client.get("/healthz").json() == {"status": "ok"}


def test_pages_cost_the_same_however_many_tasks_wait(
    client, worker, ask, hit, hit_type, django_assert_max_num_queries
):
    for _ in range(30):
        make_hit(ask, hit_type, at=clock.now())

    with django_assert_max_num_queries(14):
        page = client.get("/")

    assert f"/groups/{hit_type}/" in page.content.decode()


def own_kind(ask, **changes):
    values = {"Name": "Reads German", "Description": "d", "QualificationTypeStatus": "Active"}
    return ask("CreateQualificationType", **values | changes)["QualificationType"]["QualificationTypeId"]


def asking_group(ask, kind, comparator="Exists"):
    requirement = {"QualificationTypeId": kind, "Comparator": comparator, "ActionsGuarded": "Accept"}
    type_id = make_type(ask, Title="German only", QualificationRequirements=[requirement])
    make_hit(ask, type_id, at=clock.now())
    return type_id


def test_a_closed_group_offers_the_qualification_that_would_open_it(client, worker, ask):
    kind = own_kind(ask)
    asking_group(ask, kind)
    address = f"/qualifications/{kind}/ask/"
    assert address in client.get("/").content.decode()
    assert address in client.get("/qualifications/").content.decode()

    assert client.post(address)["Location"] == "/qualifications/"

    page = client.get("/qualifications/").content.decode()
    assert "not decided yet" in page
    assert address not in page
    assert address not in client.get("/").content.decode()
    assert client.post(address).status_code == 409


def test_an_automatic_qualification_opens_the_group_at_once(client, worker, ask):
    kind = own_kind(ask, AutoGranted=True)
    group = asking_group(ask, kind)

    assert client.post(f"/qualifications/{kind}/ask/")["Location"] == "/"

    page = client.get("/").content.decode()
    assert "You now have the qualification “Reads German”." in page
    assert f'data-hit-type="{group}"' in page


def test_a_qualification_that_shuts_people_out_is_never_offered(client, worker, ask):
    kind = own_kind(ask, Name="Failed before")
    asking_group(ask, kind, "DoesNotExist")
    ask(
        "AssociateQualificationWithWorker",
        QualificationTypeId=kind,
        WorkerId=worker.worker_id,
        SendNotification=False,
    )

    for address in ("/", "/qualifications/"):
        assert "Failed before" not in client.get(address).content.decode()


def test_an_unknown_qualification_cannot_be_asked_for(client, worker):
    response = client.post("/qualifications/3NONE/ask/")

    assert response.status_code == 404
    assert b'data-refusal="unknown"' in response.content


def test_home_says_that_a_requester_offers_nothing_any_more(client, worker, ask, hit):
    ask("CreateWorkerBlock", WorkerId=worker.worker_id, Reason="secret reason")

    page = client.get("/").content.decode()

    assert 'data-refused-by="lab"' in page
    assert "secret reason" not in page


def test_home_closes_a_group_that_the_worker_has_done(client, worker, ask, hit_type):
    make_hit(ask, hit_type, at=clock.now(), MaxAssignments=3)
    work(worker, hit_type, at=clock.now())

    page = client.get("/").content.decode()

    assert f'data-closed-hit-type="{hit_type}"' in page
    assert "done all remaining tasks of this kind" in page


def test_home_shows_what_was_done_lately(client, worker, ask, hit, hit_type):
    assignment = work(worker, hit_type, at=clock.now())

    page = client.get("/").content.decode()

    assert f'data-done="{assignment}"' in page
    assert "just now" in page


@pytest.mark.parametrize(
    "path", ["/", "/done/", "/earnings/", "/qualifications/", "/account/", "/account/password/"]
)
def test_pages_of_an_account_ask_for_signing_in(client, db, path):
    assert client.get(path)["Location"] == f"/signin/?next={path}"


def test_a_task_is_returned_only_after_a_question_that_names_what_it_pays(ada, ask, client):
    hit_type = make_type(ask, Reward="0.20", Keywords="bonus:1.80, minutes:12")
    make_hit(ask, hit_type, at=clock.now())
    held = taking.take_task(ada, hit_type, clock.now())
    client.force_login(ada)
    address = f"/tasks/{held.assignment_id}/return/"

    asked = client.post(address).content.decode()

    assert "Return this task?" in asked
    assert "The whole task pays $2.00 ($0.20 reward and $1.80 bonus for the whole task)." in asked
    assert "Returning it pays nothing." in asked
    held.refresh_from_db()
    assert held.status == "Accepted"
    assert client.post(address, {"confirmed": "yes"}).status_code == 302
    held.refresh_from_db()
    assert held.status == "Free"


@pytest.mark.parametrize("confirmed", [{}, {"confirmed": "yes"}])
def test_a_submitted_task_is_not_offered_for_return(ada, hit_type, hit, client, confirmed):
    done = work(ada, hit_type, at=clock.now())
    client.force_login(ada)

    answer = client.post(f"/tasks/{done}/return/", confirmed, follow=True)

    assert "Task submitted" in answer.content.decode()
    assert Assignment.objects.get().status == "Submitted"
