"""A worker with a browser, using Django's client."""

from html import unescape
from urllib.parse import urlencode, urlsplit

from django.test import Client

from judging.models import Campaign, Slot, Submission
from tests.judging.cast import good_side
from tests.judging.fake_crowd import FakeCrowd, FakePlace

CROWD_SITE = "https://crowd.example"


class Visitor:
    """A person with a browser without cookies who took a place of the campaign."""

    def __init__(
        self, crowd: FakeCrowd, campaign: Campaign, name: str = "AMARTHA", place: FakePlace | None = None
    ):
        self.campaign, self.crowd = campaign, crowd
        self.client = Client(enforce_csrf_checks=True, headers={"origin": "null"})
        self.taken = crowd.take(name, place)
        self.params = {
            "assignmentId": self.taken.assignment_id,
            "hitId": self.taken.posted.crowd_id,
            "workerId": name,
            "turkSubmitTo": CROWD_SITE,
        }
        self.page = ""

    def arrive(self, **changed):
        """Open the address given by the crowd, and follow it to the worker's own page."""
        address = urlsplit(self.taken.url).path + "?" + urlencode(self.params | changed)
        response = self.client.get(address)
        if response.status_code == 302:
            self.page = response["Location"]
            return self.client.get(self.page)
        return response

    def begin(self):
        """Arrive and consent. Returns the page with the pairs."""
        self.arrive()
        return self.client.post(f"{self.page}consent", follow=True)

    @property
    def submission(self) -> Submission:
        return Submission.objects.get(assignment_id=self.params["assignmentId"])

    def slots(self):
        return Slot.objects.filter(submission=self.submission).select_related("gold_pair").order_by("number")

    def save(self, **fields):
        values = {"slot": "1", "side": "left", "sequence": "0", "seconds": "2.5"} | fields
        return self.client.post(f"{self.page}save", values)

    def choices(self, *, pass_gold: bool = True) -> dict[str, str]:
        """Return the fields of the plain form, with every pair chosen."""
        return {f"choice-{slot.number}": str(good_side(slot, pass_gold)) for slot in self.slots()}

    def finish(self, *, pass_gold: bool = True, **fields):
        return self.client.post(f"{self.page}finish", self.choices(pass_gold=pass_gold) | fields, follow=True)

    def do_task(self, *, pass_gold: bool = True):
        self.begin()
        return self.finish(pass_gold=pass_gold)

    def fail(self) -> None:
        """Do a whole task with every gold pair failed, including the crowd's form."""
        self.do_task(pass_gold=False)
        self.crowd.hand_in(self.taken, {})


def text(response) -> str:
    """Return the page's text."""
    return unescape(response.content.decode())
