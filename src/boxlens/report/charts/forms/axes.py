"""Both kinds of axes: numbers along a line, and names one after the other."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from boxlens.report.charts.forms.layers import Spec
from boxlens.wording import is_undefined, short

# How numbers along an axis are written: 0.25, 25%, 1,234.
NUMBERS: Final = "~g"
SHARES: Final = ".0%"
COUNTS: Final = ",d"
# Width of a letter, about.
LETTER_PX: Final = 5.2
# Labels below a small panel that do not touch each other.
FEW_LABELS: Final = 4
# Along an axis of each kind.
SCALES: Mapping[str, Callable[[float], float]]
SCALES = {"linear": float, "log": math.log, "sqrt": math.sqrt}


@dataclass(frozen=True, slots=True)
class Axis:
    """Numbers along a line. Without `ends` it goes from zero to a round number."""

    title: str = ""
    ends: tuple[float, float] | None = None
    # About so many, or exactly there.
    ticks: int = 5
    values: Sequence[float] | None = None
    form: str = NUMBERS
    # What is written at a value in place of the number.
    names: Mapping[float, str | Sequence[str]] = field(default_factory=dict)
    kind: Literal["linear", "log", "sqrt"] = "linear"
    grid: bool = True
    # Not where the panel beside it has the same.
    labels: bool = True
    # Nothing is seen of it.
    hidden: bool = False

    def channel(self, field: str) -> Spec:
        """Along which a field is drawn."""
        scale: Spec = {"type": self.kind}
        scale |= {"domain": list(self.ends), "nice": False} if self.ends else {"nice": True}
        return {
            "field": field,
            "type": "quantitative",
            "scale": scale if self.ends else {**scale, "zero": True},
            "axis": None if self.hidden else self._axis(),
            "stack": None,
        }

    def _axis(self) -> Spec:
        found: Spec = {"title": self.title or None, "grid": self.grid, "labels": self.labels}
        if self.names:
            values = list(self.names)
            texts = json.dumps(list(self.names.values()))
            named = f"{texts}[indexof({json.dumps(values)}, datum.value)]"
            return {**found, "values": values, "labelExpr": named, "labelOverlap": False}
        # By an expression: a plain format would round values to the distance between ticks.
        found |= {"labelExpr": f"format(datum.value, '{self.form}')"}
        found |= {"tickMinStep": 1} if self.form == COUNTS else {}
        if self.values is None:
            return {**found, "tickCount": self.ticks}
        return {**found, "values": list(self.values), "labelOverlap": False}

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1."""
        along = SCALES[self.kind]
        low, high = map(along, self.ends or (0.0, 1.0))
        return (along(value) - low) / (high - low)

    def value(self, share: float) -> float:
        """What lies at a share of the way, along a line that is not bent."""
        low, high = self.ends or (0.0, 1.0)
        return low + (high - low) * share


@dataclass(frozen=True, slots=True)
class Names:
    """One place per key, in the order given, with what is written there: a text, or its lines."""

    labels: Mapping[str, str | Sequence[str]]
    # Of a place.
    px: float = 16
    characters: int = 26
    grid: bool = False
    # Not where the panel beside it has the same.
    shown: bool = True
    title: str = ""
    # Free between two places, as a share of them; None: as much as the theme has.
    gap: float | None = None
    # Left of the panel for the names, so that panels below each other begin at one place.
    room_px: int = 0
    # From left to right.
    flat: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Iterable[str], **more: Any) -> Names:
        """Names that no two places share."""
        return cls({name: name for name in names}, **more)

    def across(self) -> Names:
        """From left to right: turned where there is no room for the longest name."""
        return replace(self, flat=True)

    @property
    def length_px(self) -> float:
        """Of all places."""
        return self.px * len(self.labels)

    def channel(self, field: str) -> Spec:
        """Along which a field is drawn."""
        scale: Spec = {"domain": list(self.labels)}
        if self.gap is not None:
            scale |= {"paddingInner": self.gap, "paddingOuter": self.gap / 2}
        return {"field": field, "type": "nominal", "scale": scale, "axis": self._axis()}

    def _axis(self) -> Spec:
        written = {key: self._label(label) for key, label in self.labels.items()}
        texts = [[one] if isinstance(one, str) else one for one in written.values()]
        n_lines = max(map(len, texts), default=1)
        found: Spec = {
            "title": self.title or None,
            "ticks": False,
            "domain": False,
            "grid": self.grid,
            "labels": self.shown,
            "labelExpr": f"({json.dumps(written)})[datum.value]",
            "labelLimit": 7 * self.characters,
            "labelPadding": 6,
            "labelOverlap": False,
        }
        if self.flat:
            longest = max(len(line) for lines in texts for line in lines)
            found |= {"labelAngle": 0 if self.px >= LETTER_PX * longest else -45}
        if n_lines > 1:
            # The first of several lines stands above the middle.
            offset = 0 if self.flat else 5.5 - 5.5 * n_lines
            found |= {"labelLineHeight": 11, "labelOffset": offset}
        if self.room_px:
            found |= {"minExtent": self.room_px, "maxExtent": self.room_px}
        return {**found, **self.more}

    def _label(self, label: str | Sequence[str]) -> str | list[str]:
        if isinstance(label, str):
            return short(label, self.characters)
        return [short(line, self.characters) for line in label]


def around(values: Iterable[float | None], room: float = 0.06) -> tuple[float, float]:
    """Both ends with some room, so that the outermost marks are whole."""
    known = _known(values)
    low, high = min(known), max(known)
    free = room * (high - low) or 0.01
    return low - free, high + free


def from_zero(values: Iterable[float | None], room: float = 0.04) -> tuple[float, float]:
    """From zero to a little beyond the largest."""
    highest = max([0.0, *_known(values)])
    return 0.0, (1 + room) * highest or 1.0


def to_a_tenth(values: Iterable[float | None]) -> tuple[float, float]:
    """From zero to the next tenth above all values; where they are small, the next twentieth."""
    highest = max(_known(values), default=1.0)
    parts = 20 if highest <= 0.2 else 10
    # Rounded first: 0.6 is six tenths, not more.
    return 0.0, max(1, math.ceil(round(parts * highest, 9))) / parts


def round_steps(low: float, high: float) -> list[float]:
    """Multiples of a round step between both, so few that each has room for its label."""
    if low == high:
        return [low]
    power = math.floor(math.log10(high - low)) - 1
    steps = (float(f"{digit}e{power + more}") for more in (0, 1, 2) for digit in (1, 2, 5))
    for step in steps:
        first, last = math.ceil(round(low / step, 6)), math.floor(round(high / step, 6))
        if last - first < FEW_LABELS:
            # As it is written: a multiple of 0.1 may miss it by a hair.
            return [float(f"{place * step:.12g}") for place in range(first, last + 1)]
    return [low, high]


def round_powers(low: float, high: float) -> list[float]:
    """Round values between both for a logarithmic axis: at last only powers of ten."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    kept: list[float] = []
    for digits in ((1, 2, 5), (1, 3), (1,)):
        values = (float(f"{digit}e{power}") for power in powers for digit in digits)
        kept = [value for value in values if low <= value <= high]
        if len(kept) <= FEW_LABELS + 1:
            break
    return kept


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and not is_undefined(value)]
