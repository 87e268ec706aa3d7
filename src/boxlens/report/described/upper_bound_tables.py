"""Tables of an upper bound: detectors, IoU thresholds, sizes, classes, labels, crops, mistakes."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from boxlens.report.study import (
    COUNT,
    NUMBER,
    SHARE,
    TEXT,
    Column,
    Form,
    Table,
    interval_columns,
)
from boxlens.studies.upper_bound.nearness import best_detector, class_gaps
from boxlens.studies.upper_bound.result import BOUND, CROP_TITLES, STRATEGY_TITLES
from boxlens.studies.upper_bound.verdict import SHOWN
from boxlens.wording import number, part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.metrics.intervals import Interval
    from boxlens.studies.upper_bound.result import (
        ContextAccuracy,
        DetectorGap,
        Mistake,
        StrategyBound,
        UpperBoundResult,
    )

# More are shown at a click.
MOST_CLASSES = 20
AGAINST = "Detectors against the upper bound"
LABELS = "Ways to find labels"
# Whose numbers a row has.
STRATEGY, DETECTOR = "strategy", "detector"


def share_of_uap(ap: float, uap: float) -> float:
    """Nothing can be compared with a bound that reads 0.000."""
    return part(ap, uap) if uap >= SHOWN else math.nan


def detectors_table(result: UpperBoundResult) -> Table[DetectorGap]:
    uap, sizes = result.bound.uap, result.bound.by_size
    unsure = all(one.gap is None for one in result.detectors)
    return Table(
        "bound_detectors",
        AGAINST,
        result.detectors,
        [
            Column("detector", "detector", lambda one: one.name, TEXT),
            Column("AP", "AP", lambda one: one.ap),
            Column("UAP", "UAP", lambda _: uap),
            Column("share_of_UAP", "", lambda one: one.share, SHARE),
            Column("", "share of UAP", lambda one: share_of_uap(one.ap, uap), SHARE),
            Column("gap", "gap", lambda one: uap - one.ap),
            *interval_columns(
                lambda one: _ends(one.gap),
                "" if unsure else "interval of the gap",
                ("gap_low", "gap_high"),
            ),
            *(Column("", f"AP, {size}", partial(_of_size, size)) for size in sizes),
            *(
                Column("", f"share, {size}", partial(_size_share, size, of), SHARE, further=True)
                for size, of in sizes.items()
            ),
        ],
        wide=True,
    )


def _ends(found: Interval | None) -> tuple[float, float]:
    return (math.nan, math.nan) if found is None else (found.low, found.high)


def _of_size(size: str, one: DetectorGap | StrategyBound) -> float:
    return one.by_size.get(size, math.nan)


def _size_share(size: str, uap: float, one: DetectorGap) -> float:
    return share_of_uap(_of_size(size, one), uap)


def iou_tables(result: UpperBoundResult) -> Iterator[Table[_Curve] | Table[_Point]]:
    """A column per threshold; in files, a row."""
    curves = [
        *(_Curve(STRATEGY, one.strategy, one.by_iou) for one in result.strategies),
        *(_Curve(DETECTOR, one.name, one.by_iou) for one in result.detectors),
    ]
    yield Table(
        "",
        "UAP and AP by IoU",
        curves,
        [
            Column("", "UAP or detector", _curve_title, TEXT),
            *(Column("", number(iou), partial(_at, iou)) for iou in result.bound.by_iou),
        ],
        folded=True,
    )
    yield _points("bound_by_iou", "iou", NUMBER, curves)


def size_table(result: UpperBoundResult) -> Table[_Point]:
    """All objects first."""
    curves = [
        *(
            _Curve(STRATEGY, one.strategy, {"all": one.uap, **one.by_size})
            for one in result.strategies
        ),
        *(_Curve(DETECTOR, one.name, {"all": one.ap, **one.by_size}) for one in result.detectors),
    ]
    return _points("bound_by_size", "size", TEXT, curves)


class _Curve(NamedTuple):
    """UAP of a strategy, or AP of a detector, at several values."""

    of: str
    name: str
    values: Mapping[Any, float]


class _Point(NamedTuple):
    curve: _Curve
    at: float | str
    ap: float


def _curve_title(one: _Curve) -> str:
    if one.of == DETECTOR:
        return one.name
    return BOUND if one.name == "own_box" else f"UAP: {STRATEGY_TITLES[one.name].lower()}"


def _at(iou: float, one: _Curve) -> float:
    return one.values.get(iou, math.nan)


def _points(name: str, key: str, form: Form, curves: Sequence[_Curve]) -> Table[_Point]:
    """One row per value, in files."""
    return Table(
        name,
        "",
        [_Point(one, at, ap) for one in curves for at, ap in one.values.items()],
        [
            Column("of", "", lambda row: row.curve.of, TEXT),
            Column("name", "", lambda row: row.curve.name, TEXT),
            Column(key, "", lambda row: row.at, form),
            Column("AP", "", lambda row: row.ap),
        ],
    )


def class_tables(result: UpperBoundResult) -> Iterator[Table[int] | Table[_ClassRow]]:
    """The largest gap to the best detector first; without detectors, the lowest UAP."""
    classes, gaps, best = result.bound.classes, class_gaps(result), best_detector(result)
    order = [-gap for gap in gaps] if result.detectors else [one.uap for one in classes]
    many = len(classes) > MOST_CLASSES
    columns: list[Column[int]] = [
        Column("", "class", lambda row: classes[row].name, TEXT),
        Column("", "objects", lambda row: classes[row].n_objects, COUNT),
        Column("", "accuracy", lambda row: classes[row].accuracy),
        Column("", "UAP", lambda row: classes[row].uap),
        Column("", "UAP at IoU 0.5", lambda row: classes[row].uap50),
        *(Column("", f"AP, {one.name}", partial(_of_class, one)) for one in result.detectors),
    ]
    if best is not None:
        heading = f"gap of {best.name}" if len(result.detectors) > 1 else "gap"
        columns.append(Column("", heading, lambda row: gaps[row]))
    yield Table(
        "",
        f"All {len(classes):,} classes" if many else "Classes",
        sorted(range(len(classes)), key=lambda row: (math.isnan(order[row]), order[row])),
        columns,
        wide=True,
        folded=many,
        detail=True,
    )
    yield _filed_classes(result)


def _of_class(one: DetectorGap, row: int) -> float:
    return one.by_class[row]


class _ClassRow(NamedTuple):
    of: str
    name: str
    row: int
    ap: float
    ap50: float = math.nan
    accuracy: float = math.nan


def _filed_classes(result: UpperBoundResult) -> Table[_ClassRow]:
    """AP of a strategy is its UAP; detectors have no accuracy."""
    classes = result.bound.classes
    rows = [
        *(
            _ClassRow(STRATEGY, of.strategy, row, one.uap, one.uap50, one.accuracy)
            for of in result.strategies
            for row, one in enumerate(of.classes)
        ),
        *(
            _ClassRow(DETECTOR, of.name, row, ap)
            for of in result.detectors
            for row, ap in enumerate(of.by_class)
        ),
    ]
    return Table(
        "bound_classes",
        "",
        rows,
        [
            Column("of", "", lambda one: one.of, TEXT),
            Column("name", "", lambda one: one.name, TEXT),
            Column("class", "", lambda one: classes[one.row].name, TEXT),
            Column("n_objects", "", lambda one: classes[one.row].n_objects, COUNT),
            Column("AP", "", lambda one: one.ap),
            Column("AP50", "", lambda one: one.ap50),
            Column("accuracy", "", lambda one: one.accuracy),
        ],
    )


def strategies_table(result: UpperBoundResult) -> Table[StrategyBound]:
    """Without sizes of which there are no objects."""
    unsure = all(one.interval is None for one in result.strategies)
    sizes = [
        size
        for size in result.bound.by_size
        if not all(math.isnan(_of_size(size, one)) for one in result.strategies)
    ]
    return Table(
        "bound_summary",
        LABELS,
        result.strategies,
        [
            Column("strategy", "", lambda one: one.strategy, TEXT),
            Column("", "labels from", lambda one: STRATEGY_TITLES[one.strategy], TEXT),
            Column("n_objects", "", lambda _: result.n_objects, COUNT),
            Column(
                "n_labelled", "labelled objects", lambda one: one.n_labelled, COUNT, further=True
            ),
            Column("UAP", "UAP", lambda one: one.uap),
            *interval_columns(
                lambda one: _ends(one.interval),
                "" if unsure else "interval",
                ("UAP_low", "UAP_high"),
            ),
            *(Column("", f"UAP, {size}", partial(_of_size, size)) for size in sizes),
            Column("accuracy", "accuracy", lambda one: one.accuracy),
            Column("class_accuracy", "mean over classes", lambda one: one.class_accuracy),
            Column("r", "", lambda one: one.correlation.r),
            Column("r_squared", "r squared", lambda one: one.correlation.r_squared, further=True),
            Column("n_classes", "", lambda one: one.correlation.n_classes, COUNT),
        ],
        wide=True,
    )


def context_table(result: UpperBoundResult) -> Table[ContextAccuracy]:
    return Table(
        "bound_context",
        "Accuracy of every crop",
        result.context,
        [
            Column("kind", "", lambda one: one.kind, TEXT),
            Column("", "crop", lambda one: CROP_TITLES[one.kind], TEXT),
            Column("scale", "scale of the box", lambda one: one.scale, NUMBER),
            Column("accuracy", "accuracy", lambda one: one.accuracy),
            Column("class_accuracy", "mean over classes", lambda one: one.class_accuracy),
            Column("n_objects", "objects", lambda one: one.n_objects, COUNT),
        ],
        folded=True,
    )


def mistakes_table(result: UpperBoundResult, *, shown: bool) -> Table[Mistake]:
    return Table(
        "bound_mistakes",
        "Wrong labels, the most confident first" if shown else "",
        result.mistakes,
        [
            Column("said", "label", lambda one: one.said, TEXT),
            Column("score", "score", lambda one: one.score),
            Column("class", "true class", lambda one: one.true_class, TEXT),
            # Of text or number in the file; in one column both are text.
            Column("object_id", "object", lambda one: str(one.object_id), TEXT),
            Column("image_id", "image", lambda one: str(one.image_id), TEXT),
            Column("file_name", "", lambda one: one.file_name, TEXT),
            Column("", "file", lambda one: one.file_name or None, TEXT),
            *(Column(side, "", partial(_side, at), NUMBER) for at, side in enumerate("xywh")),
        ],
        wide=True,
        unprinted=True,
    )


def _side(at: int, one: Mistake) -> float:
    return float(one.box[at])
