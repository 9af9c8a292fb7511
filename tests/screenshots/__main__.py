"""`make screenshots`: pictures of every page into ./screenshots, at phone, tablet and desk width, light and dark.

Starts a separate product and marketplace on free ports, in a folder that is removed afterwards. The judging pages
show the sample, or with ``--texts FOLDER`` real ones (queries.tsv, passages.tsv and qrels.txt in that folder).
``--tutorial`` takes the pictures of docs/tutorial.md instead, into docs/pictures.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tests.chromium import chromium
from tests.screenshots.camera import FORCED, OUT, SCHEMES, WIDTHS, ZOOMED, Camera
from tests.screenshots.judging import judging_pages
from tests.screenshots.product import product_pages
from tests.screenshots.sending import sending_pages
from tests.screenshots.site import ROOT, Site
from tests.screenshots.steering import steering_pages
from tests.screenshots.tutorial import tutorial_pages
from tests.screenshots.visitor import visitor_pages
from tests.screenshots.wizard import wizard_pages

PAGES = {
    "judging": judging_pages,
    "visitor": visitor_pages,
    "product": product_pages,
    "steering": steering_pages,
    "sending": sending_pages,
    "wizard": wizard_pages,
}


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="real texts for the judging pages")
    parser.add_argument("--only", choices=list(PAGES), help="take only these pages")
    parser.add_argument("--size", choices=[*WIDTHS, *ZOOMED], help="take them in this size alone")
    parser.add_argument("--scheme", choices=[*SCHEMES, FORCED], help="take them in this scheme alone")
    parser.add_argument("--tutorial", action="store_true", help="take the pictures of docs/tutorial.md alone")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="preferee-screenshots-"))
    try:
        site = Site(folder)
        if options.tutorial:
            with site.running(), chromium() as browser:
                tutorial_pages(browser, site)
            return
        shutil.rmtree(OUT, ignore_errors=True)
        OUT.mkdir()
        _every_picture(site, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stderr.write(f"{len(list(OUT.iterdir()))} pictures in {OUT.relative_to(ROOT)}/\n")


def _every_picture(site: Site, options: argparse.Namespace) -> None:
    if options.only != "sending" and not (options.only == "judging" and options.texts):
        site.typed("demo")
    with site.running(), chromium() as browser:
        if options.only in (None, "judging", "product"):
            site.campaign(options.texts)
        for size in [options.size] if options.size else WIDTHS:
            for scheme in [options.scheme] if options.scheme else SCHEMES:
                for name, take in PAGES.items():
                    if options.only in (None, name):
                        take(Camera(browser, size, scheme), site)


if __name__ == "__main__":
    main()
