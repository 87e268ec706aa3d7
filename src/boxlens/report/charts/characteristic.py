"""AP_N of the objects of each class by one characteristic, with standard errors (METHODS 2.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.selecting import Terms, characteristic_terms, picks
from boxlens.report.charts.theme import (
    DARK_BLUE,
    DECIMAL_AXIS,
    FONT_PX,
    INK,
    LINE,
    NEUTRAL,
    PALE,
    WIDTH,
    fixed,
    inline,
    ramp,
)
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.studies.sensitivity.result import Characteristic, ClassSpread, Subset

GAP_PX = 8
AXIS_PX = 28
# Left of a panel, for the names of its flags.
FLAG_PX = 62
TOOLTIP = (
    alt.Tooltip("class:N", title="class"),
    alt.Tooltip("subset:N", title="subset"),
    alt.Tooltip("ap_n:Q", title="AP_N", format=".3f"),
    alt.Tooltip("error:N", title="standard error"),
    alt.Tooltip("n:Q", title="objects", format=","),
    alt.Tooltip("overall:Q", title="AP_N of the class", format=".3f"),
)


def characteristic_chart(
    result: Characteristic, shown: Sequence[ClassSpread]
) -> alt.FacetChart | alt.ConcatChart:
    """Small panels, one per class."""
    return _flag_panels(result, shown) if result.kind == "flags" else _panels(result, shown)


def _records(result: Characteristic, row: ClassSpread) -> list[dict[str, Any]]:
    """Subsets without objects have no AP_N and are left out.

    AP_N of few objects says little: the spread leaves them out, and they are drawn faintly.
    """
    records: list[dict[str, Any]] = []
    for order, subset in enumerate(row.subsets):
        if math.isnan(subset.ap_n):
            continue
        error = 0.0 if math.isnan(subset.ap_n_se) else subset.ap_n_se
        records.append(
            {
                "class": row.name,
                "subset": subset.name,
                "order": order,
                "ap_n": subset.ap_n,
                "error": score(subset.ap_n_se),
                "low": max(subset.ap_n - error, 0),
                "high": min(subset.ap_n + error, 1),
                "n": subset.n_objects,
                "few": subset.n_objects < result.min_objects,
                "overall": row.ap_n,
                **_picked(result, row.name, subset),
                # Drawn once per class.
                **({} if records else {"line": row.ap_n}),
            }
        )
    return records


def _picked(result: Characteristic, class_name: str, subset: Subset) -> dict[str, str]:
    flags = result.kind == "flags"
    terms: Terms = {
        "class": class_name,
        **characteristic_terms(result.name, subset.name, flags=flags),
    }
    label = f"{class_name}, {result.name} {subset.name}"
    return picks(label, subset.n_objects, of="objects", terms=terms)


def _panels(result: Characteristic, shown: Sequence[ClassSpread]) -> alt.FacetChart:
    """Subsets from left to right, as in Hoiem's plots."""
    columns = min(len(shown), 4)
    width = (WIDTH - AXIS_PX - GAP_PX * (columns - 1)) // columns
    height = 100 if len(shown) <= 4 else 52
    last = len(result.subset_names) - 1
    records = [record for row in shown for record in _records(result, row)]
    top = _top(records)
    plot = alt.Chart(width=width, height=height).encode(
        x=alt.X("order:Q", axis=None, scale=alt.Scale(domain=[-0.6, last + 0.6], nice=False)),
        tooltip=list(TOOLTIP),
    )
    y = alt.Y(
        "ap_n:Q",
        title="AP_N",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(values=[0, top / 2, top], labelExpr=DECIMAL_AXIS),
    )
    layers = [
        plot.mark_rule(color=INK, strokeDash=[3, 2], strokeWidth=0.75).encode(
            y=alt.Y("line:Q", title="AP_N"),
            x=fixed(alt.XValue, 0),
            x2=fixed(alt.X2Value, width),
            tooltip=fixed(alt.TooltipValue, None),
        ),
        plot.mark_line(color=PALE, strokeWidth=1).encode(
            y=y, tooltip=fixed(alt.TooltipValue, None)
        ),
        plot.mark_rule(strokeWidth=1, color=NEUTRAL).encode(
            y=alt.Y("low:Q", title="AP_N"), y2="high:Q", opacity=_strength()
        ),
        plot.mark_point(filled=True).encode(
            y=y, color=_subset_colour(result), opacity=_strength(), size=_point_size(24)
        ),
    ]
    return _facet(layers, shown, columns, records)


