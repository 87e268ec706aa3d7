"""A comparison: which detector is better, on which images, and what they could reach together."""

from __future__ import annotations

from functools import partial

from boxlens.report.described.comparison.annotate import annotate_section
from boxlens.report.described.comparison.images import images_section
from boxlens.report.described.comparison.numbers import classes_section, numbers_section
from boxlens.report.described.comparison.together import together_section
from boxlens.report.described.examples import (
    Pictures,
    comparison_examples,
    example_pictures,
    examples_section,
)
from boxlens.report.described.extras import Extras, Run
from boxlens.report.pictures.comparison_exhibits import comparison_groups
from boxlens.report.study import SCORE, Study
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import leading_pairs
from boxlens.studies.comparison.verdict import answer_sentences
from boxlens.wording import counted, listed


def study(result: ComparisonResult, pictures: Pictures | None = None) -> Study:
    """The classes come last: the whole report shows them in a place of their own."""
    league, dataset = result.league, result.dataset
    pairs = leading_pairs(result)
    names = [one.name for one in result.detectors]
    return Study(
        title=f"Comparison of {listed(names, most=3, noun='detectors')}",
        data=dataset.name,
        facts=(
            counted(len(dataset.images), "image"),
            counted(len(dataset.gt), "object"),
            counted(len(dataset.classes), "class", "classes"),
            counted(result.choice.resampling.n_replicates, "resampled test set"),
        ),
        sentences=answer_sentences(result),
        tiles=tuple(
            (f"{league.metric} of {row.name}", row.score.value, SCORE) for row in league.rows
        ),
        sections=(
            numbers_section(result, pairs),
            images_section(result, pairs),
            together_section(result, pairs),
            annotate_section(result),
            examples_section(comparison_examples(comparison_groups(result), pictures), pictures),
            classes_section(result, pairs),
        ),
        main_table=f"Every metric: {' - '.join(pairs[0].names)}",
        main_plot="differences" if len(names) == 2 else "league",
        guide="compare",
    )


def extras(result: ComparisonResult) -> Extras:
    return Extras(
        Run(result.dataset, detections=result.detections, comparison=result),
        pictures=partial(example_pictures, partial(comparison_groups, result), result.dataset),
    )
