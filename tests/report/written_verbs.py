"""Every verb that leaves a page, tables and results behind, with results to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from boxlens.comparison.verdict import comparison_sentences
from boxlens.dataset_difficulty.verdict import difficulty_sentences
from boxlens.detector_robustness.verdict import robustness_sentences
from boxlens.images import find_images
from boxlens.images.transforming.catalogue import CLEAN
from boxlens.proposals.detection_use.verdict import correlation_sentences, oracle_sentences
from boxlens.proposals.recall.verdict import recall_sentences
from boxlens.proposals.repeatability.verdict import repeatability_sentences
from boxlens.proposals.tuning.verdict import tuning_sentences
from boxlens.recognition_bound.verdict import bound_sentences
from boxlens.report.frames.bound_tables import bound_frames
from boxlens.report.frames.comparison_tables import comparison_tables
from boxlens.report.frames.correlation_tables import correlation_frames
from boxlens.report.frames.difficulty_tables import difficulty_frames
from boxlens.report.frames.oracle_tables import oracle_frames
from boxlens.report.frames.recall_tables import recall_frames
from boxlens.report.frames.repeatability_tables import repeatability_frames
from boxlens.report.frames.robustness_tables import robustness_frames
from boxlens.report.frames.tuning_tables import tuning_frames
from boxlens.report.pages.bound_page import bound_page
from boxlens.report.pages.comparison_page import comparison_page
from boxlens.report.pages.correlation_page import correlation_page
from boxlens.report.pages.difficulty_page import difficulty_page
from boxlens.report.pages.examples import comparison_examples, examples_section, fit_pictures
from boxlens.report.pages.oracle_page import oracle_page
from boxlens.report.pages.page import DrawnPlan
from boxlens.report.pages.recall_page import recall_page
from boxlens.report.pages.repeatability_page import repeatability_page
from boxlens.report.pages.robustness_examples import robustness_examples
from boxlens.report.pages.robustness_page import robustness_page
from boxlens.report.pages.tuning_page import tuning_page
from boxlens.report.pictures.robustness_exhibits import StepPictures
from boxlens.report.planning.bound_figures import bound_figures
from boxlens.report.planning.comparison_figures import comparison_figures
from boxlens.report.planning.correlation_figures import correlation_figures
from boxlens.report.planning.difficulty_figures import difficulty_figures
from boxlens.report.planning.oracle_figures import oracle_figures
from boxlens.report.planning.recall_figures import recall_figures
from boxlens.report.planning.repeatability_figures import repeatability_figures
from boxlens.report.planning.robustness_figures import robustness_figures
from boxlens.report.planning.tuning_figures import tuning_figures
from boxlens.report.writing.write_bound import write_bound
from boxlens.report.writing.write_comparison import write_comparison
from boxlens.report.writing.write_difficulty import write_difficulty
from boxlens.report.writing.write_proposals import (
    write_correlation,
    write_oracles,
    write_recall,
    write_repeatability,
    write_tuning,
)
from boxlens.report.writing.write_robustness import write_robustness
from comparison.compared import WORLDS as COMPARED_WORLDS
from comparison.compared import compared
from report.bound_results import BOUND_WORLDS
from report.detection_use_results import CORRELATION_WORLDS, ORACLE_WORLDS, TUNING_WORLDS
from report.difficulty_results import WORLDS as DIFFICULTY_WORLDS
from report.proposal_results import RECALL_WORLDS, REPEATABILITY_WORLDS
from report.robustness_results import ROBUSTNESS_WORLDS, everything, with_bound

if TYPE_CHECKING:
    import polars as pl

    from boxlens.report.planning.figure_plan import FigurePlan

Page = Callable[[Any, dict[str, Any], DrawnPlan], str]


def _painted(step: Any, row: int) -> np.ndarray:
    """The unchanged pictures are wider than the changed ones."""
    shape = (60, 120, 3) if step.name == CLEAN.name else (60, 80, 3)
    return np.full(shape, 40 * row % 256, dtype=np.uint8)


STEP_PICTURES = StepPictures(_painted, {1: 0, 2: 1})


@dataclass(frozen=True)
class Verb:
    """`whole` has every table that there may be; `written` is the one that is written to a folder."""

    worlds: Mapping[str, Callable[[], Any]]
    whole: str
    written: str
    sections: Sequence[str]
    sentences: Callable[[Any], Sequence[str]]
    plan: Callable[[Any], FigurePlan]
    frames: Callable[[Any], Mapping[str, pl.DataFrame]]
    page: Page
    write: Callable[[Any, Path], str]
    line: str
    # What a notebook shows of the result that is written.
    notebook: Sequence[str]
    # Worlds of which there is nothing to draw.
    undrawn: Sequence[str] = ()
    # Columns that have the name of a setting, number or measure in them: what begins or ends them.
    column_families: Sequence[str] = ()
    # Worlds that only the charts need.
    charts_only: Sequence[str] = ()
    documented: Callable[[Any], Any] = field(default=lambda result: result)

    def page_without_figures(self, result: Any) -> str:
        return self.page(result, result.to_json(), DrawnPlan((), self.plan(result).left_out))


def _write_bound(result: Any, folder: Path) -> str:
    """Two of the three pictures with mistakes; their names are their ids."""
    pictures = folder.parent / "pictures"
    pictures.mkdir()
    for name in ("1.png", "2.png"):
        Image.new("RGB", (32, 24), "#5a5a5a").save(pictures / name)
    return write_bound(result, folder, files=find_images(pictures)[0], formats=())


def _write_comparison(result: Any, folder: Path) -> str:
    """With pictures of the demo's names and sizes; what they show does not matter."""
    images = result.dataset.images
    size = (int(images.width_px[0]), int(images.height_px[0]))
    pictures = folder.parent / "pictures"
    for name in images.file_name:
        (pictures / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size, "#777777").save(pictures / name)
    return write_comparison(result, folder, formats=("svg",), images=pictures)


