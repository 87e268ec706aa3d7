"""What classes are like, from a user's table: natural or man-made, large or small, 0.3 m long."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data.columns import Floats, Rows, frozen
from boxlens.data.source import Notice

# A column with more distinct numbers than this is a quantity; with fewer, each number is a group.
MOST_NUMBERS_AS_GROUPS = 6
QUARTERS = 4
# Longer numbers are written with an exponent.
LONGEST_WHOLE = 10**15

# Words with an order of their own; a column keeps it if one scale holds all of its values.
SCALES = (
    ("xxs", "xs", "s", "m", "l", "xl", "xxl"),
    ("tiny", "small", "medium", "large", "huge"),
    ("xt", "t", "m", "w", "xw"),
    ("none", "low", "medium", "high"),
    ("zero", "low", "medium", "high"),
    ("none", "few", "some", "many"),
)


@dataclass(frozen=True, slots=True)
class ClassProperties:
    """Properties by name, one value per class in row order; quantities are cut into quarters."""

    # None: the table tells nothing.
    values: Mapping[str, tuple[str | None, ...]]
    # The values that occur, in the order in which they are shown.
    order: Mapping[str, tuple[str, ...]]
    # The quantities among the properties; NaN: the table tells nothing.
    numbers: Mapping[str, Floats]
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(
        cls,
        n_classes: int,
        cells: Mapping[str, Mapping[int, str]],
        notices: Sequence[Notice] = (),
    ) -> ClassProperties:
        """`cells[property][class row]` as text, in the order of the table."""
        values: dict[str, tuple[str | None, ...]] = {}
        order: dict[str, tuple[str, ...]] = {}
        numbers: dict[str, Floats] = {}
        for name, column in cells.items():
            quantities = finite_numbers(column.values())
            if quantities is None:
                grouped = dict(column)
                order[name] = ordered_words(column.values())
            elif len(set(quantities)) <= MOST_NUMBERS_AS_GROUPS:
                grouped = {row: _short(n) for row, n in zip(column, quantities, strict=True)}
                order[name] = tuple(_short(n) for n in sorted(set(quantities)))
            else:
                rows = list(column)
                numbers[name] = _spread(n_classes, rows, quantities)
                quarters, order[name] = _quarters(np.array(quantities))
                grouped = dict(zip(rows, quarters, strict=True))
            values[name] = tuple(grouped.get(row) for row in range(n_classes))
        return cls(values, order, numbers, tuple(notices))

    def groups(self, name: str) -> tuple[tuple[str, Rows], ...]:
        """The values of a property in order, each with the rows of its classes."""
        values = self.values[name]
        return tuple(
            (value, frozen([row for row, one in enumerate(values) if one == value], np.int32))
            for value in self.order[name]
        )


def finite_numbers(texts: Iterable[str]) -> list[float] | None:
    """The texts as numbers; None if there are none, or if one of them is not a number."""
    try:
        # Adding nothing makes 0 of -0, which has another name.
        numbers = [float(text) + 0.0 for text in texts]
    except ValueError:
        return None
    return numbers if numbers and all(map(math.isfinite, numbers)) else None


def _spread(n_classes: int, rows: list[int], numbers: list[float]) -> Floats:
    column = np.full(n_classes, np.nan)
    column[rows] = numbers
    return frozen(column, np.float64)


def ordered_words(words: Iterable[str]) -> tuple[str, ...]:
    """Each once, by the scale that holds them all, else as they come."""
    seen = dict.fromkeys(words)
    for scale in SCALES:
        if all(word.casefold() in scale for word in seen):
            return tuple(sorted(seen, key=lambda word: scale.index(word.casefold())))
    return tuple(seen)


def _quarters(numbers: Floats) -> tuple[list[str], tuple[str, ...]]:
    """A quarter for each number, named by its range, and all in order; equal numbers stay together.

    Where many are equal, quarters differ in size, and there may be fewer of them.
    """
    n_below = np.searchsorted(np.sort(numbers), numbers)
    quarter = n_below * QUARTERS // len(numbers)
    used = np.unique(quarter).tolist()
    ranges = [(numbers[quarter == at].min(), numbers[quarter == at].max()) for at in used]
    names = dict(zip(used, _range_names(ranges), strict=True))
    return [names[at] for at in quarter.tolist()], tuple(names.values())


def _range_names(ranges: Sequence[tuple[float, float]]) -> list[str]:
    """Ranges with as few digits as tell them apart; 17 digits always do."""
    names: list[str] = []
    for digits in range(3, 18):
        ends = [(_short(low, digits), _short(high, digits)) for low, high in ranges]
        join = " to " if any(low < 0 for low, _ in ranges) else "-"
        names = [low if low == high else f"{low}{join}{high}" for low, high in ends]
        texts = [text for (low, high) in ends for text in {low, high}]
        if len(set(texts)) == len(texts):
            break
    return names


def _short(number: float, digits: int | None = None) -> str:
    """Whole numbers in full, others with at most so many digits; all that it takes without."""
    if abs(number) >= LONGEST_WHOLE or digits is None:
        return (
            f"{number:.0f}" if number.is_integer() and abs(number) < LONGEST_WHOLE else str(number)
        )
    before_the_point = len(f"{abs(number):.0f}")
    return f"{number:.{max(digits, before_the_point)}g}"
