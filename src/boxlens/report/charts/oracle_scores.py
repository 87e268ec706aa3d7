"""AP50 with perfect proposals, with perfect suppression, and with both: what each would bring."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import key, short, signed
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    INK,
    NEUTRAL,
    SOFT_INK,
    WIDTH,
    decimal,
    fixed,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.proposals.detection_use.oracle_result import DetectorOracles, OracleScore

PLOT_PX: Final = 230
BAR_PX: Final = 12
GROUP_GAP_PX: Final = 8
NAME_CHARACTERS: Final = 18
# What fits a page.
MOST_GROUPS: Final = 10
RAW: Final = "raw"
# Perfect suppression takes away duplicates, and has their colour.
COLOURS: Final[Mapping[str, str]] = {
    "raw": NEUTRAL,
    "none": NEUTRAL,
    "gt": KINDS["loc"].colour,
    "nms": KINDS["dupe"].colour,
    "gt+nms": KINDS["correct"].colour,
}
ORACLE_WORDS: Final[Mapping[str, str]] = {
    "raw": "as given",
    "none": "on the proposals",
    "gt": "perfect proposals",
    "nms": "perfect suppression",
    "gt+nms": "both",
}


def oracle_scores_chart(
    oracles: Sequence[DetectorOracles], *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """A group a method of one detector; or a group a detector, where there are no proposals."""
    title = "What perfect proposals and perfect suppression would bring"
    known = [one for one in oracles if not any(math.isnan(score.ap50) for score in one.scores)]
    if not known:
        empty = message("no class has objects", width=WIDTH, height=60)
        return themed(empty, title=title, about=about)
    ordered = sorted(known, key=lambda one: -unaided(one).ap50)
    shown = ordered[:MOST_GROUPS]
    proposed = any(one.method for one in shown)
    bars = ("none", "gt", "nms", "gt+nms") if proposed else ("raw", "nms")
    reading = "AP at an IoU of .5, and what is gained by each oracle."
    if proposed:
        reading += (
            " Grey: detections near a proposal, after suppression. Dashed: all detections as given."
        )
    if len(shown) < len(ordered):
        whose = "methods" if proposed else "detectors"
        reading += f" The best {len(shown)} of {len(ordered)} {whose}."
    colours = [(ORACLE_WORDS[name], COLOURS[name]) for name in bars]
    half = len(colours) // 2
    keys = [key(line, width=WIDTH - 60) for line in (colours[:half], colours[half:])]
    return themed(
        alt.vconcat(
            *(keys if proposed else [key(colours, width=WIDTH - 60)]),
            _bars(shown, bars),
            spacing=6,
        ),
        title=title,
        about=about,
        reading=reading,
    )


def group_name(one: DetectorOracles) -> str:
    return one.method or one.detector


def unaided(one: DetectorOracles) -> OracleScore:
    """What gains are counted from: on the proposals; without proposals, as given."""
    return next((score for score in one.scores if score.oracle == "none"), one.scores[0])


def _bars(shown: Sequence[DetectorOracles], bars: Sequence[str]) -> alt.LayerChart:
    rows = _records(shown, bars)
    # By place, since names that were cut may be equal.
    labels = {str(at): short(group_name(one), NAME_CHARACTERS) for at, one in enumerate(shown)}
    height = (BAR_PX * len(bars) + GROUP_GAP_PX) * len(shown)
    raw = shown[0].scores[0].ap50 if bars[0] != RAW else 0.0
    highest = max([raw, *(row["ap50"] for row in rows)]) or 1.0
    x = alt.X(
        "ap50:Q",
        scale=alt.Scale(domain=[0, highest], nice=False),
        axis=alt.Axis(title="AP50", labelExpr=DECIMAL_AXIS, tickCount=5),
    )
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=height).encode(
        x=x,
        y=alt.Y(
            "group:N",
            sort=list(labels),
            scale=alt.Scale(domain=list(labels), paddingInner=0.14, paddingOuter=0.07),
            axis=alt.Axis(
                title=None,
                ticks=False,
                domain=False,
                labelExpr=f"{json.dumps(labels)}[datum.value]",
                labelOverlap=False,
            ),
        ),
        yOffset=alt.YOffset(
            "oracle:N", sort=list(bars), scale=alt.Scale(domain=list(bars), paddingInner=0.1)
        ),
        tooltip=[
            alt.Tooltip("name:N", title="method" if bars[0] != RAW else "detector"),
            alt.Tooltip("words:N", title="oracle"),
            alt.Tooltip("ap50:Q", title="AP50", format=".3f"),
            alt.Tooltip("ap:Q", title="AP", format=".3f"),
            alt.Tooltip("gain:N", title="gained"),
            alt.Tooltip("detections:Q", format=","),
        ],
    )
    drawn = plot.mark_bar().encode(color=alt.Color("colour:N", scale=None))
    # In a column: at the ends of the bars, the line of the detections as given would cross them.
    texts = plot.mark_text(align="left", fontSize=FONT_PX - 1, color=INK).encode(
        x=fixed(alt.XValue, PLOT_PX + 8), text="text:N"
    )
    return alt.LayerChart(layer=[drawn, *([] if bars[0] == RAW else _rule(raw, x)), texts])


def _records(shown: Sequence[DetectorOracles], bars: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for at, one in enumerate(shown):
        scores = {score.oracle: score for score in one.scores}
        for name in bars:
            score, gain = scores[name], scores[name].ap50 - scores[bars[0]].ap50
            told = "" if name == bars[0] else f"  ({signed(gain)})"
            rows.append(
                {
                    "group": str(at),
                    "name": group_name(one),
                    "oracle": name,
                    "words": ORACLE_WORDS[name],
                    "colour": COLOURS[name],
                    "ap50": score.ap50,
                    "ap": None if math.isnan(score.ap) else score.ap,
                    "gain": told.strip(" ()") or "n/a",
                    "text": decimal(score.ap50) + told,
                    "detections": score.n_detections,
                }
            )
    return rows


def _rule(raw: float, x: alt.X) -> list[alt.Chart]:
    """What the detector reaches without any proposals."""
    plot = alt.Chart(inline([{"ap50": raw, "text": f"as given {decimal(raw)}"}]))
    return [
        plot.mark_rule(color=SOFT_INK, strokeDash=[3, 2]).encode(x=x),
        plot.mark_text(
            align="center", baseline="bottom", dy=-2, color=SOFT_INK, fontSize=FONT_PX - 1
        ).encode(x=x, y=fixed(alt.YValue, 0), text="text:N"),
    ]
