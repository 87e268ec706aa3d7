"""The comparison as text: the answer in sentences, then the tables behind it."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.intervals import interval_text
from boxlens.cli.output import aligned, score
from boxlens.comparison.verdict import comparison_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.comparison import ComparisonResult
    from boxlens.comparison.paired import ClassPair, PairResult

WIDTH = 96
# Classes shown of each pair unless all are asked for.
MOST_CLASSES = 10


def comparison_text(result: ComparisonResult, *, per_class: bool = False) -> str:
    facts = [
        "Comparison",
        result.dataset.name,
        f"{len(result.dataset.images):,} images",
        f"{result.choice.resampling.n_replicates:,} resampled test sets",
    ]
    parts = [" | ".join(facts), sentences_text(result), _league(result)]
    for a, b in dict.fromkeys((row.a, row.b) for row in result.pairs):
        parts.append(_pair(result, [row for row in result.pairs if (row.a, row.b) == (a, b)]))
        own = [row for row in result.classes if (row.a, row.b) == (a, b)]
        parts.append(_classes(own, result.choice.alpha, per_class=per_class))
    parts += [_images(result), _together(result)]
    return "\n\n".join(part for part in parts if part)


def p_text(value: float) -> str:
    """Three digits, and no zeros where it is smaller."""
    if math.isnan(value):
        return "-"
    return "<.001" if value < 0.0005 else f"{value:.3f}".removeprefix("0")


def signed(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.4f}"


def sentences_text(result: ComparisonResult) -> str:
    return "\n".join(fill(text, WIDTH) for text in comparison_sentences(result))


def _league(result: ComparisonResult) -> str:
    table = result.league
    rows = [[table.metric, "value", "interval", "cannot be told apart"]]
    rows += [
        [row.name, score(row.score.value), interval_text(row.score), row.letters]
        for row in table.rows
    ]
    return aligned(rows)


def _pair(result: ComparisonResult, pairs: Sequence[PairResult]) -> str:
    values = {one.name: one.metrics for one in result.detectors}
    a, b = pairs[0].a, pairs[0].b
    several = len(result.detectors) > 2
    header = [f"{a} - {b}", a, b, "difference", "interval", "p", "p exchange"]
    rows = [[*header, *(["p Holm"] if several else []), "detectable"]]
    rows += [
        [
            row.metric,
            score(values[a][row.metric]),
            score(values[b][row.metric]),
            signed(row.difference.value),
            interval_text(row.difference),
            p_text(row.p_bootstrap),
            p_text(row.p_permutation),
            *([p_text(row.p_holm)] if several else []),
            score(row.detectable),
        ]
        for row in pairs
    ]
    return aligned(rows)


def _classes(classes: Sequence[ClassPair], alpha: float, *, per_class: bool) -> str:
    if not classes:
        return ""
    differ = [row for row in classes if row.p_holm < alpha]
    shown = list(classes) if per_class else sorted(differ, key=_by_size)[:MOST_CLASSES]
    n_tested = sum(not math.isnan(row.p) for row in classes)
    a, b = classes[0].a, classes[0].b
    told = f"{len(differ)} of {n_tested} classes differ in AP (Holm)"
    if not shown:
        return f"{a} - {b}: {told}"
    if not per_class and len(differ) > len(shown):
        told += f"; the {len(shown)} largest differences:"
    rows = [["class", "objects", "difference", "interval", "p", "p Holm", "detectable"]]
    rows += [
        [
            row.name,
            f"{row.n_objects:,}",
            signed(row.difference.value),
            interval_text(row.difference),
            p_text(row.p),
            p_text(row.p_holm),
            score(row.detectable),
        ]
        for row in shown
    ]
    return f"{a} - {b}: {told}\n\n{aligned(rows)}"


def _by_size(row: ClassPair) -> float:
    return -abs(row.difference.value)


def _images(result: ComparisonResult) -> str:
    """Image by image: the means, and whether the cases that differ tell the detectors apart."""
    measure = result.choice.measure.upper() if result.choice.measure == "fda" else "image"
    rows = [[f"{measure} score, by image", "score cut", "mean"]]
    rows += [
        [one.name, f"{cut:.3f}", score(_mean(values))]
        for one, cut, values in zip(
            result.detectors, result.min_score, result.image_scores, strict=True
        )
    ]
    tests = [["discriminative evaluation", "differ", "t0", "kept", "removed", "p over all"]]
    shown = [*result.discriminative, *([result.together] if result.together else [])]
    tests += [
        [
            " - ".join(one.detectors),
            "yes" if one.differs else "no",
            "-" if math.isnan(one.t0) else f"{one.t0:.3f}",
            "-" if one.n_kept is None else f"{one.n_kept:,}",
            "-" if one.n_removed is None else f"{one.n_removed:,}",
            p_text(one.p_all),
        ]
        for one in shown
    ]
    return f"{aligned(rows)}\n\n{aligned(tests)}"


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else float("nan")


def _together(result: ComparisonResult) -> str:
    joint = result.joint
    merged, found = joint.rankings, joint.found
    metrics = list(merged.single[0].metrics)
    # More guesses alone bring something: each detector also with as many as all have together.
    n, n_all = joint.guesses[0].n_guesses, joint.joint_guesses.n_guesses
    rows = [["together", *metrics, f"{n} guesses", f"{n_all} guesses", "objects found"]]
    for at, one in enumerate(merged.single):
        rows.append(
            [
                one.name,
                *(score(one.metrics[name]) for name in metrics),
                score(joint.guesses[at].mean),
                score(joint.as_many_guesses[at].mean),
                f"{found.each[at]:,}",
            ]
        )
    rows.append(
        [
            "all, at most",
            *(score(merged.joint()[name]) for name in metrics),
            "",
            score(joint.joint_guesses.mean),
            f"{found.any:,}",
        ]
    )
    return aligned(rows)
