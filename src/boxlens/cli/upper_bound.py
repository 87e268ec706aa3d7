"""`boxlens upper-bound`: how good could a detector be that finds every object?"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import SEVERAL, Commands, Number, add_json, several
from boxlens.cli.output import SOME_FAILED, print_failures, print_note
from boxlens.cli.reading import add_reading, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, kept_folder, save, show_result
from boxlens.errors import InputError, ParameterError
from boxlens.limits import (
    ABOVE_ZERO,
    BATCH,
    BELOW_ONE,
    BOX_SCALE,
    EPOCHS,
    FOLDS,
    NOT_NEGATIVE,
    SHIFTS,
    SIDE_PX,
    THREADS,
)

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from boxlens.detectors.classifiers.torch.choice import FineTuning
    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles
    from boxlens.studies.upper_bound.choice import UpperBoundChoice
    from boxlens.studies.upper_bound.label_source import LabelSource
    from boxlens.studies.upper_bound.learning import Lessons, Training
    from boxlens.studies.upper_bound.result import UpperBoundResult


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "upper-bound",
        help="measure how good a detector could be that finds every object",
        description="Measure how good a detector could be that finds every object: a classifier "
        "labels the true boxes, and these are scored as detections (upper-bound AP, UAP). With "
        "detections, also how far each detector is from that bound. Exit code 3: done, but some "
        "pictures failed.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add(
        "dt",
        metavar="DT",
        nargs="*",
        help="detections to compare with the bound: one file or folder per detector",
    )
    add("--split", metavar="NAME", help="part of the data set, e.g. test (VOC, YOLO)")
    add("--images", metavar="DIR", **SEVERAL, help="folders of the pictures, or single ones")
    add(
        "--images-mb",
        dest="page_mb",
        metavar="N",
        type=Number(NOT_NEGATIVE),
        default=8.0,
        help="maximum megabytes of pictures in the page (8)",
    )
    add("--per-class", action="store_true", help="add one row per class")
    _add_classifier(command)
    _add_questions(command)
    add_report(command)
    add_intervals(command)
    add_reading(command)
    add_json(command)


def _add_classifier(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--classifier",
        metavar="C",
        default="hog",
        help="hog (default: gradients and colours, trained here), torch:small or "
        "torch:module:function (fine-tuned here), a .npz or .onnx file, module:function, or a "
        "file of labels and scores (.json, .csv, .parquet)",
    )
    add("--spec", metavar="FILE", help="YAML of an .onnx classifier (the one beside it)")
    add("--train-gt", metavar="GT", help="ground truth to train the classifier on")
    add("--train-images", metavar="DIR", **SEVERAL, help="its pictures")
    add(
        "--folds",
        metavar="N",
        type=Number(FOLDS),
        help="folds of cross-validation without --train-gt: each is labelled by a classifier "
        "trained on the others (5)",
    )
    add("--save", metavar="FILE", help="save the trained classifier (.npz)")
    add("--epochs", metavar="N", type=Number(EPOCHS), help="of torch (20)")
    add("--side", metavar="PX", type=Number(SIDE_PX), help="size of torch's crops (224)")
    add("--batch", metavar="N", type=Number(BATCH), help="batch size of torch (32)")
    add("--learning-rate", metavar="R", type=Number(ABOVE_ZERO), help="of torch (0.001)")
    add("--keep", metavar="DIR", help="checkpoints of torch (with -o: DIR/checkpoints)")
    add("--restart", action="store_true", help="ignore checkpoints and train again")
    add(
        "--workers",
        metavar="N",
        type=Number(THREADS),
        default=0,
        help="threads for training (all cores)",
    )


def _add_questions(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--sampled-iou",
        metavar="T",
        type=Number(BELOW_ONE),
        help="IoU of the boxes around an object that vote on its label (0.5); 0: no such boxes",
    )
    add("--shifts", metavar="N", type=Number(SHIFTS), help="such boxes per corner (1: 4 in all)")
    add(
        "--context", action="store_true", help="also classify crops smaller and larger than the box"
    )
    add(
        "--scale",
        metavar="S",
        **several(Number(BOX_SCALE), "1.5"),
        help="scales of the box for --context (0.2 to 2), with commas",
    )


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar

    choice = _choice(options)
    source = _source(options)
    formats = chosen_formats(options)
    with progress_bar() as progress:
        result, files = _bounded(options, choice, source, progress)
        pictures = {"images": files, "images_mb": options.page_mb}
        written = save(options, result, formats, progress, **pictures)
    print_failures(result.failed)
    show_result(options, result, written, detail=options.per_class)
    if result.failed:
        sys.stdout.flush()
        sys.exit(SOME_FAILED)


def _source(options: argparse.Namespace) -> LabelSource:
    """Without the training set, which is read later."""
    from boxlens.studies.upper_bound.label_source import LabelSource

    return LabelSource(options.classifier, options.spec, training=_training(options))


def _choice(options: argparse.Namespace) -> UpperBoundChoice:
    from boxlens.studies.upper_bound.choice import CONTEXT_SCALES, UpperBoundChoice

    _check_questions(options)
    resampling = chosen_intervals(options, always=True) if options.intervals else None
    usual = UpperBoundChoice()
    sampled_iou = usual.sampled_iou if options.sampled_iou is None else options.sampled_iou
    return UpperBoundChoice(
        sampled_iou=sampled_iou or None,
        n_shifts=usual.n_shifts if options.shifts is None else options.shifts,
        context_scales=(tuple(options.scale) or CONTEXT_SCALES) if options.context else (),
        n_folds=usual.n_folds if options.folds is None else options.folds,
        seed=options.seed or 0,
        intervals=resampling,
    )


def _check_questions(options: argparse.Namespace) -> None:
    """Options that would have no effect are refused."""
    from boxlens.studies.upper_bound.label_source import LabelSource
    from boxlens.studies.upper_bound.trainers import needs_training

    if not options.intervals and (options.replicates or options.level or options.interval_method):
        raise ParameterError("add --intervals: without it nothing is resampled")
    if options.scale and not options.context:
        raise ParameterError("--scale is for the context study: add --context")
    sampled = options.sampled_iou is not None or options.shifts is not None
    if sampled and LabelSource(options.classifier).is_file:
        raise ParameterError(
            "--sampled-iou and --shifts need a classifier: a file of labels has none"
        )
    if options.folds is not None and (options.train_gt or not needs_training(options.classifier)):
        raise ParameterError(
            "--folds is for cross-validation: for hog and torch:... without --train-gt"
        )


def _training(options: argparse.Namespace) -> Training:
    from boxlens.studies.upper_bound.learning import Training
    from boxlens.studies.upper_bound.trainers import needs_training

    if options.save and not options.save.endswith(".npz"):
        raise InputError(
            "classifiers are saved as .npz", path=options.save, remedy="Name a file ending in .npz"
        )
    if options.save and not needs_training(options.classifier):
        raise ParameterError(
            f"--save is for a classifier trained here, and {options.classifier} is ready-made"
        )
    if options.save and not options.train_gt:
        raise ParameterError(
            "--save is for one classifier, and cross-validation trains several: give a training "
            "set (--train-gt, --train-images)"
        )
    return Training(
        seed=options.seed or 0,
        workers=options.workers,
        fine_tuning=_fine_tuning(options),
        keep=_kept(options),
        restart=options.restart,
    )


def _kept(options: argparse.Namespace) -> Path | None:
    """Where torch keeps its checkpoints."""
    if not options.keep and not options.classifier.startswith("torch:"):
        return None
    return kept_folder(options, "checkpoints")


def _fine_tuning(options: argparse.Namespace) -> FineTuning | None:
    given = {
        "epochs": options.epochs,
        "side_px": options.side,
        "batch": options.batch,
        "learning_rate": options.learning_rate,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if not options.classifier.startswith("torch:"):
        if given:
            raise ParameterError(
                "--epochs, --side, --batch and --learning-rate are for --classifier torch:..."
            )
        return None
    from boxlens.detectors.classifiers.torch.choice import FineTuning

    return FineTuning(seed=options.seed or 0, threads=options.workers, **given)


def _bounded(
    options: argparse.Namespace, choice: UpperBoundChoice, source: LabelSource, progress: Progress
) -> tuple[UpperBoundResult, ImageFiles | None]:
    """The result, and the pictures of its mistakes."""
    from boxlens.images import find_images
    from boxlens.studies.upper_bound.analysis import bound_tables

    source = replace(source, lessons=_lessons(options, progress))
    dataset, tables = read_tables(options, progress)
    files, notices = find_images(options.images, dataset=dataset) if options.images else (None, ())
    result, trained = bound_tables(
        dataset,
        tables,
        source,
        files,
        choice,
        notices=notices,
        threads=options.threads,
        progress=progress,
    )
    if options.save and trained is not None:
        from boxlens.studies.upper_bound.trainers import save_trained

        save_trained(trained, options.classifier, options.save)
        print_note(f"wrote {options.save}")
    return result, files


def _lessons(options: argparse.Namespace, progress: Progress) -> Lessons | None:
    from boxlens.formats import read_dataset
    from boxlens.images import find_images
    from boxlens.studies.upper_bound.learning import Lessons

    if not options.train_gt and not options.train_images:
        return None
    if not options.train_gt or not options.train_images:
        raise ParameterError("a training set needs both --train-gt and --train-images")
    dataset = read_dataset(options.train_gt, threads=options.threads, progress=progress)
    return Lessons(dataset, *find_images(options.train_images, dataset=dataset))
