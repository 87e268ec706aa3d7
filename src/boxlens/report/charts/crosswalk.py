"""What one error scheme says where another says something else: a matrix of two schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.forms.axes import Names
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.marks import SMALL_PX
from boxlens.report.charts.kinds import SCHEME_NAMES
from boxlens.report.charts.selecting import picks
from boxlens.wording import count, share

if TYPE_CHECKING:
    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.diagnosis.crosswalk import Disagreement


def crosswalk_chart(result: Disagreement) -> Spec:
    """Counts, and shares of each row; labels that nothing has are not shown."""
    cells = [
        _cell(result, first, second, n, n / sum(counts))
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


def _cell(result: Disagreement, first: str, second: str, n: int, of_row: float) -> Row:
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
