"""Every verb that leaves a page, tables and results behind, with results to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from boxlens import gate, reconcile
from boxlens.data import Dataset, Detections
from boxlens.images import find_images
from boxlens.images.transforming.catalogue import CLEAN
from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.evaluation import EXTRAS
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.report.described import describe
from boxlens.report.readers.page import study_page
from boxlens.studies.diagnosis import diagnose
from boxlens.studies.robustness.picture_set import StepPictures
from report.bound_results import BOUND_WORLDS
from report.detection_use_results import CORRELATION_WORLDS, ORACLE_WORLDS, TUNING_WORLDS
from report.difficulty_results import WORLDS as DIFFICULTY_WORLDS
from report.proposal_results import RECALL_WORLDS, REPEATABILITY_WORLDS
from report.report_results import answered
from report.robustness_results import ROBUSTNESS_WORLDS, everything, with_bound
from report.toy_diagnosis import toy_diagnosis
from studies.comparison.compared import NASTY, compared, disagreed
from studies.comparison.compared import WORLDS as COMPARED_WORLDS
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of


def _painted(step: Any, row: int) -> np.ndarray:
    """The unchanged pictures are wider than the changed ones."""
    shape = (60, 120, 3) if step.name == CLEAN.name else (60, 80, 3)
    return np.full(shape, 40 * row % 256, dtype=np.uint8)


# As they are, and as text that no page may take for code.
NAMES = (("window", "region"), NASTY)
SURE = ResamplingChoice(n_replicates=100)
RULES = ("AP >= baseline - 0.002", "AP of each class >= baseline - 0.2", "AP50 >= 0.99")
STEP_PICTURES = StepPictures(_painted, {1: 0, 2: 1})


@dataclass(frozen=True)
class Verb:
    """`whole` has every table that there may be; `written` is the one that is written to a folder."""

    worlds: Mapping[str, Callable[[], Any]]
    whole: str
    written: str
    sections: Sequence[str]
    line: str
    # What a notebook shows of the result that is written.
    notebook: Sequence[str]
    write: Callable[[Any, Path], str] = lambda result, folder: result.save(folder, figures="none")
    # Worlds of which there is nothing to draw.
    undrawn: Sequence[str] = ()
    # Columns that have the name of a setting, number or measure in them: what begins or ends them.
    column_families: Sequence[str] = ()
    # Worlds that only the charts need.
    charts_only: Sequence[str] = ()
    documented: Callable[[Any], Any] = field(default=lambda result: result)
    # The page of the guide that names its columns.
    guide: str = "tables"

    @staticmethod
    def page_without_figures(result: Any) -> str:
        return study_page(describe(result), result.to_json())


def _write_bound(result: Any, folder: Path) -> str:
    """Two of the three pictures with mistakes; their names are their ids."""
    pictures = folder.parent / "pictures"
    pictures.mkdir()
    for name in ("1.png", "2.png"):
        Image.new("RGB", (32, 24), "#5a5a5a").save(pictures / name)
    return result.save(folder, images=find_images(pictures)[0], figures="none")


def painted_pictures(dataset: Dataset, folder: Path) -> Path:
    """Of the demo's names and sizes; what they show does not matter."""
    images = dataset.images
    size = (int(images.width_px[0]), int(images.height_px[0]))
    for name in images.file_name:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size, "#777777").save(folder / name)
    return folder


def _write_comparison(result: Any, folder: Path) -> str:
    return result.save(folder, images=painted_pictures(result.dataset, folder.parent / "pictures"))


def _write_robustness(result: Any, folder: Path) -> str:
    return replace(result, pictures=STEP_PICTURES).save(folder, figures="none")


def _diagnosed(name: str) -> Any:
    if name == "toys":
        return toy_diagnosis()
    truth, found = demo_dataset(), nothing_of(demo_detections("window"))
    return diagnose(nothing_of(truth) if name == "nothing" else truth, found)


def _sensitivity_of(name: str) -> Any:
    return _diagnosed(name).sensitivity


def _named(names: Sequence[str] = NAMES[0]) -> list[Detections]:
    tables = (demo_detections("window"), demo_detections("region"))
    return [replace(one, name=name) for one, name in zip(tables, names, strict=True)]


@cache
def evaluated(name: str) -> Any:
    """With intervals and every reading; without any; of names that are code; of nothing."""
    if name == "nothing":
        return evaluate_tables(nothing_of(demo_dataset()), [nothing_of(_named()[0])], choose())
    choice = choose(also=EXTRAS, intervals=SURE) if name != "plain" else choose()
    return evaluate_tables(demo_dataset(), _named(NAMES[name == "nasty"]), choice)


@cache
def gated(name: str) -> Any:
    tables = _named(NAMES[name == "nasty"])
    return gate(demo_dataset(), *tables, rules=RULES, replicates=100)


def _reconciled(name: str) -> Any:
    truth = nothing_of(demo_dataset()) if name == "nothing" else demo_dataset()
    return reconcile(truth, _named(NAMES[name == "nasty"])[0])


def _write_report(result: Any, folder: Path) -> str:
    pictures = painted_pictures(result.dataset, folder.parent / "pictures")
    return result.save(folder, images=pictures, figures="none")


def _write_figures(result: Any, folder: Path) -> str:
    return result.save(folder)


