"""Numbers, kinds of errors and names of columns as a reader meets them on a page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from boxlens.report.charts.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.app.opening.run import Run

OTHER_COLOUR: Final = "#6f7c85"
OUTSIDE: Final = "outside"
RIGHT: Final = "right"
# Labels that are no error.
NO_ERROR: Final = frozenset({RIGHT, OUTSIDE})


@dataclass(frozen=True, slots=True)
class KindWords:
    """A kind of error in words, its colour, and the ink that is legible on it."""

    words: str
    colour: str
    ink: str

    def to_json(self) -> dict[str, str]:
        return {"words": self.words, "colour": self.colour, "ink": self.ink}


@cache
def kind_words(label: str) -> KindWords:
    """By any scheme's name; a name that no scheme has stands for itself."""
    try:
        kind = kind_of(label)
    except KeyError:
        return KindWords(label, OTHER_COLOUR, "#ffffff")
    return KindWords(kind.label, kind.colour, kind.ink)


def scheme_title(run: Run, scheme: str) -> str:
    return str(run.about["schemes"][scheme].get("title", scheme))


def scheme_kinds(run: Run) -> list[dict[str, dict[str, str]]]:
    """Every label of every scheme, for the scripts of a page."""
    return [
        {
            label: kind_words(label).to_json()
            for label in [*scheme["detections"], *scheme["objects"]]
        }
        for scheme in run.about["schemes"].values()
    ]


def cut_of(run: Run, detector_row: int) -> float:
    """The score from which a detector's boxes are drawn at first; 0 where none is known."""
    cut = run.about["detectors"][detector_row].get("min_score")
    return float(cut) if isinstance(cut, int | float) and math.isfinite(cut) else 0.0


def plain_number(value: float, digits: int = 2) -> str:
    """0.87, 12.3, 1,234; nothing where undefined."""
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
        return "0" if value == 0 else plain_number(value, 3)
    digits = min(1 - math.floor(math.log10(abs(value))), 12)
    return plain_number(value, digits)


def member(holder: Mapping[str, Any], key: str, kind: type) -> Any:
    """A field of a document that may be absent or of another type: then an empty one."""
    value = holder.get(key)
    return value if isinstance(value, kind) else kind()
