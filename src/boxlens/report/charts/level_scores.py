"""Scores as labels are relaxed up a class tree: a panel a score, a line a system (METHODS 3.3)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.system_lines import (
    key_lines,
    panel_grid,
    score_words,
    system_colours,
)
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.dataset_difficulty.accuracy import ScoreName
    from boxlens.dataset_difficulty.levels import LevelScores
    from boxlens.dataset_difficulty.result import DifficultyResult

SCORES: Final[tuple[ScoreName, ...]] = ("cls", "cls_loc", "ap")
PANEL_PX: Final = 92
MOST_LABELS: Final = 4


def level_scores_chart(
    result: DifficultyResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """At most as many systems as there are colours."""
    title = "Scores as labels are relaxed up the class tree"
    colours = system_colours(result)
    known = [one for one in result.levels if one.system in colours]
    scores = [
        name
        for name in SCORES
        if any(not math.isnan(one.scores.get(name, math.nan)) for one in known)
    ]
    if not scores:
        empty = message("every score is undefined", width=WIDTH, height=PANEL_PX)
        return themed(empty, title=title, about=about)
    limit = max(
        one.scores[name]
        for one in known
        for name in scores
        if not math.isnan(one.scores.get(name, math.nan))
    )
    width = PANEL_PX if len(scores) == 3 else 140
    panels = [
        _panel(
            known, name, score_words(result, name), colours, limit=limit, width=width, first=at == 0
        )
        for at, name in enumerate(scores)
    ]
    return themed(
        panel_grid(key_lines(colours), panels, 3),
        title=title,
        about=about,
        reading=(
            "Level 0: the exact class; 1: also its sisters; and so on up. Below each level: how "
            "many classes are accepted for one, on average."
        ),
    )


def _panel(
    known: Sequence[LevelScores],
    score: ScoreName,
    words: str,
    colours: Mapping[str, str],
    *,
    limit: float,
    width: int,
    first: bool,
) -> alt.LayerChart:
    rows = _records(known, score, colours)
    accepted: dict[int, str] = {row["level"]: row["accepted"] for row in rows}
    plot = alt.Chart(inline(rows), width=width, height=PANEL_PX + 20).encode(
        x=_level_axis(accepted),
        y=alt.Y(
            "score:Q",
            scale=alt.Scale(domain=[0, 1.06 * limit or 1], nice=False),
            axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=5, labels=first),
        ),
        color=alt.Color("colour:N", scale=None),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("level:Q"),
            alt.Tooltip("text:N", title=words),
            alt.Tooltip("accepted:N", title="classes accepted"),
        ],
    )
    few: dict[str, Any] = {"filled": True, "opacity": 1, "size": 22 if len(accepted) < 10 else 12}
    layers = alt.LayerChart(
        layer=[
            plot.mark_line(strokeWidth=1.5).encode(detail="system:N"),
            plot.mark_point(**few),
        ]
    )
    titled: alt.LayerChart = layers.properties(title=panel_title(words))
    return titled


def _records(
    known: Sequence[LevelScores], score: ScoreName, colours: Mapping[str, str]
) -> list[dict[str, Any]]:
    return [
        {
            "system": one.system,
            "colour": colours[one.system],
            "level": one.level,
            "score": one.scores[score],
            "text": decimal(one.scores[score]),
            "accepted": accepted_text(one.n_accepted),
        }
        for one in known
        if not math.isnan(one.scores.get(score, math.nan))
    ]


def _level_axis(accepted: Mapping[int, str]) -> alt.X:
    """A few levels are named, each with how many classes are accepted below it."""
    levels = sorted(accepted)
    labels = json.dumps({str(level): [str(level), text] for level, text in accepted.items()})
    room = 0.06 * max(levels[-1] - levels[0], 1)
    return alt.X(
        "level:Q",
        scale=alt.Scale(domain=[levels[0] - room, levels[-1] + room], nice=False),
        axis=alt.Axis(
            title="level, classes accepted",
            values=levels[:: -(-len(levels) // MOST_LABELS)],
            labelExpr=f"{labels}[toString(datum.value)]",
            grid=False,
        ),
    )


def accepted_text(n: float) -> str:
    """1, 4.2, 120: a mean of counts."""
    if math.isnan(n):
        return "n/a"
    return f"{n:,.0f}" if n >= 100 or n == round(n) else f"{n:.1f}"
