"""Where a page's reader goes: the page or button for what our words tell a terminal's reader to type.

What options are called there (``--run-tag``) is said by a form's label on pages and by a field's name over HTTP.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.apps import apps as installed
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.urls import NoReverseMatch, reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from judging.models import Campaign
from tournament.models import Challenge, QrelVersion

#: Command → what a page calls it, the page's route, and what it is a page of.
PAGES: dict[str, tuple[str, str, str]] = {
    "accept_gold": ("accept test pairs", "web:prepare_gold", "campaign"),
    "ask_better_than_perfect": (
        "make a campaign that asks whether a run is better than perfect",
        "web:asking_plan",
        "collection",
    ),
    "ask_again": ("ask the crowd again", "web:campaign", "campaign"),
    "build_pool": ("plan a pool", "web:pool_plan", "collection"),
    "campaign_status": ("its page", "web:campaign", "campaign"),
    "challenge": ("have the new runs challenge", "web:challenge", "campaign"),
    "close_campaign": ("close it", "web:campaign_step close", "campaign"),
    "collect": ("ask the crowd again", "web:campaign", "campaign"),
    "compare": ("use the collection's analyses", "web:analyses", "collection"),
    "create_campaign": ("make a campaign", "web:new_campaign", "collection"),
    "export_judgments": ("download the judgments", "web:campaign_judgments", "campaign"),
    "fetch_passages": ("add passage files", "web:add_files", "collection"),
    "held_payments": ("decide about held payments", "web:campaign_payments", "campaign"),
    "import_collection": ("make a collection", "web:create_collection", ""),
    "import_gold": ("bring test pairs of your own", "web:prepare_gold", "campaign"),
    "import_qrels": ("add labels", "web:add_files", "collection"),
    "import_runs": ("send runs", "web:send_runs", "collection"),
    "launch_campaign": ("launch it", "web:prepare_launch", "campaign"),
    "pay_receipt": ("pay by the receipt", "web:campaign_payments", "campaign"),
    "pause_campaign": ("pause it", "web:campaign_step pause", "campaign"),
    "pilot_campaign": ("pilot it", "web:prepare_pilot", "campaign"),
    "propose_gold": ("propose test pairs", "web:prepare_gold", "campaign"),
    "publish_qrels": ("publish the next version", "web:publish", "campaign"),
    "raise_budget": ("change the budget", "web:campaign_budget", "campaign"),
    "reconcile": ("look at the differences", "web:campaign_differences", "campaign"),
    "rehearse_campaign": ("rehearse it", "web:prepare_rehearsal", "campaign"),
    "reports": ("reports and appeals", "web:campaign_reports", "campaign"),
    "resolve": ("look at where its queries stand", "web:publish", "campaign"),
    "resume_campaign": ("resume it", "web:campaign_step resume", "campaign"),
    "settle_payment": ("settle it another way", "web:campaign_payments", "campaign"),
    "set_policy": ("set the submission policy", "web:policy", "collection"),
    "split_queries": ("make some queries private", "web:split", "collection"),
    "spending_grants": ("see what you may spend", "web:spending", ""),
    "suspend_gold": ("look at the test pairs", "web:campaign_gold", "campaign"),
    "set_texts": ("accept the texts", "web:prepare_texts", "campaign"),
}
#: Command → the call that does it; what has none is said to a program by its page.
CALLS = {
    "accept_gold": "POST /campaigns/{name}/gold",
    "ask_better_than_perfect": "POST /collections/{name}/better-than-perfect",
    "build_pool": "POST /collections/{name}/pools",
    "campaign_status": "GET /campaigns/{name}/status",
    "challenge": "POST /campaigns/{name}/challenges",
    "close_campaign": "POST /campaigns/{name}/close",
    "create_campaign": "POST /collections/{name}/campaigns",
    "export_judgments": "GET /campaigns/{name}/judgments",
    "fetch_passages": "POST /collections/{name}/files",
    "held_payments": "GET /campaigns/{name}/held-payments",
    "import_collection": "POST /collections",
    "import_gold": "POST /campaigns/{name}/gold/file",
    "import_qrels": "POST /collections/{name}/files",
    "import_runs": "POST /collections/{name}/runs",
    "launch_campaign": "POST /campaigns/{name}/launch",
    "pay_receipt": "GET /campaigns/{name}/missing-work",
    "pause_campaign": "POST /campaigns/{name}/pause",
    "pilot_campaign": "POST /campaigns/{name}/pilot",
    "propose_gold": "POST /campaigns/{name}/gold/propose",
    "publish_qrels": "POST /campaigns/{name}/publishing",
    "raise_budget": "POST /campaigns/{name}/budget",
    "rehearse_campaign": "POST /campaigns/{name}/rehearse",
    "reports": "GET /campaigns/{name}/reports",
    "resume_campaign": "POST /campaigns/{name}/resume",
    "set_policy": "PUT /collections/{name}/policy",
    "set_texts": "PUT /campaigns/{name}/texts",
    "spending_grants": "GET /spending",
    "split_queries": "POST /collections/{name}/query-split",
    "suspend_gold": "POST /campaigns/{name}/gold/{{key}}/suspend",
}
#: Option → the field over HTTP and the label on pages, where they are not the option's own words.
OPTIONS: dict[str, tuple[str, str]] = {
    "allow-open": ("allow_open", "Also publish the best answers so far"),
    "count": ("counts", "Its judgments count"),
    "date": ("submitted_on", "Date of the submission"),
    "late": ("late", "All the same, after the campaign's days for it"),
    "placeholder-text": ("placeholder_text", "For simulated workers only"),
    "pool": ("name", "Name"),
    "set": ("set", "Name of the labels"),
    "skip-unknown": ("skip_unknown", "Leave out lines of unknown queries"),
    "tag": ("run_tag", "run tag"),
    "type": ("run_type", "Family"),
}
_TYPED = re.compile(
    # What stands in quotes is somebody's: a tag, a name, what a worker wrote.
    r"(?P<quoted>(?<!\w)(?P<quote>'|\"|&#x27;|&quot;)[^\n]*?(?P=quote)(?!\w))|"
    r"(?P<ask>\b(?:[Rr]un|[Ii]mport some|Import one|Make one|Publish one|Bring test pairs of your own|"
    r"Bring the passage files|judge a pool with qrels|See): )?"
    r"manage\.py (?P<command>[a-z_]+)(?: (?P<name>\w[\w-]*))?"
    r"(?P<more>(?: FILE\b)?(?: \d[\d.]*\d)?(?: --[a-z-]+(?: [A-Z]+\b| \d+)?)*)"
    r"|(?<![\w/'\"-])--(?P<option>[a-z][a-z-]*[a-z])"
)


@cache
def _options() -> frozenset[str]:
    """Every option of the project's commands. What else begins with dashes was written by somebody else."""
    ours = {
        config.name
        for config in installed.get_app_configs()
        if Path(config.path).is_relative_to(settings.BASE_DIR)
    }
    commands = [load_command_class(app, name) for name, app in get_commands().items() if app in ours]
    parsers = [command.create_parser("manage.py", "") for command in commands]
    flags = {flag for parser in parsers for action in parser._actions for flag in action.option_strings}
    return frozenset(flag.removeprefix("--") for flag in flags)


