"""What detectors could reach together, and which objects one of them alone finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.colours import BLACK, FIRST, GREEN, INK, NEUTRAL, SECOND
from boxlens.report.charts.forms.axes import COUNTS, Axis, Names, from_zero
from boxlens.report.charts.forms.marks import bars, ticks
from boxlens.report.charts.forms.panels import below, name_rows
from boxlens.wording import count, score, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.comparison.together.joint_bound import Found, JointBoundResult
    from boxlens.studies.comparison.together.merged_rankings import MergedAp

TOGETHER = GREEN


def joint_chart(result: JointBoundResult, *, most: int) -> Spec:
    """AP alone and combined above, objects by who finds them below; `most` detectors."""
    reached, n = _reached(result.rankings, most), result.found.n_objects
    found = _finders(result.found, result.detectors, most)
    objects = {
        "objects": {row["row"]: count(row["value"]) for row in found},
        "share": {row["row"]: share(row["value"] / n) for row in found},
    }
    ap = {"AP": {row["row"]: score(row["value"]) for row in reached}}
    return below(
        _bars(reached, Axis("AP", _ends(reached), ticks=4), "AP alone and combined", ap),
        _bars(
            found,
            Axis("objects", _ends(found), ticks=4, form=COUNTS),
            "objects by who finds them",
            objects,
        ),
        gap=12,
    )


def _reached(rankings: MergedAp, most: int) -> list[Row]:
    single, colours = rankings.single, _colours(len(rankings.single))
    order = sorted(range(len(single)), key=lambda row: -single[row].metrics["AP"])
    best, chosen = order[0], rankings.chosen.metrics["AP"]
    hits, aligned = rankings.with_hits[best], rankings.with_hits_aligned[best]
    return [
        *(
            _bar(single[row].name, single[row].metrics["AP"], colours[row])
            for row in sorted(order[:most])
        ),
        _bar("better in each image", chosen, NEUTRAL, rankings.chosen_aligned.metrics["AP"]),
        _bar(
            f"{single[best].name} + hits", hits.metrics["AP"], colours[best], aligned.metrics["AP"]
        ),
        _bar("together, at most", rankings.joint()["AP"], TOGETHER),
    ]


def _finders(found: Found, detectors: Sequence[str], most: int) -> list[Row]:
    colours = _colours(len(detectors))
    shown = sorted(range(len(detectors)), key=lambda row: -found.only[row])[:most]
    if len(detectors) > most:
        shown = [row for row in shown if found.only[row]]
    rows = [_bar(f"only {detectors[row]}", found.only[row], colours[row]) for row in sorted(shown)]
    if len(detectors) == 2:
        rows.append(_bar("both", found.all, TOGETHER))
    else:
        several = found.any - found.all - sum(found.only)
        rows += [_bar("several, not all", several, NEUTRAL), _bar("all", found.all, TOGETHER)]
    return [*rows, _bar("none", found.none, BLACK)]


def _colours(n: int) -> list[str]:
    return [FIRST, SECOND] if n == 2 else [NEUTRAL] * n


def _bar(name: str, value: float, colour: str, aligned: float | None = None) -> Row:
    told = {"who": name, "value": count(value) if isinstance(value, int) else score(value)}
    if aligned is not None:
        told["scores aligned"] = score(aligned)
    return {"row": name, "value": value, "colour": colour, "aligned": aligned, "tip": told}


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    return from_zero(row[key] for row in rows for key in ("value", "aligned"))


def _bars(
    rows: Sequence[Row], across: Axis, title: str, columns: Mapping[str, Mapping[str, str]]
) -> Spec:
    return name_rows(
        rows,
        Names.of([row["row"] for row in rows], characters=25),
        across,
        bars("value", height=11),
        ticks("aligned", color=INK, height=13),
        width=150,
        title=title,
        columns=columns,
    )
