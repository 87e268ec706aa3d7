"""Every class under every scheme: a table, and a block for the typeset report.

A block has numbers, kinds of errors, and AP_N as dots.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from boxlens.report.charts.colours import DARK_BLUE, WHITE, ramp
from boxlens.report.charts.kinds import KINDS, SIZES, kind_of
from boxlens.report.described.diagnosis.class_sets import fp_share
from boxlens.report.study import (
    CHANGE,
    COUNT,
    SHARE,
    TEXT,
    Column,
    Section,
    Table,
    Typeset,
    columns_of,
)
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.studies.diagnosis.borji import STEPS
from boxlens.studies.diagnosis.coco_analyze import CURVES
from boxlens.studies.diagnosis.hoiem import IMPACTS, HoiemClass
from boxlens.studies.diagnosis.hoiem_trends import FP_LABELS
from boxlens.studies.diagnosis.tide import GAINS
from boxlens.studies.sensitivity.result import Characteristic, ClassScore, ClassSpread
from boxlens.wording import count, part, score, share, short

MOST_CONFUSED, NAME_CHARACTERS = 4, 40
# Labels up to this long stand upright below their dots.
UPRIGHT_CHARACTERS = 6
# The two states of a flag stand beside each other.
STATE_STEP = 0.16
# Said by the blocks, or nearly so by other figures and tables of the typeset report.
SAID_BY_BLOCKS = (
    *("schemes", "classes", "fp_by_class", "repair_orders_borji"),
    *(f"pr_areas_{size}" for size in SIZES),
)


def section(result: DiagnosisResult) -> Section:
    return Section(
        "classes",
        "Classes",
        (
            _table(result),
            Typeset(partial(_blocks, result), first=("intervals",), replaces=SAID_BY_BLOCKS),
        ),
        reading="Shares of the top false positives of a class by kind. More columns: AP gained by "
        "fixing each of TIDE's errors (+), and the classes that its top false positives are on.",
        guide="diagnose",
    )


def _table(result: DiagnosisResult) -> Table[int]:
    """Rows are those of the ground truth's classes."""
    hoiem, scores = result.hoiem.classes, result.sensitivity.classes
    undetected = [part(row.n_missed, row.n_objects) for row in scores]
    confused = [
        ", ".join(f"{one.other} {share(one.share)}" for one in row.confusions) for row in hoiem
    ]
    return Table(
        "classes",
        "Every class",
        range(len(hoiem)),
        [
            Column("class", "class", lambda at: hoiem[at].name, TEXT),
            Column("n_objects", "objects", lambda at: scores[at].n_objects, COUNT),
            Column(
                "n_detections", "detections", lambda at: hoiem[at].n_detections, COUNT, further=True
            ),
            Column("n_undetected", "", lambda at: scores[at].n_missed, COUNT),
            Column("hoiem_AP", "AP", lambda at: scores[at].ap),
            Column("hoiem_AP_se", "", lambda at: scores[at].ap_se),
            Column("AP_N", "AP_N", lambda at: scores[at].ap_n),
            Column("AP_N_se", "", lambda at: scores[at].ap_n_se),
            Column("", "undetected", undetected.__getitem__, SHARE),
            *columns_of(
                FP_LABELS,
                lambda at, kind: fp_share(hoiem[at], kind),
                SHARE,
                heading=lambda kind: KINDS[kind].label,
            ),
            *_scheme_columns(result),
            Column("", "confused with", confused.__getitem__, TEXT, further=True),
        ],
        wide=True,
        detail=True,
    )


def _scheme_columns(result: DiagnosisResult) -> list[Column[int]]:
    """Keys of one scheme begin with its name; sums of TIDE's errors are in files only."""
    hoiem, tide, analyze = result.hoiem.classes, result.tide.classes, result.coco_analyze
    curves = dict(zip(CURVES, analyze.ap[:, :, analyze.areas.index("all")].tolist(), strict=True))
    steps = dict(zip(STEPS, result.borji.class_ap.T.tolist(), strict=True))
    return [
        *columns_of(FP_LABELS, lambda at, kind: hoiem[at].top_fp[kind], COUNT, key="hoiem_top_"),
        *columns_of(IMPACTS, lambda at, name: hoiem[at].impact[name], key="hoiem_impact_"),
        Column("tide_AP", "", lambda at: tide[at].ap),
        *columns_of(
            GAINS,
            lambda at, kind: tide[at].gain[kind],
            CHANGE,
            key="tide_dAP_",
            heading=lambda kind: "" if kind in ("fp", "fn") else f"+{kind_of(kind).label}",
            further=True,
        ),
        *columns_of(GAINS, lambda at, kind: tide[at].n[kind], COUNT, key="tide_n_"),
        *columns_of(CURVES, lambda at, name: curves[name][at], key="analyze_"),
        *columns_of(STEPS, lambda at, name: steps[name][at], key="borji_"),
    ]


