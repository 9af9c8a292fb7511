"""The English name and the writing direction of a language."""

from django.conf.locale import LANG_INFO

_LANGUAGES = "ar arc azb ckb dv fa glk he iw ji lrc mzn nqo pnb ps sd syr ug ur yi"
_SCRIPTS = "adlm arab hebr mand nkoo rohg samr syrc thaa"
#: Languages that are written from right to left unless their tag names a script, and right-to-left scripts.
RIGHT_TO_LEFT, SCRIPTS_RIGHT_TO_LEFT = frozenset(_LANGUAGES.split()), frozenset(_SCRIPTS.split())


def direction(language: str) -> str:
    """Return the writing direction, "rtl" or "ltr", for a BCP 47 tag such as "ar", "fa-IR" or "az-Arab"."""
    tag = language.lower().replace("_", "-").split("-")
    scripts = [part for part in tag[1:] if len(part) == 4 and part.isalpha()]
    if scripts:
        return "rtl" if scripts[0] in SCRIPTS_RIGHT_TO_LEFT else "ltr"
    return "rtl" if tag[0] in RIGHT_TO_LEFT else "ltr"


def language_name(language: str) -> str:
    """Return the English name, such as "German", for a BCP 47 tag; the tag itself if the language is unknown.

    Django's own catalogs translate these names.
    """
    tag = language.lower().replace("_", "-")
    primary = tag.partition("-")[0]
    known = [LANG_INFO.get(code, {}).get("name") for code in (tag, primary)]
    return str(next(filter(None, known), "Chinese" if primary == "zh" else language))
