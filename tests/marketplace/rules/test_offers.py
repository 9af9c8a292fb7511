"""A listing's pay, time, languages and size, read from the keywords."""

import html
import re

import pytest

from marketplace import clock
from marketplace.models import Assignment, HitType
from marketplace.rules.languages import name_of, readable
from marketplace.rules.offers import read_offer
from marketplace.templatetags.amounts import time_limit
from tests.marketplace.conftest import make_hit, make_type

pytestmark = pytest.mark.one_database
KEYWORDS = "reading, pairs:13, minutes:12, bonus:1.80, language:en, page-language:de"


def text_of(response):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def test_pay_is_stated_in_full():
    offer = read_offer(20, KEYWORDS)

    assert offer.pay == "$2.00 for about 12 minutes, $10.00 an hour"
    assert offer.parts == "$0.20 reward and $1.80 bonus for the whole task"
    assert offer.content == ["13 pairs", "texts in English", "page in German"]


@pytest.mark.parametrize(
    ("said", "told"), [("13-15", ["13 to 15 pairs"]), ("13-x", []), ("x-15", ["15 pairs"])]
)
def test_tasks_of_different_sizes_are_told_as_a_range(said, told):
    assert read_offer(20, f"pairs:{said}").content == told


def test_the_time_limit_is_the_one_that_the_tasks_page_keeps():
    for keywords, limit in (
        ("", "2 hours 5 minutes"),
        ("limit:60", "1 hour"),
        ("limit:600", "2 hours 5 minutes"),
    ):
        assert time_limit(HitType(keywords=keywords, assignment_seconds=7500)) == limit


@pytest.mark.parametrize(
    ("keywords", "pay"),
    [
        ("", "$2.00"),
        ("reading, minutes", "$2.00"),
        ("minutes:0", "$2.00"),
        ("minutes:-3, bonus:-1.00, pairs:x, language:<b>", "$2.00"),
        ("bonus:1e9", "$2.00"),
        ("bonus:99999.99", "$2.00"),
        ("minutes:1", "$2.00 for about 1 minute, $120.00 an hour"),
        ("MINUTES: 12 , minutes:1", "$2.00 for about 12 minutes, $10.00 an hour"),
    ],
)
def test_nothing_depends_on_keywords(keywords, pay):
    offer = read_offer(200, keywords)

    assert (offer.pay, offer.content, offer.needed_languages) == (pay, [], [])


def test_languages_are_compared_without_their_regions():
    assert readable(["pt-BR"], ["pt"])
    assert not readable(["en", "de"], ["en"])
    assert readable(["de"], [])
    assert readable([], ["en"])
    assert [name_of(tag) for tag in ("de", "pt-BR", "zh", "zh-Hant-TW", "tlh")] == [
        "German",
        "Brazilian Portuguese",
        "Chinese",
        "Chinese",
        "tlh",
    ]


@pytest.fixture
def kinds(ask, ada, client):
    """Three kinds of tasks: in English, in German, and one that names no language."""
    client.force_login(ada)
    keywords = {"English": KEYWORDS.replace("de", "en"), "German": KEYWORDS, "Any": ""}
    made = {
        name: make_type(ask, Title=f"{name} texts", Reward="0.20", Keywords=words)
        for name, words in keywords.items()
    }
    for kind in made.values():
        make_hit(ask, kind, at=clock.now())
    return made


def listed_hit_types(response):
    return set(re.findall(r'data-hit-type="([^"]+)"', response.content.decode()))


@pytest.mark.django_db
def test_every_page_says_total_time_and_hourly_pay(client, kinds):
    whole = "$2.00 for about 12 minutes, $10.00 an hour ($0.20 reward and $1.80 bonus for the whole task)"

    home = text_of(client.get("/"))
    group = text_of(client.get(f"/groups/{kinds['German']}/"))
    client.post(f"/groups/{kinds['German']}/take/")
    held = Assignment.objects.get()
    task = text_of(client.get(f"/tasks/{held.assignment_id}/"))
    client.post("/mturk/externalSubmit", {"assignmentId": held.assignment_id, "choice": "left"})
    after = text_of(client.get(f"/tasks/{held.assignment_id}/"))

    for page in (home, group, task):
        assert whole in page
    for page in (home, group):
        assert "13 pairs · texts in English · page in German" in page
        assert "Time limit 1 hour" in page
    assert "Take a task for $2.00" in group
    assert "You earn $0.20 when your work is approved" in after
    assert "A bonus of up to $1.80 follows" in after


@pytest.mark.django_db
def test_a_worker_sees_tasks_in_the_languages_chosen_once(client, kinds):
    assert listed_hit_types(client.get("/")) == set(kinds.values())

    client.post("/account/", {"languages": ["en"], "email": "", "country": ""})

    home = client.get("/")
    assert listed_hit_types(home) == {kinds["English"], kinds["Any"]}
    assert "1 kind of task in another language is not shown." in text_of(home)
    assert listed_hit_types(client.get("/?languages=all")) == set(kinds.values())


@pytest.mark.django_db
def test_a_language_that_the_site_does_not_offer_is_refused(client, kinds, ada):
    assert client.post("/account/", {"languages": ["en", "tlh"]}).status_code == 422

    ada.refresh_from_db()
    assert ada.languages == ""


@pytest.mark.django_db
def test_no_task_is_offered_to_somebody_who_holds_too_many(client, kinds, settings):
    settings.MAX_HELD = 1
    client.post(f"/groups/{kinds['English']}/take/")

    for address in ("/", f"/groups/{kinds['German']}/"):
        page = client.get(address).content.decode()
        assert 'data-refusal="too_many_held"' in page
        assert f"/groups/{kinds['German']}/take/" not in page


@pytest.mark.django_db
def test_a_finished_group_offers_no_task(client, kinds, ask):
    from tests.marketplace.conftest import make_worker, work

    kind = make_type(ask, Title="Twice")
    make_hit(ask, kind, at=clock.now(), MaxAssignments=2)
    grace = make_worker("grace")
    client.force_login(grace)
    work(grace, kind, at=clock.now())

    page = client.get(f"/groups/{kind}/").content.decode()

    assert 'data-refusal="all_done"' in page
    assert "take-form" not in page