def _subset_colour(result: Characteristic) -> alt.Color:
    names = list(result.subset_names)
    return alt.Color(
        "subset:N",
        scale=alt.Scale(domain=names, range=ramp(len(names))),
        legend=alt.Legend(title=None, orient="bottom", symbolType="circle", columns=5),
    )


def _flag_panels(result: Characteristic, shown: Sequence[ClassSpread]) -> alt.ConcatChart:
    """One line per flag with both of its states, which differ from class to class."""
    states = [name.rsplit(" ", 1)[1] for name in result.subset_names[:2]]
    records = [[_of_flag(one, states) for one in _records(result, row)] for row in shown]
    columns = min(len(shown), 2)
    top = _top([record for rows in records for record in rows])
    # Panels of their own: no facet can be as high as its class has flags.
    panels = [
        _flag_panel(
            rows,
            states,
            top,
            title=alt.TitleParams(
                row.name,
                fontSize=FONT_PX,
                fontWeight="normal",
                anchor="middle",
                frame="group",
                offset=3,
                limit=WIDTH // columns - GAP_PX,
            ),
            width=(WIDTH - FLAG_PX * columns - GAP_PX * (columns - 1)) // columns,
            bottom=at >= len(shown) - columns,
        )
        for at, (row, rows) in enumerate(zip(shown, records, strict=True))
    ]
    return alt.concat(*panels, columns=columns, spacing=GAP_PX)


def _flag_panel(
    records: list[dict[str, Any]],
    states: list[str],
    top: float,
    *,
    title: alt.TitleParams,
    width: int,
    bottom: bool,
) -> alt.LayerChart:
    plot = alt.Chart(inline(records), width=width, height=alt.Step(13)).encode(
        y=alt.Y(
            "flag:N",
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelLimit=60, labelPadding=8),
        ),
        tooltip=list(TOOLTIP),
    )
    x_scale = alt.Scale(domain=[0, top], nice=False)
    axis = alt.Axis(
        values=[0, top / 2, top],
        labelExpr=DECIMAL_AXIS,
        title="AP_N" if bottom else None,
        labels=bottom,
        ticks=bottom,
        domain=bottom,
    )

    def at(key: str) -> alt.X:
        return alt.X(f"{key}:Q", scale=x_scale, axis=axis)

    fill = alt.Fill(
        "state:N",
        scale=alt.Scale(domain=states, range=["#ffffff", DARK_BLUE]),
        legend=alt.Legend(title=None, orient="bottom", symbolType="circle", symbolStrokeWidth=1),
    )
    layers = [
        plot.mark_rule(color=INK, strokeDash=[3, 2], strokeWidth=0.75).encode(
            x=at("line"),
            y=fixed(alt.YValue, 0),
            y2=fixed(alt.Y2Value, "height"),
            tooltip=fixed(alt.TooltipValue, None),
        ),
        plot.mark_rule(strokeWidth=1, color=LINE).encode(
            x=at("low"), x2="high:Q", opacity=_strength()
        ),
        plot.mark_point(stroke=DARK_BLUE, strokeWidth=1).encode(
            x=at("ap_n"), fill=fill, opacity=_strength(), size=_point_size(26)
        ),
    ]
    return alt.LayerChart(layer=layers, title=title)


def _of_flag(record: dict[str, Any], states: list[str]) -> dict[str, Any]:
    """A flag's two states follow one another."""
    state = states[record["order"] % 2]
    return {**record, "flag": record["subset"].removesuffix(f" {state}"), "state": state}


def _strength() -> Any:
    return alt.when("datum.few").then(alt.value(0.4)).otherwise(alt.value(1))


def _point_size(px: int) -> Any:
    return alt.when("datum.few").then(alt.value(px / 2)).otherwise(alt.value(px))


def _top(records: list[dict[str, Any]]) -> float:
    """Where the axis ends: the next fifth above all error bars and lines."""
    highest: float = max(max(record["high"], record["overall"]) for record in records)
    return max(math.ceil(highest * 5) / 5, 0.2)


def _facet(
    layers: list[alt.Chart],
    shown: Sequence[ClassSpread],
    columns: int,
    records: list[dict[str, Any]],
) -> alt.FacetChart:
    return alt.LayerChart(layer=layers, data=inline(records)).facet(
        facet=alt.Facet(
            "class:N",
            sort=[row.name for row in shown],
            title=None,
            header=alt.Header(labelFontSize=FONT_PX, labelLimit=WIDTH // columns - GAP_PX),
        ),
        columns=columns,
        spacing=GAP_PX,
    )
