"""The life of topics over HTTP: simulated assessors with the graded labels of TREC DL 2021.

The track's passages have no texts here. Each gets a generated text, in which more relevant passages repeat more of
their query, so that active learning has something to learn.
"""

import hashlib
import os
from collections import defaultdict
from pathlib import Path

import httpx
import pytest
from django.contrib.auth import get_user_model
from django.db import connection

from accounts.services.tokens import make_token
from judging.models import GradedCampaign
from judging.rules.topic_life import LifeRules, Tally, after_batch, after_opening, at_end
from pooling.models import Collection, Membership, PooledPassage
from tests.due_jobs import work_off_everything
from tests.journeys.conftest import typed

pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.timeout(3600),
    pytest.mark.xdist_group("grading"),
    pytest.mark.django_db(transaction=True),
]
#: All 53 labeled topics take 28 minutes on two busy processors. SQLite gets fewer, because the rules are the same.
TOPICS = int(os.environ.get("PREFEREE_JOURNEY_TOPICS", "12" if connection.vendor == "sqlite" else "53"))
RULES = LifeRules()


def labels_in(path: Path) -> dict[str, dict[str, int]]:
    """Return qid → pid → grade, in the order of the file."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        qid, _, pid, grade = line.split()
        found[qid][pid] = int(grade)
    return found


def made_text(pid: str, question: list[str], grade: int) -> str:
    """Return a text with more of the question's words for a higher grade, among other words."""
    noise = hashlib.sha256(pid.encode()).hexdigest()
    own = [f"w{noise[place : place + 3]}" for place in range(0, 45, 3)]
    return " ".join([*question[: 1 + 2 * grade], *question[:grade], *own])


