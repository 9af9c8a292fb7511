"""A person at the crowd's site, over HTTP."""

import time

from django.db import connection

from judging.models import Campaign, Task
from judging.simulation.browser import Browser

#: Seconds before a person who found no task looks again.
PAUSE = 3


class Person:
    """A person who takes tasks, answers them, and remembers which choices were acknowledged as saved."""

    def __init__(self, site: str, number: int) -> None:
        self.browser = Browser(site)
        self.browser.sign_up(f"person-{number}", "a long enough password 7")
        self.acknowledged = 0

    def work(self, campaign: Campaign, until: float) -> None:
        try:
            while time.monotonic() < until and not all_done(campaign):
                if not self.do_task(campaign):
                    time.sleep(PAUSE)
        finally:
            connection.close()

    def do_task(self, campaign: Campaign) -> bool:
        """Take a task and answer it correctly; return False if none is available."""
        posting = campaign.postings.order_by("-number").first()
        taken = self.browser.take(posting.crowd_key) if posting and posting.crowd_key else None
        if taken is None:
            return False
        page = self.browser.open_task(taken.frame_address)
        if page.refusal:
            self.browser.give_back(taken)
            return False
        for pair in page.pairs:
            good = "left" if "good" in pair.left or "good" not in pair.right else "right"
            self.browser.choose(page, pair.number, good)
            self.acknowledged += 1
        self.browser.send_off(page, {})
        return True


def all_done(campaign: Campaign) -> bool:
    """Return whether every task is done by a submission that counts."""
    return not campaign.tasks.exclude(state=Task.State.DONE).exists()
