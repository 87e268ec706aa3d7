"""`boxlens robustness`: what breaks a detector?"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import SEVERAL, Commands, add_json
from boxlens.cli.output import (
    SOME_FAILED,
    print_failures,
    print_notices,
    show_or_save_json,
)
from boxlens.cli.report_options import add_report, chosen_formats, kept_folder, save, show_result
from boxlens.cli.robustness_options import (
    add_elsewhere,
    add_running,
    add_transforms,
)
from boxlens.cli.stopping import kept_in
from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boxlens.data import Dataset
    from boxlens.detectors.run_result import Failure
    from boxlens.formats.files import Progress
    from boxlens.images.transforming.transform import Step, Transform
    from boxlens.studies.robustness.analysis import ChangedSets
    from boxlens.studies.robustness.choice import RobustnessChoice
    from boxlens.studies.robustness.exporting import ExportResult
    from boxlens.studies.robustness.result import RobustnessResult


# Options that say which pictures are made, or who looks at them.
OF_PICTURES = (
    *("gt", "images", "model", "export", "split", "gt_format", "spec", "n_images", "cut"),
    *("ignore_neighbours", "scenes", "keep", "batch", "restart"),
)
# And those that say what becomes of what is found.
OF_DETECTORS = ("output", "bound", "keep", "batch", "restart", "intervals", "name", "spec")


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "robustness",
        help="measure what breaks a detector: context, crops, blur, noise, weather",
        description="Measure what breaks a detector: run it on the pictures of a data set and on "
        "changed ones, with their ground truth, and compare. Or write the changed pictures to "
        "files (--export), and compare results made from them elsewhere (--sets, --results). A run "
        "that was stopped resumes with -o or --keep. Options marked * may be repeated, or given "
        "once with commas. Exit code 3: done, but some pictures failed.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", nargs="?", help="ground truth: a file or folder")
    add("more", nargs="*", help=argparse.SUPPRESS)
    add("--split", metavar="NAME", help="part of the data set, e.g. test (VOC, YOLO)")
    add("--gt-format", metavar="F", help="read GT as this format instead of recognising it")
    add("--images", metavar="DIR", **SEVERAL, help="folders of its pictures, or single files")
    add("--model", metavar="M", **SEVERAL, help="detectors to run, as boxlens detect takes them")
    add("--spec", metavar="SPEC", help="spec of the .onnx models: a name or a YAML file")
    add("--bound", metavar="FILE", help="results.json of boxlens upper-bound: UAP beside classes")
    add("--per-class", action="store_true", help="add one row per class, and all other tables")
    add_transforms(command)
    add_elsewhere(command)
    add_running(command)
    add_report(command)
    add_intervals(command)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    _check(options)
    choice = _choice(options)
    formats = chosen_formats(options)
    if options.export:
        _export(options, choice)
        return
    from boxlens.cli.progress import progress_bar

    with progress_bar() as progress:
        result = _measured(options, choice, progress)
        written = save(options, result, formats, progress, images_mb=options.page_mb)
    show_result(options, result, written, detail=options.per_class)
    _leave(result.failed, [one.step for one in result.sets])


def _leave(failed: Sequence[Failure], steps: Iterable[Step]) -> None:
    """Failures come last."""
    from boxlens.studies.robustness.failures import told_failures

    sys.stdout.flush()
    print_failures(told_failures(failed, {step.slug for step in steps}))
    if failed:
        sys.exit(SOME_FAILED)


def _check(options: argparse.Namespace) -> None:
    for name in ("workers", "threads"):
        if getattr(options, name) < 0:
            raise ParameterError(f"--{name}: 0 (all cores) or more, got {getattr(options, name)}")
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
        _check_imported(options)
        return
    if options.results:
        raise ParameterError("--results belong to exported pictures: name their folder (--sets)")
    if not options.gt or not options.images:
        raise ParameterError("name the ground truth and its pictures: GT and --images")
    if options.model and options.export:
        raise ParameterError(
            "--model runs detectors and --export writes pictures for others: give one of the two"
        )
    if not options.model and not options.export:
        raise ParameterError("name detectors to run (--model), or a folder to write to (--export)")
    _refuse(options, ("partial",), "--partial is for results that were made elsewhere (--sets)")
    if options.export:
        _refuse(options, OF_DETECTORS, "--export writes pictures, and runs no detector")
    if options.name and len(options.name) != len(options.model):
        raise ParameterError(
            f"--name each detector once: there are {len(options.model)}, and {len(options.name)} "
            "names"
        )


def _check_imported(options: argparse.Namespace) -> None:
    if not options.results:
        raise ParameterError("--sets are exported pictures: name the results on them (--results)")
    _refuse(options, OF_PICTURES, "--sets has its own pictures, ground truth and settings")


def _refuse(options: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    """Options that would have no effect."""
    unusual = [name for name in names if getattr(options, name) not in (None, "box", False, [])]
    if unusual:
        words = ["GT" if name == "gt" else f"--{name.replace('_', '-')}" for name in unusual]
        raise ParameterError(f"{reason}: omit {', '.join(words)}")


def _is_inside(path: str, folder: str) -> bool:
    return Path(path).resolve().is_relative_to(Path(folder).resolve())


def _choice(options: argparse.Namespace) -> RobustnessChoice:
    from boxlens.images.transforming.catalogue import TRANSFORMS, steps_of
    from boxlens.images.transforming.transform import TransformSettings
    from boxlens.studies.robustness.analysis import USUAL
    from boxlens.studies.robustness.choice import RobustnessChoice

    steps = steps_of(tuple(options.transform) or USUAL, tuple(options.severity) or None)
    _check_steps(options, [TRANSFORMS[step.name] for step in steps])
    asked = options.intervals
    if not asked and (options.replicates or options.level or options.interval_method):
        raise ParameterError("add --intervals: without it nothing is resampled")
    return RobustnessChoice(
        steps=steps,
        settings=TransformSettings(
            seed=options.seed or 0,
            cut=options.cut,
            ignore_neighbours=options.ignore_neighbours,
        ),
        n_images=options.n_images,
        shown_score=options.shown_score,
        intervals=chosen_intervals(options, always=True) if asked else None,
    )


def _check_steps(options: argparse.Namespace, transforms: Sequence[Transform]) -> None:
    """Options of transforms that are not run would have no effect."""
    from boxlens.images.transforming.transform import CORRUPTION_GROUPS

    if options.severity and not any(one.group in CORRUPTION_GROUPS for one in transforms):
        raise ParameterError("--severity is of corruptions, and --transform names none")
    if options.scenes and not any(one.needs_scene for one in transforms):
        raise ParameterError("--scenes is for incongruent, which --transform does not name")
    if options.restart and not (options.keep or options.output):
        raise ParameterError(
            "--restart is for results that were kept: name their folder (--keep, or -o)"
        )


def _measured(
    options: argparse.Namespace, choice: RobustnessChoice, progress: Progress
) -> RobustnessResult:
    from boxlens.studies.robustness.analysis import run_and_measure
    from boxlens.studies.robustness.bound_file import read_bound
    from boxlens.studies.robustness.models import Model

    if options.sets:
        return _imported(options, choice, progress)
    dataset, changed = _changed(options, choice, progress)
    bound = read_bound(options.bound, dataset.classes.name) if options.bound else None
    models = [Model.opened(model, dataset, options.spec) for model in options.model]
    if options.name:
        models = [one.called(name) for one, name in zip(models, options.name, strict=True)]
    return run_and_measure(
        models,
        changed,
        choice,
        bound=bound,
        keep=kept_folder(options, "detections"),
        batch=8 if options.batch is None else options.batch,
        restart=options.restart,
        threads=options.threads,
        progress=progress,
    )


def _imported(
    options: argparse.Namespace, choice: RobustnessChoice, progress: Progress
) -> RobustnessResult:
    from boxlens.studies.robustness.elsewhere import imported_robustness
    from boxlens.studies.robustness.importing import open_sets

    progress("reading sets", 0, 1)
    chosen = options.transform or options.severity
    return imported_robustness(
        open_sets(options.sets),
        options.results,
        choice,
        all_sets=not chosen,
        names=options.name,
        bound=options.bound,
        partial=options.partial,
        threads=options.threads,
        progress=progress,
    )


def _changed(
    options: argparse.Namespace, choice: RobustnessChoice, progress: Progress
) -> tuple[Dataset, ChangedSets]:
    from boxlens.formats import read_dataset
    from boxlens.studies.robustness.analysis import changed_sets

    progress("reading files", 0, 1)
    dataset = read_dataset(
        options.gt,
        format=options.gt_format,
        split=options.split,
        threads=options.threads,
        progress=progress,
    )
    changed = changed_sets(
        dataset, options.images, choice, scenes=options.scenes, progress=progress
    )
    return dataset, changed


def _export(options: argparse.Namespace, choice: RobustnessChoice) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.studies.robustness.exporting import export_sets

    kept_in(Path(options.export))
    with progress_bar() as progress:
        _, changed = _changed(options, choice, progress)
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
