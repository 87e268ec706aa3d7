"""Colours, keys and grids of panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt
import numpy as np

from boxlens.report.charts.colours import SERIES as COLOURS
from boxlens.report.charts.detector_pair import key, short
from boxlens.report.charts.theme import WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.data.columns import Rows

KEY_CHARACTERS: Final = 24
PANEL_SPACING: Final = 12


def colours_of(names: Sequence[str], palette: Sequence[str] = COLOURS) -> dict[str, str]:
    """As many as there are colours."""
    return dict(zip(names, palette, strict=False))


def spread_out(n: int, most: int) -> Rows:
    """Both ends and at most so many places between them."""
    return np.unique(np.linspace(0, max(n - 1, 0), min(n, most)).round().astype(np.int32))


def key_lines(colours: Mapping[str, str], *, width: int = WIDTH - 40) -> list[alt.LayerChart]:
    """Two names a line, three where they are short; none where there is nothing to tell apart."""
    entries = [(short(name, KEY_CHARACTERS), colour) for name, colour in colours.items()]
    if len(entries) < 2:
        return []
    per_line = 3 if max(len(name) for name, _ in entries) <= KEY_CHARACTERS // 2 else 2
    # Equal steps, so that names stand below one another.
    return [
        key(line, width=width * len(line) // per_line)
        for line in (entries[at : at + per_line] for at in range(0, len(entries), per_line))
    ]


def panel_grid(
    above: Sequence[alt.LayerChart],
    panels: Sequence[alt.Chart | alt.LayerChart],
    n_columns: int,
    *,
    spacing: int = PANEL_SPACING,
) -> alt.VConcatChart:
    """Panels line by line below the key, those of a column below one another."""
    gaps = alt.RowColnumber(row=4, column=spacing)
    grid = alt.concat(*panels, columns=n_columns, spacing=gaps, align="each")
    return alt.vconcat(*above, grid, spacing=6)
