"""The typeset report: words as plain JSON, figures as SVG, laid out by templates in Typst."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import vl_convert

from boxlens.errors import MissingExtraError
from boxlens.formats.unfinished import scratch_folder
from boxlens.progress import Progress
from boxlens.report.readers.figures import main_plot, spec_of
from boxlens.report.readers.page import without_heading
from boxlens.report.readers.provenance import hash_words, parameters, sources
from boxlens.report.study import Plot, Section, Study, Table, Typeset
from boxlens.wording import count

TEMPLATES = ("report.typ", "figures.typ", "classes.typ")
# Tagged, with titles, languages and descriptions of figures: what a screen reader needs.
STANDARD: Final = "ua-1"


@dataclass(frozen=True, slots=True)
class Content:
    """The words, and the figures they refer to by the name of a file."""

    document: dict[str, Any]
    figures: dict[str, Plot]


def study_content(
    study: Study, document: Mapping[str, Any], parts: Sequence[Study | Table[Any]] = ()
) -> Content:
    """`document` is what results.json holds; `parts` are typeset one after the other instead."""
    figures: dict[str, Plot] = {}
    studies = [one for one in parts if isinstance(one, Study)] or [study]
    words = {
        "title": f"{study.title} on {study.data}",
        "about": ", ".join(study.facts),
        "made_by": f"Boxlens {document['provenance']['boxlens']}",
        "table": next((_table(one) for one in parts if isinstance(one, Table)), None),
        "parts": [_part(one, figures) for one in studies],
        "provenance": _provenance(study, document),
    }
    return Content(words, figures)


def _part(study: Study, figures: dict[str, Plot]) -> dict[str, Any]:
    """The figures it shows are added to those of all parts."""
    lead, *others = study.all_sentences
    summary = main_plot(study)
    own = next((one for _, one in study.walk() if isinstance(one, Typeset)), Typeset(dict))
    hidden = [*own.replaces, *([summary.name] if summary else [])]
    sections = [
        {"title": one.title, **_figures(one, figures, hidden)}
        for one in study.sections
        if one.name not in own.replaces
    ]
    return {
        "title": study.title,
        "about": ", ".join(study.facts),
        "lead": lead,
        "sentences": others,
        "numbers": list(map(_table, _main_tables(study, own))),
        "summary": summary and _figure(summary, figures),
        "sections": [one for one in sections if one["figures"] or one["remarks"]],
        "classes": own.make() or None,
    }


def _main_tables(study: Study, own: Typeset) -> Iterator[Table[Any]]:
    """The first one, the one that a notebook shows, and those of some sections."""
    first = True
    for section, part in study.walk():
        if isinstance(part, Table) and part.caption and part.rows:
            if first or section.name in own.first or part.caption == study.main_table:
                yield part
            first = False


def _table(table: Table[Any]) -> dict[str, Any]:
    return {
        "caption": table.caption,
        "headings": [one.heading for one in table.leading],
        "numeric": [one.form.numeric for one in table.leading],
        "rows": [[one.text(row) for one in table.leading] for row in table.rows],
    }


def _figures(section: Section, found: dict[str, Plot], hidden: Sequence[str]) -> dict[str, Any]:
    """Those that are absent with the reason."""
    plots = [one for _, one in section.walk() if isinstance(one, Plot)]
    return {
        "figures": [
            _figure(one, found) for one in plots if not one.absent and one.name not in hidden
        ],
        "remarks": [f"{one.title}: not shown, {one.absent}." for one in plots if one.absent],
    }


def _figure(plot: Plot, found: dict[str, Plot]) -> dict[str, Any]:
    file = f"figure_{len(found) + 1}.svg"
    found[file] = plot
    return {"file": file, "title": plot.title, "reading": plot.reading}


def _provenance(study: Study, document: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "files": [
            [role, one["path"], one["format"], count(one["size_bytes"]), hash_words(one)]
            for role, one in sources(document)
            if one is not None
        ],
        "parameters": parameters(study, document),
        "notices": list(dict.fromkeys(notice["message"] for notice in document["notices"])),
    }


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
