"""An attacker who wants withheld labels reads everything public, and submits a run that probes a single query."""

import re

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.test import Client
from hypothesis import HealthCheck, Phase, assume, given, settings as asked_of, strategies as st

from leaderboard.analyses.registry import KINDS
from leaderboard.output.numbers import Rounded
from pooling.labels.withheld_labels import hiding_decimals
from pooling.models import Query, Run
from pooling.teams.submission_policies import set_policy
from pooling.teams.teams import make_team
from tests.factories import add_to_team, make_run
from tests.web.boards.sound import NOON, QUERIES

pytestmark = pytest.mark.one_database

#: All examples share a database and a time; each example resets what the previous one changed.
ONCE = [HealthCheck.function_scoped_fixture]
ROOT, API = "/collections/sound/", "/api/v1/collections/sound"
LABELED = QUERIES - 2
FORMS = ("csv", "tex", "md", "json")
PICTURES = ("svg", "pdf", "png")
NEW_IN_EACH = ("Content-Security-Policy", "X-Request-ID")


@pytest.fixture(autouse=True)
def _as_many_calls_as_wanted(settings):
    settings.API_ANONYMOUS_CALLS_PER_MINUTE = 100_000


@given(queries=st.integers(1, 10_000), value=st.floats(0, 1))
@asked_of(suppress_health_check=ONCE)
def test_a_run_that_answers_one_query_looks_like_one_that_answers_none(queries, value):
    decimals = hiding_decimals(queries)

    shown, nothing = Rounded.of(value / queries, decimals), Rounded.of(0.0, decimals)

    assert shown == nothing or (decimals == 0 and shown != shown)


def addresses(sound, probe: Run) -> list[str]:
    """Return pages, files, figures, analyses and calls that a visitor or a team can try."""
    boards = [
        "",
        "?version=none",
        "?version=none&measure=nDCG@10&sort=official",
        "?column=harmless&version=none",
    ]
    # A figure has the same name under all labels.
    key = Client().get(f"{ROOT}leaderboard/").context["board"].figures[0].key
    queries = [Query.objects.get(qid=qid).pk for qid in ("q00", "q05", f"q{QUERIES - 1}")]
    runs = list(Run.objects.order_by("pk").values_list("pk", flat=True))
    pages = ["", "runs/", "queries/", "queries/?sort=hardest", "queries/map/", "pools/", "policy/", "teams/"]
    pages += [f"leaderboard/{one}" for one in boards]
    pages += [f"leaderboard.{form}{one}" for form in FORMS for one in ("", "?version=none")]
    pages += [f"leaderboard.{form}?version=none&of={key}" for form in PICTURES]
    pages += [f"runs/{key}/{asked}" for key in runs for asked in ("", "?show=lost&sort=-rank", "?show=won")]
    pages += [f"two-runs/?a=alpha&b=probe&labels={labels}&query=q05" for labels in ("official", "@1")]
    pages += [f"analyses/{kind}/{asked}" for kind in KINDS for asked in ("", "?qrels=official")]
    pages += ["versions/1/", "versions/1/?show=beaten", "versions/1/qrels.txt", "versions/1/queries.csv"]
    pages += ["versions/1/changes/", "versions/1/bundle.zip"]
    pages += [f"versions/1/queries/{key}{form}" for key in queries for form in ("/", ".csv", ".json")]
    calls = ["", "/runs", "/qrel-sets", "/leaderboard", "/leaderboard?labels_alone=true&measure=AP", "/teams"]
    calls += ["/leaderboard?official=official&measure=P@1", "/scores?qrels=official&per_query=true"]
    calls += ["/versions/1/queries?show=beaten", "/versions/1/qrels", "/versions/1/changes", "/analyses"]
    calls += [f"/runs/{probe.pk}", "/pools", "/pools/tide", "/candidates", "/uploads"]
    campaign = ["", "live", "progress", "judgments/", "judgments.tsv", "test-pairs/"]
    outside = ["/", "/leaderboards/", *(f"/campaigns/spring/{part}" for part in campaign)]
    outside += ["/api/v1/campaigns/spring", "/api/v1/campaigns/spring/judgments"]
    return [ROOT + page for page in pages] + [API + call for call in calls] + outside


def read(client: Client, found: list[str]) -> dict[str, str]:
    """Return address → the response with its headers, without values that differ in every response."""
    answers = {}
    for address in found:
        reply = client.get(address)
        body = b"".join(reply).decode(errors="replace")
        settled = re.sub(r'(csrfmiddlewaretoken" value|nonce|request_id)="[^"]*"', "", body)
        heads = {name: said for name, said in reply.items() if name not in NEW_IN_EACH}
        answers[address] = f"{reply.status_code} {settled} {sorted(heads.items())}"
    return answers


@pytest.mark.soak
@asked_of(
    max_examples=2,
    deadline=None,
    phases=[Phase.generate],  # an example takes most of a minute, so a failing one is not shrunk
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(first=st.permutations("ab" * (LABELED // 2)), second=st.permutations("ab" * (LABELED // 2)))
def test_labels_with_equal_scores_cannot_be_distinguished(sound, first, second):
    """No response differs, so no combination of pages, files, calls and errors distinguishes the two sets of labels.

    ``probe`` answers a single query, and only if its label is alpha's top passage: the labels differ in its mean.
    """
    assume(first != second)
    with time_machine.travel(NOON, tick=False):
        probe, people = _team_that_probes(sound)
        found = addresses(sound, probe)
        seen = []
        for letters in (first, second):
            sound.relabel("".join(letters))
            seen.append([read(client, found) for client in people])

        answered = [one for one in seen[0][0].values() if one.startswith("200")]
        assert len(answered) > 60
        for before, after in zip(*seen, strict=True):
            assert [address for address in found if before[address] != after[address]] == []


def _team_that_probes(sound) -> tuple[Run, list[Client]]:
    """Return a visitor, and a team with a released run and a run whose scores only the team sees."""
    known = Run.objects.filter(run_tag="probe").first()
    if known is None:
        team = make_team(collection=sound.collection, name="Divers", who="owner")
        add_to_team(team, get_user_model().objects.create_user("diver"))
        set_policy(collection=sound.collection, most_runs=9, period_days=1, teams_see_scores=True)
        for tag, release in (("probe", "public"), ("quiet", "private")):
            tops = {qid: [f"n-{qid}"] for qid in sound.qids} | {"q05": ["a-q05"]}
            report = {"queries": QUERIES, "depth": 1, "lines": QUERIES}
            made = make_run(sound.collection, tag, tops, release=release, team="Divers", report=report)
            known = known or made
    diver = Client()
    diver.force_login(get_user_model().objects.get(username="diver"))
    return known, [Client(), diver]


@pytest.mark.soak
def test_the_same_addresses_reveal_labels_that_are_not_withheld(sound):
    """Without this, the test above could pass because it reads nothing."""
    with time_machine.travel(NOON, tick=False):
        sound.labels.withheld = False
        sound.labels.save()
        probe, (visitor, _) = _team_that_probes(sound)
        found = addresses(sound, probe)
        seen = []
        for letters in ("ab" * (LABELED // 2), "ba" * (LABELED // 2)):
            sound.relabel(letters)
            seen.append(read(visitor, found))

        assert len([address for address in found if seen[0][address] != seen[1][address]]) > 10
