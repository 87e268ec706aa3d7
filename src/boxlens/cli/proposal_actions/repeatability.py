"""`boxlens proposals repeatability`: are proposals the same when a picture changes a little?"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json, several
from boxlens.cli.output import aligned, score
from boxlens.cli.proposal_actions.proposal_options import (
    add_method,
    add_running,
    worker_count,
)
from boxlens.cli.report_options import add_report, chosen_formats, kept_folder, show_report
from boxlens.limits import AT_MOST_OR_ALL, BUDGET

if TYPE_CHECKING:
    import argparse

    from boxlens.formats.files import Progress
    from boxlens.proposals.repeatability.choice import RepeatabilityChoice
    from boxlens.proposals.repeatability.result import RepeatabilityResult

WIDTH = 95
# Sixty perturbations of each take a while.
N_IMAGES = 25


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "repeatability",
        help="say how stable proposals are when pictures change a little",
        description="Say how stable the proposals of methods are when pictures are scaled, "
        "rotated, compressed, brightened, blurred or speckled. Killed and started again with -o or "
        "--keep, it goes on where it was. Options marked * may be repeated, or given once with "
        "commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("pictures", metavar="IMAGES", nargs="+", help="folders of pictures, or single ones")
    add_method(command, required=True)
    add(
        "--perturb",
        metavar="KIND",
        **several(str, "blur"),
        help="* scale, jpeg, rotation, brightness, blur, salt_pepper (all)",
    )
    add(
        "--budget",
        metavar="N",
        type=Number(BUDGET),
        default=1000,
        help="proposals of a picture (1000)",
    )
    add(
        "--n-images",
        metavar="N",
        type=Number(AT_MOST_OR_ALL),
        default=N_IMAGES,
        help=f"pictures, evenly spread ({N_IMAGES}); 0: all",
    )
    add("--keep", metavar="DIR", help="keep what is measured there (with -o: DIR/repeatability)")
    add_report(command)
    add_running(command, threads=False)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar

    choice = _choice(options)
    formats = chosen_formats(options)
    written = None
    with progress_bar() as progress:
        result = _measured(options, choice, progress)
        if options.output:
            from boxlens.report.writing.write_proposals import write_repeatability

            written = write_repeatability(
                result, Path(options.output), formats=formats, progress=progress
            )
    show_report(
        options, result.notices, written, result.to_json, lambda: repeatability_text(result)
    )


def _choice(options: argparse.Namespace) -> RepeatabilityChoice:
    from boxlens.images.perturbing.families import FAMILY_NAMES
    from boxlens.proposals.repeatability.choice import RepeatabilityChoice

    return RepeatabilityChoice(
        n_proposals=options.budget,
        families=tuple(options.perturb) or FAMILY_NAMES,
        n_images=options.n_images or None,
        seed=options.seed,
    )


def _measured(
    options: argparse.Namespace, choice: RepeatabilityChoice, progress: Progress
) -> RepeatabilityResult:
    from boxlens.proposals.repeatability.analysis import repeatability

    return repeatability(
        options.method,
        options.pictures,
        choice,
        keep=kept_folder(options, "repeatability"),
        workers=worker_count(options),
        progress=progress,
    )


def repeatability_text(result: RepeatabilityResult) -> str:
    from boxlens.images.perturbing.families import FAMILIES
    from boxlens.proposals.repeatability.verdict import overall, repeatability_sentences
    from boxlens.proposals.words import counted

    pictures = counted(max((one.n_images for one in result.methods), default=0), "picture")
    parts = [
        f"Repeatability | {pictures} | {counted(result.choice.n_proposals, 'proposal')} each",
        "\n".join(fill(sentence, WIDTH) for sentence in repeatability_sentences(result)),
    ]
    ranked = sorted(result.methods, key=lambda one: -overall(one))
    rows = [["mean over levels", *(FAMILIES[name].title for name in result.choice.families)]]
    rows += [[one.name, *(score(family.mean) for family in one.families)] for one in ranked]
    parts.append(aligned(rows))
    for place, name in enumerate(result.choice.families):
        levels = ranked[0].families[place].levels
        rows = [[FAMILIES[name].title, *(level.label for level in levels)]]
        rows += [
            [one.name, *(score(level.repeatability) for level in one.families[place].levels)]
            for one in ranked
        ]
        parts.append(aligned(rows))
    return "\n\n".join(parts)
