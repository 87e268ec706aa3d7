"""Numbers and lists as every sentence, table and figure writes them: one form per kind of value."""

from __future__ import annotations

import math
from collections.abc import Sequence

# What stands where there is no value.
UNDEFINED = "-"
SMALLEST_P = 0.0005
# Mean counts from here on are whole numbers.
MANY = 100


def is_undefined(value: object) -> bool:
    """None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def score(value: float | None, digits: int = 3) -> str:
    """0.123; zero has no sign."""
    if value is None or math.isnan(value):
        return UNDEFINED
    return f"{round(value, digits) + 0.0:.{digits}f}"


def change(value: float | None, digits: int = 3) -> str:
    """+0.012, -0.012; 0.000 where nothing changes."""
    text = score(value, digits)
    return f"+{text}" if value is not None and round(value, digits) > 0 else text


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """0.101 to 0.145."""
    if is_undefined(low) or is_undefined(high):
        return UNDEFINED
    return f"{score(low, digits)} to {score(high, digits)}"


def p_value(p: float | None) -> str:
    """0.012; what would read 0.000 is <0.001."""
    return "<0.001" if p is not None and p < SMALLEST_P else score(p)


def share(value: float | None) -> str:
    """61%; only nothing reads 0%, and only everything 100%."""
    if value is None or math.isnan(value):
        return UNDEFINED
    if 0 < value < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= value < 1 else f"{value:.0%}"


def part(n: float, whole: float) -> float:
    """A share that is undefined where there is nothing to have a share of."""
    return n / whole if whole else math.nan


def level(value: float) -> str:
    """95%, 99.9%: how sure an interval is."""
    return f"{100 * value:g}%"


def number(value: float | None) -> str:
    """0.5, 32, 1e-05: a setting, with as many digits as it has, up to six."""
    if value is None or math.isnan(value):
        return UNDEFINED
    return f"{value:g}"


def count(n: int | None) -> str:
    """1,234."""
    return UNDEFINED if n is None else f"{n:,}"


def mean_count(value: float | None) -> str:
    """1,234; fewer to a tenth, and very few to two digits, so that some are never none."""
    if value is None or math.isnan(value):
        return UNDEFINED
    if value >= MANY or value == round(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 0.1 else f"{value:.2g}"


def seconds(value: float | None) -> str:
    """12, 1.2, 0.012."""
    if value is None or math.isnan(value):
        return UNDEFINED
    return f"{value:.{0 if value >= 10 or value == 0 else 1 if value >= 1 else 3}f}"


def counted(n: int, one: str, many: str = "") -> str:
    """1 image; 1,234 images."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(names: Sequence[str], most: int = 0, noun: str = "") -> str:
    """One, another and a third; of none, or more than `most`, how many there are: 12 detectors."""
    if not names or (most and len(names) > most):
        return counted(len(names), noun.removesuffix("s"), noun)
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def short(name: str, most: int = 18) -> str:
    """A name where there is little room; versions differ at the end of their names."""
    if len(name) <= most:
        return name
    half = (most - 3) // 2
    return f"{name[: half + 1]}...{name[-half:]}"
