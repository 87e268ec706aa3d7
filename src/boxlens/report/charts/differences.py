"""Two detectors by every number of the benchmark: difference, interval, what could be shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.detector_pair import p_text, signed
from boxlens.report.charts.forest import ForestRow, forest
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import WIDTH, decimal, themed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from boxlens.comparison.paired import PairResult

ROW_PX = 18


def differences_chart(
    pairs: Sequence[PairResult], *, alpha: float, n_pairs: int = 1, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """A row a number, in the benchmark's order; `n_pairs` are those p is adjusted for."""
    title = "Differences by every number"
    known = [row for row in pairs if not math.isnan(row.difference.value)]
    if not known:
        why = "every number is undefined"
        return themed(message(why, width=WIDTH, height=ROW_PX * 4), title=title, about=about)
    rows = [
        ForestRow(
            name=row.metric,
            value=row.difference.value,
            low=row.difference.low,
            high=row.difference.high,
            decided=row.p_holm < alpha,
            columns=(signed(row.difference.value), p_text(row.p_holm)),
            detectable=row.detectable,
            about=f"p {p_text(row.p_holm)} by resampling, {p_text(row.p_permutation)} by exchange",
        )
        for row in known
    ]
    adjusted = f", adjusted for {n_pairs} pairs" if n_pairs > 1 else ""
    return themed(
        forest(
            rows,
            (known[0].a, known[0].b),
            unit="difference",
            headings=("differ.", "p"),
            row_px=ROW_PX,
        ),
        title=title,
        about=about,
        reading=_reading(alpha, adjusted, [row.metric for row in pairs if row not in known]),
    )


def _reading(alpha: float, adjusted: str, undefined: Sequence[str]) -> str:
    text = (
        f"Coloured: p below {decimal(alpha, 2)} (resampled images{adjusted}). Line: interval. "
        "Grey band: too small to be shown reliably by this test set."
    )
    return f"{text} Undefined: {', '.join(undefined)}." if undefined else text
