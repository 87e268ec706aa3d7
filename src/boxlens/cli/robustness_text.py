"""Robustness as text for the terminal."""

from __future__ import annotations

from math import nan
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.intervals import interval_text
from boxlens.cli.output import aligned, score

if TYPE_CHECKING:
    from boxlens.detector_robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )

WIDTH = 95
# The step of the unchanged pictures.
CLEAN = "clean"


def robustness_text(result: RobustnessResult) -> str:
    from boxlens.detector_robustness.verdict import robustness_sentences
    from boxlens.proposals.words import counted

    clean = result.sets[0]
    head = (
        f"Robustness | {result.dataset} | {counted(clean.n_images, 'image')}, "
        f"{counted(clean.n_objects, 'object')} | {counted(len(result.sets) - 1, 'change')}"
    )
    if result.bound is not None:
        head += f" | UAP {score(result.uap)} ({result.bound.classifier})"
    parts = [head, "\n".join(fill(one, WIDTH) for one in robustness_sentences(result))]
    if result.choice.intervals is None and any(
        one.clean.metrics["AP"] > 0 for one in result.detectors
    ):
        parts[-1] += "\nWhich of these drops are beyond chance is not asked: add --intervals."
    for detector in result.detectors:
        plain = [one for one in detector.steps if one.group == "study"]
        parts.append(aligned(_table(detector, [detector.clean, *plain])))
        graded = [one for one in detector.steps if one.group == "graded"]
        if graded:
            parts.append("\n".join([aligned(_table(detector, graded)), *_references(graded)]))
        corrupted = _corruptions(detector)
        if corrupted:
            parts.append(aligned(corrupted))
    return "\n\n".join(parts)


def _table(detector: DetectorRobustness, steps: list[StepRobustness]) -> list[list[str]]:
    from boxlens.detector_robustness.result import METRICS

    head = [detector.name, *METRICS, "relative", "pictures"]
    with_drops = any(one.drop is not None for one in detector.steps)
    rows = [[*head, "drop of AP"] if with_drops else head]
    for one in steps:
        named = f"{one.step.name} {one.label}".strip()
        row = [named, *(score(one.metrics[name]) for name in METRICS)]
        row += [score(one.relative["AP"]), f"{one.n_images:,}"]
        drop = "-" if one.drop is None else interval_text(one.drop.interval)
        rows.append([*row, drop] if with_drops else row)
    return rows


def _references(steps: list[StepRobustness]) -> list[str]:
    """Which are not compared with the unchanged pictures."""
    told = {one.step.name: one.reference.slug for one in steps if one.reference.name != CLEAN}
    return [
        f"{name}: relative to {slug}, the same crop, and that to the unchanged pictures"
        for name, slug in told.items()
    ]


def _corruptions(detector: DetectorRobustness) -> list[list[str]]:
    """AP by severity, its mean, and the means under corruption."""
    from boxlens.detector_robustness.corruption_means import family_means, ratio, telling_means

    corrupted = [one for one in detector.steps if one.group not in ("study", "graded")]
    if not corrupted:
        return []
    means = family_means(corrupted)
    levels = sorted({one.step.level for one in corrupted})
    found = {(one.step.name, one.step.level): one.metrics["AP"] for one in corrupted}
    clean = detector.clean.metrics["AP"]
    head = [f"{detector.name}: AP by severity", *(f"{level:g}" for level in levels)]
    rows = [[*head, "mean", "relative"]]
    for name in dict.fromkeys(one.step.name for one in corrupted):
        cells = [score(found[name, level]) if (name, level) in found else "-" for level in levels]
        mean = means.get(name, nan)
        rows.append([name, *cells, score(mean), score(ratio(mean, clean))])
    for one in telling_means(detector):
        title = "mPC" if one.group == "all" else f"mPC of {one.group}"
        rows.append([title, *("" for _ in levels), score(one.ap), score(one.relative)])
    return rows
