"""`boxlens difficulty`: how hard is this data set, and what makes its classes hard?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boxlens.cli.options import SEVERAL, Commands, Number, add_json, add_strict_coco, several
from boxlens.cli.reading import read_detection_files
from boxlens.cli.report_options import add_report, chosen_formats, kept_folder, save, show_result
from boxlens.errors import InputError, ParameterError
from boxlens.limits import BUDGET, NOT_NEGATIVE, OVERLAP, SEED, THREADS

if TYPE_CHECKING:
    import argparse

    from boxlens.data import Dataset
    from boxlens.formats.files import Progress
    from boxlens.studies.difficulty import DifficultyChoice, DifficultyResult


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "difficulty",
        help="measure how hard a data set is, and what makes its classes hard",
        description="Measure how hard a data set is: instances, neighbours, scale, chance "
        "performance of localization (CPL) and clutter of every class; with detections or guesses "
        "also what makes classes hard for them, along a class tree and by properties of classes. "
        "Options marked * may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", nargs="+", help="ground truth: one file or folder per data set")
    add("--split", metavar="NAME", help="part of the data sets, e.g. test (VOC, YOLO)")
    add("--per-class", action="store_true", help="show every class, and all columns")
    _add_systems(command)
    _add_windows(command)
    _add_subsets(command)
    add_report(command)
    _add_reading(command)
    add_json(command)


def _add_systems(command: argparse.ArgumentParser) -> None:
    """Who is judged on the first data set, and how classes are grouped."""
    add = command.add_argument
    add("--detections", metavar="DT", **SEVERAL, help="detections on the first GT")
    add(
        "--guesses",
        metavar="FILE",
        **SEVERAL,
        help="ranked guesses on the first GT: CSV with image, class and optionally x, y, w, h",
    )
    add(
        "--top-k",
        metavar="N",
        type=Number(BUDGET),
        default=5,
        help="guesses per image that count (5)",
    )
    add("--one-per-class", action="store_true", help="only the best guess per class and image")
    add(
        "--iou",
        metavar="T",
        type=Number(OVERLAP),
        default=0.5,
        help="IoU from which a box counts as right (0.5)",
    )
    add(
        "--tree",
        metavar="FILE",
        help="class tree; by default the data set's own, or its supercategories; none: no tree",
    )
    add(
        "--node",
        metavar="NAME",
        **several(str, "dog"),
        help="* nodes of the tree to score as one class",
    )
    add("--properties", metavar="FILE", help="table of class properties: CSV or TOML")
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
        help="ranked windows for clutter, one file per GT, or a method to make them with --images: "
        "edge-boxes, selective-search, sliding-window, bing:FOLDER, or another of proposals",
    )
    add("--images", metavar="DIR", **SEVERAL, help="pictures: one folder per GT, or one for all")
    add(
        "--n-windows",
        metavar="N",
        type=Number(BUDGET),
        default=1000,
        help="windows per image (1000)",
    )
    add(
        "--gap",
        metavar="PX",
        type=Number(NOT_NEGATIVE),
        default=0.0,
        help="most pixels between neighbours (0)",
    )
    add("--difficult", action="store_true", help="also count objects marked difficult")


def _add_subsets(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--match",
        metavar="MEASURE[=T]",
        **several(_target, "cpl=0.087"),
        help="* find the most classes of the first GT that are together as hard as T; without T: "
        "of the larger of two GT, as hard as the other. cpl, clutter, scale, instances or "
        "neighbours; -o writes them as a data set",
    )
    add_strict_coco(command)


def _add_reading(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--name", metavar="NAME", **several(str, "mine"), help="* names of DT and FILE, in order")
    add("--gt-name", metavar="NAME", **several(str, "mine"), help="* names of GT, in order")
    add("--gt-format", metavar="F", help="format of GT, if it is not recognised")
    add("--dt-format", metavar="F", help="format of DT, if it is not recognised")
    add("--strict", action="store_true", help="unknown images or classes are an error")
    add(
        "--seed",
        metavar="N",
        type=Number(SEED),
        default=0,
        help="of intervals and windows (0)",
    )
    add(
        "--threads", metavar="N", type=Number(THREADS), default=0, help="worker threads (all cores)"
    )


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
    from boxlens.cli.progress import progress_bar

    _check(options)
    formats = chosen_formats(options)
    choice = _choice(options)
    with progress_bar() as progress:
        result = _analysed(options, choice, progress)
        written = save(options, result, formats, progress, strict_coco=options.strict_coco)
    show_result(options, result, written, detail=options.per_class)


def _check(options: argparse.Namespace) -> None:
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
    if options.strict_coco and not (options.match and options.output):
        raise ParameterError("--strict-coco is about the data set that --match writes with -o")
    if options.nest and not options.properties:
        raise ParameterError("--nest is about properties of classes: name a table (--properties)")


def _choice(options: argparse.Namespace) -> DifficultyChoice:
    from boxlens.studies.difficulty import DifficultyChoice

    return DifficultyChoice(
        iou=options.iou,
        top_k=options.top_k,
        one_per_class=options.one_per_class,
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
) -> DifficultyResult:
    from boxlens.studies.difficulty import (
        check_asked,
        difficulty_tables,
        know_classes,
        read_systems,
    )
    from boxlens.studies.difficulty.window_sources import find_windows

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
        keep=kept_folder(options, "windows"),
        threads=options.threads,
        progress=progress,
    )
    return difficulty_tables(
        datasets,
        systems,
        choice,
        knowledge,
        windows=windows,
        notices=notices,
        threads=options.threads,
        progress=progress,
    )


def _datasets(options: argparse.Namespace, progress: Progress) -> list[Dataset]:
    from boxlens.formats import read_dataset
    from boxlens.formats.sniff import DetectionsGivenError

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
        except DetectionsGivenError as problem:
            remedy = "This looks like detections: name them with --detections, after all GT"
            raise InputError(problem.problem, path=path, remedy=remedy) from problem
        found.append(dataset)
    names = options.gt_name or [one.name for one in found]
    return [replace(one, name=name) for one, name in zip(found, names, strict=True)]