def _write_robustness(result: Any, folder: Path) -> str:
    return write_robustness(result, folder, formats=(), pictures=STEP_PICTURES)


def _comparison_page(result: Any, document: dict[str, Any], drawn: DrawnPlan) -> str:
    pictures = fit_pictures(None)
    examples = examples_section(comparison_examples(result, pictures), pictures)
    return comparison_page(result, document, drawn, examples)


def _robustness_page(result: Any, document: dict[str, Any], drawn: DrawnPlan) -> str:
    return robustness_page(result, document, drawn, robustness_examples(result, (), 8.0))


VERBS = {
    "upper-bound": Verb(
        BOUND_WORLDS,
        whole="detectors and context",
        written="detectors and context",
        sections=("summary", "detectors", "classes", "recognition", "context", "mistakes"),
        sentences=bound_sentences,
        plan=bound_figures,
        frames=bound_frames,
        page=bound_page,
        write=_write_bound,
        line="8 tables, 1 contact sheet, 1 of 3 images with examples have no picture here",
        notebook=(".500 (.480 to .520)", ">60%<"),
        undrawn=("undefined",),
    ),
    "compare": Verb(
        {name: partial(compared, name) for name in (*COMPARED_WORLDS, "nasty")},
        whole="alike",
        written="alike",
        sections=("answer", "numbers", "images", "together", "examples", "annotate", "classes"),
        sentences=comparison_sentences,
        plan=comparison_figures,
        frames=comparison_tables,
        page=_comparison_page,
        write=_write_comparison,
        line="11 tables, 8 figures (svg), 4 contact sheets",
        notebook=("window", "region"),
    ),
    "difficulty": Verb(
        DIFFICULTY_WORLDS,
        whole="everything",
        written="everything",
        sections=(
            *("summary", "datasets", "accuracy", "correlations", "hierarchy"),
            *("properties", "subsets", "classes"),
        ),
        sentences=difficulty_sentences,
        plan=difficulty_figures,
        frames=difficulty_frames,
        page=difficulty_page,
        write=partial(write_difficulty, formats=()),
        line="10 tables",
        notebook=(" objects",),
        undrawn=("nothing",),
        column_families=("n_classes_", "exact_", "_lower_quartile", "_median", "_upper_quartile"),
        charts_only=("many classes",),
    ),
    "proposals recall": Verb(
        RECALL_WORLDS,
        whole="every method",
        written="one method",
        sections=("summary", "methods", "overlaps", "numbers", "groups", "sizes", "cost"),
        sentences=recall_sentences,
        plan=recall_figures,
        frames=recall_frames,
        page=recall_page,
        write=partial(write_recall, formats=()),
        line="5 tables",
        notebook=("selective-search",),
        undrawn=("no objects",),
        column_families=("recall_",),
    ),
    "proposals repeatability": Verb(
        REPEATABILITY_WORLDS,
        whole="every perturbation",
        written="one perturbation",
        sections=("summary", "methods", "curves"),
        sentences=repeatability_sentences,
        plan=repeatability_figures,
        frames=repeatability_frames,
        page=repeatability_page,
        write=partial(write_repeatability, formats=()),
        line="3 tables",
        notebook=(">Blur<",),
    ),
    "proposals correlate": Verb(
        CORRELATION_WORLDS,
        whole="two detectors",
        written="two detectors",
        sections=("summary", "overlaps", "methods", "classes"),
        sentences=correlation_sentences,
        plan=correlation_figures,
        frames=correlation_frames,
        page=correlation_page,
        write=partial(write_correlation, formats=()),
        line="4 tables",
        notebook=("selective-search",),
    ),
    "proposals oracle": Verb(
        ORACLE_WORLDS,
        whole="two detectors",
        written="no proposals",
        sections=("summary", "oracles", "scores"),
        sentences=oracle_sentences,
        plan=oracle_figures,
        frames=oracle_frames,
        page=oracle_page,
        write=partial(write_oracles, formats=()),
        line="4 tables",
        notebook=("perfect suppression",),
    ),
    "proposals tune": Verb(
        TUNING_WORLDS,
        whole="better",
        written="better",
        sections=("summary", "trials", "settings"),
        sentences=tuning_sentences,
        plan=tuning_figures,
        frames=tuning_frames,
        page=tuning_page,
        write=partial(write_tuning, formats=()),
        line="1 table",
        notebook=("min_box_area",),
        column_families=("setting_",),
    ),
    "robustness": Verb(
        ROBUSTNESS_WORLDS,
        whole="everything",
        written="one severity",
        sections=("summary", "corruptions", "examples", "errors", "places", "classes", "sets"),
        sentences=robustness_sentences,
        plan=robustness_figures,
        frames=robustness_frames,
        page=_robustness_page,
        write=_write_robustness,
        line="6 tables",
        notebook=(">All corruptions<",),
        documented=lambda _: with_bound(everything(), (0.5,) * 80),
    ),
}
