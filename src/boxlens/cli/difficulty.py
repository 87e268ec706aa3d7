"""`boxlens difficulty`: how hard is this data set, and what makes its classes hard?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxlens.cli.options import Commands, add_json, several
from boxlens.cli.reading import read_detection_files
from boxlens.cli.report_options import add_report, chosen_formats, show_report
from boxlens.errors import InputError, ParameterError

if TYPE_CHECKING:
    import argparse

    from boxlens.data import Dataset
    from boxlens.dataset_difficulty import DifficultyChoice, DifficultyResult
    from boxlens.dataset_difficulty.guesses import System
    from boxlens.formats.files import Progress


# Files, one after the other or option after option.
SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "difficulty",
        help="say how hard a data set is, and what makes its classes hard",
        description="Say how hard a data set is: instances, neighbours, scale, chance performance "
        "of localization and clutter of every class; with detections or guesses also what makes "
        "classes hard for them, along a class tree and by what classes are like. Options marked * "
        "may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", nargs="+", help="ground truth: one file or folder a data set")
    add("--split", metavar="NAME", help="part of the data sets, e.g. test (VOC, YOLO)")
    add("--per-class", action="store_true", help="add a row for every class")
    _add_systems(command)
    _add_windows(command)
    _add_subsets(command)
    add_report(command)
    _add_reading(command)
    add_json(command)


def _add_systems(command: argparse.ArgumentParser) -> None:
    """Who is judged on the first data set, and by what classes are told apart."""
    add = command.add_argument
    add("--detections", metavar="DT", **SEVERAL, help="detections on the first GT")
    add(
        "--guesses",
        metavar="FILE",
        **SEVERAL,
        help="ranked guesses on the first GT: CSV with image, class and perhaps x, y, w, h",
    )
    add("--top-k", metavar="N", type=int, default=5, help="guesses of an image that count (5)")
    add("--one-a-class", action="store_true", help="of a class, only the best guess of an image")
    add("--iou", metavar="T", type=float, default=0.5, help="overlap that counts as right (.5)")
    add(
        "--tree",
        metavar="FILE",
        help="class tree; without it that of the data set or its supercategories; none: no tree",
    )
    add("--node", metavar="NAME", **several(str, "dog"), help="* nodes of the tree as one class")
    add("--properties", metavar="FILE", help="what classes are like: CSV or TOML")
    add(
        "--nest",
        metavar="NAME:NAME",
        **several(_pair, "origin:size"),
        help="* a property within each value of another",
    )


def _add_windows(command: argparse.ArgumentParser) -> None:
    """Ranked windows, for clutter; and how objects are counted."""
    add = command.add_argument
    add(
        "--windows",
        metavar="FILE|METHOD",
        **SEVERAL,
        help="ranked windows for clutter, a file a GT, or a method to make them with --images: "
        "edge-boxes, selective-search, sliding-window, bing:FOLDER, or another of proposals",
    )
    add("--images", metavar="DIR", **SEVERAL, help="pictures, a folder a GT or one for all")
    add("--n-windows", metavar="N", type=int, default=1000, help="windows of an image (1000)")
    add("--gap", metavar="PX", type=float, default=0.0, help="pixels between neighbours (0)")
    add("--difficult", action="store_true", help="count objects marked difficult, too")


def _add_subsets(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--match",
        metavar="MEASURE[=T]",
        **several(_target, "cpl=0.087"),
        help="* the most classes of the first GT that are together as hard as T; without T, of the "
        "larger of two GT, as hard as the other: cpl, clutter, scale, instances, neighbours; -o "
        "writes them as a data set",
    )


def _add_reading(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--name", metavar="NAME", **several(str, "mine"), help="* names of DT and FILE, in order")
    add("--gt-name", metavar="NAME", **several(str, "mine"), help="* names of GT, in order")
    add("--gt-format", metavar="F", help="read GT as this format instead of recognising it")
    add("--dt-format", metavar="F", help="read DT as this format instead of recognising it")
    add("--strict", action="store_true", help="unknown images or classes are an error")
    add("--seed", metavar="N", type=int, default=0, help="of intervals and windows (0)")
    add("--threads", metavar="N", type=int, default=0, help="worker threads; all cores by default")


def _pair(text: str) -> tuple[str, str]:
    first, second = text.split(":")
    if not first or not second:
        raise ValueError(text)
    return first, second


def _target(text: str) -> tuple[str, float | None]:
    """cpl, cpl=0.087 or cpl=8.7%; a measure also as the tables head it."""
    measure, equals, value = text.partition("=")
    if not measure:
        raise ValueError(text)
    name = measure.lower()
    percent = value.endswith("%")
    target = float(value.removesuffix("%")) / (100 if percent else 1) if equals else None
    return "instances_per_image" if name == "instances" else name, target


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.difficulty_text import difficulty_text
    from boxlens.cli.progress import progress_bar

    _check(options)
    formats = chosen_formats(options)
    choice = _choice(options)
    written = None
    with progress_bar() as progress:
        datasets, systems, result = _analysed(options, choice, progress)
        if options.output:
            from boxlens.report.writing.write_difficulty import write_difficulty

            written = write_difficulty(
                result,
                Path(options.output),
                formats=formats,
                datasets=datasets,
                detections=[one.detections for one in systems if one.detections is not None],
                threads=options.threads,
                progress=progress,
            )
    show_report(
        options,
        result.notices,
        written,
        result.to_json,
        lambda: difficulty_text(result, per_class=options.per_class),
    )


def _check(options: argparse.Namespace) -> None:
    if options.threads < 0:
        raise ParameterError(f"--threads: 0 (all cores) or more, got {options.threads}")
    n_systems = len(options.detections) + len(options.guesses)
    if options.name and len(options.name) != n_systems:
        raise ParameterError(
            f"--name each system once: there are {n_systems}, and {len(options.name)} names"
        )
    if options.gt_name and len(options.gt_name) != len(options.gt):
        raise ParameterError(
            f"--gt-name each data set once: there are {len(options.gt)}, and "
            f"{len(options.gt_name)} names"
        )
    about_systems = ("node", "properties", "tree", "nest", "name")
    for name in about_systems if not n_systems else ():
        if getattr(options, name):
            raise ParameterError(f"--{name} is about systems: name some with --detections")
    if options.nest and not options.properties:
        raise ParameterError("--nest is about properties of classes: name a table (--properties)")


def _choice(options: argparse.Namespace) -> DifficultyChoice:
    from boxlens.dataset_difficulty import DifficultyChoice

    return DifficultyChoice(
        iou=options.iou,
        top_k=options.top_k,
        one_a_class=options.one_a_class,
        gap_px=options.gap,
        difficult=options.difficult,
        n_windows=options.n_windows,
        nodes=tuple(options.node),
        nested=tuple(options.nest),
        match=tuple(options.match),
        seed=options.seed,
    )


def _analysed(
    options: argparse.Namespace, choice: DifficultyChoice, progress: Progress
) -> tuple[list[Dataset], list[System], DifficultyResult]:
    from boxlens.dataset_difficulty import (
        check_asked,
        difficulty_tables,
        know_classes,
        read_systems,
    )
    from boxlens.dataset_difficulty.window_sources import find_windows

    datasets = _datasets(options, progress)
    knowledge = know_classes(datasets[0], options.tree, options.properties)
    check_asked(datasets[0], knowledge, choice, len(datasets))
    n_detectors = len(options.detections)
    names = options.name or [None] * (n_detectors + len(options.guesses))
    tables = read_detection_files(
        options, options.detections, names[:n_detectors], datasets[0], len(datasets), progress
    )
    systems, notices = read_systems(
        datasets[0],
        tables,
        options.guesses,
        choice,
        names=names[n_detectors:],
        strict=options.strict,
    )
    windows = find_windows(
        datasets,
        options.windows,
        options.images,
        choice,
        keep=_folder_for_windows(options),
        threads=options.threads,
        progress=progress,
    )
    result = difficulty_tables(
        datasets,
        systems,
        choice,
        knowledge,
        windows=windows,
        notices=notices,
        threads=options.threads,
        progress=progress,
    )
    return datasets, systems, result


def _datasets(options: argparse.Namespace, progress: Progress) -> list[Dataset]:
    from boxlens.formats import read_dataset
    from boxlens.formats.sniff import GT_FIRST

    found: list[Dataset] = []
    for path in options.gt:
        progress("reading files", len(found), len(options.gt) + len(options.detections))
        try:
            dataset = read_dataset(
                path,
                format=options.gt_format,
                split=options.split,
                threads=options.threads,
                progress=progress,
            )
        except InputError as problem:
            if problem.remedy != GT_FIRST:
                raise
            remedy = "This looks like detections: name them with --detections, after all GT"
            raise InputError(problem.problem, path=path, remedy=remedy) from problem
        found.append(dataset)
    names = options.gt_name or [one.name for one in found]
    return [replace(one, name=name) for one, name in zip(found, names, strict=True)]


def _folder_for_windows(options: argparse.Namespace) -> Path | None:
    """Windows that a method makes stay beside the report: a run that is stopped goes on."""
    if not options.output:
        return None
    from boxlens.report.writing.output_folder import Claim

    options.claim = Claim(Path(options.output))
    return Path(options.output) / "windows"
