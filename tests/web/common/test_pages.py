"""Every page: empty and typical contents, escaping, and paging and sorting in the address."""

import csv
import io
import re

import pytest
from django.core.paginator import Paginator
from django.test import Client
from django.urls import reverse

from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.models import Campaign, CampaignChange, Exclusion
from leaderboard.board.standings import Standing
from pooling.models import Collection, Membership, Pool
from pooling.runs.runs import tops_of
from tests.factories import make_collection, make_run
from tests.web.conftest import SCRIPT
from web.boards.board_choices import Wish
from web.boards.board_lines import BoardLine
from web.boards.pages import BoardView
from web.templatetags.figures import bounds, count_with_noun

BOARD = "/collections/harbour/leaderboard/"
VERSION = "/collections/harbour/versions/1/"


def text_of(reply, status=200):
    assert reply.status_code == status
    return reply.content.decode()


@pytest.fixture
def owner(harbour, django_user_model):
    client = Client()
    client.force_login(ada := django_user_model.objects.create_user("ada"))
    Membership.objects.create(collection=harbour.collection, user=ada, role="owner")
    return client


def query_url(harbour, qid, number=1):
    return reverse("web:query", args=["harbour", number, harbour.query(qid).pk])


def test_a_new_installation_says_where_the_first_account_comes_from(client, db):
    assert "This installation has no administrator yet" in text_of(client.get("/"))


def test_an_empty_site_tells_visitors_what_it_is(client, django_user_model, db):
    django_user_model.objects.create_superuser("ada")

    page = text_of(client.get("/"))

    assert "<h1>Rank search systems by what people prefer</h1>" in page
    assert "Nothing is public yet" in page
    assert "See the leaderboards" not in page
    assert "Getting started" not in page  # creating a collection requires signing in
    assert "No public leaderboard yet" in text_of(client.get("/leaderboards/"))
    assert "Nothing is public yet" in text_of(client.get("/collections/"))
    assert "No campaign is public." in text_of(client.get("/campaigns/"))


def test_the_front_page_shows_a_card_per_leaderboard_and_lists_have_the_rest(member, published):
    client = Client()
    card = text_of(client.get("/"))

    assert "quay" in card
    assert "2 runs · 3 queries" in card
    assert "7 of 7 judgments counted" in text_of(client.get("/campaigns/"))
    assert '<a href="/collections/harbour/">harbour</a>' in text_of(client.get("/collections/"))
    assert '<a href="/collections/harbour/">harbour</a>' in text_of(member.get("/"))
    assert "quay" in text_of(client.get("/leaderboards/"))


@pytest.mark.parametrize(
    ("address", "part"),
    [
        ("/leaderboards/", "/leaderboards/"),
        ("/campaigns/spring/", "/campaigns/"),
        ("/collections/harbour/runs/", "/collections/"),
        ("/help/glossary/", "/help/"),
    ],
)
def test_the_header_marks_the_part_of_the_site(client, published, address, part):
    assert f'<a href="{part}" aria-current="page">' in text_of(client.get(address))


def test_members_see_every_tab_and_others_what_is_public(member, published):
    def tabs(one):
        page = text_of(one.get("/collections/harbour/runs/"))
        return re.findall(r">([A-Z][a-z]+)</a>", re.search(r'<nav class="tabs".*?</nav>', page)[0])

    public = ["Overview", "Queries", "Runs", "Campaigns", "Leaderboard", "Analyses"]
    assert tabs(Client()) == public
    assert tabs(member) == ["Overview", "Queries", "Runs", "Pools", *public[3:], "Settings"]


@pytest.mark.parametrize("chosen", ["dark", "light", ""])
def test_colors_are_chosen_once_for_all_pages(client, db, chosen):
    reply = client.post("/theme", {"theme": chosen, "next": "/help/"})

    media = {"dark": "screen", "light": "not all", "": "screen and (prefers-color-scheme: dark)"}[chosen]
    assert (reply.status_code, reply["Location"]) == (302, "/help/")
    assert f'dark.css" media="{media}"' in text_of(client.get("/help/"))


