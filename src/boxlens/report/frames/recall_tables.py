"""A study of recall as Polars frames: one row a method and budget, an overlap, a group, a bin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.proposals.recall.average_recall import CURVE_IOUS
from boxlens.report.frames.typed_frame import typed_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from boxlens.data.columns import Floats
    from boxlens.proposals.recall.result import BudgetRecall, MethodRecall, ProposalRecallResult
    from boxlens.report.frames.typed_frame import Record

TEXTS: Final = ("dataset", "method", "made_by", "by", "value", "of")
FLAGS: Final = ("baseline",)


def recall_frames(result: ProposalRecallResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined values are null, and a table without rows is left out."""
    tables: dict[str, Iterator[Record]] = {
        "methods": _methods(result),
        "budgets": _budgets(result),
        "curves": _curves(result),
        "groups": _groups(result),
        "sizes": _sizes(result),
    }
    frames = {name: typed_frame(rows, texts=TEXTS, flags=FLAGS) for name, rows in tables.items()}
    return {name: frame for name, frame in frames.items() if len(frame)}


def _of_methods(result: ProposalRecallResult) -> Iterator[tuple[Record, MethodRecall]]:
    for dataset in result.datasets:
        for method in dataset.methods:
            yield {"dataset": dataset.name, "method": method.name}, method


def _methods(result: ProposalRecallResult) -> Iterator[Record]:
    """The budgets of the choice, with all that is told of the method."""
    for named, method in _of_methods(result):
        for one in method.chosen:
            yield {
                **named,
                "made_by": method.made_by,
                "baseline": method.baseline,
                **_numbers(one),
                "VUS": method.volume,
                "n_duplicates": method.n_duplicates,
                "seconds_per_image": method.seconds_per_image,
            }


def _budgets(result: ProposalRecallResult) -> Iterator[Record]:
    """All budgets of the curves."""
    for named, method in _of_methods(result):
        yield from ({**named, **_numbers(one)} for one in method.by_budget)


def _numbers(one: BudgetRecall) -> Record:
    return {
        "budget": one.budget,
        "n_mean": one.n_mean,
        "AR": one.ar,
        "AR_low": one.ar_low,
        "AR_high": one.ar_high,
        "AR_coco": one.coco_ar,
        "ABO": one.best_overlap,
        "MABO": one.best_overlap_by_class,
        **_recalls(one.recall),
    }


def _recalls(recall: Mapping[float, float]) -> Record:
    return {f"recall_{iou:g}": value for iou, value in recall.items()}


def _curves(result: ProposalRecallResult) -> Iterator[Record]:
    for named, method in _of_methods(result):
        for one in method.chosen:
            for iou, recall in zip(CURVE_IOUS.tolist(), one.curve.tolist(), strict=True):
                yield {**named, "budget": one.budget, "iou": round(iou, 2), "recall": recall}


def _groups(result: ProposalRecallResult) -> Iterator[Record]:
    for named, method in _of_methods(result):
        for one in method.groups:
            yield {
                **named,
                "by": one.by,
                "value": one.value,
                "n_objects": one.n_objects,
                "budget": one.budget,
                "AR": one.ar,
                **_recalls(one.recall),
            }


def _sizes(result: ProposalRecallResult) -> Iterator[Record]:
    """Of the objects, and of the proposals of every method."""
    for dataset in result.datasets:
        shares: list[tuple[str, str | None, Floats]] = [("objects", None, dataset.sizes)]
        shares += [("proposals", method.name, method.sizes) for method in dataset.methods]
        for of, method_name, sizes in shares:
            for at, share in enumerate(sizes.tolist()):
                yield {
                    "dataset": dataset.name,
                    "of": of,
                    "method": method_name,
                    "from": at / len(sizes),
                    "to": (at + 1) / len(sizes),
                    "share": share,
                }
