"""All properties of objects at once: how much AP_N depends on each, and which objects are missed.

Sensitivity and impact are METHODS 2.4 and 2.5, undetected objects METHODS 2.6.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from boxlens.report.charts.colours import INK, PALE, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import SMALL_PX, bars, ticks, words
from boxlens.report.charts.forms.panels import below, name_rows
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.selecting import characteristic_terms, picks
from boxlens.report.described.sensitivity.subsets import state_of
from boxlens.report.study import COUNT, NUMBER, SHARE, TEXT, Column, Plot, Table, table_of
from boxlens.studies.sensitivity.result import Characteristic, Misses, SensitivityResult
from boxlens.studies.sensitivity.verdict import widest_first
from boxlens.wording import UNDEFINED, count, counted, number, part, score, share

SPREADS = "AP_N of the best and the worst kind of objects, on average over classes"
# Subsets beside each other in the figure of misses; the most frequent are taken.
MOST_SUBSETS = 6


def spreads_table(result: SensitivityResult) -> Table[Characteristic]:
    return Table(
        "",
        SPREADS,
        widest_first(result),
        [
            Column("", "by", lambda row: row.name, TEXT),
            Column("", "best", lambda row: row.highest),
            Column("", "worst", lambda row: row.lowest),
            Column("", "all", lambda row: row.ap_n),
            Column("", "sensitivity", lambda row: row.sensitivity),
            Column("", "by chance", lambda row: row.chance),
            Column("", "impact", lambda row: row.impact),
            Column("", "explains misses", lambda row: row.entropy_share, SHARE),
            Column("", "by chance", lambda row: row.entropy_chance, SHARE),
            Column("", "classes", lambda row: row.n_classes, COUNT),
        ],
    )


def spreads_plot(result: SensitivityResult, about: str) -> Plot:
    known = [row for row in widest_first(result) if not math.isnan(row.sensitivity)]
    unknown = [row.name for row in result.characteristics if math.isnan(row.sensitivity)]
    fewest, most = (pick((row.n_classes for row in known), default=0) for pick in (min, max))
    n_classes = f"{fewest} to " * (fewest < most) + counted(most, "class", "classes")
    return Plot(
        "sensitivity",
        "What the detector is sensitive to",
        "A bar much wider than chance: the detector depends on this property. A large impact: "
        "many objects are of the bad kind, so that fixing it pays.",
        partial(drawn_spreads, known),
        legend="Bar: AP_N of the worst and the best subset; stroke: of all objects of the same "
        f"classes. Means over the {n_classes} with enough objects. Sensitivity: best - worst, "
        "with what chance alone would give; impact: best - all."
        + (f" Too few objects: {', '.join(unknown)}." if unknown else ""),
        about=about,
        absent=""
        if known
        else "no property of the objects has two kinds with enough objects in one class",
    )


def drawn_spreads(
    known: Sequence[Characteristic], *, width: int = 136, row_px: int = 20, names_px: int = 0
) -> Spec:
    """From the worst subset to the best, with sensitivity and impact as numbers."""
    has_chance = not all(math.isnan(row.chance) for row in known)
    limit = max(max(row.highest for row in known) * 1.25, 0.05)
    begins_px = min(row.lowest for row in known) / limit * width
    # A bar that begins near 0 has its number left of it.
    free = {"labelPadding": max(3, round(34 - begins_px)), "minExtent": names_px}
    small: dict[str, Any] = {"fontSize": SMALL_PX, "color": SOFT_INK}
    rows: list[Row] = []
    for row in known:
        place = {"row": row.name, "lowest": row.lowest, "highest": row.highest, "all": row.ap_n}
        low, high = score(row.lowest), score(row.highest)
        tip = {
            "characteristic": row.name,
            "AP_N of the worst subset": low,
            "AP_N of the best subset": high,
            "AP_N of all objects": score(row.ap_n),
            "sensitivity by chance": score(row.chance),
            "classes": count(row.n_classes),
        }
        rows.append({**place, "low_text": low, "high_text": high, "tip": tip})
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


def looser_table(misses: Misses) -> Table[Any]:
    return table_of(
        "",
        "Undetected objects if a looser overlap counted as right",
        {"right from IoU": NUMBER, "undetected": COUNT, "of them found": SHARE},
        ((one.iou, one.n_missed, one.share_recovered) for one in misses.looser),
    )


def misses_plot(result: SensitivityResult, about: str) -> Plot:
    misses = result.misses
    absent = ""
    if not misses.n_objects:
        absent = "there are no objects"
    elif not misses.n_missed:
        absent = "no object is undetected"
    elif not (result.characteristics or misses.looser):
        absent = "there is no property of objects to tell them apart by"
    rate = share(part(misses.n_missed, misses.n_objects))
    looser = ", and how many of these a looser overlap would count as found"
    return Plot(
        "misses",
        "Which objects are undetected",
        "Kinds of objects that are often found too late to count or not at all"
        f"{looser if misses.looser else ''}.",
        partial(_drawn_misses, result),
        legend=f"Undetected: no correct detection at IoU {number(result.iou)} where P_N is "
        f"{number(misses.p_n)} or more; some are found later in the ranking. Explained: share of "
        "the entropy, and what chance would explain.",
        about=f"{about}: {misses.n_missed:,} of {counted(misses.n_objects, 'object')} "
        f"undetected ({rate})",
        absent=absent,
    )


def _drawn_misses(result: SensitivityResult) -> Spec:
    """Share of undetected objects by subset of each characteristic; looser overlaps below."""
    lines = {row.name: list(_missed_cells(row)) for row in result.characteristics}
    explained = {
        row.name: f"{share(row.entropy_share)} ({share(row.entropy_chance)})"
        if not math.isnan(row.entropy_share)
        else UNDEFINED
        for row in result.characteristics
        if lines[row.name]
    }
    panels = []
    if explained:
        n_columns = max(map(len, lines.values()))
        panel = matrix(
            [one for cells in lines.values() for one in cells],
            Names.of(map(str, range(n_columns)), px=200 / n_columns, gap=0.04, shown=False),
            Names.of(explained, px=25, characters=17, gap=0.04),
            letters_px=SMALL_PX,
            columns={"explained (chance)": explained},
            title="share undetected, by subset",
        )
        panels.append(panel)
    if result.misses.looser:
        panels.append(_drawn_looser(result.misses))
    return below(*panels, gap=10)


def _missed_cells(row: Characteristic) -> Iterator[Row]:
    """Objects of all classes together; of flags the two states, whatever the flag."""
    flags = row.kind == "flags"
    missed: Counter[str] = Counter()
    n_objects: Counter[str] = Counter()
    names = map(state_of, row.subset_names) if flags else row.subset_names
    for name, n_missed, n in zip(names, row.subset_n_missed, row.subset_n_objects, strict=True):
        missed[name] += n_missed
        n_objects[name] += n
    frequent = {name for name, n in n_objects.most_common(MOST_SUBSETS) if n}
    for place, name in enumerate(name for name in n_objects if name in frequent):
        n, of = missed[name], n_objects[name]
        tip = {"characteristic": row.name, "subset": name}
        tip |= {"undetected": count(n), "objects": count(of), "share undetected": share(n / of)}
        terms = {"undetected": "1", **characteristic_terms(row.name, name)}
        label = f"undetected, {row.name} {name}"
        # Nothing for flags, which are put together here.
        picked = {} if flags else picks(label, n, of="objects", terms=terms)
        text = [name, share(n / of)]
        yield cell(n / of, text, row=row.name, column=str(place), tip=tip, **picked)


def _drawn_looser(misses: Misses) -> Spec:
    rows: list[Row] = []
    for one in sorted(misses.looser, key=lambda one: -one.iou):
        iou, found, still = f"IoU {number(one.iou)}", one.share_recovered, count(one.n_missed)
        text = f"{share(found)}, {still} still undetected"
        tip = {"a looser overlap": iou, "share recovered": share(found), "still undetected": still}
        rows.append({"row": iou, "value": found, "text": text, "tip": tip})
    # Words stand right of the bars.
    longest = 2.2 * max(0.05, *(row["value"] for row in rows))
    return name_rows(
        rows,
        Names.of([row["row"] for row in rows], px=15),
        Axis(ends=(0, longest), hidden=True),
        bars("value", color=KINDS["loc"].colour),
        words("text", "value", align="left", dx=4),
        width=260,
        title="of the undetected, recovered by a looser overlap",
    )