@pytest.mark.parametrize("back", ["https://example.org/", "//example.org", "javascript:alert(1)"])
def test_choosing_colors_never_redirects_to_other_sites(client, db, back):
    assert client.post("/theme", {"theme": "dark", "next": back})["Location"] == "/"


def test_best_values_are_bold(client, published):
    page = text_of(client.get(BOARD))

    assert "<strong>0.6667</strong>" in page  # mole, official: a and c3's miss and s's miss


def test_the_perfect_run_is_set_apart(client, published):
    assert '<tr class="perfect">' in text_of(client.get(BOARD))


def test_runs_that_tie_share_a_rank_in_the_card(client, published):
    make_run(published.collection, "quays", tops_of(published.collection.runs.get(run_tag="quay")))
    page = text_of(client.get("/"))

    assert re.findall(r'<li value="(\d)"><bdi>(quays?)</bdi>', page) == [("1", "quay"), ("1", "quays")]


def test_one_form_of_numbers_and_one_name_of_the_measure(client, published):
    page = text_of(client.get("/collections/harbour/two-runs/"))

    assert 'value="MRR@10"' in page
    assert " RR@10" not in page
    assert Wish.of({"measure": "mrr@10"}).measure == "RR@10"
    assert bounds(Standing(-0.01, -0.041, 0.2, 1, None)) == "[−0.041, 0.200]"
    assert count_with_noun(2046, "task,tasks") == "2,046 tasks"


def test_the_board_says_what_it_was_made_from(client, published):
    page = text_of(client.get(BOARD))

    for fact in (
        "version 1</a> against official",
        "0 are open",
        "seed 20220",
        "Preferee 0.",
    ):
        assert fact in page


def test_before_the_first_version_the_board_has_the_official_labels(client, harbour):
    page = text_of(client.get(BOARD))

    assert "no version of the preference qrels is published yet" in page
    assert "Official MRR@10" in page
    assert "Preference MRR@10" not in page
    assert "plan a pool" not in page
    assert client.get("/collections/harbour/leaderboard.csv").status_code == 200


def test_before_the_first_version_the_board_leads_to_the_next_step(owner, client, harbour):
    def next_step(by):
        found = re.findall(r'Next step: <a href="([^"]+)">([^<]+)</a>', text_of(by.get(BOARD)))
        return found[0] if found else None

    assert next_step(owner) == (f"/campaigns/{harbour.campaign.name}/publish/", "Publish a version")
    Campaign.objects.update(collection=make_collection("elsewhere", []))
    assert next_step(owner) == ("/collections/harbour/campaigns/new/", "New campaign")
    Pool.objects.update(collection=make_collection("nowhere", []))
    assert next_step(owner) == ("/collections/harbour/pools/new/", "Plan a pool")
    assert next_step(Client()) is None


def test_imported_judgments_are_not_a_running_campaign(owner, harbour):
    create_campaign(name="elsewhere", settings=CampaignSettings(), collection=harbour.collection)

    assert "elsewhere" not in [one.campaign.name for one in owner.get("/").context["campaigns"]]
    assert "elsewhere" in text_of(owner.get("/campaigns/"))


def test_the_official_labels_alone_can_be_shown_after_it_too(client, published):
    page = text_of(client.get(BOARD, {"version": "none"}))

    assert "Preference MRR@10" not in page
    assert "Show the latest version" in page
    file = client.get("/collections/harbour/leaderboard.json", {"version": "none"}).json()
    assert file["version"] is None


def test_a_board_is_cited_by_its_version(client, published):
    page = text_of(client.get(BOARD))

    assert "@misc{harbour-v1," in page
    assert "manifest SHA-256" in page
    assert 'property="og:title"' in page


