"""Pages of long analyses: run as jobs, stored, and shown to permitted people."""

import json
import re

import pytest

from config.background import services
from config.background.models import Job
from judging.models import Campaign, Grade, GradedCampaign, Judgment
from leaderboard.analyses import runner
from leaderboard.analyses.registry import KINDS
from leaderboard.models import KeptAnalysis
from pooling.models import Pool, PrivateQuery, QuerySplit, Run
from tests.due_jobs import work_off_everything
from tests.factories import make_qrels, make_run
from tests.web.api_caller import Api
from tournament.models import QrelVersion
from web.common.directions import guidance_text

PAGE = "/collections/harbour/analyses"


@pytest.fixture
def artist(cast):
    """A member, with figures that are drawn."""
    return cast.clients["viewer"]


@pytest.fixture
def signed_in(artist, monkeypatch):
    """A member, without figures, because drawing takes seconds."""
    monkeypatch.setattr(runner, "figure_image", lambda figure, form: f"{figure.key}.{form}".encode())
    return artist


def made(client, kind: str, **settings: str) -> str:
    """Run an analysis and its job; returns the address that shows the result."""
    reply = client.post(f"{PAGE}/{kind}/run", settings)
    assert reply.status_code == 302
    work_off_everything()
    return reply["Location"]


def file_of(address: str, form: str, of: str) -> str:
    """Return the file of a page: ``.../stability/?trials=20`` → ``.../stability.csv?trials=20&of=ranks``."""
    path, _, query = address.partition("?")
    return f"{path.rstrip('/')}.{form}?{query}&of={of}"


def keep_private(cast, qid: str) -> None:
    split = QuerySplit.objects.create(collection=cast.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=cast.query(qid))


@pytest.mark.parametrize(
    "kind",
    [
        "stability",
        "power",
        "board_agreement",
        "two_boards",
        "query_spread",
        "win_ratios",
        "pool_bias",
        "pool_sizes",
        "label_disagreement",
        "label_noise",
        "judge_agreement",
    ],
)
def test_an_analysis_is_run_by_a_job_and_shown(cast, signed_in, kind):
    address = made(signed_in, kind, trials="20")

    shown = signed_in.get(address)

    assert [one.title in shown.content.decode() for one in shown.context["page"].analysis.tables]
    assert "download JSON" in shown.content.decode()
    figures = shown.context["page"].analysis.figures
    assert figures
    for figure in figures:
        assert all(chart["rows" if "rows" in chart else "points"] for chart in figure.charts)
        assert signed_in.get(file_of(address, "csv", figure.data.key)).status_code == 200
    assert Job.objects.get(kind="leaderboard.analyse").state == Job.State.DONE


def test_a_versions_order_of_preference_can_be_chosen_and_compat_measures_by_it(cast, signed_in):
    offered = signed_in.get(f"{PAGE}/stability/").content.decode()
    address = made(signed_in, "stability", trials="20", qrels="@1:order", measure="Compat(p=0.95)")
    shown = signed_in.get(address).context["page"].analysis
    refused = made(signed_in, "stability", trials="20", qrels="@1:order", measure="RR@10")

    assert '<option value="@1:order">version 1, order of preference (Compat)</option>' in offered
    assert shown.facts.labels == ("order of preference, version 1",)
    assert "Choose Compat(p=0.95) or the labels @1." in signed_in.get(refused).content.decode()


def test_the_list_names_every_analysis(cast):
    listed = cast.clients["nobody"].get(f"{PAGE}/").content.decode()

    assert [kind.title for kind in KINDS.values() if kind.title.replace("'", "&#x27;") not in listed] == []
    assert f"{PAGE}/judge_agreement/" not in listed


def test_a_repeated_analysis_is_shown_at_once(signed_in, monkeypatch):
    address = made(signed_in, "stability", trials="20")
    monkeypatch.setattr(runner, "compute_analysis", lambda *_: pytest.fail("made twice"))

    again = made(signed_in, "stability", trials="20")

    assert again == address
    assert Job.objects.count() == 1


