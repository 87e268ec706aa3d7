"""`boxlens upper-bound`: how good could a detector be that finds every object?"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from boxlens.cli.asking import add_megabytes, add_report, answer, check_report, keep_in, show
from boxlens.cli.options import Commands, Parser
from boxlens.cli.output import SOME_FAILED, print_failures, print_note
from boxlens.cli.reading import add_ground_truth, add_intervals, add_reading, add_workers
from boxlens.errors import ParameterError
from boxlens.limits import ABOVE_ZERO, BATCH, BELOW_ONE, BOX_SCALE, EPOCHS, FOLDS, SHIFTS, SIDE_PX

if TYPE_CHECKING:
    from boxlens.detectors.classifiers.torch.choice import FineTuning


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
    add_ground_truth(command)
    command.text(
        "dt DT", "detections to compare with the bound: one file or folder per detector", nargs="*"
    )
    command.files("--images DIR", "folders of the pictures, or single ones")
    add_megabytes(command)
    command.flag("--per-class", "add one row per class")
    _add_classifier(command)
    command.number(
        "--sampled-iou T",
        BELOW_ONE,
        "IoU of the boxes around an object that vote on its label (0.5); 0: no such boxes",
    )
    command.number("--shifts N", SHIFTS, "such boxes per corner (1: 4 in all)")
    command.flag("--context", "also classify crops smaller and larger than the box")
    command.numbers("--scale S", BOX_SCALE, "scales of the box for --context (0.2 to 2)")
    add_report(command, saving=("images_mb",))
    add_intervals(command, all_random=True)
    add_reading(command)


def _add_classifier(command: Parser) -> None:
    command.text(
        "--classifier C",
        "hog (default: gradients and colours, trained here), torch:small or torch:module:function "
        "(fine-tuned here), a .npz or .onnx file, module:function, or a file of labels and scores "
        "(.json, .csv, .parquet)",
        default="hog",
    )
    command.text("--spec FILE", "YAML of an .onnx classifier (the one beside it)")
    command.text("--train-gt GT", "ground truth to train the classifier on")
    command.files("--train-images DIR", "its pictures")
    command.number(
        "--folds N",
        FOLDS,
        "folds of cross-validation without --train-gt: each is labelled by a classifier trained "
        "on the others (5)",
    )
    command.text("--save FILE", "save the trained classifier (.npz)")
    command.number("--epochs N", EPOCHS, "of torch (20)")
    command.number("--side PX", SIDE_PX, "size of torch's crops (224)", into="side_px")
    command.number("--batch N", BATCH, "batch size of torch (32)")
    command.number("--learning-rate R", ABOVE_ZERO, "of torch (0.001)")
    command.text("--keep DIR", "checkpoints of torch (with -o: DIR/checkpoints)")
    command.flag("--restart", "ignore checkpoints and train again")
    add_workers(command, "threads for training")


def run(options: argparse.Namespace) -> None:
    from boxlens.studies.upper_bound.analysis import upper_bound

    _check(options)
    check_report(options)
    more: dict[str, Any] = {"fine_tuning": _fine_tuning(options)}
    if options.sampled_iou == 0:
        more["sampled_iou"] = None
    if options.scale:
        more["context"] = options.scale
    if options.keep or options.classifier.startswith("torch:"):
        keep_in(options, "checkpoints")
    result, written = answer(options, upper_bound, **more)
    if options.save:
        print_note(f"wrote {options.save}")
    print_failures(result.failed)
    show(options, result, written)
    if result.failed:
        sys.stdout.flush()
        sys.exit(SOME_FAILED)


def _check(options: argparse.Namespace) -> None:
    """Options that would have no effect are refused."""
    from boxlens.studies.upper_bound.label_source import LabelSource
    from boxlens.studies.upper_bound.learning import needs_training

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


def _fine_tuning(options: argparse.Namespace) -> FineTuning | None:
    names = ("epochs", "side_px", "batch", "learning_rate")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if not options.classifier.startswith("torch:"):
        if given:
            raise ParameterError(
                "--epochs, --side, --batch and --learning-rate are for --classifier torch:..."
            )
        return None
    from boxlens.detectors.classifiers.torch.choice import FineTuning

    return FineTuning(seed=options.seed or 0, threads=options.workers, **given)
