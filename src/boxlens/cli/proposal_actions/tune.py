"""`boxlens proposals tune`: settings of a method that find more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.options import SEVERAL, Commands, Number, add_json, several
from boxlens.cli.proposal_actions.proposal_options import (
    add_budget,
    add_ground_truth,
    add_running,
    read_ground_truth,
    worker_count,
)
from boxlens.cli.report_options import (
    add_report,
    chosen_formats,
    kept_folder,
    save,
    show_result,
)
from boxlens.limits import BELOW_ONE, PICTURES_TO_TUNE_ON, TRIALS
from boxlens.studies.proposals.generators.opening import GENERATOR_FILE

if TYPE_CHECKING:
    import argparse

    from boxlens.formats.files import Progress
    from boxlens.studies.proposals.tuning.result import ProposalTuningResult


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "tune",
        help="find settings of a method that find more objects",
        description="Vary the settings of a method to raise its average recall on some pictures, "
        "and check the best ones on others. Writes generator.json into DIR, for use as "
        "METHOD:DIR/generator.json. A killed search that is started again goes on where it was. "
        "Options marked * may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run, keep=None)
    add = command.add_argument
    add("method", metavar="METHOD", help="whose settings, such as edge-boxes")
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add("--images", metavar="DIR", required=True, **SEVERAL, help="folders of its pictures")
    add("--trials", metavar="N", type=Number(TRIALS), default=30, help="settings to try (30)")
    add("--vary", metavar="NAME", **several(str, "beta"), help="* settings to vary")
    add_budget(command)
    add(
        "--held-out",
        metavar="S",
        type=Number(BELOW_ONE),
        default=0.3,
        help="share of pictures to check on",
    )
    add(
        "--n-images",
        metavar="N",
        type=Number(PICTURES_TO_TUNE_ON),
        help="only so many pictures, drawn by the seed",
    )
    add_report(command, required=True)
    add_ground_truth(command)
    add_running(command, threads=False)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar

    formats = chosen_formats(options)
    with progress_bar() as progress:
        result = _tuned(options, progress)
        written = save(options, result, formats, progress)
    _write_generator(options, result)
    show_result(options, result, f"{written}, {GENERATOR_FILE}")


def _tuned(options: argparse.Namespace, progress: Progress) -> ProposalTuningResult:
    from boxlens.studies.proposals.tuning.analysis import tune_proposals

    return tune_proposals(
        read_ground_truth(options, options.gt, progress),
        options.method,
        options.images,
        budget=options.budget,
        trials=options.trials,
        vary=options.vary,
        held_out=options.held_out,
        n_images=options.n_images,
        seed=options.seed,
        keep=kept_folder(options, "trials"),
        workers=worker_count(options),
        progress=progress,
    )


def _write_generator(options: argparse.Namespace, result: ProposalTuningResult) -> None:
    from boxlens.metrics.json_form import number
    from boxlens.studies.proposals.generators.generator_files import write_generator
    from boxlens.studies.proposals.generators.opening import open_generator
    from boxlens.studies.proposals.tuning.analysis import with_settings
    from boxlens.wording import counted

    before = open_generator(options.method, seed=options.seed)
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