def test_an_older_result_stays_and_says_what_has_changed(cast, signed_in):
    address = made(signed_in, "stability", trials="20")
    figure = signed_in.get(address).context["page"].analysis.figures[0]
    make_qrels(cast.collection, "second", [("q1", "b", 1)])

    shown = signed_in.get(address)

    page = shown.content.decode()
    assert shown.context["page"].analysis is not None
    assert "labels (then official, version 1; now official, second, version 1)." in page
    assert "Run again" in page
    for form in ("svg", "pdf", "png"):
        assert signed_in.get(file_of(address, form, figure.key)).status_code == 200
    made(signed_in, "stability", trials="20")
    again = signed_in.get(address).content.decode()
    assert "Run again" not in again
    assert KeptAnalysis.objects.exclude(choices="").count() == 2


def test_a_new_run_or_pool_hides_no_members_result_and_other_choices_have_their_own(cast, signed_in):
    address = made(signed_in, "pool_sizes")
    other = made(signed_in, "stability", trials="20")
    make_run(cast.collection, "newcomer", {"q1": ["a"]})
    Pool.objects.create(collection=cast.collection, name="later")

    assert "pool (" in signed_in.get(address).content.decode()
    assert "runs (" in signed_in.get(other).content.decode()
    without = signed_in.get(f"{PAGE}/stability/?trials=21").content.decode()
    assert "There is no result for these choices." in without


def test_a_job_of_the_same_request_is_shown_while_its_data_change(cast, signed_in):
    item = cast.taken.items.get()
    address = signed_in.post(f"{PAGE}/assessor_agreement/run")["Location"]
    Grade.objects.create(item=item, grade=1)
    waiting = signed_in.get(address)
    work_off_everything()
    failed = signed_in.get(address).content.decode()
    signed_in.post(f"{PAGE}/assessor_agreement/run")
    work_off_everything()
    unchanged = signed_in.get(address).content.decode()
    other = signed_in.get(f"{PAGE}/assessor_agreement/?graded=swell").content.decode()

    assert waiting.context["page"].work.live
    assert "Nobody gave a second opinion in swell." in failed
    assert "The data have changed since that attempt was requested." in failed
    assert "Nobody gave a second opinion in swell." in unchanged
    assert "have changed since" not in unchanged
    assert [
        page for page in (waiting.content.decode(), failed, unchanged) if "There is no result" in page
    ] == []
    assert "There is no result for these choices." in other


def test_an_analysis_of_all_runs_includes_a_run_that_arrives_before_its_turn(cast, signed_in):
    address = signed_in.post(f"{PAGE}/stability/run", {"trials": "20"})["Location"]
    make_run(cast.collection, "newcomer", {"q1": ["a"]})
    work_off_everything()

    page = signed_in.get(address).context["page"]

    assert page.older is None
    assert "newcomer" in page.analysis.facts.runs


def test_visitors_see_no_older_result_with_data_hidden_since(cast, signed_in):
    address = made(signed_in, "stability", trials="20", released="1")
    visitor = cast.clients["nobody"]
    assert visitor.get(address).context["page"].analysis is not None
    make_qrels(cast.collection, "second", [("q1", "b", 1)])
    assert visitor.get(address).context["page"].older is not None

    run = Run.objects.filter(release="public").first()
    Run.objects.filter(pk=run.pk).update(release="private")
    assert visitor.get(address).context["page"].analysis is None
    Run.objects.filter(pk=run.pk).update(release="public")
    assert visitor.get(address).context["page"].analysis is not None
    keep_private(cast, "q3")
    assert visitor.get(address).context["page"].analysis is None


def test_figures_are_stored_with_their_analysis(signed_in):
    made(signed_in, "stability", trials="20")

    (group,) = set(KeptAnalysis.objects.filter(kind="stability figure").values_list("group", flat=True))
    assert KeptAnalysis.objects.get(key=group).content["figures"]


def test_a_new_judgment_marks_the_result_as_older(cast, signed_in):
    address = made(signed_in, "label_noise", trials="20")
    cast.add_queries(1)

    assert "before these inputs changed:</strong> judgments of " in signed_in.get(address).content.decode()


