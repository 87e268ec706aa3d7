"""The hardest and the easiest classes of a data set by one measure."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.dataset_difficulty.measures import MEASURES
from boxlens.report.charts.detector_pair import FIRST, SECOND, short
from boxlens.report.charts.main_numbers import LABEL_CHARACTERS
from boxlens.report.charts.panels import message, number_column
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.system_lines import MEASURE_WORDS, ROOTED, axis_kind, measure_text
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    LINE,
    NEUTRAL,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.dataset_difficulty.class_measures import ClassDifficulty, DatasetDifficulty
    from boxlens.dataset_difficulty.measures import MeasureName

# Of each end.
MOST_CLASSES: Final = 15
PLOT_PX: Final = 130
NUMBER_PX: Final = 44
ROW_PX: Final = 13
# Where the classes between the two ends are left out.
GAP: Final = "gap"


def hard_classes_chart(
    dataset: DatasetDifficulty, measure: MeasureName, *, linked: bool, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """`linked`: in the app a click on a class shows its objects."""
    words = MEASURE_WORDS[measure]
    title = f"The hardest and the easiest classes by {words}"
    ranked = _ranked(dataset, measure)
    if not ranked:
        empty = message(f"{words} of every class is undefined", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    shown = _shown(ranked)
    texts = {place: measure_text(one.value(measure)) if one else "" for place, one in shown.items()}
    counts = {place: f"{one.n_objects:,}" if one else "" for place, one in shown.items()}
    cut = len(shown) < len(ranked)
    n_undefined = len(dataset.classes) - len(ranked)
    reading = "Line: the mean over classes. The hardest class stands first."
    if measure in ROOTED:
        reading += " The axis shows roots."
    if cut:
        reading += f" The {MOST_CLASSES} hardest and easiest of {len(ranked):,} classes."
    if n_undefined:
        reading += f" Undefined for {n_undefined:,} more."
    return themed(
        alt.hconcat(
            _points(shown, measure, dataset.means[measure], linked=linked, cut=cut),
            number_column(texts, title=words, width=NUMBER_PX, row_px=ROW_PX),
            number_column(counts, title="objects", width=NUMBER_PX, row_px=ROW_PX),
            spacing=4,
        ),
        title=title,
        about=about,
        reading=reading,
    )


def _ranked(dataset: DatasetDifficulty, measure: MeasureName) -> list[ClassDifficulty]:
    """The hardest first."""
    sign = 1 if MEASURES[measure].harder == "low" else -1
    known = (one for one in dataset.classes if not math.isnan(one.value(measure)))
    return sorted(known, key=lambda one: sign * one.value(measure))


def _shown(ranked: Sequence[ClassDifficulty]) -> dict[str, ClassDifficulty | None]:
    """By place, since two classes may be called alike."""
    places = {str(place): one for place, one in enumerate(ranked)}
    if len(ranked) <= 2 * MOST_CLASSES + 1:
        return dict(places)
    kept = list(places.items())
    return {**dict(kept[:MOST_CLASSES]), GAP: None, **dict(kept[-MOST_CLASSES:])}


def _points(
    shown: Mapping[str, ClassDifficulty | None],
    measure: MeasureName,
    mean: float,
    *,
    linked: bool,
    cut: bool,
) -> alt.LayerChart:
    places = list(shown)
    rows = [
        _record(place, one, measure, linked=linked, colour=_colour(at, len(places), cut=cut))
        for at, (place, one) in enumerate(shown.items())
        if one is not None
    ]
    names = {
        place: short(one.name, LABEL_CHARACTERS) if one else "…" for place, one in shown.items()
    }
    axis = alt.Axis(
        ticks=False,
        domain=False,
        grid=True,
        labelPadding=6,
        labelExpr=f"{json.dumps(names)}[datum.value]",
    )
    x = alt.X(
        "value:Q",
        scale=alt.Scale(type=axis_kind(measure), zero=True, nice=True),
        axis=alt.Axis(title=MEASURES[measure].title, labelExpr=DECIMAL_AXIS, tickCount=4),
    )
    # All places, those without a mark too.
    scale = alt.Scale(domain=places)
    y = alt.Y("place:N", sort=places, scale=scale, title=None, axis=axis)
    points = (
        alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(places))
        .mark_point(filled=True, size=32, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("class:N"),
                alt.Tooltip("text:N", title=MEASURE_WORDS[measure]),
                alt.Tooltip("objects:Q", format=","),
                alt.Tooltip("images:Q", format=","),
            ],
        )
    )
    line = alt.Chart(inline([{"value": mean}])).mark_rule(color=LINE, strokeWidth=0.75).encode(x=x)
    return alt.LayerChart(layer=[line, points])


def _colour(at: int, n: int, *, cut: bool) -> str:
    if not cut:
        return NEUTRAL
    return SECOND if at < n // 2 else FIRST


def _record(
    place: str, one: ClassDifficulty, measure: MeasureName, *, linked: bool, colour: str
) -> dict[str, Any]:
    return {
        "place": place,
        "class": one.name,
        "value": one.value(measure),
        "text": decimal(one.value(measure), 4),
        "objects": one.n_objects,
        "images": one.n_images,
        "colour": colour,
        **(picks(one.name, None, of="objects", terms={"class": one.name}) if linked else {}),
    }
