"""The state of campaigns, as read by Prometheus."""

from tests.config.reading import numbers


def test_a_campaign_shows_its_work_and_money(client, fair):
    campaign = fair.opened()
    before = numbers(client.get("/metrics").content.decode())
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A2", pass_gold=False)
    fair.collect(campaign)

    shown = numbers(client.get("/metrics").content.decode())

    of = ("campaign", campaign.name)
    assert shown["preferee_tasks", of, ("state", "done")] == 1
    assert shown["preferee_tasks", of, ("state", "waiting")] == 3
    assert shown["preferee_exclusions", of, ("rule", "reference")] == 1
    assert (
        sum(
            value
            for key, value in shown.items()
            if key[0] == "preferee_submissions" and key[3] == ("state", "submitted")
        )
        == 2
    )
    assert (
        shown["preferee_dollars", of, ("what", "spent")] > before["preferee_dollars", of, ("what", "spent")]
    )
    grown = {
        key[0]: value - before.get(key, 0)
        for key, value in shown.items()
        if key
        in {("preferee_choices_total", ("result", "kept")), ("preferee_leases_total", ("result", "taken"))}
    }
    assert grown == {"preferee_choices_total": 10, "preferee_leases_total": 2}
