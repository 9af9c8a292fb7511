"""Render the actions and options of a text for pages (links, buttons, fields) and the API (calls).

Terminals use :mod:`config.guidance`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from accounts.roles import Role, permits, who_can
from config.guidance import Action, Option, Part, TerminalOnly, restored
from judging.campaign.setting_names import SETTING_NAMES
from pooling.rules.run_details import BY_NAME as RUN_DETAILS

#: Command → its name on pages, the page's route, the kind of object that the page is about, and the permission that
#: opens the page (empty: everybody who sees the object).
PAGES: dict[str, tuple[str, str, str, str]] = {
    "accept_gold": ("accept gold pairs", "web:prepare_gold", "campaign", "prepare campaign"),
    "archive_campaign": ("restore it", "web:campaign_step restore", "campaign", "steer campaign"),
    "ask_better_than_perfect": (
        "create a campaign that asks whether a run is better than perfect",
        "web:asking_plan",
        "collection",
        "see everything",
    ),
    "import_run_metadata": ("describe runs with a table", "web:run_metadata", "collection", "edit run"),
    "ask_again": ("ask the crowd again", "web:campaign", "campaign", ""),
    "build_pool": ("plan a pool", "web:pool_plan", "collection", "see everything"),
    "campaign_status": ("its page", "web:campaign", "campaign", ""),
    "challenge": (
        "challenge the best answers with the new runs",
        "web:challenge",
        "campaign",
        "plan challenge",
    ),
    "close_campaign": ("close it", "web:campaign_step close", "campaign", "steer campaign"),
    "cluster_passages": (
        "the page of near-duplicates",
        "web:near_duplicates",
        "collection",
        "see everything",
    ),
    "collect": ("ask the crowd again", "web:campaign", "campaign", ""),
    "compare": ("use the collection's analyses", "web:analyses", "collection", ""),
    "create_campaign": ("create a campaign", "web:new_campaign", "collection", "prepare campaign"),
    "create_grading": ("create a graded campaign", "web:graded_campaigns", "collection", "see everything"),
    "end_grading": ("reopen the judging", "web:graded_campaigns", "collection", "see everything"),
    "grading_status": (
        "see the graded campaign's topics",
        "web:graded_campaigns",
        "collection",
        "see everything",
    ),
    "publish_grades": (
        "create labels from the graded campaign",
        "web:graded_campaigns",
        "collection",
        "see everything",
    ),
    "export_judgments": ("download the judgments", "web:campaign_judgments", "campaign", "export judgments"),
    "fetch_passages": ("add passage files", "web:add_files", "collection", "add files"),
    "held_payments": ("decide about held payments", "web:campaign_payments", "campaign", "spend money"),
    "import_collection": ("create a collection", "web:create_collection", "", ""),
    "import_gold": ("add your own gold pairs", "web:prepare_gold", "campaign", "prepare campaign"),
    "import_qrels": ("add labels", "web:add_files", "collection", "add files"),
    "import_runs": ("upload runs", "web:send_runs", "collection", "submit run"),
    "launch_campaign": ("launch it", "web:prepare_launch", "campaign", "prepare campaign"),
    "pay_receipt": ("pay by receipt", "web:campaign_payments", "campaign", "spend money"),
    "pause_campaign": ("pause it", "web:campaign_step pause", "campaign", "steer campaign"),
    "pilot_campaign": ("pilot it", "web:prepare_pilot", "campaign", "prepare campaign"),
    "propose_gold": ("propose gold pairs", "web:prepare_gold", "campaign", "prepare campaign"),
    "publish_qrels": ("publish the next version", "web:publish", "campaign", "see everything"),
    "raise_budget": ("change the budget", "web:campaign_budget", "campaign", "spend money"),
    "reconcile": ("look at the differences", "web:campaign_differences", "campaign", "see everything"),
    "rehearse_campaign": ("rehearse it", "web:prepare_rehearsal", "campaign", "prepare campaign"),
    "reports": ("reports and appeals", "web:campaign_reports", "campaign", "see everything"),
    "resolve": ("check the status of its queries", "web:publish", "campaign", "see everything"),
    "resume_campaign": ("resume it", "web:campaign_step resume", "campaign", "steer campaign"),
    "settle_payment": ("settle it another way", "web:campaign_payments", "campaign", "spend money"),
    "set_policy": ("set the submission policy", "web:policy", "collection", ""),
    "split_queries": ("make some queries private", "web:split", "collection", "see everything"),
    "spending_grants": ("see your spending grants", "web:spending", "", ""),
    "suspend_gold": ("look at the gold pairs", "web:campaign_gold", "campaign", "see everything"),
    "set_texts": ("accept the texts", "web:prepare_texts", "campaign", "prepare campaign"),
}
#: A function that says whether a reader has a permission in an object, given its kind (as in PAGES), its name and the
#: permission, such as ``web.common.access.Reader.may_open``.
MayOpen = Callable[[str, str, str], bool]
#: Command → its API call, and the permission that the call requires (empty: everybody who sees the object). A command
#: without a call is replaced by its page.
CALLS = {
    "accept_gold": ("POST /campaigns/{name}/gold", "prepare campaign"),
    "archive_campaign": ("POST /campaigns/{name}/restore", "steer campaign"),
    "ask_better_than_perfect": ("POST /collections/{name}/better-than-perfect", "prepare campaign"),
    "build_pool": ("POST /collections/{name}/pools", "prepare campaign"),
    "campaign_status": ("GET /campaigns/{name}/status", "see everything"),
    "challenge": ("POST /campaigns/{name}/challenges", "open challenge"),
    "close_campaign": ("POST /campaigns/{name}/close", "steer campaign"),
    "cluster_passages": ("POST /collections/{name}/near-duplicates", "add files"),
    "create_campaign": ("POST /collections/{name}/campaigns", "prepare campaign"),
    "create_grading": ("POST /collections/{name}/grading", "run grading"),
    "end_grading": ("POST /collections/{name}/grading/{{graded}}/reopen", "run grading"),
    "export_judgments": ("GET /campaigns/{name}/judgments", "export judgments"),
    "fetch_passages": ("POST /collections/{name}/files", "add files"),
    "held_payments": ("GET /campaigns/{name}/held-payments", "spend money"),
    "import_collection": ("POST /collections", ""),
    "import_gold": ("POST /campaigns/{name}/gold/file", "prepare campaign"),
    "import_qrels": ("POST /collections/{name}/files", "add files"),
    "import_run_metadata": ("POST /collections/{name}/run-metadata", "edit run"),
    "import_runs": ("POST /collections/{name}/runs", "submit run"),
    "launch_campaign": ("POST /campaigns/{name}/launch", "launch campaign"),
    "pay_receipt": ("GET /campaigns/{name}/missing-work", "spend money"),
    "pause_campaign": ("POST /campaigns/{name}/pause", "steer campaign"),
    "pilot_campaign": ("POST /campaigns/{name}/pilot", "launch campaign"),
    "propose_gold": ("POST /campaigns/{name}/gold/propose", "prepare campaign"),
    "publish_grades": ("POST /collections/{name}/grading/{{graded}}/labels", "add files"),
    "publish_qrels": ("POST /campaigns/{name}/publishing", "publish version"),
    "raise_budget": ("POST /campaigns/{name}/budget", "spend money"),
    "rehearse_campaign": ("POST /campaigns/{name}/rehearse", "prepare campaign"),
    "reports": ("GET /campaigns/{name}/reports", "see everything"),
    "resume_campaign": ("POST /campaigns/{name}/resume", "steer campaign"),
    "set_policy": ("PUT /collections/{name}/policy", "set policy"),
    "set_texts": ("PUT /campaigns/{name}/texts", "prepare campaign"),
    "spending_grants": ("GET /spending", ""),
    "split_queries": ("POST /collections/{name}/query-split", "split queries"),
    "suspend_gold": ("POST /campaigns/{name}/gold/{{key}}/suspend", "judge workers"),
}
#: Stands for the name of a collection that does not exist yet.
NEW_COLLECTION = "(new)"
#: Command → its wording for such a collection.
ON_NEW_COLLECTION = {
    "fetch_passages": "choose it as Queries or Passages",
    "import_qrels": "choose it as Qrels",
    "import_runs": "create the collection without it, then upload runs",
}
#: Option → its field in the API and its label on pages, if they differ from the option's name.
OPTIONS: dict[str, tuple[str, str]] = (
    {name.replace("_", "-"): (name, label) for name, label in SETTING_NAMES.items()}
    | {
        "accept-weak-screening": ("accept_weak_screening", "Launch with weak screening"),
        "allow-open": ("allow_open", "Also publish the best answers so far"),
        "before": ("before", "Separator"),
        "count": ("counts", "Its judgments count"),
        "date": ("submitted_on", "Date of the submission"),
        "incomplete": ("incomplete", "Leave out passages with withdrawn grades"),
        "late": ("late", "Withdraw although the deadline has passed"),
        "min-grade": ("min_grade", "Documents are relevant from grade"),
        "pool": ("name", "Name"),
        "released": ("released", "Audience"),
        "set": ("set", "Name of the labels"),
        "small-pools": (
            "small_pools",
            "Accept small pools, although the rules discard their topics early",
        ),
        "skip-unknown": ("skip_unknown", "Leave out lines of unknown queries"),
        "tag": ("run_tag", "run tag"),
        "task-minutes": ("assignment_seconds", SETTING_NAMES["assignment_seconds"]),
    }
    | {name.replace("_", "-"): (name, detail.label) for name, detail in RUN_DETAILS.items()}
)

#: Option that sets one of several fields, named in its value → the API object that contains these fields.
FIELDS_WITH_NAMES = {"rule": "rules"}


def guidance_html(text: Any, *, collection: str = "", may_open: MayOpen | None = None) -> SafeString:
    """Return ``text`` as HTML, with each action as a link to its page, and each option as the name of its field.

    ``collection`` is the collection for actions that name none. An action without a page is shown as a command for
    the terminal. If the reader cannot open an action's page (``may_open``; None means that they can), the roles that
    can open it are named instead of a link.
    """
    if isinstance(text, SafeString):
        return text
    told, shown = "", ""
    for part in restored(str(text)).parts:
        plain, html = _on_page(part, collection, starts=_starts_sentence(told), may_open=may_open)
        told, shown = told + plain, shown + html
    return mark_safe(shown)  # noqa: S308 -- _on_page escapes


def guidance_text(text: Any, *, collection: str = "") -> str:
    """Return the text without links, for responses that are not pages: each action is the name of its page."""
    return _joined_parts(text, lambda part, starts: _on_page(part, collection, starts=starts)[0])


def guidance_for_programs(text: Any, may_call: MayOpen | None = None) -> str:
    """Return the text for programs: each action is followed by its API call, or else its page's address.

    An action that the caller cannot do (``may_call``; None means that they can) is followed by the roles that can.
    """
    return _joined_parts(text, lambda part, starts: _over_http(part, starts, may_call))


def _joined_parts(text: Any, say: Callable[[Part, bool], str]) -> str:
    told = ""
    for part in restored(str(text)).parts:
        told += say(part, _starts_sentence(told))
    return told


def _starts_sentence(told: str) -> bool:
    return not told.strip() or told.rstrip().endswith((".", "?"))


def _on_page(
    part: Part, collection: str, *, starts: bool, may_open: MayOpen | None = None
) -> tuple[str, str]:
    match part:
        case TerminalOnly():
            return "", ""
        case Option(option):
            field = f"“{part.label or OPTIONS.get(option, (option, option.replace('-', ' ')))[1]}”"
            return field, str(conditional_escape(field))
        case Action():
            return _action_on_page(part, collection, starts=starts, may_open=may_open)
    return str(part), str(conditional_escape(part))


def _action_on_page(
    action: Action, collection: str, *, starts: bool, may_open: MayOpen | None
) -> tuple[str, str]:
    if action.command not in PAGES:
        plain = f"{action} (in the terminal)"
        return plain, format_html("{}<code>{}</code> (in the terminal)", action.led, action.typed)
    words, address = _page_of_action(action, collection, starts=starts)
    of, needed = PAGES[action.command][2:]
    if address and needed and may_open and not may_open(of, _action_object(action, collection), needed):
        words, address = f"{words} (only {who_can(needed)} can)", ""
    return words, format_html('<a href="{}">{}</a>', address, words) if address else words


def _over_http(part: Part, starts: bool, may_call: MayOpen | None) -> str:
    if isinstance(part, Option):
        name = part.name or part.option.replace("-", "_")
        if part.option in FIELDS_WITH_NAMES:
            return f"“{FIELDS_WITH_NAMES[part.option]}.{part.name}”"
        if part.name or name in RUN_DETAILS:
            return f"“{name}” (detail={name}=…)"
        return f"“{OPTIONS.get(part.option, (name, ''))[0]}”"
    if not isinstance(part, Action) or part.command not in PAGES:
        return _on_page(part, "", starts=starts)[0]
    words, address = _page_of_action(part, "", starts=starts)
    of, needed = PAGES[part.command][2:]
    if call := _call_of_action(part):
        address, needed = call, CALLS[part.command][1]
    if address and needed and may_call and not may_call(of, part.subject, needed):
        address = f"only {who_can(needed)} can"
    return f"{words} ({address})" if address else words


def _action_object(action: Action, collection: str) -> str:
    """Return the name of the campaign or collection that the action is about; empty if unknown."""
    return action.subject or (collection if PAGES[action.command][2] == "collection" else "")


def _page_of_action(action: Action, collection: str, *, starts: bool) -> tuple[str, str]:
    """Return the name and address of the action's page; no address if the campaign or collection is unknown."""
    words, route, of, _ = PAGES[action.command]
    if collection == NEW_COLLECTION:
        words = ON_NEW_COLLECTION.get(action.command, words)
    if starts:
        words = words[0].upper() + words[1:]
    route, *step = route.split()
    try:
        return words, reverse(route, args=[*([_action_object(action, collection)] if of else []), *step])
    except NoReverseMatch:
        return words, ""


def _call_of_action(action: Action) -> str:
    """Return the action's API call; empty if there is none, or if its object is unknown."""
    call, name = CALLS.get(action.command, ("", ""))[0], action.subject
    if not call or ("{name}" in call and not name):
        return ""
    method, address = call.format(name=name).split()
    return f"{method} /api/v1{address}"


@dataclass(frozen=True)
class Direction:
    """The next step, in a sentence, and the page where it is done."""

    words: str
    link: str = ""
    link_words: str = ""
    needed: str = "see everything"
    """The permission that the page requires."""
    is_step: bool = True
    """Whether there is something to do; otherwise the words only describe the current state."""

    def for_role(self, role: Role | None) -> Direction:
        """Return the next step for this role. If the role cannot take it, name the roles that can.

        The link is then left out.
        """
        if not self.link or permits(role, self.needed):
            return self
        can = who_can(self.needed)
        return Direction(f"{self.words} Only {can} of the collection can do this.")
