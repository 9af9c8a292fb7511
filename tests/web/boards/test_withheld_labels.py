"""Withheld labels: their scores are public, and nothing public reveals a label."""

import json
import re
from urllib.parse import urldefrag, urljoin, urlparse

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from pooling.labels.query_splits import keep_split, plan_split
from pooling.labels.withheld_labels import hiding_decimals, safe_decimals, withhold_labels
from pooling.models import Passage, Qrel, QrelSet, Query
from pooling.teams.submission_policies import set_policy
from pooling.teams.teams import make_team
from tests.due_jobs import work_off_everything
from tests.factories import add_to_team, make_run
from tests.web.api_caller import Api
from tests.web.boards.sound import NOON
from tests.web.preparing_cast import texts
from tests.web.release_cast import read
from tournament.models import QrelVersion
from web.releases.kept_bundles import downloadable_bundle, kept_bundles_of, reason_withheld
from web.releases.scope import Scope

pytestmark = pytest.mark.one_database


def everything_public(client: Client) -> dict[str, str]:
    """Return address → public content, following every link from the collection's pages."""
    waiting = [
        "/collections/sound/",
        "/",
        *(f"/api/v1/collections/sound{path}" for path in API),
        *(
            f"/collections/sound/two-runs/?a=alpha&b=beta&labels=official&query={qid}"
            for qid in ("q00", "q23")
        ),
        *(
            f"/collections/sound/leaderboard/?official=official&measure={name}"
            for name in ("AP", "P@1", "ESL@10")
        ),
    ]
    found: dict[str, str] = {}
    while waiting:
        address = waiting.pop()
        if address in found or len(found) > 400:
            continue
        reply = client.get(address)
        body = b"".join(reply).decode(errors="replace")
        found[address] = f"{reply.status_code} {_settled(body)}"
        if "html" in reply.get("Content-Type", ""):
            links = re.findall(r'(?:href|src)="([^"]+)"', body)
            waiting += [one for one in (_here(address, link) for link in links) if one and one not in found]
    return found


API = [
    "",
    "/qrel-sets",
    "/runs",
    "/leaderboard",
    "/leaderboard?labels_alone=true",
    "/leaderboard?measure=Success@1",
    "/versions",
    "/versions/1",
    "/versions/1/qrels",
    "/versions/1/queries?show=beaten",
    "/scores?qrels=official&per_query=true",
    "/analyses",
]


def _here(page: str, link: str) -> str:
    """Return the link's address if it belongs to the collection's pages."""
    address = urldefrag(urljoin(f"http://testserver{page}", link.replace("&amp;", "&")))[0]
    parts = urlparse(address)
    inside = parts.netloc == "testserver" and "/collections/sound/" in parts.path
    # Links that only change the order of rows are not followed, because there are too many.
    worth = not re.search(r"sort=|order=|page=|\.pdf|\.png|\.tex|/two-runs/", address)
    return f"{parts.path}?{parts.query}" if inside and worth else ""


def _settled(body: str) -> str:
    return re.sub(r'(csrfmiddlewaretoken" value|nonce|request_id)="[^"]*"', "", body)


@pytest.mark.soak
def test_no_public_answer_depends_on_which_passage_is_labeled(sound):
    with time_machine.travel(NOON, tick=False):
        before = everything_public(Client())
        bundle = read(sound.version)
        sound.other_labels()
        after = everything_public(Client())

        assert len(before) > 60
        assert [address for address, body in before.items() if after.get(address) != body] == []
        assert read(sound.version) == bundle


@pytest.mark.soak
def test_the_same_walk_finds_labels_that_are_not_withheld(sound):
    """Without this, the test above could pass because it reads nothing."""
    withhold_labels(sound.labels, withheld=False)

    before = everything_public(Client())
    sound.other_labels()
    after = everything_public(Client())

    told = {urlparse(address).path for address in before if after.get(address) != before[address]}
    assert {"/collections/sound/versions/1/", "/collections/sound/two-runs/"} <= told


