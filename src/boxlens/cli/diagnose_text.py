"""The diagnosis as text: the verdict, then one table a scheme."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.intervals import interval_text
from boxlens.cli.output import aligned, score
from boxlens.cli.sensitivity_text import characteristics_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.diagnosis import DiagnosisResult
    from boxlens.diagnosis.orders import RepairGain

WIDTH = 96


def diagnosis_text(result: DiagnosisResult, *, per_class: bool = False) -> str:
    # Without what a data set does not verify, AP is not the one COCO's rules give.
    unverified = {"unverified_class", "not_exhaustive"}
    whole = unverified.isdisjoint(notice.code for notice in result.notices)
    whose = "COCO " if whole else ""
    headline = " | ".join(
        [
            "Diagnosis",
            result.dataset.name,
            result.detections.name,
            *(f"{whose}{name} {score(value)}" for name, value in result.metrics.items()),
        ]
    )
    parts = [headline, verdict_text(result), _tide(result), _hoiem(result), _analyze(result)]
    parts += [_borji(result), _intervals(result), characteristics_text(result.sensitivity)]
    if per_class:
        parts.append(_classes(result))
    return "\n\n".join(part for part in parts if part)


def verdict_text(result: DiagnosisResult) -> str:
    """A sentence about the whole, then the findings by number."""
    summary, *rest = result.verdict.sentences()
    lines = [fill(summary, WIDTH)]
    lines += [
        fill(text, WIDTH, initial_indent=f"{at}. ", subsequent_indent="   ")
        for at, text in enumerate(rest, start=1)
    ]
    return "\n".join(lines)


def _tide(result: DiagnosisResult) -> str:
    tide, mean = result.tide, _means(result.tide.orders)
    rows = [[f"TIDE, AP {score(tide.ap)}", "errors", "dAP", "over all orders"]]
    rows += [
        [name, f"{tide.n[name]:,}", score(gain), score(mean[name]) if name in mean else ""]
        for name, gain in tide.gain.items()
    ]
    for title, other in (("tidecv", result.tidecv), ("range", result.tide_range)):
        if other is not None:
            rows[0].append(f"{title}, AP {score(other.ap)}")
            for row in rows[1:]:
                row.append(score(other.gain[row[0]]))
    return aligned(rows)


def _means(orders: Sequence[RepairGain]) -> dict[str, float]:
    return {row.name: row.mean for row in orders}


def _hoiem(result: DiagnosisResult) -> str:
    """Sets of classes by kind of top false positives, and what taking a kind away brings."""
    kinds = ("loc", "sim", "oth", "bg")
    rows = [["Hoiem, top errors", "AP", "AP_N", *kinds, "-loc", "fix loc", "-sim", "-oth,bg"]]
    for row in result.hoiem.sets:
        total = sum(row.top_fp.values())
        shares = [f"{row.top_fp[kind] / total:.0%}" if total else "-" for kind in kinds]
        rows.append([row.name, score(row.ap), score(row.ap_n), *shares, *_scores(row.impact)])
    return aligned(rows)


def _scores(values: Mapping[str, float]) -> list[str]:
    return [score(value) for value in values.values()]


def _analyze(result: DiagnosisResult) -> str:
    analyze = result.coco_analyze
    rows = [["COCO analyze", *analyze.curve_names]]
    rows += [
        [area, *map(score, analyze.mean_ap[:, column].tolist())]
        for column, area in enumerate(analyze.areas)
    ]
    return aligned(rows)


def _borji(result: DiagnosisResult) -> str:
    from boxlens.diagnosis.borji import STEPS

    rows = [["Borji's sequence", *STEPS], ["AP after it", *map(score, result.borji.ap)]]
    mean = _means(result.borji.orders)
    rows.append(["gain over all orders", "", *(score(mean[name]) for name in STEPS[1:])])
    return aligned(rows)


def _intervals(result: DiagnosisResult) -> str:
    """The main numbers with their intervals."""
    found = result.intervals
    if found is None:
        return ""
    title = f"{100 * found.choice.level:g} % intervals"
    rows = [[title, "value", "interval", "standard error"]]
    rows += [
        [name, score(one.value), interval_text(one), score(one.se)]
        for name, one in found.named().items()
    ]
    return aligned(rows)


def _classes(result: DiagnosisResult) -> str:
    names = ("cls", "loc", "both", "dupe", "bkg", "miss")
    rows = [
        ["class", "objects", "AP", "AP_N", "loc", "sim", "oth", "bg", *(f"d{n}" for n in names)]
    ]
    for hoiem, tide in zip(result.hoiem.classes, result.tide.classes, strict=True):
        if hoiem.n_objects:
            rows.append(
                [
                    hoiem.name,
                    f"{hoiem.n_objects:,}",
                    score(hoiem.ap),
                    score(hoiem.ap_n),
                    *(f"{n:,}" for n in hoiem.top_fp.values()),
                    *(score(tide.gain[name]) for name in names),
                ]
            )
    return aligned(rows)
