"""`boxlens proposals recall`: how many objects do proposals find?"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json, several
from boxlens.cli.proposal_actions.proposal_options import (
    SEVERAL,
    add_ground_truth,
    add_method,
    add_order,
    add_pictures,
    add_running,
    read_ground_truth,
    searching,
)
from boxlens.cli.report_options import add_report, chosen_formats, show_report
from boxlens.errors import ParameterError
from boxlens.limits import BUDGET, OVERLAP, SHARE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boxlens.data import Dataset
    from boxlens.formats.files import Progress
    from boxlens.proposals.proposed import Proposed
    from boxlens.proposals.recall.choice import RecallChoice
    from boxlens.proposals.recall.result import ProposalRecallResult


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "recall",
        help="say how many objects proposals find",
        description="Say how many objects proposals find, and how tightly: recall by overlap and "
        "by number of proposals, average recall, by class, size and attribute. Options marked * "
        "may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add(
        "files",
        metavar="FILE",
        nargs="*",
        help="proposals: COCO results, CSV, Parquet, or MAT files of the public benchmark",
    )
    add_method(command)
    add_pictures(command)
    add("--also", metavar="GT", **SEVERAL, help="further data sets to compare")
    add(
        "--budget",
        metavar="N",
        **several(Number(BUDGET), "1000"),
        help="* proposals an image (100,1000)",
    )
    add(
        "--iou",
        metavar="T",
        **several(Number(OVERLAP), "0.5"),
        help="* overlaps (0.5,0.7,0.75,0.8)",
    )
    add("--ar-range", metavar="LOW:HIGH", type=_range, default=(0.5, 1.0), help="of AR (0.5:1)")
    add("--ar-on-grid", action="store_true", help="AR by trapezoids of .001, as published code has")
    add("--attribute", metavar="NAME", **several(str, "pose"), help="* attributes to split by")
    add(
        "--missing-is-empty",
        action="store_true",
        help="images without known proposals count, with nothing found in them",
    )
    add("--per-class", action="store_true", help="add a row for every class")
    add_order(command)
    add_report(command)
    add("--name", metavar="NAME", **several(str, "mine"), help="* names of FILE, in order")
    add_ground_truth(command)
    add_running(command)
    add_json(command)


def _range(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r}: write it like 0.5:0.7")
    read = Number(SHARE)
    return read(low), read(high)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.cli.proposal_actions.recall_text import recall_text

    choice = _choice(options)
    formats = chosen_formats(options)
    written = None
    with progress_bar() as progress:
        result = _analysed(options, choice, progress)
        if options.output:
            from boxlens.report.writing.write_proposals import write_recall

            written = write_recall(result, Path(options.output), formats=formats, progress=progress)
    show_report(
        options,
        result.notices,
        written,
        result.to_json,
        lambda: recall_text(result, per_class=options.per_class),
    )


def _choice(options: argparse.Namespace) -> RecallChoice:
    from boxlens.proposals.recall.choice import BUDGETS, IOUS, RecallChoice

    if options.name and len(options.name) != len(options.files):
        raise ParameterError(
            f"--name each file once: there are {len(options.files)}, and {len(options.name)} names"
        )
    return RecallChoice(
        budgets=tuple(options.budget) or BUDGETS,
        ious=tuple(options.iou) or IOUS,
        ar_range=options.ar_range,
        ar_on_grid=options.ar_on_grid,
        attributes=tuple(options.attribute),
        missing_is_empty=options.missing_is_empty,
        seed=options.seed,
    )


def _renamed(proposed: Proposed, name: str | None) -> Proposed:
    return proposed if name is None else replace(proposed, name=name)


def _analysed(
    options: argparse.Namespace, choice: RecallChoice, progress: Progress
) -> ProposalRecallResult:
    from boxlens.proposals.recall.analysis import recall_tables
    from boxlens.proposals.sources import each_proposed

    given = [*options.files, *options.method]
    names = [*(options.name or [None] * len(options.files)), *[None] * len(options.method)]
    how = searching(options)
    datasets: list[Dataset] = []
    proposed: list[Iterable[Proposed]] = []
    for path in (options.gt, *options.also):
        progress("reading files", len(datasets), 1 + len(options.also))
        dataset = read_ground_truth(options, path, progress)
        found = each_proposed(dataset, given, choice.curve_budgets(), how, progress=progress)
        datasets.append(dataset)
        # Found one after another, as `recall_tables` asks for them.
        proposed.append(map(_renamed, found, names))
    return recall_tables(datasets, proposed, choice, threads=options.threads, progress=progress)