def _is_ours(found: re.Match[str]) -> bool:
    """Whether it names a command or an option of the project, rather than quote what people wrote."""
    if found["quoted"]:
        return False
    return found["option"] in _options() if found["option"] else found["command"] in get_commands()


#: The way a command is told what pages and calls have choices for: " with --runs", " with --official SET".
_CHOICES = re.compile(
    r",? with --(?:runs?|all-runs|official|version|qrels)\b(?: or --[a-z-]+)*(?: [A-Z]+\b)?"
)


def directed(text: Any, *, collection: str = "") -> SafeString:
    """``text`` as HTML, every ``manage.py COMMAND`` in it as a link to the page that does it, without options.

    Commands of a collection that do not name it are taken to mean ``collection``. What no page does stays a command,
    said to be one for the terminal.
    """
    words = _CHOICES.sub("", str(conditional_escape(text)))
    # Safe: what was not, is escaped; names are \w and -, and links are made by format_html.
    return mark_safe(_TYPED.sub(lambda found: _direction(found, words, collection), words))  # noqa: S308


def said_plainly(text: Any, *, collection: str = "") -> str:
    """The same as plain text, for an answer that is no page: what a page is called, without its link."""
    return _plainly(str(text), collection, addresses=False)


def in_words(text: str, *, collection: str = "") -> str:
    """The same for programs: what is to be done, and in brackets the call that does it, else the page's address."""
    return _plainly(text, collection, addresses=True)


def _plainly(text: str, collection: str, *, addresses: bool) -> str:
    text = _CHOICES.sub("", text)

    def said(found: re.Match[str]) -> str:
        if not _is_ours(found):
            return found[0]
        if found["option"]:
            return _field(found["option"], over_http=addresses)
        place = _place(found, text, collection)
        if place is None:
            return f"{found['ask'] or ''}{_typed(found)} (in the terminal)"
        words, address = place
        where = _call(found, collection) or address
        return f"{words} ({where})" if where and addresses else words

    return _TYPED.sub(said, text)


