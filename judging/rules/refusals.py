"""The texts of the pages that refuse something to a worker: the reason, its effect on pay, and the next step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from judging.rules.worker_sentences import gettext_noop as _


@dataclass(frozen=True)
class RefusalPage:
    """The texts of one refusal page, and its HTTP status."""

    title: str
    meaning: str
    pay: str
    next_step: str
    status: int = 403
    #: Whether the worker can appeal on the page itself.
    appeal: bool = False
    #: Seconds after which the page reloads by itself, as its text announces; 0 if it never does.
    reload_seconds: int = 0

    def said(self, gettext: Callable[[str], str]) -> RefusalPage:
        """Return the page with its texts translated by ``gettext``."""
        return replace(
            self,
            title=gettext(self.title),
            meaning=gettext(self.meaning),
            pay=gettext(self.pay),
            next_step=gettext(self.next_step),
        )


_RETURN = _("Please return this task on the site where you took it, so that it is offered to somebody else.")
#: The texts on pay and next step for a refused worker who still has an open task and would lose its pay by returning
#: it.
OPEN_TASK = (
    _("You have an open task. You can still submit what you have judged; the next page says what it pays."),
    _(
        "Submit what you have judged in your open task. Please do not return it: a returned task pays nothing."
    ),
)
#: This is also true if a person decides about pay, because the worker was told so when submitting.
_PAID = _("You are paid for submitted work as promised.")
_NOTHING = _("Nothing was submitted for this task, so it is not paid. Earlier tasks are paid as promised.")

#: Maps the rule behind an exclusion to its explanation. The page's own text explains the rule ``reference``.
MEANINGS = {
    "two-strikes": _(
        "Two check pairs in your tasks were answered wrongly. One miss can be a slip, so only the second one "
        "excludes. Check pairs have an answer that is plain to anyone who reads both passages."
    ),
    "rate": _(
        "More check pairs in your tasks were answered wrongly than careful people miss by a slip. Check pairs have "
        "an answer that is plain to anyone who reads both passages."
    ),
    "person": _("The requester decided this after looking at your work."),
    "unseen": _(
        "More than once, a task was submitted under your worker id without a pair judged on our page. Such a task is "
        "not paid unless the requester decides otherwise."
    ),
}
#: Maps the rule behind an exclusion in another campaign to its explanation, unless the page's own text explains it.
MEANINGS_ELSEWHERE = {
    "person": _("In an earlier campaign the requester decided this after looking at your work."),
    "unseen": _(
        "In an earlier campaign of this requester, work was submitted under your worker id without passing through "
        "our page."
    ),
}

REFUSALS: dict[str, RefusalPage] = {
    "excluded": RefusalPage(
        _("No further tasks for you here"),
        _(
            "One of the check pairs in an earlier task was answered wrongly. Check pairs have an answer that is "
            "plain to anyone who reads both passages. To be fair to everybody, one wrong answer is enough."
        ),
        _PAID,
        _RETURN,
        appeal=True,
    ),
    "excluded-elsewhere": RefusalPage(
        _("No tasks for you here"),
        _("In an earlier campaign of this requester, two or more check pairs were answered wrongly."),
        _NOTHING,
        _RETURN,
        appeal=True,
    ),
    "unfinished": RefusalPage(
        _("Too many tasks were left unfinished"),
        _(
            "You agreed to several tasks and left each too early for it to be used. Each kept a place from somebody "
            "else, so no further task of this campaign is offered to you for now."
        ),
        _("Work you submitted is paid as usual. A task without a judged pair pays nothing."),
        _RETURN,
        appeal=True,
    ),
    "withdrawn": RefusalPage(
        _("You withdrew your choices"),
        _("As you asked, none of your choices in this campaign are used, so you get no more of its tasks."),
        _PAID,
        _RETURN,
    ),
    "enough-tasks": RefusalPage(
        _("No more tasks for you in this campaign"),
        _("You have reached the limit of {count} tasks in this campaign. Thank you for your work."),
        _PAID,
        _RETURN,
    ),
    "nothing-new": RefusalPage(
        _("No new tasks for you here"),
        _(
            "A task has to be new to the person who judges it, and none is left that would be new to you. "
            "Thank you for your work."
        ),
        _PAID,
        _RETURN,
    ),
    "no-task": RefusalPage(
        _("No task for you right now"),
        _("You have already seen the pairs that are left, or other people are working on them."),
        _NOTHING,
        _("Please return this task. There may be new ones later."),
    ),
    "paused": RefusalPage(
        _("This campaign is paused"),
        _("No new tasks are offered for now."),
        _NOTHING,
        _("Please return this task and check again later."),
    ),
    "closed": RefusalPage(
        _("This campaign has ended"), _("There are no more tasks."), _NOTHING, _RETURN, 410
    ),
    "not-open": RefusalPage(
        _("This campaign is not open"), _("No tasks are offered yet."), _NOTHING, _RETURN
    ),
    "simulated-only": RefusalPage(
        _("This is a rehearsal"),
        _("Only simulated workers judge it, to test the campaign before people do."),
        _NOTHING,
        _RETURN,
    ),
    "unknown-link": RefusalPage(
        _("This address is incomplete"),
        _("The link was cut off or changed, or is meant for another page."),
        _("Nothing is lost. Your choices are saved."),
        _("Go back to the task site and open the task again."),
        404,
    ),
    "not-ready": RefusalPage(
        _("This task is not ready yet"),
        _(
            "The task site has not yet confirmed this task or your earlier work to us, or many people are opening "
            "tasks right now."
        ),
        _("Nothing is lost. The task is still yours."),
        _("Please wait. This page reloads every 20 seconds."),
        503,
        reload_seconds=20,
    ),
    "returned": RefusalPage(
        _("This task was returned"),
        _("You returned it, or it was given to someone else."),
        _NOTHING,
        _("Go back to the task site and take another task."),
        410,
    ),
    "lapsed": RefusalPage(
        _("The time for this task has run out"),
        _("No pair was judged before the time ran out. The task is offered to someone else."),
        _NOTHING,
        _("If the task site still shows this task, return it there and take another one."),
        410,
    ),
    "finished": RefusalPage(
        _("This task has been submitted"),
        _("You can no longer change your choices."),
        _("It is paid once the task site has received it."),
        _("Reload this page to send it to the task site again."),
        409,
    ),
    "already-done": RefusalPage(
        _("This task is finished"),
        _("The task site has received your work. Thank you."),
        _("It is paid as promised."),
        _("Go back to the task site and take another task."),
        410,
    ),
    "trial-over": RefusalPage(
        _("This trial link has expired"),
        _("It worked for a limited time and a limited number of trials."),
        _("Trials are not paid."),
        _("Ask the person who sent it for a new one."),
        410,
    ),
    "enough-said": RefusalPage(
        _("Several objections are already waiting"),
        _("This worker id has sent so many that the requester has to read them first."),
        _PAID,
        _("Wait for the requester's answer, or write to the requester."),
        409,
    ),
    "no-consent": RefusalPage(
        _("You have not agreed to this task yet"),
        _("Nothing is recorded until you have read about the task and agreed."),
        _NOTHING,
        _("Reload the page, read it and agree."),
        409,
    ),
    "too-soon": RefusalPage(
        _("That was too quick to have read both passages"),
        _("You can answer a pair once it has been on screen for a few seconds."),
        _("Reading slowly costs you nothing."),
        _("Go back, read both passages, and choose."),
        409,
    ),
    "garbled": RefusalPage(
        _("We could not read that"),
        _("Your choice did not match any pair on this page."),
        _("Everything saved before is kept."),
        _("Reload the page and choose again."),
        400,
    ),
    "too-large": RefusalPage(
        _("That was too long"),
        _("The form contained more text than answers and a comment can have."),
        _("Your earlier choices are saved."),
        _("Go back, shorten your comment and submit again."),
        413,
    ),
    "too-fast": RefusalPage(
        _("Too many requests"),
        _("This page was loaded more often than one person can load it."),
        _("Your earlier choices are saved."),
        _("Wait ten seconds, then reload the page."),
        429,
    ),
    "crowded": RefusalPage(
        _("Too many tasks were opened from your network"),
        _(
            "In the last ten minutes, more people opened tasks from your internet connection than we can take."
        ),
        _NOTHING,
        _("Please wait. This page tries again every minute."),
        429,
        reload_seconds=60,
    ),
    "our-fault": RefusalPage(
        _("Something went wrong on our side"),
        _("We could not show this page. The error has been recorded."),
        _("Your earlier choices are saved."),
        _(
            "Reload the page in a moment. If that does not help, write to the requester through the task site."
        ),
        500,
    ),
}
#: Refusals after which the worker cannot do anything with the task, so the task site can take it back at once.
TO_RETURN = frozenset(
    {"no-task", "paused", "returned", "lapsed"}
    | {reason for reason, page in REFUSALS.items() if page.next_step == _RETURN}
)
#: Refusals after which a task's page can no longer save choices, so the refusal replaces the page.
OVER = frozenset({"excluded", "returned", "lapsed", "finished", "already-done"})
