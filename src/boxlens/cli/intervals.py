"""How sure numbers are: the options of resampling, and a number with its interval as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.options import Number
from boxlens.errors import ParameterError
from boxlens.limits import LEVEL, REPLICATES, SEED

if TYPE_CHECKING:
    import argparse

    from boxlens.metrics.intervals import ResamplingChoice


def add_intervals(command: argparse.ArgumentParser, *, always: bool = False) -> None:
    """`always`: the command resamples anyway."""
    add = command.add_argument
    if not always:
        add("--intervals", action="store_true", help="say how sure the numbers are")
    add("--replicates", metavar="N", type=Number(REPLICATES), help="resampled test sets (1000)")
    add("--level", metavar="L", type=Number(LEVEL), help="level of the intervals (.95)")
    add(
        "--interval-method",
        choices=("normal", "percentile", "bca"),
        help="kind of interval (normal)",
    )
    add("--seed", metavar="N", type=Number(SEED), help="seed of everything random (0)")


def chosen_intervals(options: argparse.Namespace, *, always: bool = False) -> ResamplingChoice:
    """What was asked for; None means the usual value."""
    from boxlens.metrics.intervals import ResamplingChoice

    given = {
        "n_replicates": options.replicates,
        "level": options.level,
        "method": options.interval_method,
        "seed": options.seed,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if given and not always and not options.intervals:
        raise ParameterError("ask for --intervals too: without them nothing is resampled")
    return ResamplingChoice(**given)