def test_files_hold_what_the_page_shows(artist):
    address = made(artist, "stability", trials="20")
    query = address.partition("?")[2]
    files = {form: artist.get(f"{PAGE}/stability.{form}?{query}") for form in ("json", "csv", "tex", "md")}
    pictures = {
        form: artist.get(f"{PAGE}/stability.{form}?{query}&of=ranks") for form in ("svg", "pdf", "png")
    }

    assert json.loads(files["json"].content)["facts"]["seed"] == 20220
    assert files["csv"].content.startswith(b"run,")
    assert b"\\toprule" in files["tex"].content
    assert b"| run |" in files["md"].content
    assert [pictures[form].content[:4] for form in ("svg", "pdf", "png")] == [b"<?xm", b"%PDF", b"\x89PNG"]
    assert artist.get(f"{PAGE}/stability.svg?{query}&of=none").status_code == 404


def test_hidden_runs_are_not_named(cast, signed_in):
    cast.add_runs(3)
    hidden = {*Run.objects.filter(release=Run.Release.PRIVATE).values_list("run_tag", flat=True)}
    assert hidden

    timeline = cast.clients["nobody"].get("/collections/harbour/analyses/progress/")

    assert not any(f'"{tag}"' in timeline.content.decode() for tag in hidden)


@pytest.mark.parametrize("trials", ["0", "many", "10001", "1.5"])
def test_a_wrong_number_is_refused_in_words(signed_in, trials):
    shown = signed_in.get(f"{PAGE}/stability/", {"trials": trials}).content.decode()

    assert "Enter a whole number from 1 to 10,000." in shown


def test_a_refusal_of_the_job_is_shown(signed_in):
    shown = signed_in.get(made(signed_in, "replicate_boards")).content.decode()

    assert "is not enough to compare" in shown


def test_others_see_results_made_for_everybody(cast, signed_in):
    nobody = cast.clients["nobody"]
    theirs = made(signed_in, "stability", trials="20")
    before = nobody.get(theirs).content.decode()

    for_all = made(signed_in, "stability", trials="20", released="1")

    assert "There is no result" in before
    assert "deep" in signed_in.get(theirs).content.decode()
    for address in (theirs, for_all):
        assert nobody.get(address).context["page"].analysis.facts.runs == ("mole", "quay")


def test_a_member_who_asks_as_everybody_is_told_to_choose_the_other_audience(cast, signed_in):
    keep_private(cast, "q2")

    as_everybody = signed_in.get(f"{PAGE}/win_ratios/?released=1").context["page"].refusal
    as_nobody = cast.clients["nobody"].get(f"{PAGE}/win_ratios/").context["page"].refusal

    assert guidance_text(as_everybody.next_step) == "To see it as a member, change “Audience”."
    assert as_nobody.next_step == "Members see it after they sign in."


def test_others_get_nothing_on_private_queries(cast, signed_in):
    keep_private(cast, "q2")
    for kind in ("stability", "board_agreement", "win_ratios"):
        made(signed_in, kind, trials="20")
        made(signed_in, kind, trials="20", released="1")
    nobody = cast.clients["nobody"]

    stability = nobody.get(f"{PAGE}/stability/?trials=20").context["page"].analysis
    refused = [nobody.get(f"{PAGE}/{kind}/").context["page"] for kind in ("board_agreement", "win_ratios")]

    assert stability.facts.queries == 2
    assert [(page.analysis, "private" in str(page.refusal)) for page in refused] == [(None, True)] * 2
    for address in (f"{PAGE}/stability.json?queries=all&trials=20", f"{PAGE}/win_ratios.json"):
        assert nobody.get(address).status_code == 404


@pytest.mark.parametrize("kind", ["compare", "progress"])
def test_a_quick_analysis_runs_at_once_on_data_that_everybody_can_see(cast, signed_in, kind):
    Run.objects.update(release=Run.Release.PUBLIC)
    keep_private(cast, "q2")
    address = made(signed_in, kind)

    theirs, ours = (one.get(address).context["page"].analysis for one in (cast.clients["nobody"], signed_in))

    assert theirs.facts.queries < ours.facts.queries
    for figure in ours.figures:
        for form in ("csv", "svg"):
            of = figure.data.key if form == "csv" else figure.key
            assert signed_in.get(file_of(address, form, of)).status_code == 200
    assert not Job.objects.exists()


