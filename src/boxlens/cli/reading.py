"""Options that commands share: files and how they are read, resampling, JSON."""

from __future__ import annotations

from boxlens.cli.options import Parser
from boxlens.limits import LEVEL, REPLICATES, SEED, THREADS


def add_files(command: Parser, *, one: bool = False) -> None:
    """Ground truth first, then the detections of one detector or of several."""
    add_ground_truth(command)
    if one:
        command.text("dt DT", "detections: a file or folder")
    else:
        command.text("dt DT", "detections: one file or folder per detector", nargs="+")


def add_ground_truth(command: Parser) -> None:
    command.text("gt GT", "ground truth: a file or folder")
    add_parts(command)


def add_attributes(command: Parser) -> None:
    command.text(
        "--attributes FILE",
        "what objects are like: CSV, TSV, JSON or Parquet, joined by object_id, by image and box "
        "(x, y, w, h), or by image and class",
    )


def add_parts(command: Parser) -> None:
    """Which part of the ground truth is used, and how it is read."""
    command.text("--split NAME", "part of the data set, e.g. test (VOC, YOLO)")
    command.several("--classes NAME", "count only these classes (all)")
    command.text("--gt-format F", "read GT as this format instead of recognising it")


def add_detections_format(command: Parser) -> None:
    command.text("--dt-format F", "read DT as this format instead of recognising it")
    command.flag("--strict", "fail on unknown images or classes")


def add_reading(command: Parser, *, one: bool = False, classes_used: str = "") -> None:
    """How detections are read, and with how many threads; `one`: of a single detector.

    `classes_used` is the usual choice of classes, where there is one.
    """
    whose = "the detector's name" if one else "names of the detectors, in the order of DT"
    command.several("--name NAME", whose, into="names")
    add_detections_format(command)
    if classes_used:
        command.choice(
            "--classes-used",
            ("check", "all", "known"),
            "all: classes a detector lacks count as AP 0; check: skip classes without a VOC result "
            "file; known: also skip classes without any detection",
            classes_used,
        )
    add_threads(command)


def add_threads(command: Parser, what: str = "worker threads") -> None:
    command.number("--threads N", THREADS, f"{what} (all cores)")


def add_images_used(command: Parser) -> None:
    """Where detectors are compared."""
    command.choice(
        "--images-used",
        ("check", "all", "common"),
        "images of the comparison: all, or those common to all detectors; check takes all and "
        "stops if the detectors were clearly run on different images",
        "check",
    )


def add_protocol(command: Parser) -> None:
    command.text("--protocol NAME", "coco, voc07, voc12, lvis or openimages", "coco")


def add_intervals(command: Parser, *, always: bool = False, all_random: bool = False) -> None:
    """`always`: the command resamples anyway; `all_random`: the seed is not of resampling alone."""
    if not always:
        command.flag("--intervals", "say how sure the numbers are")
    command.number("--replicates N", REPLICATES, "resampled test sets (1000)")
    command.number("--level L", LEVEL, "level of the intervals (0.95)")
    kinds = ("normal", "percentile", "bca")
    command.choice("--interval-method", kinds, "kind of interval (normal)")
    add_seed(command)
    # Refused without --intervals: they would have no effect.
    resampled = ["replicates", "level", "interval_method", *([] if all_random else ["seed"])]
    command.set_defaults(resampled=[] if always else resampled)


def add_seed(command: Parser) -> None:
    command.number("--seed N", SEED, "seed of everything random (0)")


def add_workers(command: Parser, what: str = "processes that search pictures") -> None:
    command.number("--workers N", THREADS, f"{what} (all cores)", default=0)


def add_json(command: Parser) -> None:
    """The option for JSON output."""
    command.text("--json FILE", "write JSON to FILE; - prints it instead of the text")


def add_strict_coco(command: Parser) -> None:
    """Where a command writes ground truth as COCO."""
    command.flag("--strict-coco", "write only COCO's own fields, and report what they cannot hold")
