"""The upper bound as text for the terminal."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.intervals import interval_text
from boxlens.cli.output import aligned, score

if TYPE_CHECKING:
    from boxlens.recognition_bound.result import ContextAccuracy, UpperBoundResult

WIDTH = 95


def upper_bound_text(result: UpperBoundResult, *, per_class: bool = False) -> str:
    from boxlens.proposals.words import counted
    from boxlens.recognition_bound.verdict import bound_sentences

    head = (
        f"Upper bound | {result.dataset} | {counted(result.n_images, 'image')}, "
        f"{counted(result.n_objects, 'object')} | {result.labelled_by}"
    )
    parts = [
        fill(head, WIDTH, subsequent_indent="  "),
        "\n".join(fill(sentence, WIDTH) for sentence in bound_sentences(result)),
        aligned(_bounds(result)),
        aligned(_by_iou(result)),
    ]
    if result.context:
        parts.append(aligned(_context(result.context)))
    if per_class:
        parts.append(aligned(_classes(result)))
    return "\n\n".join(parts)


def _bounds(result: UpperBoundResult) -> list[list[str]]:
    from boxlens.recognition_bound.result import STRATEGY_TITLES

    sizes = list(result.bound.by_size)
    head = ["", "AP", "small", "medium", "large", "accuracy", "of UAP"]
    rows = [head if result.choice.intervals is None else [*head, "interval"]]
    for one in result.strategies:
        title = f"UAP: {STRATEGY_TITLES[one.strategy].lower()}"
        by_size = [score(one.by_size[size]) for size in sizes]
        row = [title, score(one.uap), *by_size, score(one.accuracy), "-"]
        rows.append(row if len(rows[0]) == len(row) else [*row, interval_text(one.interval)])
    for gap in result.detectors:
        by_size = [score(gap.by_size[size]) for size in sizes]
        row = [gap.name, score(gap.ap), *by_size, "-", score(gap.share)]
        short = f"gap {interval_text(gap.gap)}"
        rows.append(row if len(rows[0]) == len(row) else [*row, short])
    return rows


def _by_iou(result: UpperBoundResult) -> list[list[str]]:
    rows = [["AP by IoU", *(f"{iou:.2f}" for iou in result.bound.by_iou)]]
    rows.append(["UAP", *(score(value) for value in result.bound.by_iou.values())])
    rows += [
        [one.name, *(score(value) for value in one.by_iou.values())] for one in result.detectors
    ]
    return rows


def _context(context: tuple[ContextAccuracy, ...]) -> list[list[str]]:
    """Scales as columns; the whole picture as the last."""
    from boxlens.proposals.words import counted

    heading = f"accuracy, by scale ({counted(context[0].n_objects, 'object')})"
    scales = sorted({one.scale for one in context if one.scale == one.scale})
    found = {(one.kind, one.scale if one.scale == one.scale else None): one for one in context}
    rows = [[heading, *(f"{scale:g}" for scale in scales), "picture"]]
    for title, kinds, whole in (
        ("with the object", ("object", "object_and_context"), "image"),
        ("without it", ("context",), "image_context"),
    ):
        row = [title]
        for scale in scales:
            one = next((found[kind, scale] for kind in kinds if (kind, scale) in found), None)
            row.append("-" if one is None else score(one.accuracy))
        rows.append([*row, score(found[whole, None].accuracy)])
    return rows


def _classes(result: UpperBoundResult) -> list[list[str]]:
    rows = [["class", "objects", "UAP", "accuracy", *(one.name for one in result.detectors)]]
    for row, one in enumerate(result.bound.classes):
        rows.append(
            [
                one.name,
                f"{one.n_objects:,}",
                score(one.uap),
                score(one.accuracy),
                *(score(gap.by_class[row]) for gap in result.detectors),
            ]
        )
    return rows
