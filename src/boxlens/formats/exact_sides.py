"""Boxes in the space of a format, as numbers that read back as the very float64 they came from.

Formats hold inclusive corners, or fractions of the image, and the way back rounds. First the
neighbours of what arithmetic gives are tried. Where none reads back, the numbers are written with
more digits than float64 holds: a number of `LONG` characters or more is read exactly, and the side
of the box is computed exactly and rounded once. Other tools round such a number and lose nothing
that their float64 could hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data.columns import Bools, Boxes, Floats
from boxlens.errors import InputError

# No float64 takes as many characters.
LONG = 25
# Beyond what a decimal needs that lies in the range of float64.
_LONGEST = 1_200
_FARTHEST_POWER = 400
# Few decimals (None) first: that is what files hold, and it reads well; then steps to both sides.
_TRIES = (None, 0, 1, -1, 2, -2, 3, -3, 4, -4)

# Digits enough for sums and products of such numbers, and of float64.
_EXACTLY = Context(prec=4 * _LONGEST, traps=[Inexact, InvalidOperation])

Number = float | Decimal
# Two numbers of a file and what they are to be multiplied by, or start and size of a side.
_Pair = Callable[[Any, Any, Any], tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class Space:
    """How two numbers of a file become start and size of a side, and the way back."""

    # Both as formulas that hold for arrays of float64, and exactly for decimals.
    read: _Pair
    written: _Pair
    # Start, size, scale and the allowed errors of both: two decimals as fractions.
    decimals: Callable[[Fraction, Fraction, Fraction, Fraction, Fraction], tuple[Fraction, ...]]
    # How far neighbours are apart that are worth a try.
    steps: _Pair = lambda first, second, _: (
        np.spacing(np.abs(first)),
        np.spacing(np.abs(second)),
    )


def _inclusive_decimals(*given: Fraction) -> tuple[Fraction, Fraction]:
    start, size, _, of_start, of_size = given
    low = _decimal(start + 1, of_start)
    return low, _decimal(low - 1 + size, of_size)


def _corner_decimals(*given: Fraction) -> tuple[Fraction, Fraction]:
    start, size, scale, of_start, of_size = given
    low = _decimal(start / scale, of_start / scale)
    return low, _decimal(low + size / scale, of_size / scale)


def _centre_decimals(*given: Fraction) -> tuple[Fraction, Fraction]:
    start, size, scale, of_start, of_size = given
    extent = _decimal(size / scale, of_size / scale)
    return _decimal(start / scale + extent / 2, of_start / scale), extent


# VOC's pixels from 1, both ends included.
INCLUSIVE = Space(
    read=lambda low, high, _: (low - 1, high - low + 1),
    written=lambda start, size, _: (start + 1, start + size),
    decimals=_inclusive_decimals,
    # Below the spacing of what the reader computes, so that no corner is stepped over.
    steps=lambda low, high, _: (np.spacing(np.abs(low - 1)) / 8, np.spacing(np.abs(high)) / 2),
)
# Open Images: both ends as fractions of the image.
CORNERS = Space(
    read=lambda low, high, scale: (low * scale, (high - low) * scale),
    written=lambda start, size, scale: (start / scale, (start + size) / scale),
    decimals=_corner_decimals,
)
# YOLO: centre and size as fractions of the image.
CENTRE = Space(
    read=lambda centre, extent, scale: ((centre - extent / 2) * scale, extent * scale),
    written=lambda start, size, scale: ((start + size / 2) / scale, size / scale),
    decimals=_centre_decimals,
)


def number_of(text: str) -> Number:
    """float(text), or the exact number where the text is longer than a float64 needs."""
    value = float(text)
    if not LONG <= len(text) <= _LONGEST or not math.isfinite(value):
        return value
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return value
    return exact if abs(exact.adjusted()) < _FARTHEST_POWER else value


def with_exact(
    box: Boxes,
    exact: Mapping[int, Sequence[Number]],
    space: Space,
    scale: tuple[Floats, Floats] | None = None,
) -> Boxes:
    """Boxes with the rows of `exact` computed exactly: its numbers are x, y, then their partners.

    `box` was read by the same formulas in float64, and is changed.
    """
    for row, numbers in exact.items():
        for axis in (0, 1):
            by = 1.0 if scale is None else float(scale[axis][row])
            side = side_of(numbers[axis], numbers[axis + 2], space, by)
            box[row, axis], box[row, axis + 2] = side
    return box


def side_of(first: Number, second: Number, space: Space, scale: float = 1.0) -> tuple[float, float]:
    """Start and size; in float64 as ever, unless a number is longer than that."""
    if isinstance(first, float) and isinstance(second, float):
        start, size = space.read(first, second, scale)
        return start, size
    with localcontext(_EXACTLY):
        start, size = map(float, space.read(Decimal(first), Decimal(second), Decimal(scale)))
    return start, size


def numbers_as_text(
    box: Boxes,
    space: Space,
    describe: Callable[[int], str],
    *,
    path: Path | None = None,
    scale: tuple[Floats, Floats] | None = None,
    short: Callable[[float], str] = repr,
) -> list[list[str]]:
    """The four numbers of every box, x and y first and then their partners.

    `describe` names a box that has none, since a corner of it is beyond float64.
    """
    columns: list[list[str]] = [[], [], [], []]
    for axis in (0, 1):
        by = np.ones(len(box)) if scale is None else scale[axis]
        start, size = box[:, axis], box[:, axis + 2]
        with np.errstate(over="ignore", invalid="ignore"):
            first, second = space.written(start, size, by)
            bad = np.flatnonzero(~(np.isfinite(first) & np.isfinite(second)))
            if len(bad):
                raise InputError(
                    f"the box {box[bad[0]].tolist()} is beyond the numbers that a file can hold",
                    path=path,
                    where=describe(int(bad[0])),
                    remedy="Correct the box, or remove it",
                )
            first, second, exact = _neighbours(first, second, start, size, by, space)
        texts = list(map(short, first.tolist())), list(map(short, second.tolist()))
        for row in np.flatnonzero(~exact).tolist():
            texts[0][row], texts[1][row] = _long_texts(start[row], size[row], by[row], space)
        columns[axis], columns[axis + 2] = texts
    return [list(row) for row in zip(*columns, strict=True)]


def _neighbours(
    first: Floats, second: Floats, start: Floats, size: Floats, scale: Floats, space: Space
) -> tuple[Floats, Floats, Bools]:
    """Numbers nearby from which reading makes the side again, and of which boxes there are any."""
    found = np.zeros(len(first), np.bool_)
    best = first.copy(), second.copy()
    steps = space.steps(first, second, scale)
    rows = np.arange(len(first))
    for one in _TRIES:
        for other in _TRIES:
            if len(rows) == 0:
                return (*best, found)
            tried = (
                _moved(first[rows], steps[0][rows], one),
                _moved(second[rows], steps[1][rows], other),
            )
            read = space.read(*tried, scale[rows])
            exact = (read[0] == start[rows]) & (read[1] == size[rows])
            for numbers, values in zip(best, tried, strict=True):
                numbers[rows[exact]] = values[exact]
            found[rows[exact]] = True
            rows = rows[~exact]
    return (*best, found)


def _moved(value: Floats, step: Floats, count: int | None) -> Floats:
    return np.round(value, 10) if count is None else value + count * step


def _long_texts(start: float, size: float, scale: float, space: Space) -> tuple[str, str]:
    errors = _allowed_error(start), _allowed_error(size)
    first, second = space.decimals(Fraction(start), Fraction(size), Fraction(scale), *errors)
    return _long_text(first), _long_text(second)


def _allowed_error(value: float) -> Fraction:
    """Anything so near to a float64 rounds to it; to 0 nothing is near enough but itself."""
    return Fraction(abs(value) - math.nextafter(abs(value), 0)) / 4 if value else Fraction(0)


def _decimal(value: Fraction, error: Fraction) -> Fraction:
    """A number with finitely many digits, so near."""
    if error:
        places = len(str(error.denominator // error.numerator))
        return Fraction(round(value * 10**places), 10**places)
    if 10**_LONGEST % value.denominator:
        raise ArithmeticError(f"{value} has no finite number of digits")
    return value


def _long_text(value: Fraction) -> str:
    """All digits, and zeros up to the length that says so."""
    fives, twos = value.denominator, 0
    while fives % 2 == 0:
        fives, twos = fives // 2, twos + 1
    # What is left is a power of 5.
    places = max(twos, round(math.log(fives, 5)))
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    text = f"{sign}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}"
    return text.ljust(LONG, "0")
