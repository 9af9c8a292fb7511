"""Check all that a browser sends and receives for a task for signs of gold pairs, labels, runs or pids."""

import re

import pytest

from judging.models import Campaign
from pooling.models import Passage, Pool, PooledPassage, QrelSet, Query, Run
from tests.judging.browser.conftest import Reader
from tests.judging.browser.wire import Exchange, recorded

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
#: Part of every name that must not be sent, and of no displayed text.
SECRET = "canary"
TELLING = re.compile(rf"{SECRET}|gold|qrel|run.?tag|off.?topic|\bpids?\b|\bqids?\b|\branks?\b", re.IGNORECASE)
#: Values that differ between responses to the same request.
PASSING = {"date", "expires", "last-modified", "etag", "content-length"}


@pytest.fixture
def secrets(campaign: Campaign) -> set[str]:
    """Give every record a telltale name, and every text the same number of letters. Returns the texts."""
    for passage in Passage.objects.all():
        kind = "relevant" if passage.pid.startswith("relevant") else "ordinary"
        text = f"An {kind} text, number {passage.pk:05d}."
        pid = f"{SECRET}-{passage.pid}"
        Passage.objects.filter(pk=passage.pk).update(pid=pid, text=text, class_key=SECRET)
    for query in Query.objects.all():
        Query.objects.filter(pk=query.pk).update(qid=f"{SECRET}-{query.pk}", text=f"what is {query.pk:05d}")
    collection = campaign.collection
    run = Run.objects.create(
        collection=collection, run_tag=SECRET, sha256=SECRET, parser_version=1, storage_name=SECRET
    )
    labels = QrelSet.objects.create(collection=collection, name=SECRET)
    Pool.objects.update(name=SECRET, qrel_set=labels)
    PooledPassage.objects.update(run_ids=[run.pk], is_qrel=True)
    collection.name = collection.description = SECRET
    collection.save()
    Campaign.objects.update(name=SECRET, preset=SECRET)
    return {*Passage.objects.values_list("text", flat=True), *Query.objects.values_list("text", flat=True)}


def test_nothing_that_the_browser_receives_reveals_gold_pairs(place, secrets, window):
    with recorded(place.product) as (address, exchanges):
        place.product = address
        reader = Reader(window(), place)
        reader.begin()
        reader.judge(1, 13)
        reader.send_off()

    slots = {slot.number: slot for slot in place.visitor.slots()}
    assert sum(slot.gold_pair_id is not None for slot in slots.values()) == 3
    assert len(exchanges) > 20
    for one in exchanges:
        assert TELLING.search(_without_comments(one.all)) is None, one.path
    _pairs_look_alike(exchanges, secrets, len(slots))
    _saves_look_alike(exchanges, set(slots))


def _without_comments(words: str) -> str:
    """Return scripts and styles without their comments."""
    return re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", words, flags=re.DOTALL)


def _pairs_look_alike(ours: list[Exchange], texts: set[str], total: int) -> None:
    """Check that all pairs' parts of the page are equal, except number, texts and choice."""
    pages = [one.body for one in ours if '<section class="pair"' in one.body]
    assert pages
    for page in pages:
        sections = re.findall(r'<section class="pair".*?</section>', page, flags=re.DOTALL)
        assert len(sections) == total
        shapes = set()
        for number, section in enumerate(sections, 1):
            assert f'data-slot="{number}"' in section
            for text in texts:
                section = section.replace(text, "TEXT")
            # Numbers that reveal nothing about the pair: keys, the number of pairs, attributes.
            section = re.sub(
                rf'<kbd[^>]*>\d</kbd>| of {total}\b|(tabindex|rows|made)="-?\d+"', " SAME", section
            )
            shapes.add(re.sub(rf"\b{number}\b", "N", section))
        assert len(shapes) == 1


def _saves_look_alike(ours: list[Exchange], numbers: set[int]) -> None:
    """Check that all saves use one address and the same fields, and get the same words and headers."""
    saves = [one for one in ours if one.path.endswith("/save")]
    assert {int(re.search(r"slot=(\d+)", one.sent)[1]) for one in saves} == numbers
    assert len({one.path for one in saves}) == 1
    assert len({tuple(re.findall(r"(\w+)=", one.sent)) for one in saves}) == 1
    answers = {
        (one.status, one.body, tuple(pair for pair in one.headers if pair[0] not in PASSING)) for one in saves
    }
    assert len(answers) == 1
