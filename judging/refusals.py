"""Pure: why somebody is refused a task, what it means for pay, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from judging.wording import gettext_noop as _


@dataclass(frozen=True)
class RefusalPage:
    """The words of one refusal page, and its HTTP status."""

    title: str
    meaning: str
    pay: str
    next_step: str
    status: int = 403
    #: Whether the worker can object to it, in a few words, on the page itself.
    appeal: bool = False
    #: After so many seconds the page asks again by itself; 0: it stays. Its words say so.
    reload_seconds: int = 0

    def said(self, gettext: Callable[[str], str]) -> RefusalPage:
        """The page in another language."""
        return replace(
            self,
            title=gettext(self.title),
            meaning=gettext(self.meaning),
            pay=gettext(self.pay),
            next_step=gettext(self.next_step),
        )


_RETURN = _("Please return this task on the crowd's site, so that it is offered to somebody else.")
_OBJECT = _(
    "If you think this is a mistake, say so below: a person looks at it. "
    "Please return this task on the crowd's site, so that it is offered to somebody else."
)
#: Pay and next step of whoever is refused while a task of theirs is open: to return it would cost its pay.
OPEN_TASK = (
    _("You have a task open. You can still send off what you judged of it; the next page says what it pays."),
    _(
        "Send off what you judged of the open task. Please do not return it: a task that is returned, or not sent "
        "off in time, pays nothing."
    ),
)
_NOTHING = _("Nothing was done on this task, so nothing is paid for it. Earlier tasks are paid as promised.")

#: An exclusion's rule → why, where it is not that one check pair was missed.
MEANINGS = {
    "rate": _(
        "More check pairs in your tasks were answered wrongly than careful people miss by a slip. Check pairs have "
        "an answer that is plain to anyone who reads both passages."
    ),
    "person": _("The requester decided so after looking at your work."),
    "unseen": _(
        "More than once, work was sent off under your worker id without passing through our page. The requester "
        "looks at that work before it is paid."
    ),
}
#: The same of an exclusion in another campaign, where it is not that a check pair was missed.
MEANINGS_ELSEWHERE = {
    "person": _("In an earlier campaign the requester decided so after looking at your work."),
    "unseen": _(
        "In an earlier campaign of this requester, work was sent off under your worker id without passing through "
        "our page."
    ),
}

REFUSALS: dict[str, RefusalPage] = {
    "excluded": RefusalPage(
        _("No further tasks for you here"),
        _(
            "One of the check pairs in an earlier task was answered wrongly. Check pairs have an answer that is "
            "plain to anyone who reads both passages. To be fair to everybody, one is enough."
        ),
        _("What you sent off is paid like everybody's work."),
        _OBJECT,
        appeal=True,
    ),
    "excluded-elsewhere": RefusalPage(
        _("No tasks for you here"),
        _("In an earlier campaign of this requester a check pair was answered wrongly."),
        _NOTHING,
        _OBJECT,
        appeal=True,
    ),
    "withdrawn": RefusalPage(
        _("You took your choices back"),
        _(
            "At your wish nothing you chose in this campaign is used, so no further task of it is handed out to you."
        ),
        _("What you sent off is paid like everybody's work."),
        _RETURN,
    ),
    "enough-tasks": RefusalPage(
        _("You have done all tasks we can offer you"),
        _(
            "Nobody is asked the same thing twice, so there is a limit for each person. Thank you for your work."
        ),
        _("Everything you sent off is paid."),
        _RETURN,
    ),
    "no-task": RefusalPage(
        _("No task is left for you at the moment"),
        _("What is still to be judged you have seen already, or others are working on it."),
        _NOTHING,
        _("Please return this task. New ones may be offered later."),
    ),
    "paused": RefusalPage(
        _("This campaign is paused"),
        _("No new task is handed out for now."),
        _NOTHING,
        _("Please return this task and look again later."),
    ),
    "closed": RefusalPage(
        _("This campaign has ended"), _("No task is handed out any more."), _NOTHING, _RETURN, 410
    ),
    "not-open": RefusalPage(
        _("This campaign is not open"), _("No task is handed out yet."), _NOTHING, _RETURN
    ),
    "simulated-only": RefusalPage(
        _("This is a rehearsal"),
        _("Only simulated workers judge it, to try out what is offered to people later."),
        _NOTHING,
        _RETURN,
    ),
    "unknown-link": RefusalPage(
        _("This page's address is not complete"),
        _("The address was cut, changed or made for something else."),
        _("Nothing is lost: what you chose before is saved."),
        _("Go back to the crowd's site and open the task again."),
        404,
    ),
    "not-ready": RefusalPage(
        _("This task is not ready yet"),
        _("It was offered a moment ago, and this page has not heard of it from the crowd's site."),
        _("Nothing is lost: the task stays yours."),
        _("Wait: this page reloads by itself every 20 seconds."),
        503,
        reload_seconds=20,
    ),
    "returned": RefusalPage(
        _("This task was returned"),
        _("You gave it back, or it went to somebody else."),
        _NOTHING,
        _("Take another task on the crowd's site."),
        410,
    ),
    "lapsed": RefusalPage(
        _("The time for this task is over"),
        _("It was not sent off in time and is offered to somebody else."),
        _("If the crowd's site still lets you submit it, it is paid."),
        _("Take another task on the crowd's site."),
        410,
    ),
    "finished": RefusalPage(
        _("This task is sent off"),
        _("Choices can no longer be changed."),
        _("It is paid once the crowd's site has it."),
        _("Reload this page to send it to the crowd's site again."),
        409,
    ),
    "already-done": RefusalPage(
        _("This task is done"),
        _("The crowd's site has it. Thank you."),
        _("It is paid as promised."),
        _("Take another task on the crowd's site."),
        410,
    ),
    "trial-over": RefusalPage(
        _("This trial link works no more"),
        _("It was made for a limited time and a limited number of trials."),
        _("Trials are not paid."),
        _("Ask whoever sent you the link for a new one."),
        410,
    ),
    "enough-said": RefusalPage(
        _("Several objections wait already"),
        _(
            "So many were made under this worker id that no more are taken before the requester has read them."
        ),
        _("What you sent off is paid like everybody's work."),
        _("Wait for the requester's answer, or write to the requester."),
        409,
    ),
    "no-consent": RefusalPage(
        _("You have not agreed to this task yet"),
        _("Nothing is recorded before you have read what the task is and agreed to it."),
        _NOTHING,
        _("Reload the page, read it, and begin."),
        409,
    ),
    "too-soon": RefusalPage(
        _("That was too quick to have read both passages"),
        _("A pair can be answered when it was on screen for a few seconds."),
        _("Reading slowly costs you nothing."),
        _("Go back, read both passages, and choose."),
        409,
    ),
    "garbled": RefusalPage(
        _("That could not be read"),
        _("The choice that arrived here names no pair of this page."),
        _("What was saved before is kept."),
        _("Reload the page and choose again."),
        400,
    ),
    "too-large": RefusalPage(
        _("That was too much at once"),
        _("What arrived here is longer than any answer and comment."),
        _("What you chose before is saved."),
        _("Go back, shorten your comment, and send it again."),
        413,
    ),
    "too-fast": RefusalPage(
        _("Too many requests"),
        _("This page was asked for more often than one person can."),
        _("What you chose before is saved."),
        _("Wait ten seconds, then reload the page."),
        429,
    ),
    "crowded": RefusalPage(
        _("Too many tasks were opened from your network"),
        _(
            "In the last ten minutes more people opened tasks over your internet connection than we take at once."
        ),
        _NOTHING,
        _("Wait: this page tries again by itself every minute."),
        429,
        reload_seconds=60,
    ),
    "our-fault": RefusalPage(
        _("Something went wrong on our side"),
        _("The page could not be made. The fault is recorded."),
        _("What you chose before is saved."),
        _(
            "Reload the page in a moment. If it stays like this, write to the requester through the crowd's site."
        ),
        500,
    ),
}
