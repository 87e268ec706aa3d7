"""The objects with a wrong label, with some of what is around them."""

from __future__ import annotations

from boxlens.report.charts.kinds import KINDS
from boxlens.report.pictures.exhibits import ExampleGroup, Shown
from boxlens.studies.upper_bound.result import Mistake, UpperBoundResult
from boxlens.wording import score

COLOUR = KINDS["cls"].colour


def mistakes_group(result: UpperBoundResult) -> ExampleGroup:
    return ExampleGroup(
        name="mistakes",
        title="Wrong labels, the most confident first",
        reading="The label that the classifier gives to the box, and the true class. Look for "
        "labels that are wrong in the ground truth, for objects in front of others, and for "
        "classes that people confuse, too.",
        key=(("object", COLOUR),),
        shown=tuple(map(_shown, result.mistakes)),
    )


def _shown(one: Mistake) -> Shown:
    x, y, w, h = one.box.tolist()
    return Shown(
        image_id=one.image_id,
        boxes=(((x, y, w, h), COLOUR),),
        caption=(f"{one.said} {score(one.score)}", f"is {one.true_class}"),
        file_name=one.file_name,
    )