def test_a_collection_without_anything_has_no_board(client, admin_client, db):
    Collection.objects.create(name="bare", visibility="published")
    public, own = (text_of(one.get("/collections/bare/leaderboard/")) for one in (client, admin_client))

    assert "bare has no qrel set" in public
    assert "The leaderboard appears here once the members" in public
    assert "/collections/bare/files/" not in public
    assert "/collections/bare/files/" in own


@pytest.mark.parametrize(("may_pass", "unsettled"), [((1, 1, 0), True), ((1, 0, 0, 0), False), ((), False)])
def test_a_board_where_most_runs_may_be_passed_says_so_once(harbour, may_pass, unsettled):
    lines = [BoardLine(None, None, False, False, may_pass=number) for number in may_pass]

    view = BoardView(harbour.collection, [], [], page=Paginator(lines, 2).get_page(1))

    assert view.unsettled == unsettled


@pytest.mark.parametrize(("measure", "told"), [("R@1000", True), ("P@2", False), ("AP", False)])
def test_a_measure_that_looks_deeper_than_the_runs_says_so(client, published, measure, told):
    page = text_of(client.get(BOARD, {"measure": measure}))

    said = f"These runs have at most 2 passages per query. {measure} counts missing passages as not relevant."
    assert (said in page) == told


@pytest.mark.parametrize("asked", ["?version=9", "?official=nothing"])
def test_an_unknown_version_or_set_is_not_found(client, published, asked):
    assert client.get(BOARD + asked).status_code == 404
    assert client.get("/collections/harbour/leaderboard.csv" + asked).status_code == 404


@pytest.mark.parametrize("asked", ["?version=", "?sort=nonsense", "?page=abc", "?page=-4", "?page=999"])
def test_nonsense_in_the_address_is_ignored(client, published, asked):
    assert client.get(BOARD + asked).status_code == 200


@pytest.mark.parametrize("version", ["x", "0", "99", "9" * 40, "-1", "²"])
def test_an_unknown_version_is_not_found(client, published, version):
    assert client.get(f"{BOARD}?version={version}").status_code == 404


def test_boards_are_sorted_by_the_address(member, published):
    reply = member.get(BOARD, {"sort": "run"})

    assert [line.row.run for line in reply.context["board"].page] == ["deep", "mole", "perfect run", "quay"]
    assert 'aria-sort="ascending"' in reply.content.decode()


def test_long_boards_are_cut_into_pages_that_keep_the_sorting(client, published):
    published.add_runs(60)

    first = client.get(BOARD, {"sort": "-official"})
    second = client.get(BOARD, {"sort": "-official", "page": 2})

    assert len(first.context["board"].page) == 50
    assert len(second.context["board"].page) == 13
    assert "sort=-official&amp;page=2" in first.content.decode()
    panels, against = first.context["board"].figures
    assert [len(chart["rows"]) for chart in panels.charts] == [63, 63]  # whatever the page
    assert len(against.charts[0]["points"]) == 62


def test_a_run_is_found_on_a_long_board_and_the_search_stays_in_the_address(client, published):
    published.add_runs(60)

    found = client.get(BOARD, {"q": "EXTRA00", "sort": "run"})

    assert [line.row.run for line in found.context["board"].page] == [f"extra00{n}" for n in range(10)]
    assert "q=EXTRA00&amp;sort=-run" in found.content.decode()
    assert "No runs match." in text_of(client.get(BOARD, {"q": "zebra"}))


@pytest.mark.parametrize("since", ["1", "2", "99", "x", "-1"])
def test_moves_are_shown_since_an_earlier_version_only(client, published, since):
    published.add_queries(1)
    published.publish()

    assert client.get(BOARD, {"since": since}).context["board"].moves.before == 1
    assert client.get(BOARD, {"since": since, "version": 1}).context["board"].moves is None


