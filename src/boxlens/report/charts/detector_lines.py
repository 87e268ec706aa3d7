"""What figures of several detectors share where lines are drawn: their colours and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.method_lines import METHOD_COLOURS, LineStyle

if TYPE_CHECKING:
    from collections.abc import Iterable


def detector_words(name: str) -> str:
    """A file of scores need not name its only detector."""
    return name or "the detector"


def detector_styles(names: Iterable[str]) -> dict[str, LineStyle]:
    """By name, as many as there are colours; all lines are solid."""
    distinct = dict.fromkeys(map(detector_words, names))
    return {
        name: LineStyle(colour, (1, 0))
        for name, colour in zip(distinct, METHOD_COLOURS, strict=False)
    }
