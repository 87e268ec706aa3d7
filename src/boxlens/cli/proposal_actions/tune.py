"""`boxlens proposals tune`: settings of a method that find more."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.asking import add_report, answer, check_report, keep_in, show
from boxlens.cli.options import Commands
from boxlens.cli.proposal_actions.proposal_options import add_budget, add_running
from boxlens.cli.reading import add_ground_truth
from boxlens.limits import BELOW_ONE, PICTURES_TO_TUNE_ON, TRIALS
from boxlens.studies.proposals.generators.opening import GENERATOR_FILE

if TYPE_CHECKING:
    from boxlens.studies.proposals.tuning.result import ProposalTuningResult


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "tune",
        help="find settings of a method that find more objects",
        description="Vary the settings of a method to raise its average recall on some pictures, "
        "and check the best ones on others. Writes generator.json into DIR, for use as "
        "METHOD:DIR/generator.json. A killed search that is started again goes on where it was.",
    )
    command.set_defaults(run=run)
    add_ground_truth(command)
    command.text("method METHOD", "whose settings, such as edge-boxes")
    command.files("--images DIR", "folders of its pictures", required=True)
    command.number("--trials N", TRIALS, "settings to try", 30)
    command.several("--vary NAME", "settings to vary")
    add_budget(command)
    command.number("--held-out S", BELOW_ONE, "share of pictures to check on", 0.3)
    command.number("--n-images N", PICTURES_TO_TUNE_ON, "only so many pictures, drawn by the seed")
    add_report(command, required=True)
    add_running(command, threads=False)


def run(options: argparse.Namespace) -> None:
    from boxlens.studies.proposals.tuning.analysis import tune_proposals

    check_report(options)
    keep_in(options, "trials")
    result, written = answer(options, tune_proposals)
    _write_generator(options, result)
    show(options, result, f"{written}, {GENERATOR_FILE}")


def _write_generator(options: argparse.Namespace, result: ProposalTuningResult) -> None:
    from boxlens.metrics.json_form import number
    from boxlens.studies.proposals.generators.generator_files import write_generator
    from boxlens.studies.proposals.generators.opening import open_generator
    from boxlens.studies.proposals.tuning.analysis import with_settings
    from boxlens.wording import counted

    before = open_generator(options.method, seed=options.seed or 0)
    best = result.trials[result.best]
    made_from = {
        "tuned_on": f"{counted(result.n_tuned_on, 'picture')} of {options.gt}",
        "budget": result.budget,
        "AR": number(best.ar),
        "held_out": {
            "n_images": result.n_held_out,
            "AR_before": number(result.held_out_before),
            "AR_after": number(result.held_out_after),
        },
    }
    path = Path(options.output) / GENERATOR_FILE
    write_generator(with_settings(before, best.settings), path, made_from=made_from)
