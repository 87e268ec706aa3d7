"""How lines look, and keys that say what colours and dashes mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from boxlens.report.charts.colours import MANY_SERIES, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import spans, words
from boxlens.report.charts.forms.panels import name_rows, panel
from boxlens.wording import short

# Once every colour is taken, they are taken again from the first on: then dashes differ.
SOLID: Final = ((1, 0), (7, 2, 1, 2))
DASHED: Final = ((4, 2), (1, 2))
MOST_LINES: Final = 2 * len(MANY_SERIES)
KEY_CHARACTERS: Final = 24
LINE_PX: Final = 12
SWATCH_PX: Final = 18
SQUARE_PX: Final = 9
# Names of files are long in wide letters and underscores.
LETTER_PX: Final = 5.6


@dataclass(frozen=True, slots=True)
class Style:
    """How the line of a series looks, in every figure."""

    colour: str
    dash: tuple[int, ...] = (1, 0)

    @property
    def look(self) -> Row:
        """Keys of a row."""
        return {"colour": self.colour, "dash": list(self.dash)}


def styles_of(names: Iterable[str], dashed: Collection[str] = ()) -> dict[str, Style]:
    """By name, as many as can be told apart.

    Those that are `dashed` take their colours last: as long as there are any, colours of their own.
    """
    known = list(dict.fromkeys(names))[:MOST_LINES]
    styles: dict[str, Style] = {}
    for at, name in enumerate(sorted(known, key=lambda name: name in dashed)):
        colour = MANY_SERIES[at % len(MANY_SERIES)]
        taken = {style.dash for style in styles.values() if style.colour == colour}
        dashes = DASHED if name in dashed else SOLID
        styles[name] = Style(colour, next(dash for dash in dashes if dash not in taken))
    return {name: styles[name] for name in known}


def key(entries: Mapping[str, str | Style], *, width: float, always: bool = False) -> list[Spec]:
    """Squares of colours or samples of lines, with their names in columns, above a figure.

    Nothing where there is nothing to tell apart, unless `always`.
    """
    if len(entries) < 2 and not always:
        return []
    names = [short(name, KEY_CHARACTERS) for name in entries]
    longest = SWATCH_PX + LETTER_PX * max(map(len, names)) + 16
    n_columns = max(1, min(int(width // longest), len(names)))
    n_lines = -(-len(names) // n_columns)
    lined = any(isinstance(one, Style) for one in entries.values())
    sample_px = SWATCH_PX if lined else SQUARE_PX
    placed = [
        {
            "text": name,
            "x": x,
            "y": LINE_PX * (at % n_lines + 0.5),
            **(one.look if isinstance(one, Style) else {"colour": one}),
            "end": x + sample_px,
            "middle": x + sample_px / 2,
        }
        for at, (name, one) in enumerate(zip(names, entries.values(), strict=True))
        # Down the columns, so that the order can be followed.
        for x in [at // n_lines * longest]
    ]
    written = {"align": "left", "baseline": "middle", "dx": sample_px + 4, "color": SOFT_INK}
    marks = (
        Mark("rule", {"x": "x", "x2": "end", "y": "y"}, {"strokeWidth": 2})
        if lined
        else Mark("square", {"x": "middle", "y": "y"}, {"size": 70, "opacity": 1}),
        Mark("text", {"x": "x", "y": "y", "text": "text"}, written),
    )
    return [panel(placed, marks, {}, (n_columns * longest, LINE_PX * n_lines))]


def key_table(styles: Mapping[str, Style], columns: Mapping[str, Mapping[str, str]]) -> Spec:
    """Samples of lines and their names, one below the other, with columns of numbers beside."""
    texts = {name: short(name, KEY_CHARACTERS) for name in styles}
    width = SWATCH_PX + 4 + LETTER_PX * max(map(len, texts.values()))
    rows = [
        {"row": name, "text": texts[name], "from": 0, "to": SWATCH_PX, **one.look}
        for name, one in styles.items()
    ]
    return name_rows(
        rows,
        Names.of(styles, px=LINE_PX, shown=False),
        Axis(ends=(0, width), hidden=True),
        spans("from", "to", strokeWidth=2),
        words(value=SWATCH_PX + 4, align="left", color=SOFT_INK),
        width=width,
        columns=columns,
    )
