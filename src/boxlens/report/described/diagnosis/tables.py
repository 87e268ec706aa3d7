"""Tables of a diagnosis, scheme by scheme."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from boxlens.report.charts.kinds import SCHEME_NAMES, SIZES, kind_of
from boxlens.report.study import (
    CHANGE,
    COUNT,
    INTERVAL,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Table,
    columns_of,
    table_of,
)
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.studies.diagnosis.borji import STEPS, BorjiResult
from boxlens.studies.diagnosis.coco_analyze import CURVES, CocoAnalyzeResult
from boxlens.studies.diagnosis.crosswalk import SCHEMES, Crosswalk
from boxlens.studies.diagnosis.hoiem import HoiemClass, HoiemResult, HoiemSet
from boxlens.studies.diagnosis.hoiem_trends import FP_LABELS
from boxlens.studies.diagnosis.intervals import DiagnosisIntervals
from boxlens.studies.diagnosis.orders import RepairGain
from boxlens.studies.diagnosis.verdict import where_it_is
from boxlens.wording import level, part, score, share

MAIN_TABLE = "AP gained by fixing each kind of error alone (TIDE)"
# Sums over kinds of errors are no kind.
SUMS = {"fp": "all false positives", "fn": "all misses"}
IMPACTS = {
    "loc_removed": "without poorly placed",
    "loc_corrected": "poorly placed corrected",
    "sim_removed": "without similar class",
    "bg_removed": "without other class, background",
}


def tide_table(result: DiagnosisResult) -> Table[str]:
    tide = result.tide
    means = {row.name: row.mean for row in tide.orders}
    mostly = {
        row.error: f"{share(min(row.place.share, 1))} {where_it_is(row.place)}"
        for row in result.verdict.findings
        if row.place is not None
    }
    asked = {"tidecv": result.tidecv, "IoU 0.5 to 0.95": result.tide_range}
    others = {title: one for title, one in asked.items() if one is not None}
    return Table(
        "",
        MAIN_TABLE,
        list(tide.gain),
        [
            Column("", "error", lambda name: SUMS.get(name) or _label(name), TEXT),
            Column("", "TIDE's name", str, TEXT, further=True),
            Column("", "errors", lambda name: tide.n[name], COUNT),
            Column("", "AP gained", lambda name: tide.gain[name], CHANGE),
            Column("", "over all orders", means.get, CHANGE),
            Column("", "mostly", mostly.get, TEXT),
            *columns_of(
                others,
                lambda name, other: others[other].gain[name],
                CHANGE,
                heading=lambda other: f"{other}, AP {score(others[other].ap)}",
            ),
        ],
    )


def _fp_share(row: HoiemClass | HoiemSet, kind: str) -> float:
    """Of a kind among the top false positives."""
    return part(row.top_fp[kind], sum(row.top_fp.values()))


def _label(name: str) -> str:
    return kind_of(name).label


def sets_table(result: HoiemResult) -> Table[HoiemSet]:
    shares: list[Column[HoiemSet]] = columns_of(FP_LABELS, _fp_share, SHARE, heading=_label)
    return Table(
        "",
        "Top false positives by group of classes (Hoiem)",
        result.sets,
        [
            Column("", "group", lambda row: row.name, TEXT),
            Column("", "classes", lambda row: len(row.classes), COUNT),
            Column("", "AP", lambda row: row.ap),
            Column("", "AP_N", lambda row: row.ap_n),
            *shares,
            *columns_of(
                IMPACTS,
                lambda row, name: row.impact[name],
                CHANGE,
                heading=lambda name: f"AP {IMPACTS[name]}",
                further=True,
            ),
        ],
    )


def sizes_table(result: CocoAnalyzeResult) -> Table[Any]:
    rows = [
        (SIZES.get(area, area), *ap)
        for area, ap in zip(result.areas, result.mean_ap.T.tolist(), strict=True)
    ]
    # Two curves may have one name.
    columns = [Column("", name, itemgetter(at)) for at, name in enumerate(result.curve_names, 1)]
    caption = "Area under the curves of COCO analyze, each forgiving one more kind of error"
    return Table("", caption, rows, [Column("", "objects", itemgetter(0), TEXT), *columns])


def steps_table(result: BorjiResult) -> Table[Any]:
    mean = {row.name: row.mean for row in result.orders}
    return table_of(
        "",
        "AP after each of Borji's steps",
        {"step": TEXT, "AP after it": SCORE, "over all orders": CHANGE},
        ((step, ap, mean.get(step)) for step, ap in zip(STEPS, result.ap, strict=True)),
    )


def orders_table(result: DiagnosisResult) -> Table[tuple[str, RepairGain]]:
    schemes = {
        "hoiem": result.hoiem.orders,
        "tide": result.tide.orders,
        "borji": result.borji.orders,
    }
    return Table(
        "orders",
        "AP gained by each fix, over all orders of the fixes of a scheme",
        [(scheme, gain) for scheme, gains in schemes.items() for gain in gains],
        [
            Column("", "scheme", lambda row: SCHEME_NAMES[row[0]], TEXT),
            Column("", "fix", lambda row: _label(row[1].name), TEXT),
            Column("scheme", "", lambda row: row[0], TEXT),
            Column("repair", "", lambda row: row[1].name, TEXT),
            Column("first", "first", lambda row: row[1].first, CHANGE),
            Column("last", "last", lambda row: row[1].last, CHANGE),
            Column("lowest", "lowest", lambda row: row[1].lowest, CHANGE),
            Column("highest", "highest", lambda row: row[1].highest, CHANGE),
            Column("mean", "mean", lambda row: row[1].mean, CHANGE),
            Column("share_largest", "adds most in", lambda row: row[1].share_largest, SHARE),
        ],
        detail=True,
    )


def intervals_table(result: DiagnosisIntervals) -> Table[Any]:
    return table_of(
        "",
        f"{level(result.choice.level)} intervals, by resampling images",
        {"number": TEXT, "value": SCORE, "interval": INTERVAL, "standard error": SCORE},
        ((name, one.value, (one.low, one.high), one.se) for name, one in result.named().items()),
    )


def labels_table(result: Crosswalk) -> Table[Any]:
    counts = result.counts()
    return table_of(
        "",
        "How many detections and objects have each label under each scheme",
        {"scheme": TEXT, "of": TEXT, "label": TEXT, "number": COUNT},
        (
            (SCHEME_NAMES[scheme], what, label, n)
            for scheme in SCHEMES
            for what, labels in counts[scheme].items()
            for label, n in labels.items()
        ),
        folded=True,
        detail=True,
    )


def crosswalk_table(result: Crosswalk) -> Table[Any]:
    """For files: how many have one label in one scheme and one in the other."""
    labels = {"first": TEXT, "first_label": TEXT, "second": TEXT, "second_label": TEXT}
    return table_of(
        "crosswalk",
        "",
        {"of": TEXT, **labels, "n": COUNT},
        (
            (one.what, one.first, first, one.second, second, n)
            for one in result.disagreements
            for first, counts in zip(one.rows, one.counts.tolist(), strict=True)
            for second, n in zip(one.columns, counts, strict=True)
        ),
    )


def classes_table(result: DiagnosisResult) -> Table[int]:
    """Every class under every scheme; rows are those of the ground truth's classes."""
    hoiem, scores = result.hoiem.classes, result.sensitivity.classes
    return Table(
        "classes",
        "Every class",
        range(len(hoiem)),
        [
            Column("class", "class", lambda at: hoiem[at].name, TEXT),
            Column("n_objects", "objects", lambda at: scores[at].n_objects, COUNT),
            Column(
                "n_detections", "detections", lambda at: hoiem[at].n_detections, COUNT, further=True
            ),
            Column("n_undetected", "", lambda at: scores[at].n_missed, COUNT),
            Column("hoiem_AP", "AP", lambda at: scores[at].ap),
            Column("hoiem_AP_se", "", lambda at: scores[at].ap_se),
            Column("AP_N", "AP_N", lambda at: scores[at].ap_n),
            Column("AP_N_se", "", lambda at: scores[at].ap_n_se),
            Column(
                "",
                "undetected",
                lambda at: part(scores[at].n_missed, scores[at].n_objects),
                SHARE,
            ),
            *columns_of(
                FP_LABELS, lambda at, kind: _fp_share(hoiem[at], kind), SHARE, heading=_label
            ),
            *_scheme_columns(result),
            Column(
                "",
                "confused with",
                lambda at: ", ".join(
                    f"{one.other} {share(one.share)}" for one in hoiem[at].confusions
                ),
                TEXT,
                further=True,
            ),
        ],
        wide=True,
        detail=True,
    )