def test_csv_has_every_row_the_page_has(client, published):
    reply = client.get("/collections/harbour/leaderboard.csv")

    rows = list(csv.DictReader(io.StringIO(text_of(reply))))
    assert {row["run"] for row in rows} == {"quay", "mole", "perfect run"}
    assert 'filename="harbour-version-1-official-boards.csv"' in reply["Content-Disposition"]


def test_a_collection_without_anything_says_what_to_do(client, db):
    Collection.objects.create(name="bare", visibility="published")

    page = text_of(client.get("/collections/bare/"))

    for hint in ("No versions yet", "No qrels yet"):
        assert hint in page


def test_a_collection_lists_runs_sets_pools_and_versions(client, published):
    page = text_of(client.get("/collections/harbour/"))

    for part in ("version 1", "quay", "official", "spring"):
        assert part in page
    assert "From queries to a leaderboard" not in page


def test_a_member_is_led_from_queries_to_a_leaderboard(member, published):
    page = text_of(member.get("/collections/harbour/"))

    steps = re.findall(r'<li class="(done|next|)"><span class="what">.*?<strong>([^<]*)</strong>', page)
    assert [name for _, name in steps][:6] == ["Queries", "Runs", "Labels", "Pool", "Campaign", "Version"]
    assert {state for state, _ in steps} <= {"done", "next"}
    assert "tide" in text_of(member.get("/collections/harbour/pools/"))
    assert "Submission policy" in text_of(member.get("/collections/harbour/settings/"))


def test_runs_are_searched_by_the_server(client, published):
    page = client.get("/collections/harbour/runs/", {"q": "qua"})

    assert [run.run_tag for run in page.context["page"]] == ["quay"]


def test_a_run_shows_values_and_warnings(client, published):
    page = text_of(client.get(f"/collections/harbour/runs/{published.quay.pk}/"))

    assert "1 query has ties" in page
    assert "preference, version 1" in page
    assert "0.5000" in page  # RR@10 under official: (1/2 + 1 + 0) / 3


def test_a_version_lists_queries_with_best_answers(client, published):
    page = text_of(client.get(VERSION))

    assert "what is q1?" in page
    assert "official qrel beaten" in page
    assert "a3, b3, c3" not in page  # c3 is not released
    assert "1 not released" in page


@pytest.mark.parametrize(
    ("show", "qids"),
    [
        ("", ["q1", "q2", "q3"]),
        ("cycle", ["q3"]),
        ("tied", ["q3"]),
        ("beaten", ["q1", "q2"]),
        ("closed", ["q1", "q2", "q3"]),
        ("singleton", []),
        ("changed", []),
    ],
)
def test_queries_are_filtered_by_the_address(client, published, show, qids):
    reply = client.get(VERSION, {"show": show})

    assert [line.row.query.qid for line in reply.context["lines"]] == qids


def test_queries_are_searched_by_text_or_qid(client, published):
    assert [line.row.query.qid for line in client.get(VERSION, {"q": "q2"}).context["lines"]] == ["q2"]
    assert "Show all queries" in text_of(client.get(VERSION, {"q": "no such words"}))


def test_a_changed_best_answer_is_marked_in_the_next_version(client, published):
    published.campaign.judgments.filter(pair__query__qid="q2").update(preferred=published.passage("a2"))
    published.publish()

    reply = client.get("/collections/harbour/versions/2/", {"show": "changed"})
    history = text_of(client.get(query_url(published, "q2", 2)))

    assert [line.row.query.qid for line in reply.context["lines"]] == ["q2"]
    assert "changed" in history.split("In all versions")[1]


def test_a_query_shows_pool_wins_judgments_and_why(client, published):
    page = text_of(client.get(query_url(published, "q1")))

    assert "text of b" in page
    assert "preferred in 2 of 2 judgments" in page
    assert "(beaten)" in page
    assert "b has the most wins" in page
    assert "A beats B." in page