DIAGNOSED_WORLDS = ("toys", "no detections", "nothing")
SCHEME_COLUMNS = (
    *("hoiem_top_", "hoiem_impact_", "tide_dAP_", "tide_n_"),
    *("analyze_", "borji_"),
)


VERBS = {
    "evaluate": Verb(
        {name: partial(evaluated, name) for name in ("both", "plain", "nasty", "nothing")},
        whole="both",
        written="both",
        sections=("summary", "scores", "readings", "classes"),
        write=_write_figures,
        line="4 tables, 5 figures (svg)",
        notebook=("AP50",),
        undrawn=("nothing",),
    ),
    "report": Verb(
        {
            "both": answered,
            "one": partial(answered, ("window",)),
            **{
                one: partial(answered, ("window",), (one,))
                for one in ("scores", "errors", "sensitivity", "difficulty")
            },
        },
        # Tables of several detectors have captions in common.
        whole="one",
        charts_only=("both",),
        written="both",
        sections=(
            *("summary", "scores", "errors", "repairs", "objects", "schemes", "difficulty"),
            *("comparison", "examples", "classes"),
        ),
        write=_write_report,
        line="29 tables, 16 contact sheets",
        notebook=("window", "region"),
        guide="",
    ),
    "gate": Verb(
        {name: partial(gated, name) for name in ("both", "nasty")},
        whole="both",
        written="both",
        sections=("summary", "rules"),
        line="1 table",
        notebook=(">FAILS<",),
        undrawn=("both",),
    ),
    "reconcile": Verb(
        {name: partial(_reconciled, name) for name in ("both", "nasty", "nothing")},
        whole="both",
        written="both",
        sections=("summary", "steps", "protocols", "band"),
        line="2 tables",
        notebook=("window",),
        undrawn=("nothing",),
    ),
    "diagnose": Verb(
        {name: partial(_diagnosed, name) for name in DIAGNOSED_WORLDS},
        whole="toys",
        written="toys",
        sections=("summary", "errors", "repairs", "objects", "schemes", "examples", "classes"),
        line="9 tables",
        notebook=("poorly placed",),
        undrawn=("nothing",),
        column_families=SCHEME_COLUMNS,
        guide="diagnose",
    ),
    "sensitivity": Verb(
        {name: partial(_sensitivity_of, name) for name in DIAGNOSED_WORLDS},
        whole="toys",
        written="toys",
        sections=("summary", "objects", "classes"),
        line="6 tables",
        notebook=(">area<",),
        undrawn=("nothing",),
        guide="diagnose",
    ),
    "upper-bound": Verb(
        BOUND_WORLDS,
        whole="detectors and context",
        written="detectors and context",
        sections=(
            *("summary", "detectors", "classes", "recognition", "context", "mistakes"),
            "pictures",
        ),
        write=_write_bound,
        line="8 tables, 1 contact sheet, 1 of 3 images with examples have no picture here",
        notebook=("0.500", "0.180 to 0.220", ">60%<"),
        undrawn=("undefined",),
    ),
    "compare": Verb(
        {name: partial(compared, name) for name in (*COMPARED_WORLDS, "nasty")},
        whole="alike",
        written="alike",
        sections=("summary", "numbers", "images", "together", "annotate", "examples", "classes"),
        write=_write_comparison,
        line="11 tables, 8 figures (svg), 4 contact sheets",
        notebook=("window", "region", ">-0.022 to 0.015<", ">AR100<"),
    ),
    "disagree": Verb(
        {name: partial(disagreed, name) for name in ("alike", "nasty", "silent")},
        whole="alike",
        written="alike",
        sections=("summary", "images"),
        line="1 table",
        notebook=(">000077.jpg<", ">10.9<"),
        column_families=("n_boxes_",),
        undrawn=("alike",),
    ),
    "difficulty": Verb(
        DIFFICULTY_WORLDS,
        whole="everything",
        written="everything",
        sections=(
            *("summary", "datasets", "accuracy", "correlations", "hierarchy"),
            *("properties", "subsets", "classes"),
        ),
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
        line="3 tables",
        notebook=(">Blur<",),
    ),
    "proposals correlate": Verb(
        CORRELATION_WORLDS,
        whole="two detectors",
        written="two detectors",
        sections=("summary", "overlaps", "methods", "classes"),
        line="4 tables",
        notebook=("selective-search",),
    ),
    "proposals oracle": Verb(
        ORACLE_WORLDS,
        whole="two detectors",
        written="no proposals",
        sections=("summary", "oracles", "scores"),
        line="4 tables",
        notebook=("perfect suppression",),
    ),
    "proposals tune": Verb(
        TUNING_WORLDS,
        whole="better",
        written="better",
        sections=("summary", "trials", "settings"),
        line="1 table",
        notebook=("min_box_area",),
        column_families=("setting_",),
    ),
    "robustness": Verb(
        ROBUSTNESS_WORLDS,
        whole="everything",
        written="one severity",
        sections=("summary", "corruptions", "examples", "errors", "places", "classes", "sets"),
        write=_write_robustness,
        line="6 tables",
        notebook=(">All corruptions<",),
        documented=lambda _: with_bound(everything(), (0.5,) * 80),
    ),
}
