"""One block per class for the typeset report: numbers, kinds of errors, and AP_N as dots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from boxlens.report.charts.colours import DARK_BLUE, ramp
from boxlens.report.charts.kinds import KINDS
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.studies.diagnosis.hoiem import HoiemClass
from boxlens.studies.sensitivity.result import Characteristic, ClassScore, ClassSpread
from boxlens.wording import count, part, score, share, short

MOST_CONFUSED = 4
NAME_CHARACTERS = 40
# Labels up to this long stand upright below their dots.
UPRIGHT_CHARACTERS = 6
# The two states of a flag stand beside each other.
STATE_STEP = 0.16
OPEN = "#ffffff"


def class_blocks(result: DiagnosisResult) -> dict[str, Any]:
    """All classes with objects or detections, in their order."""
    shown = [row for row in result.sensitivity.characteristics if row.reason is None]
    blocks = []
    rows = zip(result.hoiem.classes, result.sensitivity.classes, strict=True)
    for at, (errors, found) in enumerate(rows):
        if errors.n_objects or errors.n_detections:
            panels = [_panel(row, row.classes[at]) for row in shown]
            blocks.append(_block(errors, found, [one for one in panels if one["dots"]]))
    return {
        "rows": blocks,
        "top": _top(blocks),
        "min_objects": max((row.min_objects for row in shown), default=0),
        "n_left_out": len(result.hoiem.classes) - len(blocks),
        "legend": [[KINDS[name].label, KINDS[name].colour] for name in ("loc", "sim", "oth", "bg")],
    }


def _block(errors: HoiemClass, row: ClassScore, panels: list[dict[str, Any]]) -> dict[str, Any]:
    n_fp = sum(errors.top_fp.values())
    missed = share(part(row.n_missed, row.n_objects))
    return {
        "name": errors.name,
        "facts": [
            ["objects", count(errors.n_objects)],
            ["undetected", f"{count(row.n_missed)} ({missed})"],
            ["detections", count(errors.n_detections)],
            ["AP", _with_error(errors.ap, errors.ap_se)],
            ["AP_N", _with_error(errors.ap_n, errors.ap_n_se)],
        ],
        "n_fp": count(n_fp),
        "kinds": [
            {
                "share": n / n_fp,
                "text": share(n / n_fp),
                "colour": KINDS[name].colour,
                "ink": KINDS[name].ink,
            }
            for name, n in errors.top_fp.items()
            if n
        ],
        "confused": ", ".join(
            f"{short(one.other, NAME_CHARACTERS)} {share(one.share)}"
            for one in errors.confusions[:MOST_CONFUSED]
        ),
        "line": None if math.isnan(errors.ap_n) else errors.ap_n,
        "panels": panels,
    }


def _with_error(value: float, error: float) -> str:
    return score(value) + ("" if math.isnan(error) else f" ± {score(error)}")


def _panel(row: Characteristic, spread: ClassSpread) -> dict[str, Any]:
    dots = list(_dots(row, spread))
    # Flags and values that no object of this class has are left out.
    labels = list(dict.fromkeys(one["label"] for one in dots))
    longest = max(map(len, labels), default=0)
    return {
        "name": row.name,
        "labels": labels,
        "upright": longest <= UPRIGHT_CHARACTERS,
        "longest": longest,
        "alt": f"AP_N by {row.name}: "
        + ", ".join(f"{one['name']} {score(one['value'])}" for one in dots),
        "dots": dots,
    }


def _dots(row: Characteristic, spread: ClassSpread) -> Iterator[dict[str, Any]]:
    """One place per subset; per flag, its two states beside each other, the first of them open."""
    flags, n = row.kind == "flags", len(spread.subsets)
    colours = [OPEN, DARK_BLUE] * (n // 2) if flags else ramp(len(row.subset_names))
    every = [*zip(spread.subsets, colours, strict=True)]
    in_place = 2 if flags else 1
    places = [every[at : at + in_place] for at in range(0, n, in_place)]
    known = [of for of in places if not all(math.isnan(subset.ap_n) for subset, _ in of)]
    for at, of in enumerate(known):
        for state, (subset, colour) in enumerate(of):
            if math.isnan(subset.ap_n):
                continue
            error = 0.0 if math.isnan(subset.ap_n_se) else subset.ap_n_se
            yield {
                "name": subset.name,
                "label": subset.name.rsplit(" ", 1)[0] if flags else subset.name,
                "at": at + (2 * state - 1) * STATE_STEP if flags else at,
                "value": subset.ap_n,
                "low": max(subset.ap_n - error, 0.0),
                "high": min(subset.ap_n + error, 1.0),
                "few": subset.n_objects < row.min_objects,
                "colour": colour,
            }


def _top(blocks: list[dict[str, Any]]) -> float:
    """All panels end at the next fifth above what they show, so that classes can be compared."""
    highest = max(
        (dot["high"] for block in blocks for panel in block["panels"] for dot in panel["dots"]),
        default=0.2,
    )
    lines = max((block["line"] or 0.0 for block in blocks), default=0.0)
    return max(math.ceil(max(highest, lines) * 5) / 5, 0.2)
