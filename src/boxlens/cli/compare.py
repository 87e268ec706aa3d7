"""`boxlens compare`: which detector is better, and is the difference real?"""

from __future__ import annotations

from boxlens.cli.asking import add_report, asks
from boxlens.cli.options import Commands
from boxlens.cli.reading import (
    add_attributes,
    add_files,
    add_images_used,
    add_intervals,
    add_protocol,
    add_reading,
)
from boxlens.limits import FINITE, NOT_NEGATIVE, PERMUTATIONS


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "compare",
        help="say which detector is better, and whether the difference is real",
        description="Say which of two or more detectors is better, whether the difference is "
        "real, on which images it shows and what they could reach together.",
    )
    command.set_defaults(run=asks("compare"))
    add_files(command)
    add_attributes(command)
    add_protocol(command)
    command.text("--metric NAME", "metric to rank by (the protocol's first)")
    command.flag("--per-class", "show every table in full: one row per class")
    add_intervals(command, always=True)
    exchanges = "random exchanges of two detectors' detections"
    command.number("--permutations N", PERMUTATIONS, exchanges, 1000)
    add_images_used(command)
    measures = ("fda", "f1", "recall", "precision")
    command.choice("--measure", measures, "how an image is scored", "fda")
    command.number(
        "--min-score S", FINITE, "score cut of image scores (each detector's own, of best F1)"
    )
    command.choice(
        "--mapping",
        ("one_to_one", "literal"),
        "which boxes FDA pairs: one to one, or as in the paper",
        "one_to_one",
    )
    command.flag("--class-agnostic", "FDA pairs boxes across classes")
    tests = ("paired", "welch", "permutation")
    command.choice("--test", tests, "test of the image scores", "paired")
    command.number(
        "--largest-t0 T",
        NOT_NEGATIVE,
        "detectors differ if p stays low from a threshold of at most this",
        0.1,
    )
    add_report(
        command, pictures="show images of this folder in the report", pdf=True, saving=("threads",)
    )
    add_reading(command, classes_used="check")
