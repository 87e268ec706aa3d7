"""What the typeset report says, as plain JSON: the templates only lay it out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boxlens.report.readers.figures import main_plot
from boxlens.report.readers.provenance import hash_words, parameters, sources
from boxlens.report.study import Plot, Section, Study, Table, Typeset
from boxlens.wording import count

# By the class pages, or nearly so by other figures and tables.
SAID_ELSEWHERE = frozenset(
    {"fp_by_class", "repair_orders_borji", "pr_areas_s", "pr_areas_m", "pr_areas_l"}
)
SECTIONS_ELSEWHERE = frozenset({"schemes", "classes"})
# Their tables stand below the verdict, like the main one.
INTERVALS = "intervals"
SCORES = "scores"


@dataclass(frozen=True, slots=True)
class Content:
    """The words, and the figures they refer to by the name of a file."""

    document: dict[str, Any]
    figures: dict[str, Plot]


def study_content(
    study: Study, document: Mapping[str, Any], parts: Sequence[Study] = ()
) -> Content:
    """`document` is what results.json holds; `parts` are typeset one after the other instead."""
    figures: dict[str, Plot] = {}
    words = {
        "title": f"{study.title} on {study.data}",
        "about": ", ".join(study.facts),
        "made_by": f"Boxlens {document['provenance']['boxlens']}",
        "scores": _scores(study, document) if parts else None,
        "parts": [_part(one, figures) for one in parts or [study]],
        "provenance": _provenance(study, document),
    }
    return Content(words, figures)


def _part(study: Study, figures: dict[str, Plot]) -> dict[str, Any]:
    """The figures it shows are added to those of all parts."""
    lead, *others = study.all_sentences
    summary = main_plot(study)
    classes = next((one.make() for _, one in study.walk() if isinstance(one, Typeset)), None)
    hidden = frozenset() if classes is None else SECTIONS_ELSEWHERE
    sections = [
        {"title": one.title, **_figures(one, figures, summary)}
        for one in study.sections
        if one.name not in hidden
    ]
    return {
        "title": study.title,
        "about": ", ".join(study.facts),
        "lead": lead,
        "sentences": others,
        "numbers": list(map(_table, _main_tables(study))),
        "summary": summary and _figure(summary, figures),
        "sections": [one for one in sections if one["figures"] or one["remarks"]],
        "classes": classes,
    }


def _main_tables(study: Study) -> Iterator[Table[Any]]:
    """The first one, the one that a notebook shows, and intervals."""
    first = True
    for section, part in study.walk():
        if isinstance(part, Table) and part.caption and part.rows:
            if first or section.name == INTERVALS or part.caption == study.main_table:
                yield part
            first = False


def _table(table: Table[Any]) -> dict[str, Any]:
    return {
        "caption": table.caption,
        "headings": [one.heading for one in table.leading],
        "numeric": [one.form.numeric for one in table.leading],
        "rows": [[one.text(row) for one in table.leading] for row in table.rows],
    }


def _figures(section: Section, found: dict[str, Plot], summary: Plot | None) -> dict[str, Any]:
    """The main ones; those that are absent with the reason."""
    plots = [one for _, one in section.walk() if isinstance(one, Plot)]
    return {
        "figures": [
            _figure(one, found)
            for one in plots
            if not one.absent and one is not summary and one.name not in SAID_ELSEWHERE
        ],
        "remarks": [f"{one.title}: not shown, {one.absent}." for one in plots if one.absent],
    }


def _figure(plot: Plot, found: dict[str, Plot]) -> dict[str, Any]:
    file = f"figure_{len(found) + 1}.svg"
    found[file] = plot
    return {"file": file, "title": plot.title, "reading": plot.reading, "legend": ""}


def _scores(study: Study, document: Mapping[str, Any]) -> dict[str, Any] | None:
    """Of a protocol, one row per number."""
    tables = (
        part
        for section, part in study.walk()
        if section.name == SCORES and isinstance(part, Table) and part.caption
    )
    caption = f"Scores under the protocol {document['parameters'].get('protocol')}"
    return next(({**_table(one), "caption": caption} for one in tables), None)


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
