"""What a search for settings says, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator

from boxlens.studies.proposals.tuning.result import ProposalTuningResult
from boxlens.wording import counted, score

# On fewer held-out pictures a gain may well be chance.
FEW_PICTURES = 10


def tuning_sentences(result: ProposalTuningResult) -> list[str]:
    """What was gained, whether it holds on other pictures, and by which settings."""
    first, best = result.trials[0], result.trials[result.best]
    n = result.n_tuned_on
    pictures = "the picture" if n == 1 else f"the {n:,} pictures"
    where = f"{pictures} that it was tuned on"
    if math.isnan(first.ar):
        return [f"There are no objects on {where}, so nothing can be said of {result.method}."]
    as_it_was = f"{result.method} as it was (average recall {score(first.ar)} on {where})"
    if len(result.trials) == 1:
        return [f"Nothing was tried but {as_it_was}."]
    if result.best == 0:
        return [f"None of {len(result.trials):,} trials finds more than {as_it_was}."]
    lead = (
        f"{result.method} goes from average recall {score(first.ar)} to {score(best.ar)} on "
        f"{where}."
    )
    return [lead, *_held_out(result), f"The settings: {_changed(result)}."]


def _held_out(result: ProposalTuningResult) -> Iterator[str]:
    if not result.n_held_out:
        yield "No pictures were held out: how much of it holds elsewhere is not known."
        return
    before, after = result.held_out_before, result.held_out_after
    others = counted(result.n_held_out, "other picture")
    if math.isnan(after):
        yield f"There are no objects on {others}: how much of it holds elsewhere is not known."
        return
    change = f"from {score(before)} to {score(after)}"
    if result.n_held_out < FEW_PICTURES:
        yield (f"On {others} average recall goes {change}: too few to show whether the gain holds.")
        return
    holds = "holds" if after > before else "does not hold"
    yield f"The gain {holds} on {others}: average recall goes {change}."


def _changed(result: ProposalTuningResult) -> str:
    first, best = result.trials[0].settings, result.trials[result.best].settings
    return ", ".join(
        f"{name} {value:g} (was {first[name]:g})"
        for name, value in best.items()
        if value != first[name]
    )
