"""Tables of an upper bound: detectors, IoU thresholds, sizes, classes, labels, crops, mistakes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from boxlens.metrics.intervals import Interval
from boxlens.report.study import (
    COUNT,
    NUMBER,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Form,
    Table,
    columns_of,
    interval_columns,
    table_of,
)
from boxlens.studies.upper_bound.nearness import best_detector, class_gaps
from boxlens.studies.upper_bound.result import (
    BOUND,
    CROP_TITLES,
    STRATEGY_TITLES,
    ContextAccuracy,
    DetectorGap,
    Mistake,
    StrategyBound,
    UpperBoundResult,
)
from boxlens.studies.upper_bound.verdict import SHOWN
from boxlens.wording import number, part

# More are shown at a click.
MOST_CLASSES = 20
AGAINST = "Detectors against the upper bound"
LABELS = "Ways to find labels"
# Whose numbers a row has.
STRATEGY, DETECTOR = "strategy", "detector"
OF: dict[str, Form] = {"of": TEXT, "name": TEXT}
CLASS_NUMBERS = ("AP", "AP50", "accuracy")


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
            *columns_of(
                sizes, lambda one, size: one.by_size.get(size, math.nan), heading="AP, {}".format
            ),
            *columns_of(
                sizes,
                lambda one, size: share_of_uap(one.by_size.get(size, math.nan), sizes[size]),
                SHARE,
                heading="share, {}".format,
                further=True,
            ),
        ],
        wide=True,
    )


def _ends(found: Interval | None) -> tuple[float, float]:
    return (math.nan, math.nan) if found is None else (found.low, found.high)


def iou_tables(result: UpperBoundResult) -> Iterator[Table[Any]]:
    """A column per threshold; in files, a row."""
    curves = [
        *((STRATEGY, one.strategy, one.by_iou) for one in result.strategies),
        *((DETECTOR, one.name, one.by_iou) for one in result.detectors),
    ]
    ious = result.bound.by_iou
    yield table_of(
        "",
        "UAP and AP by IoU",
        {"UAP or detector": TEXT, **dict.fromkeys(map(number, ious), SCORE)},
        (
            (_curve_title(of, name), *(values.get(iou, math.nan) for iou in ious))
            for of, name, values in curves
        ),
        folded=True,
    )
    rows = ((of, name, *point) for of, name, values in curves for point in values.items())
    yield table_of("bound_by_iou", "", {**OF, "iou": NUMBER, "AP": SCORE}, rows)


def _curve_title(of: str, name: str) -> str:
    if of == DETECTOR:
        return name
    return BOUND if name == "own_box" else f"UAP: {STRATEGY_TITLES[name].lower()}"


def size_table(result: UpperBoundResult) -> Table[Any]:
    """All objects first."""
    curves = [
        *((STRATEGY, one.strategy, {"all": one.uap, **one.by_size}) for one in result.strategies),
        *((DETECTOR, one.name, {"all": one.ap, **one.by_size}) for one in result.detectors),
    ]
    rows = ((of, name, *point) for of, name, values in curves for point in values.items())
    return table_of("bound_by_size", "", {**OF, "size": TEXT, "AP": SCORE}, rows)


def classes_table(result: UpperBoundResult, shown: Iterable[int], **look: Any) -> Table[Any]:
    """Of classes by their row."""
    classes, gaps, best = result.bound.classes, class_gaps(result), best_detector(result)
    forms = {"class": TEXT, "objects": COUNT}
    forms |= dict.fromkeys(("accuracy", "UAP", "UAP at IoU 0.5"), SCORE)
    forms |= {f"AP, {one.name}": SCORE for one in result.detectors}
    if best is not None:
        forms[f"gap of {best.name}" if len(result.detectors) > 1 else "gap"] = SCORE
    aps = [one.by_class for one in result.detectors]
    rows = [
        (one.name, one.n_objects, one.accuracy, one.uap, one.uap50, *found)
        for one, *found in zip(classes, *aps, gaps, strict=True)
    ]
    caption = f"All {len(classes):,} classes" if len(classes) > MOST_CLASSES else "Classes"
    return table_of("", caption, forms, (rows[row] for row in shown), **look)


def class_tables(result: UpperBoundResult) -> Iterator[Table[Any]]:
    """The largest gap to the best detector first; without detectors, the lowest UAP."""
    classes, gaps = result.bound.classes, class_gaps(result)
    order = [-gap for gap in gaps] if result.detectors else [one.uap for one in classes]
    ordered = sorted(range(len(order)), key=lambda row: (math.isnan(order[row]), order[row]))
    many = len(classes) > MOST_CLASSES
    yield classes_table(result, ordered, wide=True, folded=many, detail=True)
    # AP of a strategy is its UAP; detectors have no accuracy.
    numbers = [
        *(
            (STRATEGY, of.strategy, [(one.uap, one.uap50, one.accuracy) for one in of.classes])
            for of in result.strategies
        ),
        *(
            (DETECTOR, of.name, [(ap, math.nan, math.nan) for ap in of.by_class])
            for of in result.detectors
        ),
    ]
    yield table_of(
        "bound_classes",
        "",
        {**OF, "class": TEXT, "n_objects": COUNT, **dict.fromkeys(CLASS_NUMBERS, SCORE)},
        (
            (of, name, one.name, one.n_objects, *found)
            for of, name, by_class in numbers
            for one, found in zip(classes, by_class, strict=True)
        ),
    )


def strategies_table(result: UpperBoundResult) -> Table[StrategyBound]:
    """Without sizes of which there are no objects."""
    unsure = all(one.interval is None for one in result.strategies)
    sizes = [
        size
        for size in result.bound.by_size
        if not all(math.isnan(one.by_size.get(size, math.nan)) for one in result.strategies)
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
            *columns_of(
                sizes, lambda one, size: one.by_size.get(size, math.nan), heading="UAP, {}".format
            ),
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
            *columns_of(
                "xywh", lambda one, side: float(one.box["xywh".index(side)]), NUMBER, key=str
            ),
        ],
        wide=True,
        unprinted=True,
    )
