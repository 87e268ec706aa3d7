"""The score of every image under two detectors: one against the other, and by their difference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from boxlens.report.charts.colours import FIRST, LINE, SECOND, UNDECIDED
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.cells import density
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Mark
from boxlens.report.charts.forms.marks import dots, spans
from boxlens.report.charts.forms.panels import below, beside, plot
from boxlens.wording import count, score, short

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.report.charts.forms.layers import Row, Spec

SIDE: Final = 130
STRIP_PX: Final = 155
N_CELLS: Final = 20


def image_scores_chart(
    scores: tuple[Floats, Floats], names: tuple[str, str], *, measure: str, few: bool, n_steps: int
) -> Spec:
    """Left, image by image, in cells unless they are `few`; right, by falling difference.

    On the right neighbours are averaged to `n_steps`.
    """
    first, second = scores
    ends = (0.0, max(1.0, float(first.max()), float(second.max())))
    sides = Axis(short(names[1]), ends, ticks=4), Axis(short(names[0]), ends, ticks=4)
    corners = [{"x": end, "y": end} for end in ends]
    diagonal = Mark("line", {"x": "x", "y": "y"}, {"color": LINE, "strokeWidth": 0.75}, corners)
    panel: Spec = {"width": SIDE, "height": SIDE, "title": f"above: {short(names[0])} better"}
    if few:
        rows = [_pair(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        points = dots("a", size=14, opacity=0.6)
        against = plot(rows, *sides, points, diagonal, along="b", **panel)
    else:
        cells = _cells(first, second, ends)
        panel |= {"level": "level", "highest": max(one["level"] for one in cells), "legend": None}
        against = density(cells, *sides, diagonal, **panel)
    # The key itself cuts names that are long.
    better = {f"{names[0]} better": FIRST, f"{names[1]} better": SECOND}
    strip = _strip(first, second, Axis(measure, ends, ticks=4), n_steps)
    return below(*key(better, width=340), beside(against, strip), gap=6)


def _pair(a: float, b: float) -> Row:
    colour = UNDECIDED if a == b else FIRST if a > b else SECOND
    return {"a": a, "b": b, "colour": colour, "tip": {"first": score(a), "second": score(b)}}


def _cells(first: Floats, second: Floats, ends: tuple[float, float]) -> list[Row]:
    """As dark as the logarithm of how many images lie there."""
    counts, edges, _ = np.histogram2d(first, second, bins=N_CELLS, range=(ends, ends))
    return [
        {
            "x": float(edges[column]),
            "x2": float(edges[column + 1]),
            "y": float(edges[row]),
            "y2": float(edges[row + 1]),
            "level": math.log(n),
            "tip": {"images": count(n)},
        }
        for row, column in np.argwhere(counts).tolist()
        for n in (int(counts[row, column]),)
    ]


def _strip(first: Floats, second: Floats, up: Axis, n_steps: int) -> Spec:
    order = np.argsort(second - first, kind="stable")
    parts = np.array_split(order, min(n_steps, len(order)))
    done = np.cumsum([len(part) for part in parts])
    rows = [
        {
            **_pair(float(first[part].mean()), float(second[part].mean())),
            "x": float(end - len(part) / 2) / len(order),
        }
        for part, end in zip(parts, done.tolist(), strict=True)
    ]
    return plot(
        rows,
        Axis("share of images", (0, 1), ticks=4),
        up,
        spans("a", "b", strokeWidth=1, opacity=0.55),
        dots("b", size=9, color=SECOND),
        dots("a", size=9, color=FIRST),
        width=STRIP_PX,
        height=SIDE,
        title="by falling difference",
    )
