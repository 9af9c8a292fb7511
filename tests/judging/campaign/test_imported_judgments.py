from collections import Counter

import pytest

from config import clock
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.imported_judgments import import_judgments
from judging.errors import BadJudgmentFile, CampaignRefused
from judging.models import Campaign, ImportedFile, Judgment, Pair
from judging.watching.status import campaign_status
from tests.factories import make_collection

HEADER = "topic\tleft\tright\tpreferred"


@pytest.fixture
def campaign(db):
    return create_campaign(
        name="elsewhere", settings=CampaignSettings(), collection=make_collection("town", ["1", "2"])
    )


def write(tmp_path, *lines, header=HEADER, name="judgments.tsv"):
    file = tmp_path / name
    file.write_text("\n".join([header, *lines]) + "\n")
    return file


def test_judgments_keep_their_sides_and_who_when_and_in_which_phase(campaign, tmp_path):
    file = write(
        tmp_path,
        "1\tb\ta\ta\tann\t2021-05-01T10:00:00+02:00\tI",
        "1\ta\tb\ttie\tben\t\tII",
        header=f"{HEADER}\tworker\ttime\tphase",
    )

    imported = import_judgments(campaign, file)

    assert (imported.judgments, imported.pairs, imported.queries) == (2, 1, 1)
    first, second = Judgment.objects.order_by("pk")
    assert (first.left.pid, first.right.pid, first.preferred.pid) == ("b", "a", "a")
    assert (second.preferred, second.judged_at, second.phase) == (None, None, "II")
    assert first.judged_at.isoformat() == "2021-05-01T08:00:00+00:00"
    assert first.worker != second.worker
    assert {first.judge_kind, second.judge_kind} == {"imported"}
    assert Judgment.objects.counted().count() == 2


def test_a_closed_campaign_takes_no_more_judgments(campaign, tmp_path):
    campaign.closed_at = clock.now()

    with pytest.raises(CampaignRefused, match="elsewhere is closed, so it cannot import"):
        import_judgments(campaign, write(tmp_path, "1\ta\tb\ta"))


def test_only_the_phases_asked_for_are_taken(campaign, tmp_path):
    file = write(tmp_path, "1\ta\tb\ta\tI", "1\ta\tb\tb\tII", "2\tc\td\td\tIII", header=f"{HEADER}\tphase")

    imported = import_judgments(campaign, file, phases=["I", "III"])

    assert (imported.judgments, imported.other_phases) == (2, 1)
    assert set(Judgment.objects.values_list("phase", flat=True)) == {"I", "III"}
    with pytest.raises(CampaignRefused, match="no judgments in the requested phases"):
        import_judgments(campaign, file, phases=["IV"])


def test_same_file_is_taken_once_a_phase(campaign, tmp_path):
    file = write(tmp_path, "1\ta\tb\ta\tI", "1\ta\tb\tb\tII", header=f"{HEADER}\tphase")
    import_judgments(campaign, file, phases=["I"])

    with pytest.raises(CampaignRefused, match="already been imported"):
        import_judgments(campaign, file, phases=["I"])
    with pytest.raises(CampaignRefused, match="already been imported"):
        import_judgments(campaign, file)
    import_judgments(campaign, file, phases=["II"])

    assert Judgment.objects.count() == 2
    assert ImportedFile.objects.count() == 2


@pytest.mark.parametrize(
    ("lines", "header", "line", "reason"),
    [
        (["1\ta\tb"], HEADER, 2, "expected 4 columns, found 3"),
        (["1\ta\tb\ta", "1\ta\tb\tc"], HEADER, 3, "neither left nor right"),
        (["1\ta\ta\ta"], HEADER, 2, "left and right are both"),
        (["\ta\tb\ta"], HEADER, 2, "must not be empty"),
        (["9\ta\tb\ta"], HEADER, 2, "no query '9'"),
        (["1\ta\tb\ta\tyesterday"], f"{HEADER}\ttime", 2, "is not a time in ISO 8601"),
        (["1\ta\tb"], "topic\tleft\tright", 1, "has no column 'preferred'"),
        (["1\ta\tb\ta\tx"], f"{HEADER}\tmood", 1, "unknown column 'mood'"),
        ([], HEADER, 1, "no judgments below"),
    ],
)
def test_wrong_line_is_named_and_nothing_is_imported(campaign, tmp_path, lines, header, line, reason):
    with pytest.raises(BadJudgmentFile, match=reason) as caught:
        import_judgments(campaign, write(tmp_path, *lines, header=header))

    assert (caught.value.file, caught.value.line) == ("judgments.tsv", line)
    assert not Judgment.objects.exists()
    assert not ImportedFile.objects.exists()
    assert not Pair.objects.exists()