def test_results_on_private_queries_are_not_stored_for_others(cast, signed_in):
    Run.objects.update(release=Run.Release.PUBLIC)
    keep_private(cast, "q2")
    theirs = made(signed_in, "stability", trials="20")
    nobody = cast.clients["nobody"]

    shown, file = nobody.get(theirs).context["page"], nobody.get(theirs.replace("/?", ".json?"))

    assert (shown.analysis, file.status_code) == (None, 404)
    assert signed_in.get(theirs).context["page"].analysis is not None


def test_others_neither_read_of_a_draft_nor_learn_its_name(cast, signed_in):
    Run.objects.update(release=Run.Release.PUBLIC)
    Campaign.objects.update(name="secret-draft", state=Campaign.State.DRAFT, launched_at=None)
    asked = {"campaign": "secret-draft", "released": "1"}
    signed_in.post(f"{PAGE}/win_ratios/run", asked)
    work_off_everything()
    nobody = cast.clients["nobody"]

    shown = [nobody.get(f"{PAGE}/win_ratios/", given) for given in ({}, {"campaign": "secret-draft"})]
    listed = nobody.get("/api/v1/collections/harbour/analyses").content.decode()

    assert [one.context["page"].analysis for one in shown] == [None, None]
    assert "secret-draft" not in shown[0].content.decode() + listed
    assert "secret-draft" in signed_in.get(f"{PAGE}/win_ratios/").content.decode()


def test_only_campaigns_with_judgments_of_pairs_are_offered(cast, signed_in):
    graded = GradedCampaign.objects.create(
        collection=cast.collection, name="slope", pool=cast.pool, scale=[["no", "no", ""]], min_grade=1
    )
    judgment = Judgment.objects.filter(campaign=cast.campaign).first()
    for name, grading in (("crowd", graded), ("draft", None)):
        made = Campaign.objects.create(
            collection=cast.collection,
            name=name,
            pool=cast.pool,
            grading=grading,
            seed=1,
            grades=2 if grading else 0,
        )
        if grading:
            Judgment.objects.create(
                campaign=made,
                pair=judgment.pair,
                left=judgment.left,
                right=judgment.left,
                judge_kind=judgment.judge_kind,
                kind=Judgment.Kind.GRADE,
                grade=1,
            )

    control = signed_in.get(f"{PAGE}/preference_grades/").context["page"].controls[0]
    QrelVersion.objects.all().delete()
    default = signed_in.get(f"{PAGE}/preference_grades/").context["page"].controls[0].value

    assert (control.name, control.options) == ("campaign", [(cast.campaign.name, cast.campaign.name)])
    assert default == cast.campaign.name


def test_rehearsals_are_offered_last_and_by_that_name(cast, signed_in):
    rehearsal = Campaign.objects.create(
        collection=cast.collection,
        name="a-copy",
        pool=cast.pool,
        seed=1,
        state=Campaign.State.CLOSED,
        launched_at=cast.campaign.launched_at,
        rehearsal_of=cast.campaign,
    )
    Judgment.objects.filter(pk=Judgment.objects.latest("pk").pk).update(campaign=rehearsal)
    QrelVersion.objects.all().delete()

    control = signed_in.get(f"{PAGE}/win_ratios/").context["page"].controls[0]

    name = cast.campaign.name
    assert control.options == [(name, name), ("a-copy", "a-copy (rehearsal)")]
    assert control.value == name


def test_a_team_under_embargo_is_not_named(cast, signed_in):
    far = cast.version.published_at.replace(year=2999).date()
    Run.objects.filter(pk=cast.quay.pk).update(team="Wharf", anonymous_until=far)

    address = made(signed_in, "pool_bias", by="team", released="1")

    assert cast.clients["nobody"].get(address).context["page"].analysis.facts.runs == ("mole", "quay")
    assert "Wharf" not in cast.clients["nobody"].get(address).content.decode()
    assert "Wharf" in signed_in.get(made(signed_in, "pool_bias", by="team")).content.decode()