def _blocks(result: DiagnosisResult) -> dict[str, Any]:
    """All classes with objects or detections, in their order."""
    shown = [row for row in result.sensitivity.characteristics if row.reason is None]
    rows = zip(result.hoiem.classes, result.sensitivity.classes, strict=True)
    blocks = [
        _block(errors, found, [_panel(row, row.classes[at]) for row in shown])
        for at, (errors, found) in enumerate(rows)
        if errors.n_objects or errors.n_detections
    ]
    dots = [one for block in blocks for panel in block["panels"] for one in panel["dots"]]
    ends = [*(one["high"] for one in dots), *(one["line"] or 0 for one in blocks)]
    return {
        "rows": blocks,
        # All panels end at the next fifth above what they show, so that classes can be compared.
        "top": math.ceil(max([0.2, *ends]) * 5) / 5,
        "min_objects": max((row.min_objects for row in shown), default=0),
        "n_left_out": len(result.hoiem.classes) - len(blocks),
        "legend": [[KINDS[name].label, KINDS[name].colour] for name in FP_LABELS],
    }


def _block(errors: HoiemClass, row: ClassScore, panels: list[dict[str, Any]]) -> dict[str, Any]:
    missed = share(part(row.n_missed, row.n_objects))
    facts = {
        "objects": count(errors.n_objects),
        "undetected": f"{count(row.n_missed)} ({missed})",
        "detections": count(errors.n_detections),
        "AP": _with_error(errors.ap, errors.ap_se),
        "AP_N": _with_error(errors.ap_n, errors.ap_n_se),
    }
    shares = {KINDS[name]: fp_share(errors, name) for name, n in errors.top_fp.items() if n}
    confused = (
        f"{short(one.other, NAME_CHARACTERS)} {share(one.share)}"
        for one in errors.confusions[:MOST_CONFUSED]
    )
    return {
        "name": errors.name,
        "facts": [list(fact) for fact in facts.items()],
        "n_fp": count(sum(errors.top_fp.values())),
        "kinds": [
            {"share": of_fp, "text": share(of_fp), "colour": kind.colour, "ink": kind.ink}
            for kind, of_fp in shares.items()
        ],
        "confused": ", ".join(confused),
        "line": None if math.isnan(errors.ap_n) else errors.ap_n,
        "panels": [one for one in panels if one["dots"]],
    }


def _with_error(value: float, error: float) -> str:
    return score(value) + ("" if math.isnan(error) else f" ± {score(error)}")


def _panel(row: Characteristic, spread: ClassSpread) -> dict[str, Any]:
    dots = list(_dots(row, spread))
    # Flags and values that no object of this class has are left out.
    labels = list(dict.fromkeys(one["label"] for one in dots))
    longest = max(map(len, labels), default=0)
    told = ", ".join(f"{one['name']} {score(one['value'])}" for one in dots)
    return {
        "name": row.name,
        "labels": labels,
        "upright": longest <= UPRIGHT_CHARACTERS,
        "longest": longest,
        "alt": f"AP_N by {row.name}: {told}",
        "dots": dots,
    }


def _dots(row: Characteristic, spread: ClassSpread) -> Iterator[dict[str, Any]]:
    """One place per subset; per flag, its two states beside each other, the first of them open."""
    flags = row.kind == "flags"
    colours = ramp(len(row.subset_names))
    if flags:
        colours = [WHITE, DARK_BLUE] * (len(spread.subsets) // 2)
    places: dict[str, int] = {}
    for at, (subset, colour) in enumerate(zip(spread.subsets, colours, strict=True)):
        if math.isnan(subset.ap_n):
            continue
        label = subset.name.rsplit(" ", 1)[0] if flags else subset.name
        place = places.setdefault(label, len(places))
        error = 0.0 if math.isnan(subset.ap_n_se) else subset.ap_n_se
        yield {
            "name": subset.name,
            "label": label,
            "at": place + (2 * (at % 2) - 1) * STATE_STEP if flags else place,
            "value": subset.ap_n,
            "low": max(subset.ap_n - error, 0.0),
            "high": min(subset.ap_n + error, 1.0),
            "few": subset.n_objects < row.min_objects,
            "colour": colour,
        }
