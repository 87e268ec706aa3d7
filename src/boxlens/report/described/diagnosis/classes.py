"""Every class under every scheme, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from boxlens.report.described.diagnosis.tables import FP_KINDS, SUMS, fp_share, kind_label
from boxlens.report.study import CHANGE, COUNT, SHARE, TEXT, Column, Table, columns_of
from boxlens.studies.diagnosis.borji import STEPS
from boxlens.studies.diagnosis.coco_analyze import CURVES
from boxlens.wording import part, share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.studies.diagnosis import DiagnosisResult
    from boxlens.studies.diagnosis.hoiem import HoiemClass
    from boxlens.studies.diagnosis.tide import TideClass
    from boxlens.studies.sensitivity.result import ClassScore


class ClassRow(NamedTuple):
    """One class, as each scheme sees it."""

    hoiem: HoiemClass
    tide: TideClass
    score: ClassScore
    # Area under each curve of COCO analyze, AP after each of Borji's steps.
    curves: dict[str, float]
    steps: dict[str, float]


def class_rows(result: DiagnosisResult) -> list[ClassRow]:
    analyze = result.coco_analyze
    overall = analyze.areas.index("all")
    schemes = (result.hoiem.classes, result.tide.classes, result.sensitivity.classes)
    return [
        ClassRow(
            *of_class,
            dict(zip(CURVES, analyze.ap[:, row, overall].tolist(), strict=True)),
            dict(zip(STEPS, result.borji.class_ap[row].tolist(), strict=True)),
        )
        for row, of_class in enumerate(zip(*schemes, strict=True))
    ]


def classes_table(result: DiagnosisResult) -> Table[ClassRow]:
    return Table(
        "classes",
        "Every class",
        class_rows(result),
        [
            Column("class", "class", lambda row: row.hoiem.name, TEXT),
            Column("n_objects", "objects", lambda row: row.score.n_objects, COUNT),
            Column(
                "n_detections",
                "detections",
                lambda row: row.hoiem.n_detections,
                COUNT,
                further=True,
            ),
            Column("n_undetected", "", lambda row: row.score.n_missed, COUNT),
            Column("hoiem_AP", "AP", lambda row: row.score.ap),
            Column("hoiem_AP_se", "", lambda row: row.score.ap_se),
            Column("AP_N", "AP_N", lambda row: row.score.ap_n),
            Column("AP_N_se", "", lambda row: row.score.ap_n_se),
            Column(
                "",
                "undetected",
                lambda row: part(row.score.n_missed, row.score.n_objects),
                SHARE,
            ),
            *columns_of(
                FP_KINDS, lambda row, kind: fp_share(row.hoiem, kind), SHARE, heading=kind_label
            ),
            *_schemes(result),
            Column("", "confused with", _confusions, TEXT, further=True),
        ],
        wide=True,
        detail=True,
    )


def _schemes(result: DiagnosisResult) -> Iterator[Column[ClassRow]]:
    """Columns of one scheme begin with its name; sums of TIDE's errors are in files only."""
    gains, impacts = list(result.tide.gain), list(result.hoiem.sets[0].impact)
    yield from columns_of(
        FP_KINDS, lambda row, kind: row.hoiem.top_fp[kind], COUNT, key="hoiem_top_"
    )
    yield from columns_of(impacts, lambda row, name: row.hoiem.impact[name], key="hoiem_impact_")
    yield Column("tide_AP", "", lambda row: row.tide.ap)
    yield from columns_of(
        gains,
        lambda row, kind: row.tide.gain[kind],
        CHANGE,
        key="tide_dAP_",
        heading=lambda kind: "" if kind in SUMS else f"+{kind_label(kind)}",
        further=True,
    )
    yield from columns_of(gains, lambda row, kind: row.tide.n[kind], COUNT, key="tide_n_")
    yield from columns_of(CURVES, lambda row, name: row.curves[name], key="analyze_")
    yield from columns_of(STEPS, lambda row, name: row.steps[name], key="borji_")


def _confusions(row: ClassRow) -> str:
    return ", ".join(f"{one.other} {share(one.share)}" for one in row.hoiem.confusions)