def test_checking_a_file_does_not_reveal_labeled_passages(sound, django_user_model):
    """A team can check any number of files: one ranks the label, and one ranks another passage."""
    user = django_user_model.objects.create_user("guesser")
    add_to_team(make_team(collection=sound.collection, name="guess", who="ada"), user)
    token = make_token(user=user, name="t", scopes=ApiToken.Scope.values, days=30)[1]

    def checked(pid):
        body = f"q22 Q0 {pid} 1 9 try\nq00 Q0 a-q00 1 9 try\n"
        reply = Client().post(
            "/api/v1/collections/sound/runs?run_tag=try&check_only=true",
            body.encode(),
            content_type="application/octet-stream",
            HTTP_IDEMPOTENCY_KEY=pid,
            HTTP_AUTHORIZATION=f"Bearer {token}",
        )
        work_off_everything()
        address = reply.json()["self"] if "self" in reply.json() else reply["Location"]
        told = Client().get(address, HTTP_AUTHORIZATION=f"Bearer {token}").json()
        told["report"].pop("sha256")  # of the file itself
        own = (
            "id",
            "sha256",
            "created_at",
            "received_at",
            "work",
            "self",
            "url",
            "address",
            "idempotency_key",
        )
        return {name: value for name, value in told.items() if name not in own}

    label, other, unknown = checked("y-q22"), checked("z-q22"), checked("n-q22")

    assert label["state"] == "checked"
    assert label == other == unknown


def test_members_see_everything(sound, django_user_model):
    client = Client()
    client.force_login(django_user_model.objects.create_user("ada", is_superuser=True))

    assert "relevant" in texts(client.get("/collections/sound/two-runs/?labels=official&query=q00"))
    assert "rounded" not in texts(client.get("/collections/sound/leaderboard/"))
    assert client.get("/collections/sound/leaderboard.json").json()["decimals"] is None


def test_a_passage_supplied_only_by_the_labels_leaves_no_trace(sound):
    """Otherwise, the pages of all other queries reveal that their label is among the displayed passages."""
    found = texts(Client().get(f"/collections/sound/versions/1/queries/{Query.objects.get(qid='q22').pk}/"))

    assert "a-q22" in found
    assert "y-q22" not in found
    assert "2 wins" not in found
    assert "not released" not in found


def label_one_more_of_beta():
    Qrel.objects.filter(query__qid="q22").update(passage=Passage.objects.get(pid="b-q22"))


def test_values_are_rounded_and_their_order_is_kept(sound):
    """The runs differ in one query of 24: with one decimal their values are equal, and their ranks are not."""
    label_one_more_of_beta()

    found = Client().get("/api/v1/collections/sound/leaderboard?labels_alone=true").json()

    assert found["decimals"] == 1
    assert [(row["run"], row["official"], row["rank_official"]) for row in found["rows"]] == [
        ("beta", 0.7, 1),
        ("alpha", 0.7, 2),
    ]
    assert {row["answered_official"] for row in found["rows"]} == {None}


def test_every_form_marks_both_of_two_equal_rounded_values(sound):
    label_one_more_of_beta()
    address = "/collections/sound/leaderboard"

    page = Client().get(f"{address}/?version=none").content.decode()
    note = Client().get(f"{address}.md?version=none").content.decode()
    rule = "Ranks come from the unrounded values, so equal shown values can have different ranks."

    assert all(rule in said and "qual values share" not in said for said in (page, note))
    assert page.count("<strong>0.7</strong>") == 2
    assert note.count("| *0.7") == 2


def test_a_page_shows_as_many_digits_as_are_published(sound):
    said = texts(Client().get("/collections/sound/leaderboard/?version=none"))

    assert "values rounded to 1 decimal" in said
    assert re.search(r"alpha 0\.7 (?!\[)", said)


def test_a_policy_chooses_the_decimals_of_every_board(sound):
    set_policy(collection=sound.collection, most_runs=1, period_days=30, public_decimals=2)
    withhold_labels(sound.labels, withheld=False)

    found = Client().get("/api/v1/collections/sound/leaderboard").json()

    assert found["decimals"] == 2
    assert all(round(row["preference"], 2) == row["preference"] for row in found["rows"])


