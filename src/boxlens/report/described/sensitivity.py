"""Which objects a detector fails on: what AP_N depends on, and which objects are undetected."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any

from boxlens.report.described.extras import Extras, Run
from boxlens.report.described.object_plots import object_plots
from boxlens.report.study import (
    COUNT,
    NUMBER,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Part,
    Section,
    Study,
    Table,
    table_of,
)
from boxlens.studies.sensitivity.result import (
    Characteristic,
    ClassScore,
    Interaction,
    SensitivityResult,
)
from boxlens.studies.sensitivity.verdict import sensitivity_sentences, widest_first
from boxlens.wording import counted, number, part

GUIDE = "sensitivity"
OBJECTS = "objects"
# More kinds of objects than fit side by side are shown at a click.
MOST_KINDS = 8


def study(result: SensitivityResult) -> Study:
    misses = result.misses
    return Study(
        title=f"Sensitivity of {result.detections.name}",
        data=result.dataset.name,
        facts=(
            counted(len(result.detections), "detection"),
            counted(len(result.dataset.images), "image"),
            f"IoU {number(result.iou)}",
            f"N = {number(result.normal)}",
        ),
        sentences=tuple(sensitivity_sentences(result)),
        tiles=(
            ("mean AP_N", result.ap_n, SCORE),
            ("objects", misses.n_objects, COUNT),
            ("undetected", misses.n_missed, COUNT),
        ),
        sections=(
            objects_section(result),
            Section(
                "classes",
                "Classes",
                (_classes(result),),
                reading="AP_N is AP as if every class had the same number of objects; SE is a "
                "standard error.",
                guide=GUIDE,
            ),
        ),
        main_table=SPREADS,
        main_plot="sensitivity",
    ).of_detector(result.detections.name)


def extras(result: SensitivityResult) -> Extras:
    return Extras(Run(result.dataset, detections=[result.detections], iou=result.iou))


def objects_section(result: SensitivityResult, *, brief: bool = False) -> Section:
    """Part of a diagnosis, too, where it is brief."""
    return Section(
        OBJECTS,
        "Objects",
        tuple(_parts(result, brief=brief)),
        reading="Which objects are found worse than others of their class, and which are not "
        "found at all.",
        guide=GUIDE,
    )


def _parts(result: SensitivityResult, *, brief: bool) -> Iterator[Part]:
    yield from object_plots(result)
    yield _spreads(result)
    tables: list[Table[Any]] = [
        *map(_pivot, result.characteristics),
        *map(_grid, result.interactions),
        table_of(
            "",
            "Undetected objects if a looser overlap counted as right",
            {"right from IoU": NUMBER, "undetected": COUNT, "of them found": SHARE},
            ((one.iou, one.n_missed, one.share_recovered) for one in result.misses.looser),
        ),
    ]
    yield from (replace(one, detail=brief) for one in tables)
    yield _subsets(result)
    if result.interactions:
        yield _crossed(result)


SPREADS = "AP_N of the best and the worst kind of objects, on average over classes"


def _spreads(result: SensitivityResult) -> Table[Characteristic]:
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


def _pivot(row: Characteristic) -> Table[Any]:
    names = row.subset_names
    mean = ("mean over classes", row.ap_n, math.nan, *row.subset_ap_n)
    classes = []
    for one in row.classes:
        if any(kind.n_objects for kind in one.subsets):
            known = {kind.name: kind.ap_n for kind in one.subsets}
            values = (known.get(name, math.nan) for name in names)
            classes.append((one.name, one.ap_n, one.ap_n_se, *values))
    return Table(
        "",
        f"AP_N by {row.name}",
        [mean, *classes],
        [
            Column("", "class", itemgetter(0), TEXT),
            Column("", "all", itemgetter(1)),
            Column("", "SE", itemgetter(2)),
            *(
                Column("", name, itemgetter(at + 3), further=at >= MOST_KINDS)
                for at, name in enumerate(names)
            ),
        ],
        brief=[mean],
        folded=True,
    )


def _grid(grid: Interaction) -> Table[Any]:
    return table_of(
        "",
        f"AP_N by {grid.first} and {grid.second}",
        {f"{grid.first} \\ {grid.second}": TEXT, **dict.fromkeys(grid.second_names, SCORE)},
        (
            (name, *values)
            for name, values in zip(grid.first_names, grid.ap_n.tolist(), strict=True)
        ),
        folded=True,
    )


def _subsets(result: SensitivityResult) -> Table[Any]:
    """For files: every class, characteristic and subset."""
    names = {"characteristic": TEXT, "class": TEXT, "subset": TEXT}
    return table_of(
        "characteristics",
        "",
        {**names, "n_objects": COUNT, "AP_N": SCORE, "AP_N_se": SCORE, "n_undetected": COUNT},
        (
            (row.name, one.name, kind.name, kind.n_objects, kind.ap_n, kind.ap_n_se, kind.n_missed)
            for row in result.characteristics
            for one in row.classes
            for kind in one.subsets
        ),
    )


def _crossed(result: SensitivityResult) -> Table[Any]:
    """For files: every pair of subsets."""
    names = dict.fromkeys(("first", "second", "first_subset", "second_subset"), TEXT)
    return table_of(
        "interactions",
        "",
        {**names, "n_objects": COUNT, "AP_N": SCORE},
        (
            (grid.first, grid.second, first, second, int(n), float(ap_n))
            for grid in result.interactions
            for first, n_row, ap_row in zip(
                grid.first_names, grid.n_objects, grid.ap_n, strict=True
            )
            for second, n, ap_n in zip(grid.second_names, n_row, ap_row, strict=True)
        ),
    )


def _classes(result: SensitivityResult) -> Table[ClassScore]:
    return Table(
        "classes",
        "Every class",
        result.classes,
        [
            Column("class", "class", lambda row: row.name, TEXT),
            Column("n_objects", "objects", lambda row: row.n_objects, COUNT),
            Column("n_undetected", "", lambda row: row.n_missed, COUNT),
            Column("", "undetected", lambda row: part(row.n_missed, row.n_objects), SHARE),
            Column("hoiem_AP", "AP", lambda row: row.ap),
            Column("hoiem_AP_se", "SE of AP", lambda row: row.ap_se),
            Column("AP_N", "AP_N", lambda row: row.ap_n),
            Column("AP_N_se", "SE of AP_N", lambda row: row.ap_n_se),
        ],
        wide=True,
        detail=True,
    )
