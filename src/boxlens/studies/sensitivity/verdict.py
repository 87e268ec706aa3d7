"""What a sensitivity analysis comes to, in three sentences."""

from __future__ import annotations

import math

from boxlens.studies.sensitivity.result import Characteristic, Misses, SensitivityResult
from boxlens.wording import counted, number, part, score, share


def sensitivity_sentences(result: SensitivityResult) -> list[str]:
    """Undetected objects, AP_N, and what it depends on most."""
    misses = result.misses
    if not misses.n_objects:
        return ["No object counts, so AP_N (normalized AP) is undefined and nothing is missed."]
    sentences = [
        f"{undetected(misses)}.",
        f"AP_N (normalized AP) is {score(result.ap_n)} on average over classes.",
    ]
    widest = widest_first(result)[0] if result.characteristics else None
    if widest is not None and not math.isnan(widest.sensitivity):
        sentences.append(
            f"It depends most on {widest.name}: {score(widest.lowest)} for the worst and "
            f"{score(widest.highest)} for the best kind of objects, a spread of "
            f"{score(widest.sensitivity)} where chance alone would give {score(widest.chance)}."
        )
    return sentences


def undetected(misses: Misses) -> str:
    """How many objects, and what that means."""
    n, whole = misses.n_missed, misses.n_objects
    are = "is" if n == 1 else "are"
    return (
        f"{n:,} of {counted(whole, 'object')} ({share(part(n, whole))}) {are} "
        f"not found at a useful precision (normalized precision under {number(misses.p_n)})"
    )


def widest_first(result: SensitivityResult) -> list[Characteristic]:
    """By their spread, undefined ones last."""
    return sorted(
        result.characteristics, key=lambda row: (math.isnan(row.sensitivity), -row.sensitivity)
    )
