"""The marks of a figure that stand for boxes, as links for those who do not click on bars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

MOST_LINKS = 200


@dataclass(frozen=True, slots=True)
class MarkLink:
    """What a mark counts in words, how many (None where it counts nothing), and their address."""

    words: str
    count: int | None
    href: str


def mark_links(spec: dict[str, Any], images: str, detector_row: int | None) -> tuple[MarkLink, ...]:
    """Of every record with a query; the largest first, each once."""
    found: dict[str, MarkLink] = {}
    for record in _records(spec):
        select = record["select"]
        if not isinstance(select, str) or select in found:
            continue
        words, count = _counted(str(record.get("picked", select)))
        found[select] = MarkLink(words, count, f"{images}?{_query(select, detector_row)}")
    links = sorted(found.values(), key=lambda link: -1 if link.count is None else link.count)
    return tuple(reversed(links))[:MOST_LINKS]


def _query(select: str, detector_row: int | None) -> str:
    terms = parse_qsl(select, keep_blank_values=True)
    if detector_row is not None and all(name != "detector" for name, _ in terms):
        terms.append(("detector", str(detector_row)))
    return urlencode(terms)


def _counted(picked: str) -> tuple[str, int | None]:
    """ "cat taken for dog: 1,234" is its words and 1234."""
    words, colon, number = picked.rpartition(": ")
    digits = number.replace(",", "")
    return (words, int(digits)) if colon and digits.isdecimal() else (picked, None)


def _records(part: Any) -> Iterator[dict[str, Any]]:
    """Records stand in the data of any view, however deep it lies."""
    if isinstance(part, dict):
        if "select" in part and "mark" not in part:
            yield part
        for value in part.values():
            yield from _records(value)
    elif isinstance(part, list):
        for value in part:
            yield from _records(value)
