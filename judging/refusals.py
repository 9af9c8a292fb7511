"""Pure: why somebody is refused a task, what it means for pay, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RefusalPage:
    """The words of one refusal page, and its HTTP status."""

    title: str
    meaning: str
    pay: str
    next_step: str
    status: int = 403


_RETURN = "Please return this task on the crowd's site, so that it is offered to somebody else."
_NOTHING = "Nothing was done on this task, so nothing is paid for it. Earlier tasks are paid as promised."

REFUSALS: dict[str, RefusalPage] = {
    "excluded": RefusalPage(
        "No further tasks for you here",
        "One of the check pairs in an earlier task was answered wrongly. Check pairs have an answer that is plain to "
        "anyone who reads both passages. To be fair to everybody, one is enough.",
        "What you sent off is paid like everybody's work.",
        "If you think this is a mistake, write to the requester through the crowd's site. " + _RETURN,
    ),
    "excluded-elsewhere": RefusalPage(
        "No tasks for you here",
        "In an earlier campaign of this requester a check pair was answered wrongly.",
        _NOTHING,
        "If you think this is a mistake, write to the requester through the crowd's site. " + _RETURN,
    ),
    "withdrawn": RefusalPage(
        "You took your choices back",
        "At your wish nothing you chose in this campaign is used, so no further task of it is handed out to you.",
        "What you sent off is paid like everybody's work.",
        _RETURN,
    ),
    "enough-tasks": RefusalPage(
        "You have done all tasks we can offer you",
        "Nobody is asked the same thing twice, so there is a limit for each person. Thank you for your work.",
        "Everything you sent off is paid.",
        _RETURN,
    ),
    "no-task": RefusalPage(
        "No task is left for you at the moment",
        "What is still to be judged you have seen already, or others are working on it.",
        _NOTHING,
        "Please return this task. New ones may be offered later.",
    ),
    "paused": RefusalPage(
        "This campaign is paused",
        "No new task is handed out for now.",
        _NOTHING,
        "Please return this task and look again later.",
    ),
    "closed": RefusalPage(
        "This campaign has ended", "No task is handed out any more.", _NOTHING, _RETURN, 410
    ),
    "not-open": RefusalPage("This campaign is not open", "No task is handed out yet.", _NOTHING, _RETURN),
    "simulated-only": RefusalPage(
        "This is a rehearsal",
        "Only simulated workers judge it, to try out what is offered to people later.",
        _NOTHING,
        _RETURN,
    ),
    "unknown-link": RefusalPage(
        "This page's address is not complete",
        "The address was cut, changed or made for something else.",
        "Nothing is lost: what you chose before is saved.",
        "Go back to the crowd's site and open the task again.",
        404,
    ),
    "returned": RefusalPage(
        "This task was returned",
        "You gave it back, or it went to somebody else.",
        _NOTHING,
        "Take another task on the crowd's site.",
        410,
    ),
    "lapsed": RefusalPage(
        "The time for this task is over",
        "It was not sent off in time and is offered to somebody else.",
        "If the crowd's site still lets you submit it, it is paid.",
        "Take another task on the crowd's site.",
        410,
    ),
    "finished": RefusalPage(
        "This task is sent off",
        "Choices can no longer be changed.",
        "It is paid once the crowd's site has it.",
        "Reload this page to send it to the crowd's site again.",
        409,
    ),
    "already-done": RefusalPage(
        "This task is done",
        "The crowd's site has it. Thank you.",
        "It is paid as promised.",
        "Take another task on the crowd's site.",
        410,
    ),
    "trial-over": RefusalPage(
        "This trial link works no more",
        "It was made for a limited time and a limited number of trials.",
        "Trials are not paid.",
        "Ask whoever sent you the link for a new one.",
        410,
    ),
    "garbled": RefusalPage(
        "That could not be read",
        "The choice that arrived here names no pair of this page.",
        "What was saved before is kept.",
        "Reload the page and choose again.",
        400,
    ),
}
