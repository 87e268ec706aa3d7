"""Labels against labels: which class is taken for which, and what two error schemes say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from boxlens.metrics.confusion import BACKGROUND, ConfusionResult
from boxlens.report.charts.forms.axes import Names
from boxlens.report.charts.forms.cells import FONT_PX, cell, matrix
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import SMALL_PX
from boxlens.report.charts.kinds import SCHEME_NAMES
from boxlens.report.charts.selecting import picks
from boxlens.studies.diagnosis.crosswalk import Disagreement
from boxlens.wording import count, share

WIDTH: Final = 266
COLUMN_PX, ROW_PX = 66, 22
# Two digits in small type and in full type need so much room.
LEAST_CELL_PX, WIDE_CELL_PX = 13, 20


def confusion_matrix_chart(result: ConfusionResult, shown: Sequence[int]) -> Spec:
    """Shares of each row, of the rows given; the last of all is background."""
    # By place, since two classes may have the same name.
    labels = {str(row): [*result.names, BACKGROUND][row] for row in shown}
    column_px = min(WIDTH / len(shown), COLUMN_PX)
    letters_px = FONT_PX if column_px > WIDE_CELL_PX else FONT_PX - 2
    across, down = (
        Names(labels, px=px, characters=18, gap=0.04, title=title)
        for px, title in ((column_px, "detected as"), (min(column_px, ROW_PX), "true class"))
    )
    cells = [_cell(result, true, said) for true in shown for said in shown]
    known = [one for one in cells if one is not None]
    return matrix(known, across, down, letters_px=letters_px * (column_px >= LEAST_CELL_PX))


def _cell(result: ConfusionResult, true: int, said: int) -> Row | None:
    """Where something is taken for something; all of a row, shown or not, is its whole."""
    n, names = int(result.matrix[true, said]), [*result.names, BACKGROUND]
    if not n:
        return None
    of_row = n / int(result.matrix[true].sum())
    tip = {
        "true class": names[true],
        "detected as": names[said],
        "how many": count(n),
        "share of the row": share(of_row),
    }
    # Rare confusions are what is looked for: the root makes them visible.
    look = cell(math.sqrt(of_row), _whole_percent(of_row), row=str(true), column=str(said), tip=tip)
    return {**look, **_picked(result, true, said, n)}


def _picked(result: ConfusionResult, true: int, said: int, n: int) -> dict[str, str]:
    """The objects of a cell; detections where there is no object."""
    names = [*result.names, "(background)"]
    label = f"{names[true]} taken for {names[said]}"
    if true == len(result.names):
        return picks(label, n, terms={"class": names[said], "true_class": names[true]})
    return picks(label, n, of="objects", terms={"class": names[true], "taken_for": names[said]})


def _whole_percent(of_row: float) -> str:
    """Two digits where cells are small: only nothing is empty, and only everything 100."""
    if of_row < 0.01:
        return "<1"
    return "100" if of_row == 1 else f"{min(round(of_row * 100), 99)}"


def crosswalk_chart(result: Disagreement) -> Spec:
    """Counts, and shares of each row; labels that nothing has are not shown."""
    cells = [
        _pair(result, first, second, n, n / sum(counts))
        for first, counts in zip(result.rows, result.counts.tolist(), strict=True)
        for second, n in zip(result.columns, counts, strict=True)
        if n > 0
    ]
    # In the order of the schemes, those that occur.
    lines = [name for name in result.rows if any(one["row"] == name for one in cells)]
    columns = [name for name in result.columns if any(one["column"] == name for one in cells)]
    column_px = min(264 / len(columns), 66)
    above = {"labelAngle": 0, "orient": "top", "labelLimit": column_px}
    return matrix(
        cells,
        Names.of(columns, px=column_px, gap=0.04, title=SCHEME_NAMES[result.second], more=above),
        Names.of(lines, px=28, gap=0.04, title=SCHEME_NAMES[result.first]),
        letters_px=SMALL_PX,
    )


def _pair(result: Disagreement, first: str, second: str, n: int, of_row: float) -> Row:
    return cell(
        of_row,
        [count(n), share(of_row)],
        row=first,
        column=second,
        tip={
            SCHEME_NAMES[result.first]: first,
            SCHEME_NAMES[result.second]: second,
            result.what: count(n),
            "share of the row": share(of_row),
        },
        **picks(
            f"{first} and {second}",
            n,
            of="objects" if result.what == "objects" else "detections",
            terms={result.first: first, result.second: second},
        ),
    )
