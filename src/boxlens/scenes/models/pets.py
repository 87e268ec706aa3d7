"""What dogs and cats have in common: how they rest, and their tails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.scenes.models.animal_parts import curled_tail, tail
from boxlens.scenes.models.stances import lying, on_all_fours, sitting, tail_root

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data.columns import Floats
    from boxlens.scenes.models.model import Random
    from boxlens.scenes.models.stances import Frame, Stance
    from boxlens.scenes.solids import Mesh


def pet_stance(random: Random, frame: Frame) -> Stance:
    """Mostly on all fours, at times sitting, seldom lying."""
    kind = random.uniform()
    if kind < 0.25:
        return sitting(frame)
    return lying(frame) if kind < 0.35 else on_all_fours(random, frame)


def pet_tail(
    random: Random,
    frame: Frame,
    stance: Stance,
    length: float,
    thick: Floats,
    lifts: Sequence[float],
) -> Mesh:
    """Lifted when standing, round the body when resting."""
    if stance.resting:
        start = (stance.hip[0] + 0.2 * frame.depth, 0)
        return curled_tail(random, start, length, thick.tolist())
    return tail(tail_root(frame, stance, -0.12, 0.2), length, thick.tolist(), lifts)
