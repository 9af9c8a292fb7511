"""Resolving a campaign."""

import pytest
from django.core.exceptions import ObjectDoesNotExist

from judging.models import Worker
from pooling.models import Passage
from tournament import services
from tournament.models import QueryResult, Resolution


def result(town, qid, campaign=None):
    found = QueryResult.objects.get(campaign=campaign or town.campaign, query__qid=qid)
    best = Passage.objects.filter(pk__in=found.best_answer_ids).values_list("pid", flat=True)
    return found, sorted(best)


def test_counts_of_closed_open_and_singletons_add_up(judged_town):
    summary = services.resolve(campaign=judged_town.campaign)

    assert (summary["closed"], summary["open"], summary["singletons"]) == (2, 2, 1)
    assert summary["queries"] == 5
    assert (summary["tied"], summary["cycles"], summary["best_answers"]) == (1, 1, 5)
    assert summary["missing_pairs"] == 3


def test_each_result_says_who_is_best_and_why(judged_town):
    services.resolve(campaign=judged_town.campaign)

    won, best = result(judged_town, "q1")
    assert best == ["a"]
    assert won.wins[str(won.best_answer_ids[0])] == 2
    assert won.reason == "a has the most wins: 2 wins."
    cycle, best = result(judged_town, "q2")
    assert best == ["b", "c", "d"]
    assert cycle.cycle
    assert "cycle" in cycle.reason
    assert result(judged_town, "q3")[0].status == "singleton"
    assert result(judged_town, "q4")[1] == []


def test_an_open_query_names_its_missing_pairs(judged_town):
    services.resolve(campaign=judged_town.campaign)

    still_open, best = result(judged_town, "q5")
    keys = [judged_town.passage(pid).pk for pid in ("a", "b", "c")]
    assert still_open.status == "open"
    assert best == ["a"]
    assert still_open.missing_pairs == [[keys[0], keys[2]], [keys[1], keys[2]]]


def test_resolving_again_replaces_the_results(judged_town):
    services.resolve(campaign=judged_town.campaign)
    judged_town.judge("q5", "c", "a", "a")

    summary = services.resolve(campaign=judged_town.campaign)

    assert summary["closed"] == 3  # nobody can catch a anymore, though b and c never met
    assert QueryResult.objects.filter(campaign=judged_town.campaign).count() == 5


def test_judgments_of_excluded_workers_do_not_count(town):
    town.pooled("q1", "a", "b")
    honest, careless = Worker.objects.create(), Worker.objects.create()
    town.judge("q1", "a", "b", "a", worker=honest)
    for _ in range(2):
        town.judge("q1", "a", "b", "b", worker=careless)

    services.resolve(campaign=town.campaign)
    assert result(town, "q1")[1] == ["b"]
    town.exclude(careless)
    services.resolve(campaign=town.campaign)

    assert result(town, "q1")[1] == ["a"]


def test_passages_with_the_same_text_are_one_class(town):
    town.passage("a", "same")
    town.passage("twin", "same")
    town.pooled("q1", "a", "twin", "b")
    town.judge("q1", "b", "a", "a")

    summary = services.resolve(campaign=town.campaign)

    assert summary["closed"] == 1
    assert result(town, "q1")[1] == ["a"]


def test_a_pool_of_one_class_is_a_singleton(town):
    town.passage("a", "same")
    town.passage("twin", "same")
    town.pooled("q1", "a", "twin")

    assert services.resolve(campaign=town.campaign)["singletons"] == 1


def test_a_campaign_without_pool_compares_the_passages_judged(town):
    imported = town.new_campaign("imported")
    town.ladder("q1", "c", "b", "a", campaign=imported)
    town.judge("q2", "a", "b", None, campaign=imported)

    summary = services.resolve(campaign=imported)

    assert (summary["queries"], summary["closed"], summary["tied"], summary["cycles"]) == (2, 2, 1, 0)
    assert result(town, "q1", imported)[1] == ["c"]


def test_a_pair_needs_as_many_judgments_as_the_campaign_sets(town):
    town.campaign.judgments_per_pair = 2
    town.campaign.save()
    town.pooled("q1", "a", "b")
    town.judge("q1", "a", "b", "a")

    assert services.resolve(campaign=town.campaign)["open"] == 1
    town.judge("q1", "a", "b", "a")
    assert services.resolve(campaign=town.campaign)["closed"] == 1


def test_the_parameters_of_resolving_are_stored(judged_town):
    services.resolve(campaign=judged_town.campaign, ties="keep", count="majority")

    kept = Resolution.objects.get(campaign=judged_town.campaign)
    assert (kept.ties, kept.count) == ("keep", "majority")
    assert kept.summary["queries"] == 5


def test_an_unknown_rule_changes_nothing(judged_town):
    with pytest.raises(ValueError):
        services.resolve(campaign=judged_town.campaign, ties="coin")

    with pytest.raises(ObjectDoesNotExist):
        Resolution.objects.get(campaign=judged_town.campaign)


def test_shares_and_majority_can_differ(town):
    town.pooled("q1", "a", "b", "c")
    for preferred in ("a", "a", "b"):
        town.judge("q1", "a", "b", preferred)
    for preferred in ("a", "a", "c"):
        town.judge("q1", "a", "c", preferred)
    for preferred in ("b", "b", "b"):
        town.judge("q1", "b", "c", preferred)

    services.resolve(campaign=town.campaign)
    by_shares = dict(result(town, "q1")[0].wins)
    services.resolve(campaign=town.campaign, count="majority")
    by_majority = dict(result(town, "q1")[0].wins)

    assert sorted(by_shares.values()) == pytest.approx([1 / 3, 4 / 3, 4 / 3])
    assert sorted(by_majority.values()) == [0, 1, 2]
