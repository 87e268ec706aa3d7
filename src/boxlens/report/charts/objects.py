"""Objects: what AP_N depends on (METHODS 2.4, 2.5), and which are undetected (METHODS 2.6)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from boxlens.report.charts.colours import DARK_BLUE, INK, NEUTRAL, PALE, SOFT_INK, ramp
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import (
    SMALL_PX,
    bars,
    dots,
    lines,
    rule_at,
    spans,
    ticks,
    words,
)
from boxlens.report.charts.forms.panels import below, grid, name_rows, plot
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.selecting import characteristic_terms, picks
from boxlens.report.charts.theme import WIDTH
from boxlens.studies.sensitivity.result import (
    Characteristic,
    ClassSpread,
    Interaction,
    Misses,
    SensitivityResult,
)
from boxlens.wording import UNDEFINED, count, number, score, share, short

GAP_PX: Final = 8
# Left of panels, for the numbers of the axis or the names of flags.
AXIS_PX, FLAG_PX = 36, 62
# For a number left of a bar that begins near 0.
NUMBER_PX: Final = 34
# Subsets beside each other in the figure of misses; the most frequent are taken.
MOST_SUBSETS: Final = 6
MISSES_PX: Final = 200


def sensitivity_summary_chart(
    known: Sequence[Characteristic], *, width: int = 136, row_px: int = 20, names_px: int = 0
) -> Spec:
    """From the worst subset to the best, with sensitivity and impact as numbers."""
    has_chance = not all(math.isnan(row.chance) for row in known)
    limit = max(max(row.highest for row in known) * 1.25, 0.05)
    begins_px = min(row.lowest for row in known) / limit * width
    free = {"labelPadding": max(3, round(NUMBER_PX - begins_px)), "minExtent": names_px}
    small: dict[str, Any] = {"fontSize": SMALL_PX, "color": SOFT_INK}
    rows = [
        {
            "row": row.name,
            "lowest": row.lowest,
            "highest": row.highest,
            "all": row.ap_n,
            "low_text": score(row.lowest),
            "high_text": score(row.highest),
            "tip": {
                "characteristic": row.name,
                "AP_N of the worst subset": score(row.lowest),
                "AP_N of the best subset": score(row.highest),
                "AP_N of all objects": score(row.ap_n),
                "sensitivity by chance": score(row.chance),
                "classes": count(row.n_classes),
            },
        }
        for row in known
    ]
    return name_rows(
        rows,
        Names.of([row.name for row in known], px=row_px, characters=17, more=free),
        Axis("AP_N", (0, limit), ticks=4),
        bars("highest", "lowest", color=PALE, height=11),
        ticks("all", color=INK, height=11),
        words("low_text", "lowest", align="right", dx=-3, **small),
        words("high_text", "highest", align="left", dx=3, **small),
        width=width,
        columns={
            f"sensitivity{' (chance)' * has_chance}": {
                row.name: score(row.sensitivity) + f" ({score(row.chance)})" * has_chance
                for row in known
            },
            "impact": {row.name: score(row.impact) for row in known},
        },
    )


def characteristic_chart(result: Characteristic, shown: Sequence[ClassSpread]) -> Spec:
    """Small panels, one per class: AP_N of its subsets with standard errors.

    Subsets from left to right, as in Hoiem's plots; of flags, in which classes differ, one line
    each with both of its states.
    """
    flags, names = result.kind == "flags", result.subset_names
    columns = min(len(shown), 2 if flags else 4)
    colours = dict(zip(names, ramp(len(names)), strict=True))
    if flags:
        colours = dict(zip((_state(name) for name in names[:2]), (NEUTRAL, DARK_BLUE), strict=True))
    panels = [list(_subset_rows(result, row, colours)) for row in shown]
    highest = max([row.ap_n for row in shown] + [row["high"] for rows in panels for row in rows])
    # The next fifth above all error bars and lines.
    top = max(math.ceil(highest * 5) / 5, 0.2)
    left_px = FLAG_PX * columns if flags else AXIS_PX
    width = (WIDTH - left_px - GAP_PX * (columns - 1)) // columns
    drawn = []
    for at, (row, rows) in enumerate(zip(shown, panels, strict=True)):
        edge = at >= len(shown) - columns if flags else at % columns == 0
        values = Axis("AP_N" * edge, (0, top), values=(0, top / 2, top), labels=edge)
        whole = rule_at(row.ap_n, color=INK, strokeDash=[3, 2])
        if flags:
            named = (one["row"] for one in rows)
            down = Names.of(named, px=12, characters=9, more={"labelPadding": 8})
            marks = (*whole, spans(strokeWidth=1), dots(size=0))
            title = short(row.name, 18)
            drawn.append(name_rows(rows, down, values, *marks, width=width, title=title))
        else:
            panel = plot(
                rows,
                Axis(ends=(-0.6, len(names) - 0.4), hidden=True),
                values,
                *whole,
                lines(color=PALE, strokeWidth=1),
                spans(strokeWidth=1),
                dots(size=0),
                width=width,
                height=100 if len(shown) <= 4 else 48,
                title=short(row.name, 14),
            )
            drawn.append(panel)
    return grid(drawn, columns, above=key(colours, width=WIDTH), gap=GAP_PX)


def _state(flag: str) -> str:
    """Of "wheel hidden", hidden."""
    return flag.rsplit(" ", 1)[-1]


def _subset_rows(
    result: Characteristic, row: ClassSpread, colours: Mapping[str, str]
) -> Iterator[Row]:
    """AP_N of few objects says little: the spread leaves them out, and they are drawn faintly."""
    flags = result.kind == "flags"
    for at, subset in enumerate(row.subsets):
        if math.isnan(subset.ap_n):
            continue
        error = 0.0 if math.isnan(subset.ap_n_se) else subset.ap_n_se
        few = subset.n_objects < result.min_objects
        terms = characteristic_terms(result.name, subset.name, flags=flags)
        yield {
            "x": at,
            "y": subset.ap_n,
            "low": max(subset.ap_n - error, 0),
            "high": min(subset.ap_n + error, 1),
            "row": subset.name.removesuffix(f" {_state(subset.name)}"),
            "colour": colours[_state(subset.name) if flags else subset.name],
            "size": 12 if few else 24,
            "opacity": 0.4 if few else 1,
            "tip": {
                "class": row.name,
                "subset": subset.name,
                "AP_N": score(subset.ap_n),
                "standard error": score(subset.ap_n_se),
                "objects": count(subset.n_objects),
                "AP_N of the class": score(row.ap_n),
            },
            **picks(
                f"{row.name}, {result.name} {subset.name}",
                subset.n_objects,
                of="objects",
                terms={"class": row.name, **terms},
            ),
        }


def interaction_chart(result: Interaction, lines: Sequence[int], columns: Sequence[int]) -> Spec:
    """AP_N of pairs of subsets; cells without enough objects in any class stay empty."""
    cells = [
        _pair(result, line, column)
        for line in lines
        for column in columns
        if not math.isnan(result.ap_n[line, column])
    ]
    down, across = (
        Names.of([names[at] for at in places], px=px, characters=18, gap=0.04, title=title)
        for names, places, px, title in (
            (result.first_names, lines, 26, result.first),
            (result.second_names, columns, min(60, 270 / len(columns)), result.second),
        )
    )
    return matrix(cells, across, down)


def _pair(result: Interaction, line: int, column: int) -> Row:
    first, second = result.first_names[line], result.second_names[column]
    ap_n, n = float(result.ap_n[line, column]), int(result.n_objects[line, column])
    terms = characteristic_terms(result.first, first) | characteristic_terms(result.second, second)
    label = f"{result.first} {first}, {result.second} {second}"
    # Of flags an object has several.
    flags = {result.first, result.second} & {"parts", "sides"}
    return cell(
        ap_n,
        score(ap_n),
        row=first,
        column=second,
        tip={result.first: first, result.second: second, "AP_N": score(ap_n), "objects": count(n)},
        **({} if flags else picks(label, n, of="objects", terms=terms)),
    )


def misses_chart(result: SensitivityResult) -> Spec:
    """Share of undetected objects by subset of each characteristic; looser overlaps below."""
    rows = {row.name: [*_missed_cells(row)] for row in result.characteristics}
    cells = [one for row in rows.values() for one in row]
    panels = []
    if cells:
        n_columns = max(map(len, rows.values()))
        column_px = MISSES_PX / n_columns
        explained = {row.name: _explained(row) for row in result.characteristics if rows[row.name]}
        panel = matrix(
            cells,
            Names.of(map(str, range(n_columns)), px=column_px, gap=0.04, shown=False),
            Names.of(explained, px=25, characters=17, gap=0.04),
            letters_px=SMALL_PX,
            columns={"explained (chance)": explained},
            title="share undetected, by subset",
        )
        panels.append(panel)
    if result.misses.looser:
        panels.append(_looser(result.misses))
    return below(*panels, gap=10)


def _missed_cells(row: Characteristic) -> Iterator[Row]:
    """Objects of all classes together; of flags the two states, whatever the flag."""
    flags = row.kind == "flags"
    missed: Counter[str] = Counter()
    n_objects: Counter[str] = Counter()
    for subset, n_missed, n in zip(
        row.subset_names, row.subset_n_missed, row.subset_n_objects, strict=True
    ):
        name = _state(subset) if flags else subset
        missed[name] += n_missed
        n_objects[name] += n
    frequent = {name for name, n in n_objects.most_common(MOST_SUBSETS) if n}
    for place, name in enumerate(name for name in n_objects if name in frequent):
        n, of = missed[name], n_objects[name]
        terms = {"undetected": "1", **characteristic_terms(row.name, name)}
        label = f"undetected, {row.name} {name}"
        yield cell(
            n / of,
            [name, share(n / of)],
            row=row.name,
            column=str(place),
            tip={
                "characteristic": row.name,
                "subset": name,
                "undetected": count(n),
                "objects": count(of),
                "share undetected": share(n / of),
            },
            # Nothing for flags, which are put together here.
            **({} if flags else picks(label, n, of="objects", terms=terms)),
        )


def _explained(row: Characteristic) -> str:
    if math.isnan(row.entropy_share):
        return UNDEFINED
    return f"{share(row.entropy_share)} ({share(row.entropy_chance)})"


def _looser(misses: Misses) -> Spec:
    rows: list[Row] = [
        {
            "row": f"IoU {number(row.iou)}",
            "value": row.share_recovered,
            "text": f"{share(row.share_recovered)}, {row.n_missed:,} still undetected",
            "tip": {
                "a looser overlap": f"IoU {number(row.iou)}",
                "share recovered": share(row.share_recovered),
                "still undetected": count(row.n_missed),
            },
        }
        for row in sorted(misses.looser, key=lambda row: -row.iou)
        if not math.isnan(row.share_recovered)
    ]
    # Words stand right of the bars.
    longest = max([0.05, *(row["value"] for row in rows)]) * 2.2
    return name_rows(
        rows,
        Names.of([row["row"] for row in rows], px=15),
        Axis(ends=(0, longest), hidden=True),
        bars("value", color=KINDS["loc"].colour),
        words("text", "value", align="left", dx=4),
        width=260,
        title="of the undetected, recovered by a looser overlap",
    )
