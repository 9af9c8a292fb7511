"""Gold pairs: proposed by the software, accepted or dropped by a person, or brought along in a file."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

from config import clock
from judging.errors import BadInput, BadJudgmentFile, CampaignRefused
from judging.gold import content_words, propose
from judging.models import Campaign, GoldPair
from pooling.models import Passage, PooledPassage, Qrel, Query
from pooling.services import passages

SPARE = 1.1
LONGEST_PID = 300
MOST_BYTES = 8 * 1024**2
LONGEST_DECIDER = 150


def needed_gold(campaign: Campaign) -> int:
    """Distinct accepted gold pairs that launch asks for: no worker may see one twice."""
    return campaign.gold_per_task * campaign.max_tasks_per_worker


def propose_gold(campaign: Campaign) -> int:
    """Add proposals until there are a tenth more than needed; returns how many were added."""
    if campaign.pool is None or campaign.pool.qrel_set is None:
        raise CampaignRefused(
            "Test pairs start from known relevant passages, and this campaign's pool has no qrels.",
            f"Bring test pairs of your own: manage.py import_gold {campaign.name} FILE. Or judge a pool with qrels: "
            f"manage.py build_pool {campaign.collection.name} --pool NAME --qrels SET",
        )
    standing = campaign.gold_pairs.exclude(state=GoldPair.State.DROPPED).count()
    wanted = math.ceil(needed_gold(campaign) * SPARE) - standing
    if wanted <= 0:
        return 0
    related, relevant = _labels(campaign)
    taken = frozenset(campaign.gold_pairs.values_list("query_id", "relevant_id", "off_topic_id"))
    candidates = sorted({passage for known in related.values() for passage in known})
    passage_words = _passage_words(candidates, campaign)
    if passage_words:
        candidates = [passage for passage in candidates if passage in passage_words]
        relevant = [row for row in relevant if row[1] in passage_words]
    queries = Query.objects.filter(collection=campaign.collection).values_list("pk", "text")
    proposals = propose(
        relevant=relevant,
        candidates=candidates,
        related=related,
        query_words={pk: content_words(text) for pk, text in queries},
        passage_words=passage_words,
        taken=taken,
        wanted=wanted,
        rng=np.random.default_rng([abs(campaign.seed), len(taken)]),
    )
    rows = [
        GoldPair(
            campaign=campaign,
            query_id=one.query_id,
            relevant_id=one.relevant_id,
            off_topic_id=one.off_topic_id,
        )
        for one in proposals
    ]
    return len(GoldPair.objects.bulk_create(rows, batch_size=2000))


def _labels(campaign: Campaign) -> tuple[dict[int, frozenset[int]], list[tuple[int, int]]]:
    """Per query the passages labelled or pooled for it; and (query, relevant passage), best grades first.

    Queries of the pool come before all others: a question that is only ever asked in test pairs gives them away.
    """
    assert campaign.pool is not None
    assert campaign.pool.qrel_set is not None
    qrel_set = campaign.pool.qrel_set
    related: dict[int, set[int]] = defaultdict(set)
    relevant: list[tuple[int, int, int]] = []
    rows = Qrel.objects.filter(qrel_set=qrel_set).order_by("position")
    for query, passage, grade in rows.values_list("query_id", "passage_id", "grade"):
        related[query].add(passage)
        if grade >= qrel_set.min_grade:
            relevant.append((-grade, query, passage))
    pooled: set[int] = set()
    rows_of_pool = PooledPassage.objects.filter(pool=campaign.pool)
    for query, passage in rows_of_pool.values_list("query_id", "passage_id"):
        related[query].add(passage)
        pooled.add(query)
    # One passage a query before a second of any: gold then covers as many queries as it can.
    relevant.sort(key=lambda row: row[0])
    turns: dict[int, int] = defaultdict(int)
    ordered = []
    for place, (grade, query, passage) in enumerate(relevant):
        ordered.append((query not in pooled, turns[query], grade, place, query, passage))
        turns[query] += 1
    return {query: frozenset(known) for query, known in related.items()}, [row[4:] for row in sorted(ordered)]


def _passage_words(keys: list[int], campaign: Campaign) -> dict[int, frozenset[str]]:
    words: dict[int, frozenset[str]] = {}
    for start in range(0, len(keys), 500):
        rows = Passage.objects.filter(pk__in=keys[start : start + 500]).exclude(text=None)
        words |= {pk: content_words(text or "") for pk, text in rows.values_list("pk", "text")}
    if not words and not campaign.placeholder_text:
        raise CampaignRefused(
            "No passage of this campaign has a text, so no test pair can be proposed for people.",
            f"Bring the passage files: manage.py fetch_passages {campaign.collection.name} --passages FILE",
        )
    return words


def decide_gold(campaign: Campaign, ids: list[int] | None, *, accept: bool, who: str = "") -> int:
    """Accept (or drop) these gold pairs, or all proposed ones; returns how many changed."""
    pairs = (
        campaign.gold_pairs.filter(state=GoldPair.State.PROPOSED) if ids is None else _named(campaign, ids)
    )
    state = GoldPair.State.ACCEPTED if accept else GoldPair.State.DROPPED
    return pairs.exclude(state=state).update(state=state, decided_at=clock.now(), decided_by=who)


def reopen_gold(campaign: Campaign, ids: list[int]) -> int:
    """Take decisions back: these gold pairs are proposed again. Only before launch, when nobody has met them."""
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(f"The campaign {campaign.name} was launched; its test pairs are decided.")
    decided = _named(campaign, ids).filter(state__in=[GoldPair.State.ACCEPTED, GoldPair.State.DROPPED])
    return decided.update(state=GoldPair.State.PROPOSED, decided_at=None, decided_by="")


def _named(campaign: Campaign, ids: list[int]) -> QuerySet[GoldPair]:
    pairs = campaign.gold_pairs.filter(pk__in=ids)
    if missing := set(ids) - set(pairs.values_list("pk", flat=True)):
        raise BadInput(f"This campaign has no gold pair {', '.join(map(str, sorted(missing)))}.")
    return pairs


def import_gold(campaign: Campaign, file: Path, *, who: str = "") -> int:
    """Accepted gold pairs from a file of `qid relevant-pid off-topic-pid`; all of it or nothing."""
    return bring_gold(campaign, file.read_bytes(), name=file.name, who=who)


@transaction.atomic
def bring_gold(campaign: Campaign, content: bytes, *, name: str, who: str = "") -> int:
    """Accepted gold pairs from lines of `qid relevant-pid off-topic-pid`; how many, all of them or none.

    One that is proposed or was dropped is accepted now; a suspended one stays. Raises BadJudgmentFile.
    """
    rows = _rows_of(campaign, content, name)
    pids = sorted({pid for _, relevant, off_topic in rows for pid in (relevant, off_topic)})
    keys = passages.record(campaign.collection, pids)
    facts = {
        "state": GoldPair.State.ACCEPTED,
        "decided_at": clock.now(),
        "decided_by": (f"{who}, file {name}" if who else f"file {name}")[:LONGEST_DECIDER],
    }
    triples = {(query, keys[relevant], keys[off_topic]) for query, relevant, off_topic in rows}
    open_ones = campaign.gold_pairs.filter(state__in=[GoldPair.State.PROPOSED, GoldPair.State.DROPPED])
    known = open_ones.values_list("pk", "query_id", "relevant_id", "off_topic_id")
    named = [pk for pk, *triple in known if tuple(triple) in triples]
    for start in range(0, len(named), 500):
        GoldPair.objects.filter(pk__in=named[start : start + 500]).update(**facts)
    gold = [
        GoldPair(campaign=campaign, query_id=query, relevant_id=relevant, off_topic_id=off_topic, **facts)
        for query, relevant, off_topic in sorted(triples)
    ]
    GoldPair.objects.bulk_create(gold, ignore_conflicts=True, batch_size=2000)
    return len(gold)


def check_gold_size(size: int) -> None:
    """Raises CampaignRefused for a file of gold pairs that is too large to be one."""
    if size > MOST_BYTES:
        raise BadInput(
            f"A file of test pairs has at most {MOST_BYTES:,} bytes.", "A line has three ids, not texts."
        )


def _rows_of(campaign: Campaign, content: bytes, name: str) -> list[tuple[int, str, str]]:
    """(query, relevant pid, off-topic pid) of each line. Raises BadJudgmentFile."""
    queries = dict(Query.objects.filter(collection=campaign.collection).values_list("qid", "pk"))
    rows: list[tuple[int, str, str]] = []
    for number, fields in read_gold_lines(content, name):
        if fields[0] not in queries:
            raise BadJudgmentFile(name, number, f"the collection has no query {fields[0][:100]!r}.")
        if fields[1] == fields[2]:
            raise BadJudgmentFile(name, number, "the two passages are the same.")
        rows.append((queries[fields[0]], fields[1], fields[2]))
    if not rows:
        raise BadJudgmentFile(name, 1, "the file has no line.")
    return rows


def read_gold_lines(content: bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """The number and the three columns of each line that is not empty. Raises BadJudgmentFile."""
    for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        if fields := _fields_of(raw, name, number):
            yield number, fields


def _fields_of(raw: bytes, name: str, number: int) -> list[str]:
    """The three columns of a line, or none of an empty one. Raises BadJudgmentFile."""
    try:
        fields = raw.decode().split()
    except UnicodeDecodeError:
        raise BadJudgmentFile(name, number, "it is not UTF-8 text.") from None
    if fields and len(fields) != 3:
        raise BadJudgmentFile(
            name, number, f"expected 3 columns (qid relevant off-topic), found {len(fields)}."
        )
    if "\0" in "".join(fields) or any(len(field.encode()) > LONGEST_PID for field in fields):
        raise BadJudgmentFile(name, number, f"an id is longer than {LONGEST_PID} bytes, or has a NUL.")
    return fields
