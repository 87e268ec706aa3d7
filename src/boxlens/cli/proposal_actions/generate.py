"""`boxlens proposals generate`: the proposals of a method into a file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from boxlens.cli.asking import keywords
from boxlens.cli.options import Commands
from boxlens.cli.output import print_failures, print_notices, show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.proposal_actions.proposal_options import METHOD_HELP, add_budget, add_running
from boxlens.cli.reading import add_json
from boxlens.cli.stopping import kept_in
from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from boxlens.detectors.run_result import RunResult
    from boxlens.studies.proposals.generators.protocols import Generator

SCHEMA = "boxlens/proposals-generate/1"


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "generate",
        help="write the proposals of a method into a file",
        description="Write the proposals of a method as COCO results, best first. A killed run "
        "that is started again goes on where it was.",
    )
    command.set_defaults(run=run)
    command.text("method METHOD", METHOD_HELP)
    command.files("--images DIR", "folders of pictures, or single ones")
    command.text(
        "--gt --ground-truth GT",
        "ground truth: only its pictures, under its ids; its sizes are enough for uniform, "
        "gaussian and sliding-window",
    )
    command.text("--split NAME", "part of the data set, e.g. test (VOC, YOLO)")
    command.text("--gt-format F", "read GT as this format instead of recognising it")
    add_budget(command)
    command.text("-o --output FILE", "the COCO results to write", required=True)
    command.flag("--restart", "start over, even if there are results or a part of them")
    add_running(command, threads=False)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.detectors.run import journal_path
    from boxlens.detectors.run_result import NothingDetectedError
    from boxlens.studies.proposals.generating import generate_proposals
    from boxlens.studies.proposals.generators.opening import open_generator

    if options.split is not None and options.gt is None:
        raise ParameterError("--split is a part of the ground truth: add --gt")
    options.method = open_generator(options.method, seed=options.seed or 0)
    kept_in(journal_path(options.output))
    try:
        with progress_bar() as progress:
            result = generate_proposals(**keywords(options, generate_proposals), progress=progress)
    except NothingDetectedError as problem:
        print_failures(problem.failed)
        raise
    print_notices(result.notices)
    print_failures(result.failed)
    show_or_save_json(
        lambda: _document(options, result), options.json, lambda: _text(options, result)
    )


def _text(options: argparse.Namespace, result: RunResult) -> str:
    from boxlens.studies.proposals.generate import seconds_per_image
    from boxlens.wording import counted, mean_count, seconds

    n_done = result.n_images - len(result.failed)
    mean = mean_count(result.n_detections / max(n_done, 1))
    found = f"{counted(result.n_detections, 'proposal')} of '{result.detector}'"
    lines = [f"wrote {result.output}: {found} in {counted(n_done, 'image')}, {mean} per image"]
    taken = seconds_per_image(options.output)
    if taken is not None:
        lines.append(f"{seconds(taken)} seconds per image on one core")
    if result.failed:
        lines.append(f"{len(result.failed):,} of {counted(result.n_images, 'image')} failed")
    if result.n_resumed:
        lines.append(f"{counted(result.n_resumed, 'image')} taken over from an interrupted run")
    return "\n".join(lines)


def _document(options: argparse.Namespace, result: RunResult) -> dict[str, Any]:
    from boxlens.studies.proposals.generate import seconds_per_image

    generator: Generator = options.method

    return {
        "schema": SCHEMA,
        "parameters": {
            "method": generator.name,
            "made_by": generator.identity,
            "budget": options.budget,
        },
        "results": {
            "output": str(result.output),
            "n_images": result.n_images,
            "n_resumed": result.n_resumed,
            "n_proposals": result.n_detections,
            "seconds_per_image": seconds_per_image(options.output),
            "failed": [{"file": one.file, "reason": one.reason} for one in result.failed],
        },
    }