def test_the_command_warns_of_more_decimals_than_hide_a_query_as_the_page_does(sound, capsys):
    def said(decimals, *options):
        call_command("set_policy", "sound", "--decimals", str(decimals), *options)
        return capsys.readouterr().out

    warning = "Values with 2 decimals can reveal single queries of the withheld labels."
    assert f"Warning: {warning} Publish at most 1 decimal" in said(2)
    assert warning in json.loads(said(2, "--json"))["warnings"][0]
    assert "Warning" not in said(1)
    said(2)
    call_command("withhold_labels", "sound", sound.labels.name, "--publish")
    call_command("withhold_labels", "sound", sound.labels.name)
    assert warning in capsys.readouterr().err


def test_more_decimals_than_hide_a_query_are_saved_with_a_warning(sound, client):
    api, page = Api(client, sound.collection), "/collections/sound/policy/"
    rules = {"most_runs": 1, "period_days": 30, "most_variants": 0, "longest_embargo_days": 0, "why": "w"}
    warning = (
        "Values with 2 decimals can reveal single queries of the withheld labels. "
        "Publish at most 1 decimal, or leave the number of decimals empty."
    )

    def warnings(decimals):
        asked = rules | {"public_decimals": decimals}
        put = {"content_type": "application/json", "headers": api.headers}
        return client.put("/api/v1/collections/sound/policy", asked, **put).json()["warnings"]

    assert [warnings(2), warnings(1), warnings(None)] == [[warning], [], []]
    client.force_login(api.user)
    assert "For the labels now withheld, at most 1 decimal" in texts(client.get(page))
    assert warning in texts(client.post(page, rules | {"public_decimals": 2}, follow=True))
    withhold_labels(sound.labels, withheld=False)
    assert warnings(2) == []
    assert "labels now withheld" not in texts(client.get(page))


def test_the_safe_decimals_count_public_queries_only(sound):
    assert safe_decimals(sound.collection) == 1

    keep_split(sound.collection, plan_split(sound.collection, qids=sound.qids[:9]))

    assert safe_decimals(sound.collection) == 0


def test_the_policy_page_promises_the_decimals_of_public_queries(sound, client):
    client.force_login(Api(client, sound.collection).user)
    page = "/collections/sound/policy/"
    assert "scores with 1 decimal," in texts(client.get(page))

    keep_split(sound.collection, plan_split(sound.collection, qids=sound.qids[:9]))

    said = texts(client.get(page))
    assert "scores with 1 decimal," not in said
    assert "the order of runs: with 20 queries or fewer" in said


def test_a_policy_can_show_values_of_single_queries_but_never_labels(sound):
    address = "/collections/sound/two-runs/?a=alpha&b=beta&labels=official&query=q00"
    assert "only members see per-query values" in texts(Client().get(address))

    set_policy(collection=sound.collection, most_runs=1, period_days=30, per_query_values=True)
    reply = Client().get(address)
    said = texts(reply)

    assert "q00" in said
    assert "text of a-q00" in [one.text for side in reply.context["sides"] for one in side["passages"]]
    assert "relevant" not in said


@pytest.mark.parametrize("measure", ["P@1", "RR@7", "ESL@10", "Success@3"])
def test_other_measures_than_the_usual_ones_are_for_members(sound, measure):
    """Each additional cutoff is another equation about the same labels."""
    reply = Client().get(f"/api/v1/collections/sound/leaderboard?measure={measure}")

    assert reply.status_code >= 400
    assert "withheld" in reply.json()["detail"]


@pytest.mark.parametrize(
    ("queries", "decimals"),
    [(0, 0), (1, 0), (20, 0), (21, 1), (53, 1), (200, 1), (201, 2), (2000, 2), (2001, 3), (6980, 3)],
)
def test_decimals_hide_what_one_query_adds(queries, decimals):
    assert hiding_decimals(queries) == decimals
    assert not decimals or round(1 / queries, decimals) == 0


def test_an_owner_withholds_labels_and_publishes_them_again(cast):
    owner = cast.clients["owner"]

    owner.post("/collections/harbour/labels/official/withhold", {"why": "spring round"})
    assert "the order of runs" in texts(owner.get("/collections/harbour/policy/"))
    owner.post("/collections/harbour/labels/official/withhold", {"why": ""})
    owner.post("/collections/harbour/labels/official/withhold", {"why": "it is over", "publish": "1"})
    assert QrelSet.objects.get(name="official").withheld  # only a preview so far
    owner.post(
        "/collections/harbour/labels/official/withhold", {"why": "it is over", "publish": "1", "sure": "1"}
    )

    assert not QrelSet.objects.get(name="official").withheld
    assert [change.what for change in cast.collection.changes.order_by("pk")] == [
        "labels official withheld (spring round)",
        "labels official not withheld anymore (it is over)",
    ]


