"""Draws the figures of docs/gallery.md: those of the demo, small enough for a repository.

python scripts/draw_gallery.py
"""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from guide_demo import FIGURES, ROOT, boxlens, put_demo_files
from PIL import Image

PAIR = ("ground_truth.json", "window.json", "region.json")
METHODS = "uniform,gaussian,sliding-window,edge-boxes,edge-boxes-ar,geodesic,rahtu"
# A run, and the figures that are taken from it.
RUNS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        ("diagnose", *PAIR[:2], "--cross", "area:occlusion"),
        (
            "tide_errors",
            "false_positives",
            "fp_trends",
            "pr_areas",
            "confusion_matrix",
            "fp_by_class",
            "repair_orders",
            "waterfall",
            "sensitivity",
            "by_occlusion",
            "cross_area_occlusion",
            "misses",
            "crosswalk_detections_hoiem_tide",
        ),
    ),
    (
        ("compare", *PAIR),
        (
            "league",
            "differences",
            "class_differences",
            "image_scores",
            "p_curve",
            "joint",
            "strengths",
            "annotation_gain",
        ),
    ),
    (
        (
            *("difficulty", PAIR[0], "--dt", *PAIR[1:], "--tree", "class_tree.json"),
            *("--node", "vehicle,animal", "--properties", "properties.csv", "--match", "cpl=0.002"),
        ),
        (
            "measures",
            "classes_by_cpl",
            "ap_by_measure",
            "cumulative_ap",
            "levels",
            "nodes",
            "ap_by_real_world_size",
            "ap_controlled_origin",
            "subsets",
        ),
    ),
    (
        (
            *("upper-bound", *PAIR, "--images", "images", "--folds", "2"),
            *("--context", "--intervals"),
        ),
        (
            "bound_by_size",
            "bound_by_iou",
            "bound_by_class",
            "bound_accuracy",
            "bound_context",
        ),
    ),
    (
        (
            *("robustness", PAIR[0], "--images", "images", "--model", "window", "region"),
            *("--transform", "study,corruptions,graded", "--severity", "1,3,5"),
            *("--n-images", "16"),
        ),
        (
            "robustness_study",
            "robustness_curves",
            "robustness_groups",
            "robustness_graded",
            "robustness_errors",
            "robustness_density",
        ),
    ),
    (
        (
            *("proposals", "recall", PAIR[0], "--method", METHODS, "--images", "images"),
            *("--keep", "kept"),
        ),
        ("recall_by_iou", "recall_by_number", "proposal_sizes", "by_size"),
    ),
    (
        (
            *("proposals", "repeatability", "images", "--n-images", "4"),
            *("--method", "edge-boxes,geodesic,sliding-window"),
        ),
        ("repeatability",),
    ),
    (
        (
            *("proposals", "correlate", PAIR[0], "--method", METHODS, "--images", "images"),
            *("--raw", *PAIR[1:], "--filter-iou", "0.5", "--keep", "kept"),
        ),
        ("recall_correlation", "recall_against_map"),
    ),
    (
        (
            *("proposals", "oracle", *PAIR, "--method", "edge-boxes", "--images", "images"),
            *("--filter-iou", "0.5", "--keep", "kept"),
        ),
        ("oracles_window", "scores_by_iou", "score_map_window"),
    ),
    (("reconcile", *PAIR[:2], "--to", "voc07"), ("convention_steps",)),
)
COLOURS = 64


def main() -> None:
    target = FIGURES / "gallery"
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        put_demo_files(folder)
        copyfile(ROOT / "examples" / "demo_class_properties.csv", folder / "properties.csv")
        for number, (command, figures) in enumerate(RUNS):
            out = f"out{number}"
            boxlens(*command, "-o", out, "--figures", "png", folder=folder)
            for figure in figures:
                shrink(folder / out / "figures" / f"{figure}.png", target / f"{figure}.png")
    total = sum(path.stat().st_size for path in target.iterdir())
    print(f"wrote {len(list(target.iterdir()))} figures to {target}, {total / 1000:,.0f} kB")


def shrink(source: Path, target: Path) -> None:
    """Flat colours need no more than these, and a tenth of the bytes."""
    image = Image.open(source).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    main()
