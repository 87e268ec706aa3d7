"""`boxlens robustness`: what breaks a detector?"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.asking import (
    add_megabytes,
    add_report,
    answer,
    check_report,
    keep_in,
    keywords,
    show,
)
from boxlens.cli.options import Commands, Parser
from boxlens.cli.output import SOME_FAILED, print_failures, print_notices, show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.reading import add_intervals, add_parts, add_threads, add_workers
from boxlens.cli.stopping import kept_in
from boxlens.errors import ParameterError
from boxlens.limits import AT_MOST, BATCH, FINITE, SEVERITY

if TYPE_CHECKING:
    from boxlens.detectors.run_result import Failure
    from boxlens.images.transforming.transform import Step
    from boxlens.studies.robustness.choice import RobustnessChoice
    from boxlens.studies.robustness.exporting import ExportResult

# Options that say which pictures are made, or who looks at them.
OF_PICTURES = (
    *("gt", "images", "model", "export", "split", "classes", "gt_format", "spec", "n_images"),
    *("cut", "ignore_neighbours", "scenes", "keep", "batch", "restart"),
)
# And those that say what becomes of what is found.
OF_DETECTORS = ("output", "bound", "keep", "batch", "restart", "intervals", "name", "spec")
# Options whose values stand under another name.
INTO = {"model": "dt", "name": "names"}


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "robustness",
        help="measure what breaks a detector: context, crops, blur, noise, weather",
        description="Measure what breaks a detector: run it on the pictures of a data set and on "
        "changed ones, with their ground truth, and compare. Or write the changed pictures to "
        "files (--export), and compare results made from them elsewhere (--sets, --results). A run "
        "that was stopped resumes with -o or --keep. Exit code 3: done, but some pictures failed.",
    )
    command.set_defaults(run=run)
    command.text("gt GT", "ground truth: a file or folder", nargs="?")
    command.add_argument("more", nargs="*", help=argparse.SUPPRESS)
    add_parts(command)
    command.files("--images DIR", "folders of its pictures, or single files")
    command.files("--model M", "detectors to run, as boxlens detect takes them", into="dt")
    command.text("--spec SPEC", "spec of the .onnx models: a name or a YAML file")
    command.text("--bound FILE", "results.json of boxlens upper-bound: UAP beside classes")
    command.flag("--per-class", "add one row per class, and all other tables")
    _add_transforms(command)
    _add_elsewhere(command)
    command.text("--keep DIR", "keep detections there (with -o: DIR/detections)")
    command.number("--batch N", BATCH, "batch size of the models (8)")
    command.flag("--restart", "ignore kept detections and start again")
    shown = "minimum score of detections in error counts, maps and examples"
    command.number("--shown-score S", FINITE, shown, 0.3)
    add_megabytes(command)
    add_workers(command, "threads of --export")
    add_threads(command, "threads for matching")
    add_report(command, saving=("images_mb",))
    add_intervals(command, all_random=True)


def _add_transforms(command: Parser) -> None:
    command.several(
        "--transform WORD",
        "transforms, one level of one (gaussian_noise:3), or groups: study, corruptions, noise, "
        "blur, weather, digital, graded, all (study,corruptions)",
        into="transforms",
    )
    severities = "severities of corruptions, from 1 to 5 (all five)"
    command.numbers("--severity N", SEVERITY, severities, into="severities")
    command.number("--n-images N", AT_MOST, "number of pictures, evenly spread (all)")
    command.choice("--cut", ("box", "mask"), "what is kept of an object", "box")
    command.flag(
        "--ignore-neighbours",
        "do not count detections of a neighbour in the picture of another object as errors",
    )
    command.text("--scenes DIR", "pictures to paste objects on (others of the data set)")


def _add_elsewhere(command: Parser) -> None:
    command.text("--export DIR", "write changed pictures and their ground truth, and stop")
    command.text("--sets DIR", "folder that --export has written, instead of GT")
    command.files("--results DIR", "results on --sets: one folder per detector")
    command.flag("--partial", "skip sets without results")
    command.several("--name NAME", "names of the detectors, in order", into="names")


def run(options: argparse.Namespace) -> None:
    from boxlens.studies.robustness.analysis import asked_robustness, robustness
    from boxlens.studies.robustness.elsewhere import imported_robustness

    _check(options)
    choice = asked_robustness(**keywords(options, asked_robustness))
    _check_steps(options, choice.steps)
    check_report(options)
    if options.export:
        _export(options, choice)
        return
    if options.sets:
        all_sets = not (options.transforms or options.severities)
        found = answer(options, imported_robustness, choice=choice, all_sets=all_sets)
    else:
        keep_in(options, "detections")
        found = answer(options, robustness)
    show(options, *found)
    result = found[0]
    _leave(result.failed, [one.step for one in result.sets])


def _leave(failed: Sequence[Failure], steps: Iterable[Step]) -> None:
    """Failures come last."""
    from boxlens.studies.robustness.failures import told_failures

    sys.stdout.flush()
    print_failures(told_failures(failed, {step.slug for step in steps}))
    if failed:
        sys.exit(SOME_FAILED)


def _check(options: argparse.Namespace) -> None:
    if options.more:
        raise ParameterError(
            f"{options.more[0]}: this command runs detectors (--model); results made elsewhere on "
            "changed pictures are given with --sets and --results"
        )
    if options.bound and options.output and _is_inside(options.bound, options.output):
        raise ParameterError(
            f"--bound {options.bound} would be overwritten: name another folder with -o"
        )
    if options.sets:
        if not options.results:
            raise ParameterError(
                "--sets are exported pictures: name the results on them (--results)"
            )
        _refuse(options, OF_PICTURES, "--sets has its own pictures, ground truth and settings")
        return
    if options.results:
        raise ParameterError("--results belong to exported pictures: name their folder (--sets)")
    if not options.gt or not options.images:
        raise ParameterError("name the ground truth and its pictures: GT and --images")
    if options.dt and options.export:
        raise ParameterError(
            "--model runs detectors and --export writes pictures for others: give one of the two"
        )
    if not options.dt and not options.export:
        raise ParameterError("name detectors to run (--model), or a folder to write to (--export)")
    _refuse(options, ("partial",), "--partial is for results that were made elsewhere (--sets)")
    if options.export:
        _refuse(options, OF_DETECTORS, "--export writes pictures, and runs no detector")


def _refuse(options: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    """Options that would have no effect."""
    values = {name: getattr(options, INTO.get(name, name)) for name in names}
    unusual = [name for name, value in values.items() if value not in (None, "box", False, [])]
    if unusual:
        words = ["GT" if name == "gt" else f"--{name.replace('_', '-')}" for name in unusual]
        raise ParameterError(f"{reason}: omit {', '.join(words)}")


def _is_inside(path: str, folder: str) -> bool:
    return Path(path).resolve().is_relative_to(Path(folder).resolve())


def _check_steps(options: argparse.Namespace, steps: Sequence[Step]) -> None:
    """Options of transforms that are not run would have no effect."""
    from boxlens.images.transforming.catalogue import TRANSFORMS
    from boxlens.images.transforming.transform import CORRUPTION_GROUPS

    transforms = [TRANSFORMS[step.name] for step in steps]
    if options.severities and not any(one.group in CORRUPTION_GROUPS for one in transforms):
        raise ParameterError("--severity is of corruptions, and --transform names none")
    if options.scenes and not any(one.needs_scene for one in transforms):
        raise ParameterError("--scenes is used by incongruent alone: add it to --transform")
    if options.restart and not (options.keep or options.output):
        raise ParameterError(
            "--restart is for results that were kept: name their folder (--keep, or -o)"
        )


def _export(options: argparse.Namespace, choice: RobustnessChoice) -> None:
    from boxlens.formats.given import Reading
    from boxlens.studies.robustness.analysis import changed_sets
    from boxlens.studies.robustness.exporting import export_sets

    kept_in(Path(options.export))
    with progress_bar() as progress:
        reading = Reading(**keywords(options, Reading), progress=progress)
        changed = changed_sets(
            reading.dataset(options.gt),
            options.images,
            choice,
            scenes=options.scenes,
            progress=progress,
        )
        result = export_sets(
            changed.sets,
            options.export,
            failed=changed.failed,
            workers=options.workers or os.cpu_count() or 1,
            progress=progress,
        )
    print_notices([*changed.notices, *result.notices])
    failed = (*changed.failed, *result.failed)
    show_or_save_json(
        lambda: {**result.to_json(), "failed": [asdict(one) for one in failed]},
        options.json,
        lambda: _export_text(result),
    )
    _leave(failed, [one.step for one in result.sets])


def _export_text(result: ExportResult) -> str:
    sets, first = result.sets, result.sets[-1].step.slug
    return (
        f"wrote {result.folder}: {len(sets):,} sets, {result.n_images:,} pictures\n"
        f"Run your detector over each {result.folder}/SET/images, write its boxes as "
        f"RESULTS/SET.json (such as {first}.json, ids as in SET/ground_truth.json), then:\n"
        f"  boxlens robustness --sets {result.folder} --results RESULTS"
    )
