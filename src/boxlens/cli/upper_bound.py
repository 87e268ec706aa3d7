"""`boxlens upper-bound`: how good could a detector be that finds every object?"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import Commands, add_json, several
from boxlens.cli.output import SOME_FAILED, print_failures, print_note
from boxlens.cli.reading import add_reading, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, show_report
from boxlens.errors import InputError, ParameterError

if TYPE_CHECKING:
    import argparse

    from boxlens.detectors.classifiers.torch.choice import FineTuning
    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles
    from boxlens.recognition_bound.choice import UpperBoundChoice
    from boxlens.recognition_bound.label_source import LabelSource
    from boxlens.recognition_bound.learning import Lessons, Training
    from boxlens.recognition_bound.result import UpperBoundResult

SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "upper-bound",
        help="say how good a detector could be that finds every object",
        description="Say how good a detector could be that finds every object: a classifier names "
        "the true boxes, and the result is scored as detections (UAP). With detections, how far "
        "each detector is from that. Exit code 3: done, but some pictures failed.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add("dt", metavar="DT", nargs="*", help="detections to put beside it: one file a detector")
    add("--split", metavar="NAME", help="part of the data set, e.g. test (VOC, YOLO)")
    add("--images", metavar="DIR", **SEVERAL, help="folders of the pictures, or single ones")
    add(
        "--images-mb",
        dest="page_mb",
        metavar="N",
        type=float,
        default=8.0,
        help="megabytes that the pictures in the page take at most (8)",
    )
    add("--per-class", action="store_true", help="add a row for every class")
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
    add("--train-gt", metavar="GT", help="what the classifier learns from")
    add("--train-images", metavar="DIR", **SEVERAL, help="its pictures")
    add(
        "--folds",
        metavar="N",
        type=int,
        help="without --train-gt: parts of the images, each named by a classifier that has learnt "
        "from the others (5)",
    )
    add("--save", metavar="FILE", help="keep the trained classifier there (.npz)")
    add("--epochs", metavar="N", type=int, help="of torch (20)")
    add("--side", metavar="PX", type=int, help="of the crops that torch sees (224)")
    add("--batch", metavar="N", type=int, help="crops of one step of torch (32)")
    add("--learning-rate", metavar="R", type=float, help="of torch (.001)")
    add("--keep", metavar="DIR", help="checkpoints of torch (with -o: DIR/checkpoints)")
    add("--restart", action="store_true", help="train anew, even where checkpoints are")
    add("--workers", metavar="N", type=int, default=0, help="threads for training (all cores)")


def _add_questions(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--sampled-iou",
        metavar="T",
        type=float,
        help="IoU of the boxes around an object that vote on its label (.5); 0: none are asked",
    )
    add("--shifts", metavar="N", type=int, help="such boxes a corner (1: 4 in all)")
    add("--context", action="store_true", help="show less and more than the box, too")
    add(
        "--scale",
        metavar="S",
        **several(float, "1.5"),
        help="scales of the box for --context (.2 to 2), with commas",
    )


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.cli.upper_bound_text import upper_bound_text

    choice = _choice(options)
    source = _source(options)
    formats = chosen_formats(options)
    written = None
    try:
        with progress_bar() as progress:
            result, files = _bounded(options, choice, source, progress)
            if options.output:
                from boxlens.report.writing.write_bound import write_bound

                written = write_bound(
                    result,
                    Path(options.output),
                    files=files,
                    formats=formats,
                    images_mb=options.page_mb,
                    progress=progress,
                )
    except KeyboardInterrupt:
        if source.training.keep is not None:
            print_note("interrupted; the same command goes on where it stopped")
        raise
    print_failures(result.failed)
    show_report(
        options,
        result.notices,
        written,
        result.to_json,
        lambda: upper_bound_text(result, per_class=options.per_class),
    )
    if result.failed:
        sys.stdout.flush()
        sys.exit(SOME_FAILED)


def _source(options: argparse.Namespace) -> LabelSource:
    """Without the training set, which is read later."""
    from boxlens.recognition_bound.label_source import LabelSource

    return LabelSource(options.classifier, options.spec, training=_training(options))


def _choice(options: argparse.Namespace) -> UpperBoundChoice:
    from boxlens.recognition_bound.choice import CONTEXT_SCALES, UpperBoundChoice

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
    """Options that would change nothing are refused."""
    from boxlens.recognition_bound.label_source import LabelSource
    from boxlens.recognition_bound.trainers import needs_training

    if not options.intervals and (options.replicates or options.level or options.interval_method):
        raise ParameterError("ask for --intervals too: without them nothing is resampled")
    if options.scale and not options.context:
        raise ParameterError("--scale is for the context study: ask for it with --context")
    sampled = options.sampled_iou is not None or options.shifts is not None
    if sampled and LabelSource(options.classifier).is_file:
        raise ParameterError(
            "--sampled-iou and --shifts show boxes to a classifier: a file of labels has none"
        )
    if options.folds is not None and (options.train_gt or not needs_training(options.classifier)):
        raise ParameterError(
            "--folds is for cross-validation: for hog and torch:... without --train-gt"
        )


def _training(options: argparse.Namespace) -> Training:
    from boxlens.recognition_bound.learning import Training
    from boxlens.recognition_bound.trainers import needs_training

    if options.workers < 0:
        raise ParameterError(f"--workers: 0 (all cores) or more, got {options.workers}")
    if options.save and not options.save.endswith(".npz"):
        raise InputError(
            "classifiers are written as .npz", path=options.save, remedy="Name a file that ends so"
        )
    if options.save and not needs_training(options.classifier):
        raise ParameterError(
            f"--save keeps what was trained here, and {options.classifier} is ready"
        )
    if options.save and not options.train_gt:
        raise ParameterError(
            "--save keeps one classifier, and cross-validation makes several: give a training set "
            "(--train-gt, --train-images)"
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
    if options.keep:
        return Path(options.keep)
    if not options.output or not options.classifier.startswith("torch:"):
        return None
    from boxlens.report.writing.output_folder import Claim

    options.claim = Claim(Path(options.output))
    return Path(options.output) / "checkpoints"


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
    from boxlens.recognition_bound.analysis import bound_tables

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
        from boxlens.recognition_bound.trainers import save_trained

        save_trained(trained, options.classifier, options.save)
        print_note(f"wrote {options.save}")
    return result, files


def _lessons(options: argparse.Namespace, progress: Progress) -> Lessons | None:
    from boxlens.formats import read_dataset
    from boxlens.images import find_images
    from boxlens.recognition_bound.learning import Lessons

    if not options.train_gt and not options.train_images:
        return None
    if not options.train_gt or not options.train_images:
        raise ParameterError("a training set is --train-gt and --train-images: give both")
    dataset = read_dataset(options.train_gt, threads=options.threads, progress=progress)
    return Lessons(dataset, *find_images(options.train_images, dataset=dataset))
