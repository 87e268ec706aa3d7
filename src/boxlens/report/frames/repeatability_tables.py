"""A study of repeatability as Polars frames: one row a family, a level, a bin of sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.frames.typed_frame import typed_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from boxlens.proposals.repeatability.result import LevelRepeatability, RepeatabilityResult
    from boxlens.report.frames.typed_frame import Record

TEXTS: Final = ("method", "made_by", "family", "label", "file", "reason")
FLAGS: Final = ("baseline",)


def repeatability_frames(result: RepeatabilityResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined values are null, and a table without rows is left out."""
    tables: dict[str, Iterator[Record]] = {
        "families": _families(result),
        "levels": (
            {**named, "n_boxes": sum(one.n_boxes), "n_outside": one.n_outside}
            for named, one in _levels(result)
        ),
        "sizes": _sizes(result),
        "failed": ({"file": file, "reason": reason} for file, reason in result.failed),
    }
    frames = {name: typed_frame(rows, texts=TEXTS, flags=FLAGS) for name, rows in tables.items()}
    return {name: frame for name, frame in frames.items() if len(frame)}


def _families(result: RepeatabilityResult) -> Iterator[Record]:
    for method in result.methods:
        for family in method.families:
            yield {
                "method": method.name,
                "made_by": method.made_by,
                "baseline": method.baseline,
                "n_images": method.n_images,
                "family": family.family,
                "mean": family.mean,
            }


def _levels(result: RepeatabilityResult) -> Iterator[tuple[Record, LevelRepeatability]]:
    """What is told of every level alike, and the level."""
    for method in result.methods:
        for family in method.families:
            for one in family.levels:
                named = {"method": method.name, "family": family.family}
                told = {"level": one.level, "label": one.label}
                yield {**named, **told, "repeatability": one.repeatability}, one


def _sizes(result: RepeatabilityResult) -> Iterator[Record]:
    """The numbers of a level, bin by bin."""
    for named, one in _levels(result):
        pairs = zip(one.bins.tolist(), one.n_boxes, strict=True)
        for at, (value, n_boxes) in enumerate(pairs):
            yield {
                **named,
                "from": at / len(one.bins),
                "to": (at + 1) / len(one.bins),
                "repeatability": value,
                "n_boxes": n_boxes,
            }
