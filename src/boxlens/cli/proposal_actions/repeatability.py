"""`boxlens proposals repeatability`: are proposals the same when a picture changes a little?"""

from __future__ import annotations

import argparse

from boxlens.cli.asking import add_report, answer, check_report, keep_in, show
from boxlens.cli.options import Commands
from boxlens.cli.proposal_actions.proposal_options import METHOD_HELP, add_budget, add_running
from boxlens.limits import AT_MOST_OR_ALL

# Sixty perturbations of each take a while.
N_IMAGES = 25


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "repeatability",
        help="measure how stable proposals are when pictures change a little",
        description="Measure how stable the proposals of methods are when pictures are scaled, "
        "rotated, compressed, brightened, blurred or speckled. A killed run that is started again "
        "with the same -o or --keep goes on where it was.",
    )
    command.set_defaults(run=run)
    command.text("images IMAGES", "folders of pictures, or single files", nargs="+")
    command.several("--method METHOD", METHOD_HELP, required=True, into="methods")
    command.several(
        "--perturb KIND",
        "kinds of change: scale, jpeg, rotation, brightness, blur, salt_pepper (all)",
    )
    add_budget(command)
    command.number(
        "--n-images N",
        AT_MOST_OR_ALL,
        f"number of pictures, evenly spread ({N_IMAGES}); 0: all",
        default=N_IMAGES,
    )
    command.text("--keep DIR", "keep what is measured there (with -o: DIR/repeatability)")
    add_report(command)
    add_running(command, threads=False)


def run(options: argparse.Namespace) -> None:
    from boxlens.studies.proposals.repeatability.analysis import repeatability

    check_report(options)
    keep_in(options, "repeatability")
    show(options, *answer(options, repeatability, n_images=options.n_images or None))
