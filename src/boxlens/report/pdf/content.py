"""What the typeset report says, as plain JSON: the templates only lay it out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boxlens.report.readers.figures import main_plot
from boxlens.report.readers.provenance import hash_words, parameters, sources
from boxlens.report.study import Plot, Section, Study, Table, Typeset
from boxlens.wording import count


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
