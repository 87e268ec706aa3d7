"""Graded changes, level by level: how far pictures may change before it costs anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from typing import Any

from boxlens.images.perturbing.families import FAMILIES
from boxlens.report.charts.forms.axes import Axis, to_a_tenth
from boxlens.report.charts.forms.keys import Style, key, styles_of
from boxlens.report.charts.forms.layers import Mark, Spec
from boxlens.report.charts.forms.marks import dots, lines
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.report.charts.forms.tables import table_rows, told_rows
from boxlens.report.charts.level_axis import level_axis, level_place
from boxlens.report.described.robustness.steps import (
    StepRow,
    has_score,
    plot_of,
    rows_of,
    step_columns,
    step_table,
)
from boxlens.report.study import SCORE, SHARE, TEXT, Note, Part, Table, table_of
from boxlens.studies.robustness.result import RobustnessResult
from boxlens.studies.robustness.steps import (
    by_transform,
    changing,
    family_of,
    level_words,
    mean_over,
    own_references,
    step_words,
)


def parts(result: RobustnessResult) -> tuple[Part, ...]:
    references = own_references(result)
    crop = ", for rotations on the same crop unrotated" * bool(references)
    figure = plot_of(
        result,
        "robustness_graded",
        "AP as pictures change by degrees",
        "How far a change may go before it costs anything: where lines leave the dashed ones.",
        f"Dashed: AP on the unchanged pictures{crop}.",
        _chart,
        there=has_score(result, ("graded",)),
    )
    notes = (
        Note(
            f"{title}: relative to {reference}, the same crop, which itself is relative to the "
            "unchanged pictures."
        )
        for title, reference in references.items()
    )
    every = step_table(result, ("graded",), "Graded changes, all numbers", long=True)
    return figure, *_level_tables(result), *notes, every


def _chart(result: RobustnessResult) -> Spec:
    """One panel per transform that has a score, with the same axis of AP."""
    rows = [row for row in rows_of(result) if row.is_clean or row.one.group == "graded"]
    scores = [(row, row.one.metrics["AP"]) for row in rows]
    ap = Axis(ends=to_a_tenth(score for _, score in scores), ticks=4)
    names = (row.one.step.name for row, score in scores if not (row.is_clean or isnan(score)))
    styles = styles_of(one.name for one in result.detectors)
    panels = [_panel(result, name, styles, ap) for name in dict.fromkeys(names)]
    return grid(panels, 2, above=key(styles, width=640), gap=16)


def _panel(result: RobustnessResult, name: str, styles: Mapping[str, Style], ap: Axis) -> Spec:
    """Dashed: what the levels are compared with."""
    family = FAMILIES[family_of(name)]
    found = [(of, by_transform(of, "graded")[name]) for of in result.detectors]
    levels = sorted({one.step.level for _, steps in found for one in steps})
    every = [StepRow(of, one) for of, steps in found for one in steps]
    tips = {"detector": "detector", "level": "label", "AP": "AP", "relative": "relative"}
    table = Table("", "", every, step_columns(result))
    rows = [
        {**row, "x": level_place(family, levels, row["x"]), **styles[row["series"]].look}
        for row in table_rows(table, tips, x="severity", y="AP", series="detector")
    ]
    compared = [(of, of.reference_of([*changing(steps), *steps][0])) for of, steps in found]
    references = told_rows(
        {"detector": TEXT, "pictures": TEXT, "AP": SCORE},
        (
            (of.name, step_words(one), one.metrics["AP"], styles[of.name].look)
            for of, one in compared
        ),
        y="AP",
    )
    return plot(
        rows,
        level_axis(family, levels),
        ap,
        Mark("rule", {"y": "y"}, {"strokeDash": [3, 2], "strokeWidth": 0.8}, references),
        lines(),
        dots(size=9),
        width=300,
        height=130,
        title=family.title,
    )


def _level_tables(result: RobustnessResult) -> Iterator[Table[Any]]:
    """One per kind of graded change: AP of every detector, and its share of the reference's."""
    found = [by_transform(one, "graded") for one in result.detectors]
    values = (lambda one: one.metrics["AP"], lambda one: one.relative["AP"])
    forms = {"level": TEXT}
    for detector in result.detectors:
        whose = f", {detector.name}" * (len(found) > 1)
        forms |= {f"AP{whose}": SCORE, f"relative{whose}": SHARE}
    for name, steps in found[0].items():
        of_name = [of[name] for of in found]
        levels = [
            (level_words(one), [of[at : at + 1] for of in of_name]) for at, one in enumerate(steps)
        ]
        if len(steps) > 1:
            levels.append(("mean", [changing(of) for of in of_name]))
        rows = (
            (label, *(mean_over(of, value) for of in every for value in values))
            for label, every in levels
        )
        yield table_of("", f"{steps[0].title}: AP at every level", forms, rows, folded=True)
