"""Figures as Vega-Lite charts: a file makes rows of a result, and one of the `forms` draws them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from altair.typing import ChartType

    # In Vega-Lite's own words, as `forms` give it; not all figures have left Altair yet.
    Drawn: TypeAlias = dict[str, Any] | ChartType


def drawn_by(name: str, *given: Any, **more: Any) -> Drawn:
    """The chart of "module.function": loaded when it is drawn, since Altair loads slowly."""
    module, function = name.split(".")
    chart: Drawn = getattr(import_module(f"{__name__}.{module}"), function)(*given, **more)
    return chart
