"""`boxlens proposals tune`: settings of a method that find more."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json, several
from boxlens.cli.output import aligned, score
from boxlens.cli.proposal_actions.proposal_options import (
    SEVERAL,
    add_ground_truth,
    add_running,
    heading,
    read_ground_truth,
    worker_count,
)
from boxlens.cli.report_options import add_report, chosen_formats, kept_folder, show_report
from boxlens.limits import BELOW_ONE, BUDGET, PICTURES_TO_TUNE_ON, TRIALS
from boxlens.proposals.generators.opening import GENERATOR_FILE

if TYPE_CHECKING:
    import argparse

    from boxlens.formats.files import Progress
    from boxlens.proposals.tuning.analysis import TuningChoice
    from boxlens.proposals.tuning.result import ProposalTuningResult

WIDTH = 95
# Of the best trials.
MOST_ROWS = 5


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "tune",
        help="find settings of a method that find more objects",
        description="Vary the settings of a method to raise its average recall on some pictures, "
        "and check the best ones on others. Writes generator.json into DIR, for use as "
        "METHOD:DIR/generator.json. Killed and started again, it goes on where it was. Options "
        "marked * may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run, keep=None)
    add = command.add_argument
    add("method", metavar="METHOD", help="whose settings, such as edge-boxes")
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add("--images", metavar="DIR", required=True, **SEVERAL, help="folders of its pictures")
    add("--trials", metavar="N", type=Number(TRIALS), default=30, help="settings to try (30)")
    add("--vary", metavar="NAME", **several(str, "beta"), help="* settings to vary")
    add(
        "--budget",
        metavar="N",
        type=Number(BUDGET),
        default=1000,
        help="proposals of an image (1000)",
    )
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

    choice = _choice(options)
    formats = chosen_formats(options)
    with progress_bar() as progress:
        result = _tuned(options, choice, progress)
        from boxlens.report.writing.write_proposals import write_tuning

        written = write_tuning(result, Path(options.output), formats=formats, progress=progress)
    _write_generator(options, result)
    written = f"{written}, {GENERATOR_FILE}"
    show_report(options, result.notices, written, result.to_json, lambda: tuning_text(result))


def _choice(options: argparse.Namespace) -> TuningChoice:
    from boxlens.proposals.tuning.analysis import TuningChoice

    return TuningChoice(
        budget=options.budget,
        n_trials=options.trials,
        vary=tuple(options.vary),
        held_out=options.held_out,
        n_images=options.n_images,
        seed=options.seed,
    )


def _tuned(
    options: argparse.Namespace, choice: TuningChoice, progress: Progress
) -> ProposalTuningResult:
    from boxlens.proposals.tuning.analysis import tune_proposals

    return tune_proposals(
        read_ground_truth(options, options.gt, progress),
        options.method,
        options.images,
        choice=choice,
        keep=kept_folder(options, "trials"),
        workers=worker_count(options),
        progress=progress,
    )


def _write_generator(options: argparse.Namespace, result: ProposalTuningResult) -> None:
    from boxlens.metrics.results import number
    from boxlens.proposals.generators.generator_files import write_generator
    from boxlens.proposals.generators.opening import open_generator
    from boxlens.proposals.tuning.analysis import with_settings
    from boxlens.proposals.words import counted

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


def tuning_text(result: ProposalTuningResult) -> str:
    from boxlens.proposals.tuning.verdict import tuning_sentences
    from boxlens.proposals.words import counted, mean_count

    names = list(result.trials[0].settings)
    rows = [["trial", "AR", "R@0.5", "found", "s/image", *names]]
    ranked = sorted(result.trials, key=lambda one: (-one.ar, one.number))[:MOST_ROWS]
    first = [result.trials[0]] if result.trials[0] not in ranked else []
    rows += [
        [
            f"{one.number}" if one.number else "0 (before)",
            score(one.ar),
            score(one.recall_50),
            mean_count(one.n_mean),
            f"{one.seconds_per_image:.3g}",
            *(f"{one.settings[name]:g}" for name in names),
        ]
        for one in (*ranked, *first)
    ]
    images = counted(result.n_tuned_on + result.n_held_out, "image")
    trials = counted(len(result.trials), "trial")
    return "\n\n".join(
        [
            heading("Tuning", result.provenance, images, result.method, trials),
            "\n".join(fill(sentence, WIDTH) for sentence in tuning_sentences(result)),
            aligned(rows),
        ]
    )
