"""Recall of proposals: which method finds most, how tightly, with how many proposals, and where."""

from __future__ import annotations

from dataclasses import replace

from boxlens.report.described.recall.curves import numbers_section, overlaps_section
from boxlens.report.described.recall.methods import (
    ar_words,
    best_first,
    cost_section,
    datasets_section,
    methods_section,
)
from boxlens.report.described.recall.objects import groups_section, sizes_section
from boxlens.report.study import SCORE, Study
from boxlens.studies.proposals.recall.result import ProposalRecallResult
from boxlens.studies.proposals.recall.verdict import recall_sentences
from boxlens.wording import counted, listed


def study(result: ProposalRecallResult) -> Study:
    # In tables the best method stands first; in figures looks go by the order that was asked for.
    datasets = [replace(one, methods=tuple(best_first(one.methods))) for one in result.datasets]
    ranked = replace(result, datasets=tuple(datasets))
    first = datasets[0]
    words = ar_words(result.choice)
    return Study(
        title=f"Proposals of {listed([one.name for one in first.methods], 3, 'methods')}",
        data=first.name,
        facts=(
            counted(first.n_images, "image"),
            counted(first.n_objects, "object"),
            *([counted(len(datasets), "data set")] if len(datasets) > 1 else []),
        ),
        sentences=tuple(recall_sentences(result)),
        tiles=tuple(
            (f"{words}, {one.name}", one.chosen[-1].ar, SCORE) for one in first.methods[:4]
        ),
        sections=(
            methods_section(ranked),
            overlaps_section(result, ranked),
            numbers_section(result, ranked),
            groups_section(ranked),
            sizes_section(result, ranked),
            datasets_section(result),
            cost_section(ranked),
        ),
        main_table="Recall of every method",
        main_plot="recall_by_iou" if len(datasets) == 1 else "datasets",
        guide="proposals",
    )
