"""How a result shows itself in a notebook: it knows only the name of the module that draws."""

from __future__ import annotations

from importlib import import_module

# By name: results are below the report and must not import it (docs/adr/0008-notebook-display.md).
DRAWS = "boxlens.report.notebook"


class Displayed:
    """A result that a notebook shows as a small table and a figure."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = import_module(DRAWS).html_of(self)
        return html
