"""Which objects a detector fails on: what AP_N depends on, and which objects are undetected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from boxlens.report.described.extras import Extras, Run
from boxlens.report.described.sensitivity import overview, subsets
from boxlens.report.study import COUNT, SCORE, SHARE, TEXT, Column, Section, Study, Table, table_of
from boxlens.studies.sensitivity.result import ClassScore, SensitivityResult
from boxlens.studies.sensitivity.verdict import sensitivity_sentences
from boxlens.wording import counted, number, part

GUIDE = "sensitivity"
OBJECTS = "objects"


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
        main_table=overview.SPREADS,
        main_plot="sensitivity",
    ).of_detector(result.detections.name)


def extras(result: SensitivityResult) -> Extras:
    return Extras(Run(result.dataset, detections=[result.detections], iou=result.iou))


def objects_section(result: SensitivityResult, *, brief: bool = False) -> Section:
    """Part of a diagnosis, too, where it is brief."""
    characteristics, interactions = result.characteristics, result.interactions
    about = f"{result.detections.name} on {result.dataset.name}"
    details: list[Table[Any]] = [
        *map(subsets.characteristic_table, characteristics),
        *map(subsets.interaction_table, interactions),
        overview.looser_table(result.misses),
    ]
    return Section(
        OBJECTS,
        "Objects",
        (
            overview.spreads_plot(result, about),
            overview.misses_plot(result, about),
            *(subsets.characteristic_plot(row, about) for row in characteristics),
            *(subsets.interaction_plot(pair, about) for pair in interactions),
            overview.spreads_table(result),
            *(replace(one, detail=brief) for one in details),
            _subsets(result),
            *([_crossed(result)] if interactions else []),
        ),
        reading="Which objects are found worse than others of their class, and which are not "
        "found at all.",
        guide=GUIDE,
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
            (pair.first, pair.second, first, second, int(n), float(ap_n))
            for pair in result.interactions
            for first, counts, aps in zip(pair.first_names, pair.n_objects, pair.ap_n, strict=True)
            for second, n, ap_n in zip(pair.second_names, counts, aps, strict=True)
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