def test_beaten_is_about_the_perfect_runs_label(client, published):
    """q1 gets a second label of a lower grade, which is the best answer, q2 a label that was never judged."""
    official = published.official
    official.qrels.filter(query__qid="q1").update(grade=3)
    official.qrels.create(query=published.query("q1"), passage=published.passage("b"), grade=1, position=9)
    official.qrels.create(query=published.query("q2"), passage=published.passage("far"), grade=2, position=10)

    reply = client.get(VERSION, {"show": "beaten"})
    page = text_of(client.get(query_url(published, "q1")))

    assert [line.row.query.qid for line in reply.context["lines"]] == ["q1"]
    assert page.count("(beaten)") == 1
    assert "official qrel, grade 3, relevant" in page
    assert "also labeled relevant: A (grade 1, a best answer)" in page
    assert "(beaten)" not in text_of(client.get(query_url(published, "q2")))


def test_labeled_passages_of_the_pool_are_not_called_other_ones_without_the_qrel(client, published):
    published.official.qrels.create(
        query=published.query("q1"), passage=published.passage("far"), grade=9, position=9
    )

    page = text_of(client.get(query_url(published, "q1")))

    assert "1 passage in the pool is labeled relevant: " in page
    assert "1 relevant passage was not pooled" in page


def test_official_passages_outside_the_pool_are_counted_not_listed(client, published):
    qrels = published.official.qrels
    for place, pid in enumerate(["far", "away"]):
        qrels.create(query=published.query("q1"), passage=published.passage(pid), grade=1, position=9 + place)

    page = text_of(client.get(query_url(published, "q1")))

    assert "2 relevant passages were not pooled" in page
    assert "text of far" not in page


def test_a_cycle_is_drawn_thick(client, published):
    assert text_of(client.get(query_url(published, "q3"))).count('class="arrow cycle"') == 3


def test_judgments_made_after_the_version_do_not_count_in_it(client, published):
    published.prefer("q1", ("d", "s"))

    page = text_of(client.get(query_url(published, "q1")))

    assert page.count("does not count") == 1


def test_a_query_that_the_version_does_not_cover_is_not_found(client, published):
    published.add_queries(1)

    assert client.get(query_url(published, "more000")).status_code == 404


def test_a_campaign_shows_progress_and_exclusions(client, published):
    Exclusion.objects.create(
        campaign=published.campaign, worker=published.judge, rule="reference", reason="failed a gold pair"
    )

    page = text_of(client.get("/campaigns/spring/"))

    assert "0 of 7 judgments counted" in page
    assert "1 worker is excluded" in page


def test_progress_alone_is_a_part_of_a_page(client, published):
    reply = client.get("/campaigns/spring/progress")

    assert "7 of 7 judgments counted" in text_of(reply)
    assert "<html" not in reply.content.decode()
    assert "no-store" in reply["Cache-Control"]


def test_open_campaigns_refresh_themselves(client, published):
    Campaign.objects.filter(pk=published.campaign.pk).update(state="open")

    assert 'data-refresh="/campaigns/spring/progress"' in text_of(client.get("/campaigns/"))


@pytest.mark.parametrize("simulated", [True, False])
def test_every_page_of_a_simulated_version_says_so(client, harbour, simulated):
    harbour.campaign.judgments.update(judge_kind="simulated" if simulated else "human")
    harbour.publish()

    assert ("simulated judges" in text_of(client.get("/"))) == simulated
    for address in (BOARD, VERSION, query_url(harbour, "q1"), "/campaigns/spring/"):
        page = text_of(client.get(address))
        assert ("Judges were simulated" in page) == simulated, address
        assert "rehearsal" not in page  # no published version is based on one


