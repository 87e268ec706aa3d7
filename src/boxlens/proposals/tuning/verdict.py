"""What a search for settings says, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.proposals.tuning.result import ProposalTuningResult


def tuning_sentences(result: ProposalTuningResult) -> list[str]:
    """What was gained, whether it holds on other pictures, and by which settings."""
    first, best = result.trials[0], result.trials[result.best]
    pictures = f"the {result.n_tuned_on:,} pictures that it was tuned on"
    if result.best == 0:
        lead = (
            f"None of {len(result.trials):,} settings finds more than {result.method} as it was "
            f"(average recall {first.ar:.3f} on {pictures})."
        )
        return [lead]
    lead = (
        f"{result.method} goes from average recall {first.ar:.3f} to {best.ar:.3f} on {pictures}."
    )
    return [lead, *_held_out(result), f"The settings: {_changed(result)}."]


def _held_out(result: ProposalTuningResult) -> Iterator[str]:
    if math.isnan(result.held_out_after):
        yield "No pictures were held out: how much of it holds elsewhere is not known."
        return
    before, after = result.held_out_before, result.held_out_after
    holds = "It holds" if after > before else "It does not hold"
    yield f"{holds} on {result.n_held_out:,} others: {before:.3f} to {after:.3f}."


def _changed(result: ProposalTuningResult) -> str:
    first, best = result.trials[0].settings, result.trials[result.best].settings
    return ", ".join(
        f"{name} {value:g} (was {first[name]:g})"
        for name, value in best.items()
        if value != first[name]
    )