def test_bytes_that_are_not_text_are_refused_with_their_line(campaign, tmp_path):
    file = tmp_path / "latin.tsv"
    file.write_bytes(f"{HEADER}\n1\ta\tb\ta\n1\t\xe9\tb\tb\n".encode("latin-1"))

    with pytest.raises(BadJudgmentFile, match="not UTF-8") as caught:
        import_judgments(campaign, file)

    assert caught.value.line == 3


def test_campaign_that_asks_people_takes_no_imported_judgments(fair, tmp_path):
    with pytest.raises(CampaignRefused, match="has a pool, so it cannot import judgments"):
        import_judgments(fair.draft(), write(tmp_path, "q0\ta\tb\ta"))


def test_lines_may_end_in_carriage_returns_and_start_with_a_mark(campaign, tmp_path):
    file = tmp_path / "windows.tsv"
    file.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\r\n1\ta\tb\tb\r\n".encode())

    import_judgments(campaign, file)

    assert Judgment.objects.get().preferred.pid == "b"


def test_phases_with_long_names_are_not_imported_twice(campaign, tmp_path):
    phases = [
        f"pilot of the spring term, group number {number} of 3".replace(",", "") for number in (1, 2, 3)
    ]
    file = write(tmp_path, *(f"1\ta\tb\ta\t{phase}" for phase in phases), header=f"{HEADER}\tphase")
    import_judgments(campaign, file, phases=phases[:2])

    with pytest.raises(CampaignRefused, match="group number 2 of 3"):
        import_judgments(campaign, file, phases=phases[1:])
    import_judgments(campaign, file, phases=phases[2:])

    assert sorted(Judgment.objects.values_list("phase", flat=True)) == phases
    with pytest.raises(BadJudgmentFile, match="line 2: the phase is longer than 80 characters"):
        import_judgments(
            campaign, write(tmp_path, f"1\ta\tb\ta\t{'x' * 81}", header=f"{HEADER}\tphase", name="other.tsv")
        )


def test_a_passage_named_like_a_tie_can_be_preferred(campaign, tmp_path):
    import_judgments(campaign, write(tmp_path, "1\ttie\tb\ttie", "2\ta\tb\ttie"))

    assert [one.preferred and one.preferred.pid for one in Judgment.objects.order_by("pk")] == ["tie", None]


def test_status_counts_what_was_imported(campaign, tmp_path):
    import_judgments(campaign, write(tmp_path, "1\ta\tb\ta", "1\ta\tb\tb"))

    status = campaign_status(campaign)

    assert (status["judgments"]["wanted"], status["judgments"]["counted"]) == (2, 2)
    assert status["tasks"] == 0
    assert "resolve elsewhere" in status["next"]


def test_human_judgments_of_trec_2021_are_taken_by_phase(shared_data, db):
    topics = (shared_data / "dl21" / "topics.tsv").read_text().splitlines()
    collection = make_collection("dl21", [line.split("\t")[0] for line in topics])
    file = shared_data / "dl21" / "judgments.tsv"
    counts = Counter(line.split("\t")[4] for line in file.read_text().splitlines())

    for phase in ("I", "II", "III"):
        campaign = create_campaign(name=f"p-{phase}", settings=CampaignSettings(), collection=collection)
        imported = import_judgments(campaign, file, phases=[phase])
        assert (imported.judgments, imported.queries) == (counts[phase], 30)
        assert imported.pairs == counts[phase], "each phase is one complete round robin"

    whole = create_campaign(name="whole", settings=CampaignSettings(), collection=collection)
    assert import_judgments(whole, file).judgments == 7414
    assert Campaign.objects.count() == 4