def test_a_software_error_is_only_in_the_log(signed_in, monkeypatch):
    def fail(*_):
        raise RuntimeError("a secret path")

    monkeypatch.setattr(runner, "compute_analysis", fail)
    address = signed_in.post(f"{PAGE}/stability/run", {"trials": "20"})["Location"]
    work_off_everything(until_seconds=5)

    shown = signed_in.get(address).content.decode()

    assert "software error" in shown
    assert "secret path" not in shown


def test_a_running_analysis_shows_its_progress(signed_in):
    address = signed_in.post(f"{PAGE}/stability/run", {"trials": "20"})["Location"]
    Job.objects.update(state="running", progress_done=2, progress_total=5, progress_message="Scoring runs")
    query = address.partition("?")[2]

    assert "Scoring runs: 2 of 5" in signed_in.get(address).content.decode()
    assert "Scoring runs: 2 of 5" in signed_in.get(f"{PAGE}/stability/progress?{query}").content.decode()
    assert KeptAnalysis.objects.count() == 0


@pytest.mark.parametrize("kind", ["win_ratios", "label_noise"])
def test_a_missing_campaign_is_named(cast, signed_in, kind):
    page = signed_in.get(f"{PAGE}/{kind}/?campaign=nosuch")
    file = signed_in.get(f"{PAGE}/{kind}.csv?campaign=nosuch")

    assert "harbour has no campaign &#x27;nosuch&#x27;." in page.content.decode()
    assert file.content.decode() == "harbour has no campaign 'nosuch'. Choose a campaign from the list.\n"


def test_the_private_board_names_the_labels_it_uses(signed_in, cast):
    keep_private(cast, "q2")

    page = signed_in.get(f"{PAGE}/private_board/").content.decode()

    options = re.findall(
        r'<option value="([^"]*)"', page.partition('name="qrels"')[2].partition("</select>")[0]
    )
    assert options[:2] == ["official", "@1"]
    assert "and the latest version" not in page


def test_analyses_of_private_queries_are_offered_only_if_there_are_some(signed_in):
    for address in ("private_board/", "stability/?queries=private"):
        page = signed_in.get(f"{PAGE}/{address}").content.decode()

        assert "No query of harbour is private." in page
        assert "/collections/harbour/split/" in page


def test_refusals_on_pages_name_no_options(signed_in, cast):
    address = made(signed_in, "better_than_perfect")

    page = signed_in.get(address).content.decode()

    assert "Name a run and a qrel set." in page
    assert "--" not in page.partition('class="empty"')[2].partition("</div>")[0]


def test_judge_agreement_needs_no_runs(signed_in, cast):
    """They neither list nor offer any, and are not rerun when one is added."""
    address = made(signed_in, "judge_agreement")
    page = signed_in.get(address).content.decode()

    cast.add_runs(1)

    assert "Conclusions" in signed_in.get(address).content.decode()
    assert "Conclusions" in page
    assert "0 runs" not in page
    assert "Leave all unchecked to use all runs" not in page
    assert ",0 runs" not in signed_in.get(file_of(address, "csv", "agreement")).content.decode()


def test_nobody_can_block_the_queue_of_payments(signed_in, monkeypatch):
    monkeypatch.setattr(services, "MOST_AT_ONCE", 2)
    for seed in "1223":
        reply = signed_in.post(f"{PAGE}/stability/run", {"trials": "20", "seed": seed}, follow=True)

    assert Job.objects.filter(kind="leaderboard.analyse").count() == 2
    assert "2 jobs of this kind are in progress" in reply.content.decode()


def test_nobody_can_block_it_with_pools_over_the_api(cast, client, monkeypatch):
    monkeypatch.setattr(services, "MOST_AT_ONCE", 2)
    api = Api(client, cast.collection)
    replies = [api.post("/collections/harbour/pools", {"name": f"pool-{number}"}) for number in (1, 2, 2, 3)]

    assert [reply.status_code for reply in replies] == [202, 202, 202, 409]
