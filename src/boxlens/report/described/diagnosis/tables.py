"""Tables of a diagnosis, scheme by scheme."""

from __future__ import annotations

import math
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

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
from boxlens.studies.diagnosis.borji import STEPS
from boxlens.studies.diagnosis.crosswalk import SCHEMES
from boxlens.studies.diagnosis.hoiem_types import FP_TYPES
from boxlens.studies.diagnosis.verdict import where_it_is
from boxlens.wording import level, part, score, share

if TYPE_CHECKING:
    from boxlens.studies.diagnosis import DiagnosisResult
    from boxlens.studies.diagnosis.borji import BorjiResult
    from boxlens.studies.diagnosis.coco_analyze import CocoAnalyzeResult
    from boxlens.studies.diagnosis.crosswalk import Crosswalk
    from boxlens.studies.diagnosis.hoiem import HoiemClass, HoiemResult, HoiemSet
    from boxlens.studies.diagnosis.intervals import DiagnosisIntervals
    from boxlens.studies.diagnosis.orders import RepairGain
    from boxlens.studies.diagnosis.verdict import Verdict

MAIN_TABLE = "AP gained by fixing each kind of error alone (TIDE)"
FP_KINDS = tuple(kind.label for kind in FP_TYPES)
# Sums over kinds of errors are no kind.
SUMS = {"fp": "all false positives", "fn": "all misses"}
IMPACTS = {
    "loc_removed": "without badly placed",
    "loc_corrected": "badly placed corrected",
    "sim_removed": "without similar class",
    "bg_removed": "without other class, background",
}


def tide_table(result: DiagnosisResult) -> Table[str]:
    tide = result.tide
    orders = {row.name: row for row in tide.orders}
    asked = {"tidecv": result.tidecv, "IoU 0.5 to 0.95": result.tide_range}
    others = {title: one for title, one in asked.items() if one is not None}
    return Table(
        "",
        MAIN_TABLE,
        list(tide.gain),
        [
            Column("", "error", lambda name: SUMS.get(name) or kind_of(name).label, TEXT),
            Column("", "TIDE's name", str, TEXT, further=True),
            Column("", "errors", lambda name: tide.n[name], COUNT),
            Column("", "AP gained", lambda name: tide.gain[name], CHANGE),
            Column(
                "",
                "over all orders",
                lambda name: orders[name].mean if name in orders else math.nan,
                CHANGE,
            ),
            Column("", "mostly", partial(_place, result.verdict), TEXT),
            *columns_of(
                others,
                lambda name, other: others[other].gain[name],
                CHANGE,
                heading=lambda other: f"{other}, AP {score(others[other].ap)}",
            ),
        ],
    )


def _place(verdict: Verdict, name: str) -> str | None:
    found = next((row.place for row in verdict.findings if row.error == name), None)
    return None if found is None else f"{share(min(found.share, 1))} {where_it_is(found)}"


def fp_share(row: HoiemClass | HoiemSet, kind: str) -> float:
    """Of a kind among the top false positives."""
    return part(row.top_fp[kind], sum(row.top_fp.values()))


def kind_label(name: str) -> str:
    return kind_of(name).label


def sets_table(result: HoiemResult) -> Table[HoiemSet]:
    shares: list[Column[HoiemSet]] = columns_of(FP_KINDS, fp_share, SHARE, heading=kind_label)
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


class _Fix(NamedTuple):
    scheme: str
    gain: RepairGain


def orders_table(result: DiagnosisResult) -> Table[_Fix]:
    schemes = (("hoiem", result.hoiem), ("tide", result.tide), ("borji", result.borji))
    gains = ("first", "last", "lowest", "highest", "mean")
    return Table(
        "orders",
        "AP gained by each fix, over all orders of the fixes of a scheme",
        [_Fix(name, gain) for name, scheme in schemes for gain in scheme.orders],
        [
            Column("", "scheme", lambda row: SCHEME_NAMES[row.scheme], TEXT),
            Column("", "fix", lambda row: kind_label(row.gain.name), TEXT),
            Column("scheme", "", lambda row: row.scheme, TEXT),
            Column("repair", "", lambda row: row.gain.name, TEXT),
            *(Column(key, key, attrgetter(f"gain.{key}"), CHANGE) for key in gains),
            Column("share_largest", "adds most in", lambda row: row.gain.share_largest, SHARE),
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
