"""AP of two detectors class by class: where the difference lies, and where it is beyond chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.detector_pair import p_text, signed
from boxlens.report.charts.forest import ForestRow, forest
from boxlens.report.charts.panels import message
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.theme import WIDTH, decimal, themed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from boxlens.comparison.paired import ClassPair

MOST_CLASSES = 30
ROW_PX = 13


def class_differences_chart(
    classes: Sequence[ClassPair], *, alpha: float, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """A row a class, from the first detector's best to the second's."""
    title = "Differences by class"
    known = [row for row in classes if not math.isnan(row.difference.value)]
    if not known:
        empty = message("no class has objects that count", width=WIDTH, height=ROW_PX * 6)
        return themed(empty, title=title, about=about)
    shown = sorted(known, key=lambda row: -_clearness(row))[:MOST_CLASSES]
    rows = [
        ForestRow(
            name=row.name,
            value=row.difference.value,
            low=row.difference.low,
            high=row.difference.high,
            decided=row.p_holm < alpha,
            columns=(signed(row.difference.value), f"{row.n_objects:,}"),
            about=f"p {p_text(row.p)}, adjusted {p_text(row.p_holm)}",
            more=picks(row.name, None, of="objects", terms={"class": row.name}),
        )
        for row in sorted(shown, key=lambda row: -row.difference.value)
    ]
    return themed(
        forest(
            rows,
            (known[0].a, known[0].b),
            unit="difference in AP",
            headings=("differ.", "objects"),
            row_px=ROW_PX,
        ),
        title=title,
        about=about,
        reading=_reading(known, n_shown=len(shown), alpha=alpha),
    )


def _clearness(row: ClassPair) -> float:
    """The difference in standard errors; classes that were not tested come last."""
    if math.isnan(row.p):
        return -1.0
    se = row.difference.se
    return abs(row.difference.value) / se if se > 0 else 0.0


def _reading(known: Sequence[ClassPair], *, n_shown: int, alpha: float) -> str:
    n_decided = sum(row.p_holm < alpha for row in known)
    n_untested = sum(math.isnan(row.p) for row in known)
    text = (
        f"Coloured: p below {decimal(alpha, 2)} after Holm's adjustment; so are {n_decided} of "
        f"{len(known)} classes."
    )
    if n_untested:
        text += f" {n_untested} are in too few images to be tested."
    if n_shown < len(known):
        text += (
            f" Shown are the {n_shown} with the largest differences in standard errors, in the "
            "order of the difference."
        )
    return text