def test_names_given_by_people_are_escaped(member, harbour):
    published = harbour
    published.query("q1").__class__.objects.filter(qid="q1").update(text=f"{SCRIPT} what?")
    published.passage("b").__class__.objects.filter(pid="b").update(text=SCRIPT, pid=f"b{SCRIPT}")
    published.publish()
    run = make_run(published.collection, f"run{SCRIPT}", {"q1": ["a"]}, description=SCRIPT, team=SCRIPT)
    CampaignChange.objects.create(campaign=published.campaign, what=SCRIPT, why=SCRIPT, who=SCRIPT)
    addresses = [
        BOARD,
        VERSION,
        f"{VERSION}changes/",
        query_url(published, "q1"),
        "/campaigns/spring/",
        "/collections/harbour/queries/",
        f"/collections/harbour/runs/?q={SCRIPT}",
        f"/collections/harbour/runs/{run.pk}/",
    ]

    for address in addresses:
        page = text_of(member.get(address))
        assert "<script>alert" not in page, address
        assert "&lt;script&gt;" in page, address


def test_pages_carry_nothing_inline_and_cannot_be_framed(client, published):
    for address in (
        "/",
        BOARD,
        VERSION,
        query_url(published, "q3"),
        "/campaigns/spring/",
        "/accounts/login/",
    ):
        reply = client.get(address)
        page = text_of(reply)
        assert "style=" not in page
        assert "onclick" not in page
        assert "<script>" not in page
        assert "unsafe-inline" not in reply["Content-Security-Policy"]
        assert reply["X-Frame-Options"] == "DENY"


def test_error_pages_look_like_the_others(client, db):
    assert "Page not found" in text_of(client.get("/collections/none/"), 404)
    assert "Page not found" in text_of(client.get("/campaigns/none/"), 404)


def test_a_refused_person_reads_the_own_role_and_finds_the_way_back(member, harbour):
    page = text_of(member.get("/collections/harbour/about/"), 403)

    assert "Only an owner or a maintainer of harbour can do this. Your role in it is viewer." in page
    assert 'aria-label="Where you are"' in page
    assert '<a class="button" href="/collections/harbour/">Go to' in page
    missing = text_of(member.get("/collections/none/"), 404)
    assert ">Home</a> / not found" in missing
    assert "your account cannot see it" in missing
    assert "need to sign in" not in missing


def test_only_reading_is_answered(client, published):
    assert client.post(BOARD).status_code == 405


def test_a_board_by_another_measure_names_it_and_sorts_the_best_first(client, published):
    page = client.get(BOARD, {"measure": "ESL@10"})

    rows = [line.row for line in page.context["board"].page if not line.row.perfect]
    assert [row.preference.value for row in rows] == sorted(row.preference.value for row in rows)
    assert "Preference ESL@10" in text_of(page)
    assert 'aria-sort="ascending"' in text_of(page)
    assert "measure=ESL%4010" in text_of(page)


@pytest.mark.parametrize("form", ["csv", "tex", "md", "json", "svg", "pdf", "png"])
def test_the_board_downloads_in_every_format(client, published, form):
    reply = client.get(f"/collections/harbour/leaderboard.{form}", {"measure": "nDCG@10"})

    assert reply.status_code == 200
    assert reply["Content-Disposition"].endswith(f'.{form}"')
    if form in ("csv", "tex", "md", "json"):
        assert "nDCG@10" in text_of(reply)


def test_an_unknown_measure_is_refused_with_a_reason(client, published):
    page = client.get(BOARD, {"measure": "best"})

    assert "is not a measure" in text_of(page, 404)
    assert client.get("/collections/harbour/leaderboard.csv", {"measure": "best"}).status_code == 404
    assert client.get("/collections/harbour/leaderboard.docx").status_code == 404


def test_a_refused_form_gets_our_own_page(harbour):
    reply = Client(enforce_csrf_checks=True).post(
        "/collections/harbour/visibility", {"visibility": "private"}
    )

    assert reply.status_code == 403
    assert "Send the form again" in reply.content.decode()
    assert "DEBUG" not in reply.content.decode()
