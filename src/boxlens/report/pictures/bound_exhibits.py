"""What there is to see of an upper bound: objects with a wrong label that is sure of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.theme import decimal
from boxlens.report.pictures.exhibits import Shown, Wall

if TYPE_CHECKING:
    from boxlens.recognition_bound.result import Mistake, UpperBoundResult

COLOUR = KINDS["cls"].colour


def bound_walls(result: UpperBoundResult) -> tuple[Wall, ...]:
    """One, or none where all labels are right."""
    if not result.mistakes:
        return ()
    return (
        Wall(
            name="mistakes",
            title="Wrong labels, the most confident first",
            reading="What the classifier says of the box, and what the object is. Look for labels "
            "that are wrong in the ground truth, for objects in front of others, and for classes "
            "that people mix up, too.",
            key=(("object", COLOUR),),
            shown=tuple(map(_shown, result.mistakes)),
        ),
    )


def _shown(one: Mistake) -> Shown:
    x, y, w, h = one.box.tolist()
    return Shown(
        image_id=one.image_id,
        boxes=(((x, y, w, h), COLOUR),),
        caption=(f"{one.said} {decimal(one.score, 2)}", f"is {one.true_class}"),
        file_name=one.file_name,
    )
