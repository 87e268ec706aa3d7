"""`boxlens detect`: what does a detector find in these pictures?"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from boxlens.cli.options import Commands
from boxlens.cli.output import print_failures, print_notices, show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.reading import add_json
from boxlens.cli.stopping import kept_in
from boxlens.errors import ParameterError
from boxlens.limits import AT_MOST, BATCH, FINITE
from boxlens.wording import counted

if TYPE_CHECKING:
    from boxlens.data import Notice
    from boxlens.detectors.run_result import RunResult
    from boxlens.progress import Progress

SCHEMA = "boxlens/detect/1"


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "detect",
        help="run a detector over pictures",
        description="Run a detector over pictures and write COCO results. If interrupted, "
        "the same command continues.",
    )
    command.set_defaults(run=run)
    command.text("images IMAGES", "folders of pictures, or single files", nargs="+")
    command.text(
        "--model MODEL",
        "window, region, a .npz or .onnx file, package.module:function, or a folder to exchange "
        "with a detector that runs elsewhere",
        required=True,
    )
    command.text("--spec SPEC", "how to feed an .onnx model and read its output")
    command.text(
        "--gt --ground-truth GT",
        "ground truth: run only on its pictures, with its image and class ids",
    )
    command.text("--split NAME", "part of the ground truth (VOC, YOLO)")
    command.text("-o --output FILE", "the COCO results to write", required=True)
    command.number("--min-score S", FINITE, "drop detections below this score")
    command.number("--max-per-image N", AT_MOST, "keep the best N detections per image")
    command.number("--batch N", BATCH, "pictures per batch", 8)
    command.flag("--restart", "start again, discarding existing or partial results")
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.detectors.run import journal_path
    from boxlens.detectors.run_result import NothingDetectedError

    kept_in(journal_path(options.output))
    try:
        with progress_bar() as progress:
            result, notices = _detected(options, progress)
    except NothingDetectedError as problem:
        print_failures(problem.failed)
        raise
    print_notices([*notices, *result.notices])
    print_failures(result.failed)
    show_or_save_json(
        lambda: _document(options, result, notices), options.json, lambda: _text(result)
    )


def _detected(
    options: argparse.Namespace, progress: Progress
) -> tuple[RunResult, tuple[Notice, ...]]:
    from boxlens.detectors.exchange import ExchangeFolder, export_files
    from boxlens.detectors.opening import open_detector
    from boxlens.detectors.pictures import PictureFiles
    from boxlens.detectors.renaming import with_classes
    from boxlens.detectors.run import detect_pictures
    from boxlens.formats import read_dataset
    from boxlens.images import find_images

    if options.split is not None and options.gt is None:
        raise ParameterError("--split selects a part of the ground truth: add --gt")
    dataset = None
    if options.gt is not None:
        dataset = read_dataset(options.gt, split=options.split, progress=progress)
    files, notices = find_images(options.images, dataset=dataset)
    detector, identity = open_detector(
        options.model, spec=options.spec, classes=None if dataset is None else dataset.classes
    )
    if isinstance(detector, ExchangeFolder) and detector.results_path() is None:
        print_failures(export_files(detector, files, progress))
        raise detector.waiting()
    if isinstance(detector, ExchangeFolder):
        notices = (*notices, *detector.notices)
    if dataset is not None:
        detector, class_notices = with_classes(detector, dataset.classes)
        notices = (*notices, *class_notices)
    result = detect_pictures(
        detector,
        PictureFiles(files),
        options.output,
        identity=identity,
        batch=options.batch,
        min_score=options.min_score,
        max_per_image=options.max_per_image,
        restart=options.restart,
        expected=None if dataset is None else dataset.images.sizes_by_id(),
        progress=progress,
    )
    return result, notices


def _text(result: RunResult) -> str:
    n_done = result.n_images - len(result.failed)
    n_found = counted(result.n_detections, "detection")
    found = f"{n_found} of '{result.detector}' in {counted(n_done, 'image')}"
    lines = [f"wrote {result.output}: {found}"]
    if result.failed:
        lines.append(f"{len(result.failed):,} of {counted(result.n_images, 'image')} failed")
    if result.n_resumed:
        lines.append(f"{counted(result.n_resumed, 'image')} kept from an interrupted run")
    lines += [f"{counted(count, 'picture')}: {change}" for change, count in result.changes.items()]
    return "\n".join(lines)


def _document(
    options: argparse.Namespace, result: RunResult, notices: tuple[Notice, ...]
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "model": options.model,
        "output": str(result.output),
        "detector": result.detector,
        "n_images": result.n_images,
        "n_done": result.n_images - len(result.failed),
        "n_resumed": result.n_resumed,
        "n_detections": result.n_detections,
        "failed": [asdict(failure) for failure in result.failed],
        "changes": dict(result.changes),
        "notices": [asdict(notice) for notice in (*notices, *result.notices)],
    }
