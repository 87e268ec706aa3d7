"""Sensitivity as text: one row a characteristic, its subsets, missed objects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.cli.output import aligned, score

if TYPE_CHECKING:
    from boxlens.object_sensitivity import Characteristic, Interaction, Misses, SensitivityResult

MOST_COLUMNS = 10


def sensitivity_text(result: SensitivityResult, *, per_class: bool = False) -> str:
    headline = (
        f"Sensitivity | {result.dataset} | {result.detector} | IoU {result.iou:g} | "
        f"N = {result.normal:g} | mean AP_N {score(result.ap_n)}"
    )
    parts = [headline, characteristics_text(result)]
    parts += [_subsets(row) for row in result.characteristics if not per_class]
    if per_class:
        parts += [_classes(row) for row in result.characteristics]
    parts += [_grid(row) for row in result.interactions]
    parts.append(misses_text(result.misses))
    return "\n\n".join(part for part in parts if part)


def characteristics_text(result: SensitivityResult) -> str:
    """AP_N of the best and the worst subset, on average over classes."""
    if not result.characteristics:
        return ""
    spread = ("best", "worst", "all", "sensitivity", "by chance", "impact")
    rows = [["AP_N by", *spread, "entropy", "by chance"]]
    for row in sorted(result.characteristics, key=_by_spread):
        numbers = (
            *(row.highest, row.lowest, row.ap_n, row.sensitivity, row.chance, row.impact),
            *(row.entropy_share, row.entropy_chance),
        )
        rows.append([row.name, *map(score, numbers)])
    return aligned(rows)


def misses_text(misses: Misses) -> str:
    """How many objects are undetected, and what a looser overlap would find."""
    share = misses.n_missed / misses.n_objects if misses.n_objects else float("nan")
    text = (
        f"undetected (P_N below {misses.p_n:g}): {misses.n_missed:,} of {misses.n_objects:,} "
        f"objects ({share:.0%})"
        if misses.n_objects
        else "no object counts, so none is missed"
    )
    rows = [["counting from IoU", "undetected", "of them found"]]
    rows += [
        [f"{row.iou:g}", f"{row.n_missed:,}", score(row.share_recovered)] for row in misses.looser
    ]
    return text if len(rows) == 1 else f"{text}\n\n{aligned(rows)}"


def _by_spread(row: Characteristic) -> tuple[bool, float]:
    """The widest spread first, undefined ones last."""
    undefined = math.isnan(row.sensitivity)
    return undefined, 0 if undefined else -row.sensitivity


def _subsets(row: Characteristic) -> str:
    """Side by side, or the worst and the best of many below one another."""
    pairs = list(zip(row.subset_names, row.subset_ap_n, strict=True))
    if len(pairs) <= MOST_COLUMNS:
        return aligned([[row.name, *row.subset_names], ["AP_N", *map(score, row.subset_ap_n)]])
    known = sorted((pair for pair in pairs if not math.isnan(pair[1])), key=lambda pair: pair[1])
    shown = [[name, score(ap_n)] for name, ap_n in known]
    if len(shown) > MOST_COLUMNS + 1:
        half = MOST_COLUMNS // 2
        between = len(shown) - 2 * half
        shown = [*shown[:half], [f"... {between} between ...", ""], *shown[-half:]]
    return aligned([[row.name, "AP_N"], *shown])


def _classes(row: Characteristic) -> str:
    shown = [spread for spread in row.classes if any(part.n_objects for part in spread.subsets)]
    rows = [[f"{row.name} (AP_N)", "all", "se", *row.subset_names]]
    for spread in shown:
        by_name = {part.name: part.ap_n for part in spread.subsets}
        numbers = [by_name.get(name, float("nan")) for name in row.subset_names]
        rows.append([spread.name, *map(score, (spread.ap_n, spread.ap_n_se, *numbers))])
    return aligned(rows)


def _grid(row: Interaction) -> str:
    rows = [[f"{row.first} x {row.second} (AP_N)", *row.second_names]]
    rows += [
        [name, *map(score, values)]
        for name, values in zip(row.first_names, row.ap_n.tolist(), strict=True)
    ]
    return aligned(rows)