def test_before_labels_are_published_a_page_lists_what_everybody_will_see(sound, client):
    """Labels of private queries and of sets that are still withheld are not in the preview."""
    owner = Api(client, sound.collection).user
    client.force_login(owner)
    keep_split(sound.collection, plan_split(sound.collection, qids=["q00"]), who="owner")
    qrels = Qrel.objects.filter(qrel_set=sound.labels)
    told = qrels.exclude(query__qid="q00")
    address = f"/collections/sound/labels/{sound.labels.name}/withhold"

    page = client.post(address, {"why": "it is over", "publish": "1"})

    preview = page.context["preview"]
    assert QrelSet.objects.get(pk=sound.labels.pk).withheld
    assert (preview.labels, preview.private_labels) == (told.count(), qrels.count() - told.count())
    assert preview.queries == told.values("query").distinct().count()
    assert 0 < preview.texts <= preview.passages <= preview.labels
    assert "nobody can take back what was copied" in texts(page)
    client.post(address, {"why": "it is over", "publish": "1", "sure": "1"})
    assert not QrelSet.objects.get(pk=sound.labels.pk).withheld


def test_a_bundle_with_labels_is_withdrawn_when_they_are_withheld(sound):
    withhold_labels(sound.labels, withheld=False)
    read(sound.version)
    assert downloadable_bundle(Scope(sound.version)) is not None

    withhold_labels(sound.labels)

    assert downloadable_bundle(Scope(sound.version)) is None
    assert (
        reason_withheld(kept_bundles_of(sound.version)[0], Scope(sound.version))
        == "The labels official are withheld now."
    )


def test_a_guessing_run_does_not_learn_which_texts_are_stored(sound):
    """Texts are stored for labels and pools, so a text beside a guess would reveal that it is a label."""
    tops = {qid: [f"y-{qid}"] for qid in sound.qids}
    report = {"queries": len(tops), "depth": 1, "lines": len(tops)}
    guess = make_run(sound.collection, "guess", tops, release="public", report=report)
    address = f"/collections/sound/runs/{guess.pk}/"

    said = texts(Client().get(address))
    withhold_labels(sound.labels, withheld=False)
    told = texts(Client().get(address))

    assert "y-q22" in said
    assert "text of y-" not in said
    assert "text of y-" in told


def test_best_answers_are_shown_beside_a_runs_tops(sound):
    """Beta has q00's best answer second. Words of the question are marked in both texts."""
    Passage.objects.filter(pid="a-q00").update(text="what is q00? This is q00.")
    beta = sound.runs[1]

    page = Client().get(f"/collections/sound/runs/{beta.pk}/")

    line = next(one for one in page.context["page"] if one.query.qid == "q00")
    assert (line.top, [one.pid for one in line.best]) == ("b-q00", ["a-q00"])
    assert "This is <mark>q00</mark>" in page.content.decode()


def test_pages_offer_no_filter_or_column_without_values(sound):
    QrelVersion.objects.all().delete()
    run = sound.runs[0]

    board = Client().get("/collections/sound/leaderboard/").context["board"]
    page = Client().get(f"/collections/sound/runs/{run.pk}/").context
    queries = Client().get("/collections/sound/queries/").context

    assert "answered" not in board.all_columns
    assert list(page["filters"]) == ["", "missing", "tied"]
    assert page["sorts"] == {}
    assert list(queries["filters"]) == [""]
    assert list(queries["sorts"]) == ["", "disagreed"]


def test_captions_mention_intervals_only_if_there_are_some(sound):
    withheld = Client().get("/collections/sound/leaderboard.json?version=none").json()
    both = Client().get("/collections/sound/leaderboard/").context["board"]
    alone = Client().get("/collections/sound/leaderboard/?version=none")

    assert "nterval" not in alone.context["board"].figures[0].caption.replace("without intervals", "")
    assert "<dt>Intervals" not in alone.content.decode()
    assert "under preference qrels only" in both.figures[0].caption
    assert withheld["decimals"] == 1