class Person:
    """A person who calls the API."""

    def __init__(self, site: str, collection: Collection, name: str, role: str) -> None:
        user = get_user_model().objects.create_user(name)
        Membership.objects.create(collection=collection, user=user, role=role)
        token = make_token(user=user, name="t", scopes=["read", "campaigns"], days=1)[1]
        headers = {"Authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=f"{site}/api/v1/collections/dl21", headers=headers, timeout=60)

    def post(self, address: str, expected: int = 200, **body):
        reply = self.http.post(address, json=body)
        assert reply.status_code == expected, reply.text
        return reply.json() if reply.content else None

    def get(self, address: str):
        reply = self.http.get(address)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def judge(self, qid: str, grades: dict[str, int], most: int = 10**6) -> dict:
        """Judge a topic until it is decided or ``most`` passages are judged; returns the last response."""
        state, judged = self.post("/grading/dl/take", qid=qid), 0
        while not state["decision"] and judged < most:
            if state["item"] is None:
                work_off_everything()
                state = self.post("/grading/dl/take", qid=qid)
                continue
            # An assessor sees only the text, so passages are recognized by it.
            grade = grades.get(state["text"], 0)
            state = self.post("/grading/dl/grade", qid=qid, item=state["item"], grade=grade)
            judged += 1
        return state


@pytest.fixture
def person(live_server):
    """Return a function that creates a person with a role in the collection."""
    made = []

    def make(name: str, role: str) -> Person:
        made.append(Person(live_server.url, Collection.objects.get(), name, role))
        return made[-1]

    yield make
    for one in made:
        one.http.close()


@pytest.fixture
def track(person, shared_data, tmp_path, settings):
    """The collection dl21 with 16 runs and generated texts, and a graded campaign over ten passages per run."""
    settings.API_CALLS_PER_MINUTE = 10**6
    data = shared_data / "dl21"
    labels = labels_in(data / "qrels.txt")
    qids = list(labels)[:TOPICS]
    topics = dict(line.split("\t") for line in (data / "topics.tsv").read_text().splitlines())
    (tmp_path / "queries.txt").write_text("\n".join(qids) + "\n")
    typed("import_collection", "dl21", "--queries", data / "topics.tsv")
    typed("import_runs", "dl21", *sorted((data / "runs").iterdir()))
    typed(
        "build_pool",
        "dl21",
        "--pool",
        "ten",
        "--all-runs",
        "--depth",
        10,
        "--queries",
        tmp_path / "queries.txt",
    )
    collection = Collection.objects.get()
    texts, grade_of = {}, defaultdict(dict)
    pooled = list(collection.passages.values_list("pid", flat=True))
    for qid in qids:
        words = topics[qid].split()
        for pid, grade in labels[qid].items():
            texts[pid] = made_text(pid, words, grade)
            grade_of[qid][texts[pid]] = grade
    for pid in pooled:
        texts.setdefault(pid, made_text(pid, [], 0))
    file = tmp_path / "passages.tsv"
    file.write_text("".join(f"{pid}\t{text}\n" for pid, text in texts.items()))
    typed("fetch_passages", "dl21", "--passages", file)
    assert not PooledPassage.objects.filter(passage__text=None).exists()
    owner = person("olga", "maintainer")
    owner.post("/grading", 201, name="dl", pool="ten")
    return owner, qids, labels, grade_of


def assert_rules_were_kept(rows: list[dict], topic: dict) -> None:
    """Replay a topic's grades: no rule stops it earlier, and one stops it where it was decided."""
    stages = [row["stage"] for row in rows]
    relevant = [row["grade"] >= 2 for row in rows]
    ends = [
        place for place in range(1, len(rows) + 1) if place == len(rows) or stages[place] != stages[place - 1]
    ]
    opening = ends[0]
    for end in ends:
        tally = Tally(end, sum(relevant[:end]))
        found = after_opening(tally, RULES) if end == opening else after_batch(tally, RULES)
        if end < len(rows):
            assert found is None, (topic, end)
    assert found is not None or at_end(tally, RULES).verdict == topic["state"]
    if found is not None:
        assert (found.verdict, found.reason) == (topic["state"], topic["reason"])
    assert opening <= RULES.opening
    assert all(stages.count(one) <= RULES.batch for one in set(stages) if one.startswith("iteration"))


def test_topics_live_as_in_the_track(track, person):
    owner, qids, labels, grade_of = track
    collection = Collection.objects.get()
    ada = person("ada", "assessor")
    ben = person("ben", "assessor")

    # Staff eliminate a topic and restore it. An assessor declines one, and another assessor starts it over.
    owner.post("/grading/dl/decisions", qid=qids[0], decision="eliminated", why="two questions in one")
    ada.post("/grading/dl/take", 409, qid=qids[0])
    owner.post("/grading/dl/decisions", qid=qids[0], decision="reversed", why="one, on a second look")
    ada.judge(qids[1], grade_of[qids[1]], most=3)
    ben.post("/grading/dl/take", 409, qid=qids[1])
    ada.post("/grading/dl/decline", 204, qid=qids[1], why="medicine")
    # A grade is undone and given again.
    ada.judge(qids[0], grade_of[qids[0]], most=2)
    again = ada.post("/grading/dl/undo", qid=qids[0])
    assert again["judged"] == 1

    for place, qid in enumerate(qids):
        end = (ben if place % 2 else ada).judge(qid, grade_of[qid])
        assert end["decision"], qid

    told = owner.get("/grading/dl")
    rows = owner.get("/grading/dl/grades")
    assert [topic["qid"] for topic in told["listed"]] == sorted(
        qids, key=[*collection.queries.order_by("position").values_list("qid", flat=True)].index
    )
    states = {topic["qid"]: topic for topic in told["listed"]}
    counted = defaultdict(list)
    for row in rows:
        assert row["grade"] == labels[row["qid"]].get(row["pid"], 0)
        if row["counts"]:
            counted[row["qid"]].append(row)
    for qid in qids:
        assert_rules_were_kept(counted[qid], states[qid])
        assert (states[qid]["judged"], states[qid]["relevant"]) == (
            len(counted[qid]),
            sum(row["grade"] >= 2 for row in counted[qid]),
        )
    verdicts = {topic["state"] for topic in states.values()}

    assert {"accepted", "discarded"} <= verdicts

    made = owner.post("/grading/dl/labels", 201, set="ours")
    accepted = [qid for qid in qids if states[qid]["state"] == "accepted"]
    assert sorted(one["qid"] for one in made["topics"]) == sorted(accepted)
    ours = collection.qrel_sets.get(name="ours").qrels
    assert set(ours.values_list("query__qid", "passage__pid", "grade")) == {
        (row["qid"], row["pid"], row["grade"]) for qid in accepted for row in counted[qid]
    }


def test_the_end_of_the_budget_decides_topics_in_progress(track, person):
    owner, qids, _, grade_of = track
    owner.post("/grading", 201, name="small", pool="ten", budget=20)
    GradedCampaign.objects.filter(name="dl").delete()
    GradedCampaign.objects.filter(name="small").update(name="dl")
    ada = person("ada", "assessor")

    end = ada.judge(qids[0], grade_of[qids[0]])

    assert (end["decision"], end["judged"]) == ("rejected", 20)
    told = owner.get("/grading/dl")
    assert (told["state"], told["topics"]) == ("ended", {"rejected": 1, "candidate": TOPICS - 1})
    owner.post("/grading/dl/reopen", why="more money", budget=40)
    assert ada.post("/grading/dl/take", qid=qids[0])["decision"] == ""
