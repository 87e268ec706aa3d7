"""Where the numbers of a report come from: files and their hashes, parameters, notices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boxlens.report.pages.markup import facts, notes
from boxlens.report.study import COUNT, TEXT, Column, Markup, Part, Section, Study, Table
from boxlens.wording import number

# What it is, and the file; None: it was given as a table.
Source = tuple[str, Mapping[str, Any] | None]


def provenance_section(study: Study, document: Mapping[str, Any]) -> Section:
    """The version, too, and what was left out on the way; `document` is what results.json holds."""
    rows = sources(document)
    version = ("boxlens", document["provenance"]["boxlens"])
    told = notes(notice["message"] for notice in document["notices"])
    shown: list[Part] = [Table("", "Files", rows, FILES)] if any(one for _, one in rows) else []
    shown.append(Markup(f"<h3>Parameters</h3>\n{facts([version, *parameters(study, document)])}"))
    if told:
        shown.append(Markup(f"<h3>Notices</h3>{told}"))
    return Section("provenance", "Provenance", tuple(shown))


def sources(document: Mapping[str, Any]) -> list[Source]:
    """Every input."""
    made_from = document["provenance"]
    return [
        ("ground truth", made_from["ground_truth"]),
        *(("detections", one) for one in made_from["detections"]),
        *((one["what"], one) for one in made_from.get("others", [])),
    ]


def parameters(study: Study, document: Mapping[str, Any]) -> list[tuple[str, str]]:
    asked = document["parameters"] if study.parameters is None else study.parameters
    return [(name, _text(value)) for name, value in asked.items()]


def hash_words(source: Mapping[str, Any]) -> str:
    """The SHA-256 of an input, or why there is none."""
    return source["sha256"] or "changed since it was read"


def _text(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_text(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        parts = (one if isinstance(one, list) else [one] for one in value)
        return ", ".join(":".join(map(_text, part)) for part in parts) or "none"
    return number(value) if isinstance(value, float) else str(value)


FILES: list[Column[Source]] = [
    Column("", "file", lambda row: row[0], TEXT),
    Column("", "path", lambda row: row[1] and row[1]["path"], TEXT),
    Column("", "format", lambda row: row[1] and row[1]["format"], TEXT),
    Column("", "bytes", lambda row: row[1] and row[1]["size_bytes"], COUNT),
    Column("", "SHA-256", lambda row: row[1] and hash_words(row[1]), TEXT),
]
