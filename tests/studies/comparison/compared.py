"""Comparisons of the demo's detectors: alike, apart, three, the same twice, a silent one, ten images."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from boxlens.data.selection import select_images
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.studies.comparison import ComparisonChoice, ComparisonResult, compare_tables
from boxlens.studies.comparison.cases.images_to_annotate import disagree
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of

WORLDS = ("alike", "apart", "three", "same", "silent", "ten images")
NASTY = ("</script><script>alert('a')</script>", '"quoted" \\ & [brackets].dots')


def choice_of(n=100, **more) -> ComparisonChoice:
    return ComparisonChoice(
        resampling=ResamplingChoice(n_replicates=n), n_permutations=n, images="all", **more
    )


def thinned(table, share, name, seed=1):
    """Some of its detections, drawn at random."""
    return replace(table.where(np.random.default_rng(seed).random(len(table)) < share), name=name)


@cache
def compared(world: str) -> ComparisonResult:
    dataset = demo_dataset()
    window, region = demo_detections("window"), demo_detections("region")
    half = thinned(window, 0.5, "window_half")
    tables = {
        "alike": (window, region),
        "apart": (half, window),
        "three": (window, region, half),
        "same": (window, replace(window, name="window_again")),
        "silent": (window, replace(nothing_of(window), name="silent")),
        "ten images": (window, region),
        "nasty": tuple(replace(t, name=n) for t, n in zip((window, region), NASTY, strict=True)),
    }[world]
    if world == "ten images":
        tables = tuple(select_images(dataset, table, np.arange(10))[1] for table in tables)
        dataset = dataset.select_images(np.arange(10))
    # Three pairs need more replicates to be told apart after adjustment.
    return compare_tables(dataset, tables, choice_of(150 if world == "three" else 100))


def disagreed(world: str):
    """The same pairs without ground truth; of `silent` neither finds anything."""
    tables = [demo_detections("window"), demo_detections("region")]
    if world == "nasty":
        tables = [replace(table, name=name) for table, name in zip(tables, NASTY, strict=True)]
    if world == "silent":
        tables = [nothing_of(table) for table in tables]
    return disagree(demo_dataset(), tables, min_score=0.2, images_used="all")
