"""`boxlens proposals repeatability`: are proposals the same when a picture changes a little?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json, several
from boxlens.cli.proposal_actions.proposal_options import (
    add_budget,
    add_method,
    add_running,
    worker_count,
)
from boxlens.cli.report_options import add_report, chosen_formats, kept_folder, save, show_result
from boxlens.limits import AT_MOST_OR_ALL

if TYPE_CHECKING:
    import argparse

    from boxlens.formats.files import Progress
    from boxlens.studies.proposals.repeatability.result import RepeatabilityResult

# Sixty perturbations of each take a while.
N_IMAGES = 25


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "repeatability",
        help="measure how stable proposals are when pictures change a little",
        description="Measure how stable the proposals of methods are when pictures are scaled, "
        "rotated, compressed, brightened, blurred or speckled. A killed run that is started again "
        "with the same -o or --keep goes on where it was. Options marked * may be repeated, or "
        "given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("pictures", metavar="IMAGES", nargs="+", help="folders of pictures, or single files")
    add_method(command, required=True)
    add(
        "--perturb",
        metavar="KIND",
        **several(str, "blur"),
        help="* kinds of change: scale, jpeg, rotation, brightness, blur, salt_pepper (all)",
    )
    add_budget(command)
    add(
        "--n-images",
        metavar="N",
        type=Number(AT_MOST_OR_ALL),
        default=N_IMAGES,
        help=f"number of pictures, evenly spread ({N_IMAGES}); 0: all",
    )
    add("--keep", metavar="DIR", help="keep what is measured there (with -o: DIR/repeatability)")
    add_report(command)
    add_running(command, threads=False)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar

    formats = chosen_formats(options)
    with progress_bar() as progress:
        result = _measured(options, progress)
        written = save(options, result, formats, progress)
    show_result(options, result, written)


def _measured(options: argparse.Namespace, progress: Progress) -> RepeatabilityResult:
    from boxlens.images.perturbing.families import FAMILY_NAMES
    from boxlens.studies.proposals.repeatability.analysis import repeatability

    return repeatability(
        options.method,
        options.pictures,
        budget=options.budget,
        perturb=options.perturb or FAMILY_NAMES,
        n_images=options.n_images or None,
        seed=options.seed,
        keep=kept_folder(options, "repeatability"),
        workers=worker_count(options),
        progress=progress,
    )