def _field(option: str, *, over_http: bool) -> str:
    field, label = OPTIONS.get(option, (option.replace("-", "_"), option.replace("-", " ")))
    return f"“{field if over_http else label}”"


def _direction(found: re.Match[str], text: str, collection: str) -> str:
    if not _is_ours(found):
        return found[0]
    if found["option"]:
        return _field(found["option"], over_http=False)
    place = _place(found, text, collection)
    if place is None:
        return f"{found['ask'] or ''}<code>{_typed(found)}</code> (in the terminal)"
    words, address = place
    return format_html('<a href="{}">{}</a>', address, words) if address else words


def _typed(found: re.Match[str]) -> str:
    return f"manage.py {found['command']}{' ' + found['name'] if found['name'] else ''}{found['more']}"


def _call(found: re.Match[str], collection: str) -> str:
    """The call for what is to be typed; empty where there is none, or nothing says what it is about."""
    call, page = CALLS.get(found["command"], ""), PAGES.get(found["command"])
    name = _named(found) or (collection if page and page[2] == "collection" else "")
    if not call or ("{name}" in call and not name):
        return ""
    method, address = call.format(name=name).split()
    return f"{method} /api/v1{address}"


def _named(found: re.Match[str]) -> str:
    """The name behind a command; what is written large there stands for one."""
    return found["name"] if found["name"] and not found["name"].isupper() else ""


def _place(found: re.Match[str], text: str, collection: str) -> tuple[str, str] | None:
    """What the page is called that does what is to be typed, and its address; None when no page does."""
    page = PAGES.get(found["command"])
    if page is None:
        return None
    words, route, of = page
    before = text[: found.start()].rstrip()
    if not before or before.endswith((".", "?")):
        words = words[0].upper() + words[1:]
    name = _named(found)
    route, *step = route.split()
    meant = [name or (collection if of == "collection" else "")] if of else []
    try:
        return words, reverse(route, args=[*meant, *step])
    except NoReverseMatch:  # nothing says which one is meant
        return words, ""


@dataclass(frozen=True)
class Direction:
    """What comes next, in a sentence, and the page where it is done."""

    words: str
    link: str = ""
    link_words: str = ""


def next_of(campaign: Campaign) -> Direction | None:
    """What comes next for a campaign that asks nobody now; None when that depends on how its work goes."""
    name = campaign.name
    match campaign.state:
        case Campaign.State.DRAFT:
            words = "Test pairs and texts are accepted, then it is launched; rehearse and pilot it before."
            return Direction(words, reverse("web:prepare", args=[name]), "Prepare it")
        case Campaign.State.REHEARSED:
            words = "Have people do a few tasks before all are paid for, then launch."
            return Direction(words, reverse("web:prepare_pilot", args=[name]), "Pilot it")
        case Campaign.State.PILOTED:
            words = "Look at what the pilot told, then launch."
            return Direction(words, reverse("web:prepare_pilot", args=[name]), "Look at the pilot")
        case Campaign.State.PAUSED:
            words = "Nothing is offered. Resuming offers the remaining tasks again."
            return Direction(words, reverse("web:campaign_step", args=[name, "resume"]), "Resume it")
        case Campaign.State.CLOSED:
            return judged(campaign)
    return None


def judged(campaign: Campaign) -> Direction:
    """What comes next when the judgments are in."""
    if original := campaign.rehearsal_of:  # simulated judgments are not published
        return Direction(
            f"The rehearsal is over. Go on with {original.name}.",
            reverse("web:prepare_rehearsal", args=[original.name]),
            "See what it foretells",
        )
    challenges = Challenge.objects.filter(campaign_id=campaign.pk)
    if asking := challenges.filter(state=Challenge.State.ASKING).first():
        return Direction(
            f"Challenge {asking.number} goes on: each answer may make further pairs worth asking.",
            reverse("web:challenge", args=[campaign.name]),
            "How far it is",
        )
    published = QrelVersion.objects.filter(campaign_id=campaign.pk).order_by("-number")
    since = published.values_list("published_at", flat=True).first()
    if since and not challenges.filter(created_at__gt=since).exists():
        if campaign.state == Campaign.State.CLOSED:
            return Direction(
                "It is closed, and its best answers are published. Whatever new runs bring is judged in another "
                "campaign of the collection: its challenges start from these best answers.",
                reverse("web:challenge_with", args=[campaign.collection.name]),
                "Where new runs can challenge",
            )
        words = "Its best answers are published. New runs may bring better ones, which challenge them."
        return Direction(words, reverse("web:challenge", args=[campaign.name]), "See what new runs bring")
    words = "The judgments are in: see every query's best answer, and publish them."
    return Direction(words, reverse("web:publish", args=[campaign.name]), "Publish the next version")
