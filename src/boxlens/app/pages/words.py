"""Numbers, kinds of errors and names of columns as a reader meets them on a page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from boxlens.app.opening.run import Run
from boxlens.report.charts.kinds import Kind, kind_of

OTHER_COLOUR: Final = "#6f7c85"
OUTSIDE: Final = "outside"
RIGHT: Final = "right"
# Labels that are no error.
NO_ERROR: Final = frozenset({RIGHT, OUTSIDE})


@cache
def kind_named(name: str) -> Kind:
    """By any scheme's name; a name that no scheme has stands for itself."""
    try:
        return kind_of(name)
    except KeyError:
        return Kind(name, OTHER_COLOUR)


def scheme_title(run: Run, scheme: str) -> str:
    return str(run.about["schemes"][scheme].get("title", scheme))


def scheme_kinds(run: Run) -> list[dict[str, dict[str, str]]]:
    """Every label of every scheme, for the scripts of a page."""
    return [
        {
            name: {"words": kind.label, "colour": kind.colour, "ink": kind.ink}
            for name in [*scheme["detections"], *scheme["objects"]]
            for kind in [kind_named(name)]
        }
        for scheme in run.about["schemes"].values()
    ]


def cut_of(run: Run, detector_row: int) -> float:
    """The score from which a detector's boxes are drawn at first; 0 where none is known."""
    cut = run.about["detectors"][detector_row].get("min_score")
    return float(cut) if isinstance(cut, int | float) and math.isfinite(cut) else 0.0


def plain_number(value: float, digits: int = 3) -> str:
    """0.870, 12.3, 1,234; nothing where undefined."""
    if not math.isfinite(value):
        return ""
    if abs(value) >= 1000 or (abs(value) >= 1 and value == round(value)):
        return f"{value:,.0f}"
    if abs(value) >= 1:
        return f"{value:,.1f}"
    return f"{round(value, digits) + 0.0:.{digits}f}"


def small_number(value: float) -> str:
    """Two significant digits: 0.00012; nothing where undefined."""
    if not math.isfinite(value):
        return ""
    if value == 0 or abs(value) >= 0.01:
        return "0" if value == 0 else plain_number(value)
    digits = min(1 - math.floor(math.log10(abs(value))), 12)
    return plain_number(value, digits)


def member(holder: Mapping[str, Any], key: str, kind: type) -> Any:
    """A field of a document that may be absent or of another type: then an empty one."""
    value = holder.get(key)
    return value if isinstance(value, kind) else kind()
