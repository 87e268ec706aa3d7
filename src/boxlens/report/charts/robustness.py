"""What is left of AP under changes of pictures: by transform, severity and level."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from boxlens.images.corrupting.corruptions import SEVERITIES
from boxlens.images.perturbing.families import FAMILIES
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts.colours import INK, LINE, MANY_SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis, Names, to_a_tenth
from boxlens.report.charts.forms.keys import Style, key
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import bands, bars, dots, lines, ticks
from boxlens.report.charts.forms.panels import (
    Series,
    below,
    beside,
    grid,
    line_name,
    name_rows,
    plot,
)
from boxlens.report.charts.level_axis import level_axis, level_place
from boxlens.studies.robustness.result import (
    DetectorRobustness,
    RobustnessResult,
    StepRobustness,
)
from boxlens.studies.robustness.steps import (
    CLEAN_WORDS,
    GROUP_WORDS,
    by_transform,
    changing,
    family_of,
    level_words,
    step_words,
    telling_means,
)
from boxlens.wording import UNDEFINED, interval, score, share

# Row, detector, score, and that of the unchanged pictures.
Bar = tuple[str, str, float, float]

# Of a figure across a page, and one of two panels.
PAGE_PX, PANEL_PX = 640, 300
BAR_PX, LEAST_ROW_PX, BARS_PX = 8, 15, 220
# Panels of a line share it, and are no wider than the widest.
LINE_PX, WIDEST_PX, GAP_PX, CURVE_PX = 560, 190, 12, 92
SEVERITY: Final = Axis(ends=(-0.15, SEVERITIES[-1] + 0.15), grid=False)
# Smaller groups of corruptions would leave most of their lines empty.
FEWEST_GROUPED, PER_LINE = 3, 4


def detector_colours(result: RobustnessResult) -> dict[str, str]:
    """By name, the same in all figures."""
    return colours_of([one.name for one in result.detectors], MANY_SERIES)


def _styles(result: RobustnessResult) -> dict[str, Style]:
    return {name: Style(colour) for name, colour in detector_colours(result).items()}


def robustness_study_chart(result: RobustnessResult) -> Spec:
    """AP and AP50 beside the unchanged pictures; transforms in the order of the choice."""
    found = [(of, one) for of in result.detectors for one in of.steps if one.group == "study"]
    aps, ap50s = (
        [(one.step.name, of.name, one.metrics[name], of.clean.metrics[name]) for of, one in found]
        for name in ("AP", "AP50")
    )
    labels = {one.step.name: one.title for _, one in found}
    return _bars(result, labels, [("AP", "AP", aps), ("AP50", "AP50", ap50s)])


def robustness_groups_chart(result: RobustnessResult) -> Spec:
    """Mean AP under corruption, and its share of the AP on the unchanged pictures."""
    found = [(of, mean) for of in result.detectors for mean in telling_means(of)]
    labels = {mean.group: f"{GROUP_WORDS[mean.group]} ({mean.n_corruptions})" for _, mean in found}
    means = [(mean.group, of.name, mean.ap, of.clean.metrics["AP"]) for of, mean in found]
    shares = [(mean.group, of.name, mean.relative, 1.0) for of, mean in found]
    relative = "relative to the unchanged pictures", "relative", shares
    return _bars(result, labels, [("AP", "AP", means), relative])


def _bars(
    result: RobustnessResult,
    labels: Mapping[str, str],
    panels: Iterable[tuple[str, str, Sequence[Bar]]],
) -> Spec:
    """One bar per detector in each row, strokes at the unchanged pictures; panels side by side.

    Panels have a title and what their number is called.
    """
    colours = detector_colours(result)
    drawn = [
        name_rows(
            [_bar_row(bar, labels, number, colours) for bar in found],
            Names(labels, px=max(LEAST_ROW_PX, BAR_PX * len(colours) + 5), shown=at == 0),
            Axis(ends=to_a_tenth(value for *_, score, clean in found for value in (score, clean))),
            bars("value"),
            ticks("clean", color=INK, bandSize=BAR_PX),
            width=BARS_PX,
            series=Series(list(colours), outer=0, inner=0.1),
            title=title,
        )
        for at, (title, number, found) in enumerate(panels)
    ]
    return below(*key(colours, width=2 * BARS_PX), beside(*drawn, gap=12))


def _bar_row(bar: Bar, labels: Mapping[str, str], number: str, colours: Mapping[str, str]) -> Row:
    row, who, value, clean = bar
    tip = {"pictures": labels[row], "detector": who, number: score(value)}
    place = {"row": row, "series": who, "colour": colours[who]}
    return {**place, "value": value, "clean": clean, "tip": {**tip, "unchanged": score(clean)}}


def robustness_curves_chart(result: RobustnessResult) -> Spec:
    """How much of AP is left by severity; one line of panels per group of corruptions."""
    styles = _styles(result)
    arranged = _arranged(result)
    curves = {
        name: [row for of in result.detectors for row in _curve(of, name, styles[of.name])]
        for _, titles in arranged
        for name in titles
    }
    n_columns = max(len(titles) for _, titles in arranged)
    width = min(WIDEST_PX, (LINE_PX - GAP_PX * (n_columns - 1)) // n_columns)
    # 1, or above what rose.
    top = max(1.0, to_a_tenth(row["high"] for rows in curves.values() for row in rows)[1])
    drawn = []
    for group, titles in arranged:
        panels = [
            plot(
                curves[name],
                SEVERITY,
                Axis(ends=(0, top), ticks=4, labels=at == 0),
                bands(),
                lines(),
                dots(size=9),
                width=width,
                height=CURVE_PX,
                title=title,
            )
            for at, (name, title) in enumerate(titles.items())
        ]
        look = {"fontWeight": "bold", "color": LINE}
        before = [line_name(group, width=54, height=CURVE_PX, **look)] * bool(group)
        drawn.append(beside(*before, *panels, gap=GAP_PX))
    return below(*key(styles, width=max(PANEL_PX, n_columns * width)), *drawn, gap=10)


def _arranged(result: RobustnessResult) -> list[tuple[str, dict[str, str]]]:
    """Titles by name, one group per line; where all groups are small, one after the other."""
    groups = {
        GROUP_WORDS[group]: {
            name: steps[0].title
            for detector in result.detectors
            for name, steps in by_transform(detector, group).items()
        }
        for group in CORRUPTION_GROUPS
    }
    if max(map(len, groups.values())) >= FEWEST_GROUPED:
        return [(group, titles) for group, titles in groups.items() if titles]
    every = [pair for titles in groups.values() for pair in titles.items()]
    return [("", dict(every[at : at + PER_LINE])) for at in range(0, len(every), PER_LINE)]


def _curve(detector: DetectorRobustness, name: str, style: Style) -> Iterator[Row]:
    """From the unchanged pictures on, severity 0; nothing where no severity has a score."""
    clean = detector.clean
    steps = by_transform(detector, *CORRUPTION_GROUPS).get(name, ())
    known = [one for one in steps if not math.isnan(one.relative["AP"])]
    for one in [clean, *(one for one in known if one.step.level != 0)] if known else []:
        low = high = left = one.relative["AP"]
        drop = UNDEFINED
        if one.drop is not None and not math.isnan(one.drop.interval.low):
            around = one.drop.interval
            low, high = (1 - end / clean.metrics["AP"] for end in (around.high, around.low))
            drop = f"{score(around.value)} ({interval(around.low, around.high)})"
        tip = {
            "detector": detector.name,
            "pictures": CLEAN_WORDS if one is clean else level_words(one),
            "relative": share(left),
            "AP": score(one.metrics["AP"]),
            "drop": drop,
        }
        place = {"x": 0 if one is clean else one.step.level, "y": left, "series": detector.name}
        yield {**place, "low": max(low, 0.0), "high": high, "tip": tip, **style.look}


def robustness_graded_chart(result: RobustnessResult, names: Sequence[str]) -> Spec:
    """One panel per graded transform, in this order, with the same axis of AP."""
    styles = _styles(result)
    ends = to_a_tenth(
        one.metrics["AP"]
        for of in result.detectors
        for one in (of.clean, *(one for one in of.steps if one.group == "graded"))
    )
    panels = [_graded_panel(result, name, styles, Axis(ends=ends, ticks=4)) for name in names]
    return grid(panels, 2, above=key(styles, width=PAGE_PX), gap=16)


def _graded_panel(
    result: RobustnessResult, name: str, styles: Mapping[str, Style], ap: Axis
) -> Spec:
    family = FAMILIES[family_of(name)]
    found = [(of, by_transform(of, "graded").get(name, ())) for of in result.detectors]
    levels = sorted({one.step.level for _, steps in found for one in steps})
    rows = [
        {
            "x": level_place(family, levels, one.step.level),
            "y": one.metrics["AP"],
            "series": of.name,
            "tip": {
                "detector": of.name,
                "level": one.label,
                "AP": score(one.metrics["AP"]),
                "relative": share(one.relative["AP"]),
            },
            **styles[of.name].look,
        }
        for of, steps in found
        for one in steps
    ]
    references = [_reference_row(of, steps, styles[of.name]) for of, steps in found if steps]
    return plot(
        rows,
        level_axis(family, levels),
        ap,
        Mark("rule", {"y": "y"}, {"strokeDash": [3, 2], "strokeWidth": 0.8}, references),
        lines(),
        dots(size=9),
        width=PANEL_PX,
        height=130,
        title=family.title,
    )


def _reference_row(
    detector: DetectorRobustness, levels: Sequence[StepRobustness], style: Style
) -> Row:
    """What the levels of a transform are compared with."""
    reference = detector.reference_of(next(iter(changing(levels)), levels[0]))
    tip = {
        "detector": detector.name,
        "pictures": CLEAN_WORDS if reference is detector.clean else step_words(reference),
        "AP": score(reference.metrics["AP"]),
    }
    return {"y": reference.metrics["AP"], "tip": tip, **style.look}
