"""Which kind of error grows: how many more there are for each object than on unchanged pictures."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.detector_robustness.error_growth import is_comparable
from boxlens.diagnosis.tide_types import ERRORS
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts.detector_lines import detector_words, first_detectors
from boxlens.report.charts.detector_pair import short, signed
from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.method_lines import above_panel
from boxlens.report.charts.panels import cell_scale, message
from boxlens.report.charts.robustness_steps import (
    by_transform,
    changing,
    mean_over,
    own_references,
)
from boxlens.report.charts.theme import (
    FONT_PX,
    INK,
    LINE,
    WIDTH,
    decimal,
    inline,
    themed,
    threshold,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.detector_robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )
    from boxlens.images.transforming.transform import Group

TITLE: Final = "What kind of error grows"
MOST_DETECTORS: Final = 3
ROW_PX: Final = 15
COLUMN_PX: Final = 29
LABELS_PX: Final = 170
NAME_CHARACTERS: Final = 28
# Fewer of an error, as many, more of it.
DIVERGING: Final = (kind_of("loc").colour, "#ffffff", kind_of("cls").colour)
# From here on a cell is too dark for dark letters.
DARK_LEVEL: Final = 0.75
# So many more errors an object have the full colour.
FULL_COLOUR: Final = 0.5
# Less is a cell without a number: it would be .00.
LEAST_TOLD: Final = 0.005
GROUPS: Final[tuple[Group, ...]] = ("study", "graded", *CORRUPTION_GROUPS)


@dataclass(frozen=True, slots=True)
class ErrorGrowth:
    """A transform: means over its levels, minus what their reference has."""

    name: str
    title: str
    n_levels: int
    kind: str
    gain: float
    per_object: float


def robustness_errors_chart(
    result: RobustnessResult, *, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """A row a transform, a column a kind of error, side by side for detectors."""
    shown = result.detectors[:MOST_DETECTORS]
    found = [(detector_words(one.name), error_growth(one)) for one in shown]
    known = [one for _, growth in found for one in growth if not math.isnan(one.per_object)]
    if not known:
        empty = message("no transform has errors to compare", width=WIDTH, height=80)
        return themed(empty, title=TITLE, about=about)
    # Of at least a hundredth, else noise would be painted as loud as change; and no more than
    # half an error an object, else one cell would make all others pale.
    largest = min(max(0.01, *(abs(one.per_object) for one in known)), FULL_COLOUR)
    titles = {one.name: _row_title(one) for one in known}
    crop = " (of rotations: on the same crop unturned)" * bool(own_references(result))
    panels = [
        _panel(who, growth, titles, largest, first=at == 0)
        for at, (who, growth) in enumerate(found)
    ]
    return themed(
        alt.hconcat(*panels, spacing=14),
        title=TITLE,
        about=about,
        reading="Errors for each object, of detections that score "
        f"{threshold(result.choice.shown_score)} or more, minus those on the unchanged "
        f"pictures{crop}. Orange: more of them (in full from {decimal(FULL_COLOUR, 1)} on); "
        f"blue: fewer; no number: less than {decimal(LEAST_TOLD)}; no cell: pictures of one "
        "object each have more background. Where a transform has several levels (how many, in "
        "brackets), their mean." + first_detectors(len(shown), len(result.detectors)),
    )


def error_growth(detector: DetectorRobustness) -> list[ErrorGrowth]:
    """Transforms in the order of the choice, group by group; levels that change nothing aside."""
    found = []
    for name, steps in by_transform(detector, *GROUPS).items():
        levels = changing(steps)
        found += [_growth(detector, name, levels, kind.label) for kind in ERRORS if levels]
    return found


def _growth(
    detector: DetectorRobustness, name: str, levels: Sequence[StepRobustness], kind: str
) -> ErrorGrowth:
    reference = detector.reference_of(levels[0])
    after = mean_over(levels, lambda one: one.errors_per_object[kind])
    more = after - reference.errors_per_object[kind]
    return ErrorGrowth(
        name,
        levels[0].title,
        len(levels),
        kind,
        mean_over(levels, lambda one: one.error_growth[kind]),
        more if is_comparable(levels[0], kind) else math.nan,
    )


def _row_title(one: ErrorGrowth) -> str:
    return f"{one.title} ({one.n_levels})" if one.n_levels > 1 else one.title


def _panel(
    who: str,
    growth: Sequence[ErrorGrowth],
    titles: dict[str, str],
    largest: float,
    *,
    first: bool,
) -> alt.LayerChart:
    kinds = {kind.label: kind_of(kind.label).label for kind in ERRORS}
    rows = [_record(one, largest) for one in growth if not math.isnan(one.per_object)]
    plot = alt.Chart(
        inline(rows), width=COLUMN_PX * len(kinds), height=ROW_PX * len(titles)
    ).encode(
        x=alt.X(
            "kind:N",
            sort=list(kinds),
            scale=cell_scale(list(kinds)),
            axis=_axis(kinds, labelAngle=-45),
        ),
        y=alt.Y(
            "name:N",
            sort=list(titles),
            scale=cell_scale(list(titles)),
            axis=_axis(titles, labels=first, labelLimit=LABELS_PX),
        ),
        tooltip=[
            alt.Tooltip("title:N", title="pictures"),
            alt.Tooltip("kind_words:N", title="error"),
            alt.Tooltip("gain_text:N", title="AP50 by its repair, more than before"),
            alt.Tooltip("per_object:N", title="errors an object, more than before"),
            alt.Tooltip("levels:Q", title="mean over levels"),
        ],
    )
    layers = [*_cells(plot), above_panel(short(who, NAME_CHARACTERS))]
    panel: alt.LayerChart = alt.LayerChart(layer=layers).resolve_scale(color="independent")
    return panel


def _axis(names: dict[str, str], **options: Any) -> alt.Axis:
    """Names in place of values, and no line."""
    named = f"({json.dumps(names)})[datum.value]"
    return alt.Axis(title=None, ticks=False, domain=False, labelExpr=named, **options)


def _cells(plot: alt.Chart) -> tuple[alt.Chart, alt.Chart]:
    """Colours, and numbers on them."""
    cells = plot.mark_rect(stroke=LINE, strokeWidth=0.25).encode(
        color=alt.Color(
            "level:Q",
            scale=alt.Scale(domain=[-1, 0, 1], range=list(DIVERGING), interpolate="lab"),
            legend=None,
        )
    )
    texts = plot.mark_text(fontSize=FONT_PX - 2).encode(
        text="text:N", color=alt.Color("ink:N", scale=None)
    )
    return cells, texts


def _record(one: ErrorGrowth, largest: float) -> dict[str, Any]:
    level = min(max(one.per_object / largest, -1.0), 1.0)
    text = decimal(one.per_object, 2) if abs(one.per_object) >= LEAST_TOLD else ""
    return {
        "name": one.name,
        "title": one.title,
        "kind": one.kind,
        "kind_words": kind_of(one.kind).label,
        "level": level,
        "text": f"+{text}" if text and one.per_object > 0 else text,
        "ink": "#ffffff" if abs(level) > DARK_LEVEL else INK,
        "gain_text": signed(one.gain),
        "per_object": signed(one.per_object),
        "levels": one.n_levels,
    }
