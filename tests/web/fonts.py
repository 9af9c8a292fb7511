"""Environments with only one font, wide or narrow, derived from the font that matplotlib includes."""

from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont

#: The width of each, relative to DejaVu Sans, which is one of the widest system fonts.
WIDTHS = {"wide": 1.0, "narrow": 0.6}
CONFIGURATION = (
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">'
    "<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir></fontconfig>"
)


def only_font(kind: str, folder: Path) -> dict[str, str]:
    """Return the environment of a program that finds only this font."""
    font = TTFont(Path(matplotlib.get_data_path(), "fonts/ttf/DejaVuSans.ttf"))
    smaller = subset.Subsetter(
        subset.Options(hinting=False, layout_features=[], notdef_outline=True, drop_tables=["FFTM"])
    )
    smaller.populate(unicodes=[*range(0x20, 0x250), *range(0x590, 0x700), *range(0x2000, 0x2300)])
    smaller.subset(font)
    _scale(font, WIDTHS[kind])
    font.save(folder / "only.ttf")
    configuration = folder / "fonts.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder))
    return {"FONTCONFIG_FILE": str(configuration)}


def _scale(font: TTFont, width: float) -> None:
    """Widen every glyph by this factor."""
    for name in font.getGlyphOrder():
        glyph = font["glyf"][name]
        if glyph.isComposite():
            for part in glyph.components:
                part.x = round(part.x * width)
        elif glyph.numberOfContours:
            glyph.coordinates.scale((width, 1))
            glyph.coordinates.toInt()
    for name in font.getGlyphOrder():
        font["glyf"][name].recalcBounds(font["glyf"])
        advance, _ = font["hmtx"][name]
        font["hmtx"][name] = (round(advance * width), getattr(font["glyf"][name], "xMin", 0))
