"""Gold pairs: proposed by the software and accepted or dropped by a person, or imported from a file."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from django.db import transaction
from django.db.models import QuerySet

from config import clock
from judging.campaign.gold_labels import grades_by_query
from judging.errors import BadInput, BadJudgmentFile, CampaignRefused
from judging.models import Campaign, GoldPair
from pooling.models import Query
from pooling.passages import passages

LONGEST_PID = 300
MOST_BYTES = 8 * 1024**2
LONGEST_DECIDER = 150
KINDS = (GoldPair.Kind.EASY.value, GoldPair.Kind.HARD.value)
_Row = tuple[int, int, str, str, str]
"""(line number, query key, relevant pid, off-topic pid, kind or "")"""


def needed_gold(campaign: Campaign) -> int:
    """Return how many accepted gold pairs a launch requires, so that no worker sees one twice."""
    return campaign.gold_per_task * campaign.max_tasks_per_worker


def decide_gold(campaign: Campaign, ids: list[int] | None, *, accept: bool, who: str = "") -> int:
    """Accept (or drop) the gold pairs with these ids, or all proposed ones if None; return the number changed."""
    proposed = campaign.gold_pairs.filter(state=GoldPair.State.PROPOSED)
    pairs = proposed if ids is None else _pairs_by_id(campaign, ids)
    state = GoldPair.State.ACCEPTED if accept else GoldPair.State.DROPPED
    return pairs.exclude(state=state).update(state=state, decided_at=clock.now(), decided_by=who)


def reopen_gold(campaign: Campaign, ids: list[int]) -> int:
    """Undo the decisions on these gold pairs, so that they are proposed again; return the number changed.

    Raises CampaignRefused while a pilot runs and after launch or closing, and BadInput for an unknown id.
    """
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(
            f"Campaign {campaign.name} is {campaign.state}, so decisions about its gold pairs cannot be undone."
        )
    pairs = _pairs_by_id(campaign, ids)
    decided = pairs.filter(state__in=[GoldPair.State.ACCEPTED, GoldPair.State.DROPPED])
    return decided.update(state=GoldPair.State.PROPOSED, decided_at=None, decided_by="")


def _pairs_by_id(campaign: Campaign, ids: list[int]) -> QuerySet[GoldPair]:
    pairs = campaign.gold_pairs.filter(pk__in=ids)
    if missing := set(ids) - set(pairs.values_list("pk", flat=True)):
        raise BadInput(f"This campaign has no gold pair {', '.join(map(str, sorted(missing)))}.")
    return pairs


def import_gold(campaign: Campaign, file: Path) -> int:
    """Import gold pairs from a file as accepted, like :func:`import_gold_content`."""
    return import_gold_content(campaign, file.read_bytes(), name=file.name)


@transaction.atomic
def import_gold_content(campaign: Campaign, content: bytes, *, name: str, who: str = "") -> int:
    """Import gold pairs, as accepted, from lines of `qid relevant-pid off-topic-pid [kind]`; return their number.

    Known pairs that are proposed or dropped become accepted; suspended pairs stay suspended. Raises BadJudgmentFile
    at the first invalid line; then nothing is imported.
    """
    rows = _parse_gold_pairs(campaign, content, name)
    pids = sorted({pid for _, _, relevant, off_topic, _ in rows for pid in (relevant, off_topic)})
    keys = passages.record_passages(campaign.collection, pids)
    _refuse_swapped(campaign, rows, keys, name)
    facts = {
        "state": GoldPair.State.ACCEPTED,
        "decided_at": clock.now(),
        "decided_by": (f"{who}, file {name}" if who else f"file {name}")[:LONGEST_DECIDER],
    }
    triples = {(query, keys[relevant], keys[off_topic]): kind for _, query, relevant, off_topic, kind in rows}
    open_ones = campaign.gold_pairs.filter(state__in=[GoldPair.State.PROPOSED, GoldPair.State.DROPPED])
    known = open_ones.values_list("pk", "query_id", "relevant_id", "off_topic_id")
    named = {pk: triples[query, good, bad] for pk, query, good, bad in known if (query, good, bad) in triples}
    for kind in sorted(set(named.values())):
        changes = facts | ({"kind": kind} if kind else {})
        keys_of_kind = [pk for pk, said in named.items() if said == kind]
        for start in range(0, len(keys_of_kind), 500):
            GoldPair.objects.filter(pk__in=keys_of_kind[start : start + 500]).update(**changes)
    gold = [
        GoldPair(
            campaign=campaign,
            query_id=query,
            relevant_id=relevant,
            off_topic_id=off_topic,
            kind=kind,
            **facts,
        )
        for (query, relevant, off_topic), kind in sorted(triples.items())
    ]
    GoldPair.objects.bulk_create(gold, ignore_conflicts=True, batch_size=2000)
    return len(gold)


def check_gold_size(size: int) -> None:
    """Raise BadInput if a file of ``size`` bytes is too large for a file of gold pairs."""
    if size > MOST_BYTES:
        raise BadInput(
            f"A file of gold pairs can have at most {MOST_BYTES:,} bytes.",
            "Each line must have three ids and an optional kind, but no texts.",
        )


def _parse_gold_pairs(campaign: Campaign, content: bytes, name: str) -> list[_Row]:
    """Return the row of each line that is not blank. Raises BadJudgmentFile."""
    queries = dict(Query.objects.filter(collection=campaign.collection).values_list("qid", "pk"))
    rows: list[_Row] = []
    for number, fields in read_gold_lines(content, name):
        if fields[0] not in queries:
            raise BadJudgmentFile(name, number, f"the collection has no query {fields[0][:100]!r}.")
        if fields[1] == fields[2]:
            raise BadJudgmentFile(name, number, "the two passages are the same.")
        rows.append((number, queries[fields[0]], fields[1], fields[2], fields[3] if len(fields) > 3 else ""))
    if not rows:
        raise BadJudgmentFile(name, 1, "the file is empty.")
    return rows


def _refuse_swapped(campaign: Campaign, rows: Sequence[_Row], keys: Mapping[str, int], name: str) -> None:
    """Raise BadJudgmentFile if the off-topic passage of a row is labeled relevant and its grade is not the lower one.

    With its columns swapped, a gold pair would exclude exactly the workers who read it. ``keys``: pid → passage key.
    """
    labels = campaign.pool.qrel_set if campaign.pool else None
    if labels is None:
        return
    grades = grades_by_query(labels)
    for number, query, good, bad, _ in rows:
        known = grades.get(query, {})
        grade = known.get(keys[bad], labels.min_grade - 1)
        if grade >= labels.min_grade and grade >= known.get(keys[good], grade):
            raise BadJudgmentFile(
                name,
                number,
                f"the off-topic passage {bad[:100]!r} is labeled relevant (grade {grade}), and {good[:100]!r} has no "
                "higher grade. Write the relevant passage first: qid relevant off-topic.",
            )


def read_gold_lines(content: bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the columns of each line that is not blank. Raises BadJudgmentFile."""
    for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        if fields := _split_gold_line(raw, name, number):
            yield number, fields


def _split_gold_line(raw: bytes, name: str, number: int) -> list[str]:
    """Return the three or four columns of a line; an empty list for a blank line. Raises BadJudgmentFile."""
    try:
        fields = raw.decode().split()
    except UnicodeDecodeError:
        raise BadJudgmentFile(name, number, "the line is not UTF-8 text.") from None
    if fields and len(fields) not in (3, 4):
        raise BadJudgmentFile(
            name, number, f"expected 3 or 4 columns (qid relevant off-topic [kind]), found {len(fields)}."
        )
    if len(fields) == 4 and fields[3] not in KINDS:
        raise BadJudgmentFile(name, number, f"unknown kind {fields[3][:20]!r}. Write {' or '.join(KINDS)}.")
    if "\0" in "".join(fields) or any(len(field.encode()) > LONGEST_PID for field in fields):
        raise BadJudgmentFile(name, number, f"an id is longer than {LONGEST_PID} bytes or contains a NUL.")
    return fields
