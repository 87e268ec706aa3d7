"""The typeset report as a file: figures as SVG, content as JSON, typeset by Typst."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

import vl_convert

from boxlens.errors import MissingExtraError
from boxlens.formats.files import Progress
from boxlens.formats.unfinished import scratch_folder
from boxlens.report.pages.page import without_heading
from boxlens.report.pdf.content import Content
from boxlens.report.readers.figures import spec_of
from boxlens.report.study import Plot

TEMPLATES = ("report.typ", "figures.typ", "classes.typ")
# Tagged, with titles, languages and descriptions of figures: what a screen reader needs.
STANDARD: Final = "ua-1"


def check_typst() -> None:
    """Before any work is done."""
    try:
        import typst  # noqa: F401
    except ImportError as problem:
        raise MissingExtraError("--pdf", "typst", "pdf") from problem


def typeset(content: Content, progress: Progress | None = None) -> bytes:
    """The same content gives the same bytes."""
    import typst

    with scratch_folder() as root:
        legends = _draw(content.figures, root, progress)
        # Everything that comes from a file goes in as data, never as markup.
        shown = {**content.document, "legends": legends}
        (root / "content.json").write_text(
            json.dumps(shown, ensure_ascii=False, allow_nan=False), encoding="utf-8"
        )
        for name in TEMPLATES:
            template = files("boxlens.report.pdf") / name
            (root / name).write_bytes(template.read_bytes())
        main = root / TEMPLATES[0]
        try:
            return typst.compile(main, root=root, pdf_standards=STANDARD)
        except typst.TypstError:
            # The standard forbids signs that no font at hand has; without it they are left blank.
            return typst.compile(main, root=root)


def _draw(plots: Mapping[str, Plot], folder: Path, progress: Progress | None) -> dict[str, str]:
    """Every figure without its heading, which the page sets itself; what to know to read it."""
    legends = {}
    for n_done, (name, plot) in enumerate(plots.items()):
        if progress:
            progress("typesetting", n_done, len(plots))
        spec, legends[name] = without_heading(spec_of(plot))
        svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
        (folder / name).write_text(svg, encoding="utf-8")
    return legends
