"""Axes of names in figures that Altair still draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence


def cell_scale(domain: Sequence[str] | Sequence[int]) -> alt.Scale:
    """Places of cells along one side of a heat map."""
    return alt.Scale(domain=list(domain), paddingInner=0.04, paddingOuter=0)


def rows_axis(field: str, names: Sequence[str], axis: alt.Axis | None) -> alt.Y:
    """One row a name, in the given order."""
    return alt.Y(f"{field}:N", sort=list(names), title=None, axis=axis)