def _scheme_columns(result: DiagnosisResult) -> list[Column[int]]:
    """Keys of one scheme begin with its name; sums of TIDE's errors are in files only."""
    hoiem, tide, analyze = result.hoiem.classes, result.tide.classes, result.coco_analyze
    curves = dict(zip(CURVES, analyze.ap[:, :, analyze.areas.index("all")].tolist(), strict=True))
    steps = dict(zip(STEPS, result.borji.class_ap.T.tolist(), strict=True))
    gains, impacts = list(result.tide.gain), list(result.hoiem.sets[0].impact)
    return [
        *columns_of(FP_LABELS, lambda at, kind: hoiem[at].top_fp[kind], COUNT, key="hoiem_top_"),
        *columns_of(impacts, lambda at, name: hoiem[at].impact[name], key="hoiem_impact_"),
        Column("tide_AP", "", lambda at: tide[at].ap),
        *columns_of(
            gains,
            lambda at, kind: tide[at].gain[kind],
            CHANGE,
            key="tide_dAP_",
            heading=lambda kind: "" if kind in SUMS else f"+{_label(kind)}",
            further=True,
        ),
        *columns_of(gains, lambda at, kind: tide[at].n[kind], COUNT, key="tide_n_"),
        *columns_of(CURVES, lambda at, name: curves[name][at], key="analyze_"),
        *columns_of(STEPS, lambda at, name: steps[name][at], key="borji_"),
    ]
