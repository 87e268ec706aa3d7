"""`boxlens disagree`: which images should be annotated next?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json, several
from boxlens.cli.output import aligned, print_note, print_notices, show_or_save_json
from boxlens.cli.reading import add_classes_used, add_reading, read_tables
from boxlens.errors import ParameterError
from boxlens.limits import AT_MOST, FINITE

if TYPE_CHECKING:
    import argparse

    from boxlens.comparison.cases.disagreement import DisagreementResult


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "disagree",
        help="rank images by how much detectors differ, without ground truth",
        description="Rank images by how much the outputs of two or more detectors differ, to "
        "choose what to annotate next. No ground truth is looked at. Options marked * may be "
        "repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add(
        "gt",
        metavar="IMAGES",
        help="images and classes: a data set; its objects are not looked at, and may be absent",
    )
    add("dt", metavar="DT", nargs="+", help="detections: one file or folder a detector")
    add(
        "--min-score",
        metavar="S",
        required=True,
        **several(Number(FINITE), "0.3"),
        help="* score above which a box counts: one for all detectors, or one each",
    )
    add(
        "--by",
        choices=("boxes", "share"),
        default="boxes",
        help="number of boxes in dispute (default), or their share",
    )
    add("--class-agnostic", action="store_true", help="boxes agree whatever their class")
    add(
        "--images-used",
        choices=("check", "all", "common"),
        default="check",
        help="all images, or those common to all detectors; check (default) takes all and stops "
        "where the detectors were plainly run on different ones",
    )
    add("--top", metavar="N", type=Number(AT_MOST), default=20, help="images shown (20)")
    add(
        "-o",
        "--output",
        metavar="PATH",
        help="write all images in order to a .csv file, or into a folder, with a report",
    )
    add("--split", metavar="NAME", help="part of the data set, e.g. test (VOC, YOLO)")
    add_classes_used(command, compared=True)
    add_reading(command)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.comparison.cases.images_to_annotate import disagree_tables

    cuts = _cuts(options)
    if options.output and not _is_csv(options.output):
        from boxlens.report.writing.output_folder import check_output

        check_output(Path(options.output))
    with progress_bar() as progress:
        dataset, tables = read_tables(options, progress, objects=False)
        result = disagree_tables(
            dataset,
            tables,
            min_score=cuts,
            by=options.by,
            class_agnostic=options.class_agnostic,
            images_used=options.images_used,
            classes_used=options.classes_used,
            threads=options.threads,
        )
    print_notices(result.notices)
    if options.output:
        print_note(f"wrote {_written(result, options)}")
    show_or_save_json(
        lambda: result.to_json(options.top), options.json, lambda: _text(result, options.top)
    )


def _cuts(options: argparse.Namespace) -> list[float]:
    given: list[float] = options.min_score
    if len(given) not in (1, len(options.dt)):
        raise ParameterError(
            f"--min-score: one for all, or one for each of {len(options.dt)}, got {len(given)}"
        )
    return given if len(given) > 1 else given * len(options.dt)


def _text(result: DisagreementResult, n_top: int) -> str:
    images = result.images
    rows = [["image", "file", "in dispute", "boxes in dispute", *result.detectors]]
    rows += [
        [
            str(images.id[row]),
            images.file_name[row],
            f"{result.share[row]:.3f}",
            f"{result.boxes[row]:.1f}",
            *(f"{n:,}" for n in result.n_boxes[:, row].tolist()),
        ]
        for row in result.order[:n_top].tolist()
    ]
    mean = f"mean over {len(images):,} images: {result.share.mean():.3f} in dispute"
    return f"{aligned(rows)}\n\n{mean}" if len(images) else "no images"


def _is_csv(path: str) -> bool:
    return path.lower().endswith(".csv")


def _written(result: DisagreementResult, options: argparse.Namespace) -> str:
    from boxlens.report.writing.write_disagreement import write_disagreement, write_images

    path = Path(options.output)
    if _is_csv(options.output):
        return write_images(result, path)
    return write_disagreement(result, path, n_top=options.top)
