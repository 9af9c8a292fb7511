"""Near-duplicates before judging: pairs of canonical passages, and no change once judging began."""

import json

import pytest
from django.core.management import call_command

from judging.campaign.duplicate_classes import cluster_texts, import_clusters, refuse_judged, remove_clusters
from judging.campaign.pairs import class_representatives, pairs_of, request_pairs
from judging.errors import CampaignRefused
from pooling.errors import ClustersRefused
from pooling.models import ClusterSet, Passage
from pooling.passages.passages import add_sources
from pooling.rules.near_duplicates import Likeness
from tests.factories import make_collection, make_run


@pytest.fixture
def file(fair, tmp_path):
    """Passage c is canonical for a and c of the first query, though its key is larger."""
    path = tmp_path / "clusters.txt"
    path.write_text("q0-c q0-c\nq0-c q0-a\n")
    return path


def pids_of(fair):
    first = class_representatives(fair.pool)[fair.collection.queries.get(qid="q0").pk]
    return sorted(Passage.objects.filter(pk__in=first).values_list("pid", flat=True))


def test_the_canonical_passage_is_judged_for_its_class(fair, file):
    assert pids_of(fair) == ["q0-a", "q0-b", "q0-c"]

    import_clusters(fair.collection, file)

    assert pids_of(fair) == ["q0-b", "q0-c"]


def test_a_file_can_name_passages_that_only_runs_or_passage_files_have(tmp_path, db):
    collection = make_collection("lake", ["q1"])
    path = tmp_path / "clusters.txt"
    path.write_text("a a\na b\n")
    with pytest.raises(ClustersRefused, match="None of the file's 2 passages is in lake"):
        import_clusters(collection, path)

    make_run(collection, "boat", {"q1": ["b", "c"]})
    assert import_clusters(collection, path).parameters["in_collection"] == 0
    remove_clusters(collection)
    Passage.objects.all().delete()
    collection.runs.all().delete()
    source = tmp_path / "passages.tsv"
    source.write_text("a\tthe text\n")
    add_sources(collection=collection, paths=[source])
    assert import_clusters(collection, path).classes == 1


def test_classes_stay_once_pairs_were_requested(fair, file):
    import_clusters(fair.collection, file)
    request_pairs(fair.draft(), pairs_of(fair.pool), judgments=1, round=0)

    with pytest.raises(CampaignRefused, match="depend on the classes"):
        remove_clusters(fair.collection)
    with pytest.raises(CampaignRefused):
        cluster_texts(fair.collection, Likeness())
    with pytest.raises(CampaignRefused):
        refuse_judged(fair.collection)
    assert ClusterSet.objects.count() == 1


def test_the_command_finds_and_removes(fair, file, capsys):
    def run(*arguments):
        call_command("cluster_passages", fair.collection.name, *arguments, "--json")
        return json.loads(capsys.readouterr().out)

    Passage.objects.filter(pid__in=["q1-a", "q1-b"]).update(text="one and the same long text of a passage")

    made = run("--threshold", "0.9", "--shingle", "2")
    assert (made["classes"], made["members"]) == (1, 2)
    assert (made["parameters"]["threshold"], made["parameters"]["shingle"]) == (0.9, 2)
    assert run("--remove")["removed"]
    assert run("--from", str(file))["method"] == "file"
    assert pids_of(fair) == ["q0-b", "q0-c"]
