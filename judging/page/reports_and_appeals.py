"""Workers' reports of problems with pairs, and appeals against refusals."""

from config.storable_text import storable_text
from judging.models import Appeal, Campaign, PairReport, Slot, Submission, Worker
from judging.page.session import WorkRefused, check_workable
from judging.rules.refusals import REFUSALS

LONGEST_WORDS = 500
LONGEST_APPEAL = 2000
#: The maximum number of open appeals under one worker's id that came from pages whose URL could be forged.
MOST_WAITING = 5


def report_pair(submission: Submission, *, number: int, kind: str, words: str = "") -> PairReport:
    """Record a worker's report of a problem with the pair in slot ``number``; return the report.

    A second report of the same kind replaces the words of the first. A report does not change the pair or the task.
    Raises WorkRefused if the task is over, or the slot or kind is unknown.
    """
    check_workable(submission)
    slot = Slot.objects.filter(submission=submission, number=number).only("pk").first()
    if slot is None or kind not in PairReport.Kind.values:
        raise WorkRefused("garbled")
    report, new = PairReport.objects.get_or_create(
        slot=slot,
        kind=kind,
        defaults={"submission": submission, "words": storable_text(words, LONGEST_WORDS)},
    )
    if not new and words.strip():
        PairReport.objects.filter(pk=report.pk).update(words=storable_text(words, LONGEST_WORDS))
    return report


def make_appeal(campaign: Campaign, worker: Worker, *, refusal: str, words: str, came_by: str = "") -> bool:
    """Record a refused worker's appeal; return False and change nothing if there already is one.

    ``came_by`` tells how the worker reached the page (:class:`judging.models.Appeal`); each value allows one appeal.
    Raises WorkRefused if the refusal cannot be appealed or the text is empty. Also raises it for a ``came_by`` that
    is not empty if the worker already has :data:`MOST_WAITING` such appeals open.
    """
    page = REFUSALS.get(refusal)
    if page is None or not page.appeal or not words.strip():
        raise WorkRefused("garbled")
    if appeal_of(campaign, worker, came_by):
        return False
    waiting = Appeal.objects.filter(campaign=campaign, worker=worker, settled_at=None).exclude(came_by="")
    if came_by and waiting.count() >= MOST_WAITING:
        raise WorkRefused("enough-said")
    said = {"refusal": refusal, "words": storable_text(words, LONGEST_APPEAL)}
    return Appeal.objects.get_or_create(campaign=campaign, worker=worker, came_by=came_by, defaults=said)[1]


def appeal_of(campaign: Campaign, worker: Worker, came_by: str = "") -> Appeal | None:
    """Return the appeal that this worker made in this campaign after arriving by ``came_by``, if any.

    An empty ``came_by`` means the link from the crowd's message, which only the worker has. That link therefore also
    finds the latest confirmed appeal made on another page.
    """
    said = Appeal.objects.filter(campaign=campaign, worker=worker)
    own = said.filter(came_by=came_by).first()
    return own if own or came_by else said.confirmed().order_by("-pk").first()
