"""What is left of AP under the transforms of the study, and under corruptions by severity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from boxlens.images.corrupting.corruptions import SEVERITIES
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts.colours import INK, LINE, MANY_SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis, Names, to_a_tenth
from boxlens.report.charts.forms.keys import key, styles_of
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import bands, bars, dots, lines, ticks
from boxlens.report.charts.forms.panels import Series, below, beside, line_name, name_rows, plot
from boxlens.report.described.robustness.steps import (
    StepRow,
    has_score,
    plot_of,
    rows_of,
    step_table,
    who,
)
from boxlens.report.study import COUNT, FLAG, SCORE, SHARE, TEXT, Column, Part, Table, table_of
from boxlens.studies.robustness.result import CorruptionMean, DetectorRobustness, RobustnessResult
from boxlens.studies.robustness.steps import (
    GROUP_WORDS,
    by_transform,
    changing,
    level_words,
    mean_over,
    ratio,
    telling_means,
)
from boxlens.wording import UNDEFINED, interval, number, score, share

# Of a row: its key and label, the detector, then for each panel its number there and that of the
# unchanged pictures.
Bar = tuple[str, str, str, tuple[float, float], tuple[float, float]]

BAR_PX, LEAST_ROW_PX, BARS_PX = 8, 15, 220
# Panels of a line share it, and are no wider than the widest.
LINE_PX, WIDEST_PX, GAP_PX, CURVE_PX = 560, 190, 12, 92


def study_parts(result: RobustnessResult) -> tuple[Part, ...]:
    figure = plot_of(
        result,
        "robustness_study",
        "AP under the transforms of the study",
        "Far below its stroke without a background: the detector relies on the scene. Far below it "
        "on crops: it needs objects as large as in scenes. Upside down: it relies on the usual "
        "orientation.",
        "Bar: score on the changed pictures. Stroke: the same detector on the unchanged ones.",
        _study_chart,
        there=has_score(result, ("study",)),
    )
    return figure, step_table(result, ("study",), "Transforms of the study")


def corruption_parts(result: RobustnessResult) -> tuple[Part, ...]:
    banded = any(row.one.drop is not None for row in rows_of(result))
    curves = plot_of(
        result,
        "robustness_curves",
        "AP as corruptions grow stronger",
        "A line that falls at once: this corruption breaks the detector even when it is hardly "
        "visible. Lines that cross: which detector is better depends on how bad pictures are.",
        "Along x: severity; 0: the unchanged pictures. Along y: AP divided by that on the "
        "unchanged pictures." + " Band: interval of the drop, by resampling pictures." * banded,
        _curves_chart,
        there=has_score(result, CORRUPTION_GROUPS),
    )
    groups = plot_of(
        result,
        "robustness_groups",
        "Mean performance under corruption, by group",
        "The shortest bar is the group to train against first. The detector with the best AP may "
        "lose more of it than others.",
        "Mean over severities, then over the corruptions of a group (how many, in brackets). "
        "Stroke: the unchanged pictures.",
        _groups_chart,
        there=any(not math.isnan(one.ap) for of in result.detectors for one in of.corrupted),
    )
    return (
        curves,
        groups,
        _means_table(result),
        _severity_table(result),
        step_table(result, CORRUPTION_GROUPS, "Corruptions, all numbers", long=True),
    )


def _study_chart(result: RobustnessResult) -> Spec:
    """AP and AP50 beside the unchanged pictures; transforms in the order of the choice."""
    found = [
        (
            one.step.name,
            one.title,
            of.name,
            (one.metrics["AP"], of.clean.metrics["AP"]),
            (one.metrics["AP50"], of.clean.metrics["AP50"]),
        )
        for of in result.detectors
        for one in of.steps
        if one.group == "study"
    ]
    return _bars(result, {"AP": "AP", "AP50": "AP50"}, found)


def _groups_chart(result: RobustnessResult) -> Spec:
    """Mean AP under corruption, and its share of the AP on the unchanged pictures."""
    found = [
        (
            mean.group,
            f"{GROUP_WORDS[mean.group]} ({mean.n_corruptions})",
            of.name,
            (mean.ap, of.clean.metrics["AP"]),
            (mean.relative, 1.0),
        )
        for of in result.detectors
        for mean in telling_means(of)
    ]
    return _bars(result, {"AP": "AP", "relative to the unchanged pictures": "relative"}, found)


def _bars(result: RobustnessResult, panels: Mapping[str, str], found: Sequence[Bar]) -> Spec:
    """One bar per detector in each row, strokes at the unchanged pictures; panels side by side.

    Panels are titles, with what their number is called.
    """
    colours = colours_of([one.name for one in result.detectors], MANY_SERIES)
    labels = {row: label for row, label, *_ in found}
    drawn = [
        name_rows(
            [
                {
                    "row": row,
                    "series": who,
                    "colour": colours[who],
                    "value": value,
                    "clean": clean,
                    "tip": {
                        "pictures": label,
                        "detector": who,
                        number: form(value),
                        "unchanged": form(clean),
                    },
                }
                for row, label, who, *values in found
                for value, clean in values[at : at + 1]
            ],
            Names(labels, px=max(LEAST_ROW_PX, BAR_PX * len(colours) + 5), shown=at == 0),
            Axis(ends=to_a_tenth(value for _, _, _, *values in found for value in values[at])),
            bars("value"),
            ticks("clean", color=INK, bandSize=BAR_PX),
            width=BARS_PX,
            series=Series(list(colours), outer=0, inner=0.1),
            title=title,
        )
        for at, (title, number) in enumerate(panels.items())
        for form in [share if number == "relative" else score]
    ]
    return below(*key(colours, width=2 * BARS_PX), beside(*drawn, gap=12))


def _curves_chart(result: RobustnessResult) -> Spec:
    """How much of AP is left by severity; one line of panels per group of corruptions."""
    styles = styles_of(one.name for one in result.detectors)
    arranged = _arranged(result)
    every = (row for _, panels in arranged for rows in panels.values() for row in rows)
    # 1, or above what rose.
    top = max(1.0, to_a_tenth(row["high"] for row in every)[1])
    n_columns = max(len(panels) for _, panels in arranged)
    width = min(WIDEST_PX, (LINE_PX - GAP_PX * (n_columns - 1)) // n_columns)
    drawn = []
    for group, panels in arranged:
        curves = [
            plot(
                [{**row, **styles[row["series"]].look} for row in rows],
                Axis(ends=(-0.15, SEVERITIES[-1] + 0.15), grid=False),
                Axis(ends=(0, top), ticks=4, labels=at == 0),
                bands(),
                lines(),
                dots(size=9),
                width=width,
                height=CURVE_PX,
                title=title,
            )
            for at, (title, rows) in enumerate(panels.items())
        ]
        look = {"fontWeight": "bold", "color": LINE}
        before = [line_name(group, width=54, height=CURVE_PX, **look)] * bool(group)
        drawn.append(beside(*before, *curves, gap=GAP_PX))
    return below(*key(styles, width=max(300, n_columns * width)), *drawn, gap=10)


def _arranged(result: RobustnessResult) -> list[tuple[str, dict[str, list[Row]]]]:
    """Rows by title, one group per line; where all groups are small, one after the other."""
    groups = {
        GROUP_WORDS[group]: {
            steps[0].title: [row for of in result.detectors for row in _curve(of, name)]
            for name, steps in by_transform(result.detectors[0], group).items()
        }
        for group in CORRUPTION_GROUPS
    }
    # Smaller groups would leave most of their lines empty.
    if max(map(len, groups.values())) > 2:
        return [(group, panels) for group, panels in groups.items() if panels]
    every = [pair for panels in groups.values() for pair in panels.items()]
    return [("", dict(every[at : at + 4])) for at in range(0, len(every), 4)]


def _curve(detector: DetectorRobustness, name: str) -> Iterator[Row]:
    """From the unchanged pictures on, severity 0; nothing where no severity has a score."""
    clean_ap = detector.clean.metrics["AP"]
    steps = by_transform(detector, *CORRUPTION_GROUPS).get(name, ())
    known = [one for one in steps if not math.isnan(one.relative["AP"])]
    for one in [detector.clean, *(one for one in known if one.step.level)] if known else []:
        left = one.relative["AP"]
        drop, low, high = StepRow(detector, one).drop
        sure = not math.isnan(low)
        yield {
            "x": one.step.level if one.step.graded else 0,
            "y": left,
            "series": detector.name,
            "low": max(1 - high / clean_ap if sure else left, 0.0),
            "high": 1 - low / clean_ap if sure else left,
            "tip": {
                "detector": detector.name,
                "pictures": level_words(one) or one.title,
                "relative": share(left),
                "AP": score(one.metrics["AP"]),
                "drop": f"{score(drop)} ({interval(low, high)})" if sure else UNDEFINED,
            },
        }


def _means_table(result: RobustnessResult) -> Table[tuple[str, CorruptionMean]]:
    """Of all corruptions, and of each group."""
    return Table(
        "robustness_corrupted",
        "Mean performance under corruption",
        [(of.name, mean) for of in result.detectors for mean in of.corrupted],
        [
            Column("", "corruptions", lambda row: GROUP_WORDS[row[1].group], TEXT),
            Column("detector", who(result), lambda row: row[0], TEXT),
            Column("group", "", lambda row: row[1].group, TEXT),
            Column("n_corruptions", "number", lambda row: row[1].n_corruptions, COUNT),
            Column("complete", "", lambda row: row[1].complete, FLAG),
            Column("AP", "mean AP (mPC)", lambda row: row[1].ap),
            Column("relative", "relative (rPC)", lambda row: row[1].relative, SHARE),
        ],
    )


def _severity_table(result: RobustnessResult) -> Table[Any]:
    """AP by severity, and the mean over those that change something."""
    found = [
        (detector, steps)
        for detector in result.detectors
        for steps in by_transform(detector, *CORRUPTION_GROUPS).values()
    ]
    severities = sorted({one.step.level for _, steps in found for one in steps})
    rows = []
    for detector, steps in found:
        aps = {one.step.level: one.metrics["AP"] for one in steps}
        mean = mean_over(changing(steps), lambda one: one.metrics["AP"])
        told = steps[0].title, GROUP_WORDS[steps[0].group], detector.name
        by_severity = (aps.get(at, math.nan) for at in severities)
        rows.append((*told, *by_severity, mean, ratio(mean, detector.clean.metrics["AP"])))
    forms = dict.fromkeys(("corruption", "group", who(result)), TEXT)
    forms |= {**dict.fromkeys(map(number, severities), SCORE), "mean": SCORE, "relative": SHARE}
    return table_of("", "AP by severity of corruption", forms, rows, wide=True)
