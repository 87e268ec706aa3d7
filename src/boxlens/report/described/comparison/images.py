"""Single images: their scores, and whether one detector is ahead image by image."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.colours import FIRST, LINE, SECOND, UNDECIDED
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.cells import density
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import dots, spans
from boxlens.report.charts.forms.panels import below, beside, plot
from boxlens.report.described.comparison.p_curves import curve_plot, curves_table, tests_table
from boxlens.report.described.comparison.pairs import GUIDE, about_all, of_pair
from boxlens.report.study import SCORE, TEXT, Plot, Section, Table, table_of
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.cases.image_scores import MEASURE_NAMES
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.wording import count, score, short

# With more images dots become cells, and neighbours in the strip are averaged.
MOST_DOTS, N_CELLS = 400, 20
MOST_STEPS = 150
# Both sides of the panel on the left.
SIDE_PX = 130


def images_section(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Section:
    measure = MEASURE_NAMES[result.choice.measure]
    together = () if result.together is None else (result.together,)
    shown = [*together, *(pair.discriminative for pair in pairs)]
    return Section(
        "images",
        "Images",
        (
            *_plots(result, pairs, measure),
            _means(result, measure),
            tests_table(shown, measure),
            curves_table([*result.discriminative, *together]),
        ),
        reading="Whether one detector is ahead image by image, also when images on which they "
        "nearly agree are removed.",
        guide=GUIDE,
    )


def _means(result: ComparisonResult, measure: str) -> Table[Any]:
    forms = {"detector": TEXT, "score cut": SCORE, f"mean {measure}": SCORE}
    rows = (
        (one.name, cut, math.nan if np.isnan(scores).all() else float(np.nanmean(scores)))
        for one, cut, scores in zip(
            result.detectors, result.min_score, result.image_scores, strict=True
        )
    )
    return table_of("", f"{_capital(measure)} of images", forms, rows)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _plots(result: ComparisonResult, pairs: Sequence[LeadingPair], measure: str) -> Iterator[Plot]:
    for pair in pairs:
        yield of_pair(pair, result, _scores_plot(result, pair, measure))
        yield of_pair(pair, result, curve_plot(pair.discriminative, measure))
    if result.together is not None:
        one = curve_plot(result.together, measure)
        title = f"{one.title} All detectors"
        yield replace(one, name="p_curve_together", title=title, about=about_all(result))


def _scores_plot(result: ComparisonResult, pair: LeadingPair, measure: str) -> Plot:
    both = result.image_scores[[pair.first, pair.second]]
    known = ~np.isnan(both).any(axis=0)
    first, second = both[:, known]
    n, n_ahead, n_behind = len(first), int((first > second).sum()), int((first < second).sum())
    n_unknown, per_step = both.shape[1] - n, -(-n // MOST_STEPS)
    left = "one dot per image" if n <= MOST_DOTS else "the darker, the more images"
    means = f", means of up to {per_step} neighbours" if per_step > 1 else ""
    skipped = f" Skipped because they have no score: {n_unknown:,}." if n_unknown else ""
    return Plot(
        "image_scores",
        f"{_capital(measure)} of every image",
        "Dots far from the line are the images to look at; many on both sides mean that each "
        "detector has its own strengths.",
        partial(_draw_scores, first, second, pair.names, measure),
        legend=f"Of {n:,} images {pair.names[0]} is better on {n_ahead:,}, {pair.names[1]} on "
        f"{n_behind:,}; they are equal on {n - n_ahead - n_behind:,}. Left: {left}. Right: images "
        f"by falling difference, a line from one score to the other{means}.{skipped}",
        absent="" if n else "no image has a score for both detectors",
    )


def _draw_scores(first: Floats, second: Floats, names: tuple[str, str], measure: str) -> Spec:
    """Left, image by image, in cells where there are many; right, by falling difference."""
    ends = (0.0, max(1.0, float(first.max()), float(second.max())))
    sides = Axis(short(names[1]), ends, ticks=4), Axis(short(names[0]), ends, ticks=4)
    corners = [{"x": end, "y": end} for end in ends]
    diagonal = Mark("line", {"x": "x", "y": "y"}, {"color": LINE, "strokeWidth": 0.75}, corners)
    panel: Spec = {"width": SIDE_PX, "height": SIDE_PX, "title": f"above: {short(names[0])} better"}
    if len(first) <= MOST_DOTS:
        rows = [_pair(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        points = dots("a", size=14, opacity=0.6)
        against = plot(rows, *sides, points, diagonal, along="b", **panel)
    else:
        cells = _cells(first, second, ends)
        panel |= {"level": "level", "highest": max(one["level"] for one in cells), "legend": None}
        against = density(cells, *sides, diagonal, **panel)
    strip = plot(
        _strip(first, second),
        Axis("share of images", (0, 1), ticks=4),
        Axis(measure, ends, ticks=4),
        spans("a", "b", strokeWidth=1, opacity=0.55),
        dots("b", size=9, color=SECOND),
        dots("a", size=9, color=FIRST),
        width=155,
        height=SIDE_PX,
        title="by falling difference",
    )
    # The key itself cuts names that are long.
    better = {f"{names[0]} better": FIRST, f"{names[1]} better": SECOND}
    return below(*key(better, width=340), beside(against, strip), gap=6)


def _pair(a: float, b: float) -> Row:
    colour = UNDECIDED if a == b else FIRST if a > b else SECOND
    return {"a": a, "b": b, "colour": colour, "tip": {"first": score(a), "second": score(b)}}


def _cells(first: Floats, second: Floats, ends: tuple[float, float]) -> list[Row]:
    """As dark as the logarithm of how many images lie there."""
    counts, edges, _ = np.histogram2d(first, second, bins=N_CELLS, range=(ends, ends))
    sides = list(pairwise(edges.tolist()))
    return [
        {"x": x, "x2": x2, "y": y, "y2": y2, "level": math.log(n), "tip": {"images": count(int(n))}}
        for (y, y2), line in zip(sides, counts.tolist(), strict=True)
        for (x, x2), n in zip(sides, line, strict=True)
        if n
    ]


def _strip(first: Floats, second: Floats) -> Iterator[Row]:
    """By falling difference; of many, means of neighbours."""
    order, end = np.argsort(second - first, kind="stable"), 0
    for rows in np.array_split(order, min(MOST_STEPS, len(order))):
        end += len(rows)
        x = (end - len(rows) / 2) / len(order)
        yield {**_pair(float(first[rows].mean()), float(second[rows].mean())), "x": x}
