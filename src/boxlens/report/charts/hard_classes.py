"""The hardest and easiest classes of a data set by one measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.colours import FIRST, NEUTRAL, SECOND
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.choosing import GAP_LABEL, both_ends
from boxlens.report.charts.forms.marks import dots, rule_at
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.selecting import picks
from boxlens.studies.difficulty.measures import MEASURES, measure_text
from boxlens.wording import count

if TYPE_CHECKING:
    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.difficulty.class_measures import ClassDifficulty, DatasetDifficulty
    from boxlens.studies.difficulty.measures import MeasureName


def hard_classes_chart(
    dataset: DatasetDifficulty, measure: MeasureName, *, most: int, linked: bool
) -> Spec:
    """At most so many of each end; `linked`: in the app a click on a class shows its objects."""
    shown = both_ends(dataset.hardest_first(measure), most)
    known = {place: one for place, one in shown.items() if one is not None}
    cut = len(known) < len(shown)
    rows = [
        {
            "row": place,
            "colour": (SECOND if at < most else FIRST) if cut else NEUTRAL,
            **_row(one, measure, linked=linked),
        }
        for at, (place, one) in enumerate(known.items())
    ]
    words = MEASURES[measure]
    labels = {place: one.name if one else GAP_LABEL for place, one in shown.items()}
    return name_rows(
        rows,
        Names(labels, px=13, grid=True),
        Axis(words.title, ticks=4, kind="sqrt" if words.crowded else "linear"),
        *rule_at(dataset.means[measure]),
        dots("value", size=32),
        width=130,
        columns={
            words.short: {place: measure_text(one.value(measure)) for place, one in known.items()},
            "objects": {place: count(one.n_objects) for place, one in known.items()},
        },
    )


def _row(one: ClassDifficulty, measure: MeasureName, *, linked: bool) -> Row:
    tip = {
        "class": one.name,
        MEASURES[measure].short: measure_text(one.value(measure)),
        "objects": count(one.n_objects),
        "images": count(one.n_images),
    }
    links = picks(one.name, None, of="objects", terms={"class": one.name}) if linked else {}
    return {"value": one.value(measure), "tip": tip, **links}
