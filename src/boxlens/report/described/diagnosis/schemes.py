"""The same detections and objects under every scheme: their labels, and where two differ."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from boxlens.report.charts.forms.axes import Names
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import SMALL_PX
from boxlens.report.charts.kinds import SCHEME_NAMES
from boxlens.report.charts.selecting import Terms, picks
from boxlens.report.study import COUNT, TEXT, Plot, Section, Table, table_of
from boxlens.studies.diagnosis.crosswalk import SCHEMES, Crosswalk, Disagreement
from boxlens.wording import count, counted, part, share


def section(result: Crosswalk, about: str) -> Section:
    """All pairs are in a table; one scheme against each of the others says most of it."""
    shown = [one for one in result.disagreements if "tide" in (one.first, one.second)]
    return Section(
        "schemes",
        "Schemes side by side",
        (*(crosswalk_plot(one, about) for one in shown), _labels(result), _pairs(result)),
        reading="The same detections and objects under each scheme: where the four agree, a "
        "finding does not rest on a definition. All pairs of schemes are in "
        "tables/crosswalk.parquet.",
        guide="diagnose",
    )


def _labels(result: Crosswalk) -> Table[Any]:
    counts = result.counts()
    return table_of(
        "",
        "How many detections and objects have each label under each scheme",
        {"scheme": TEXT, "of": TEXT, "label": TEXT, "number": COUNT},
        (
            (SCHEME_NAMES[scheme], what, label, n)
            for scheme in SCHEMES
            for what, labels in counts[scheme].items()
            for label, n in labels.items()
        ),
        folded=True,
        detail=True,
    )


def _pairs(result: Crosswalk) -> Table[Any]:
    """For files: how many have one label in one scheme and one in the other."""
    labels = {"first": TEXT, "first_label": TEXT, "second": TEXT, "second_label": TEXT}
    return table_of(
        "crosswalk",
        "",
        {"of": TEXT, **labels, "n": COUNT},
        (
            (one.what, one.first, first, one.second, second, n)
            for one in result.disagreements
            for first, second, n, _ in _counts(one)
        ),
    )


def _counts(of: Disagreement) -> Iterator[tuple[str, str, int, float]]:
    """Of both labels together, and as a share of the first."""
    for first, counts in zip(of.rows, of.counts.tolist(), strict=True):
        for second, n in zip(of.columns, counts, strict=True):
            yield first, second, n, part(n, sum(counts))


def crosswalk_plot(of: Disagreement, about: str) -> Plot:
    """Counts, and shares of each row; labels that nothing has are not shown."""
    first, second = SCHEME_NAMES[of.first], SCHEME_NAMES[of.second]
    total = int(of.counts.sum())
    return Plot(
        f"crosswalk_{of.what}_{of.first}_{of.second}",
        f"The same {of.what} under {first} and {second}",
        "A row with one dark cell: both schemes mean the same; one that spreads: they differ.",
        partial(_matrix, of),
        legend="Counts and shares of the row. Right: no error; outside: not counted.",
        about=f"{about}: {counted(total, 'error')} of at least one scheme",
        absent="" if total else "neither scheme finds an error",
    )


def _matrix(of: Disagreement) -> Spec:
    first_scheme, second_scheme = SCHEME_NAMES[of.first], SCHEME_NAMES[of.second]
    what: Literal["objects", "detections"] = "objects" if of.what == "objects" else "detections"
    cells = []
    for first, second, n, of_row in _counts(of):
        if n > 0:
            told = [count(n), share(of_row)]
            tip = {first_scheme: first, second_scheme: second, what: told[0]}
            tip["share of the row"] = told[1]
            terms: Terms = {of.first: first, of.second: second}
            picked = picks(f"{first} and {second}", n, of=what, terms=terms)
            cells.append(cell(of_row, told, row=first, column=second, tip=tip, **picked))
    # In the order of the schemes, those that occur.
    lines = [name for name, n in zip(of.rows, of.counts.sum(axis=1), strict=True) if n]
    columns = [name for name, n in zip(of.columns, of.counts.sum(axis=0), strict=True) if n]
    column_px = min(264 / len(columns), 66)
    above = {"labelAngle": 0, "orient": "top", "labelLimit": column_px}
    return matrix(
        cells,
        Names.of(columns, px=column_px, gap=0.04, title=second_scheme, more=above),
        Names.of(lines, px=28, gap=0.04, title=first_scheme),
        letters_px=SMALL_PX,
    )
