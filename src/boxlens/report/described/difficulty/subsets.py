"""The most classes that are together as hard as a target."""

from __future__ import annotations

from functools import partial
from itertools import zip_longest
from typing import Final, NamedTuple

from boxlens.data import Dataset
from boxlens.report.charts.colours import FIRST, SECOND
from boxlens.report.charts.forms.axes import COUNTS, Axis, around
from boxlens.report.charts.forms.choosing import first_of, spread_out
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import lines
from boxlens.report.charts.forms.panels import grid
from boxlens.report.charts.forms.scatter import scatter
from boxlens.report.study import (
    COUNT,
    FINE_SCORE,
    FLAG,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    file_name,
)
from boxlens.studies.difficulty.matched_subset import MatchedSubset, subset_dataset
from boxlens.studies.difficulty.measures import MEASURES, measure_text, measure_words
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import subset_sentences
from boxlens.wording import count, number, short

MOST_PANELS: Final = 6
PANEL_PX, PLOT_PX = 138, 110
# Fewer classes are dots; of more a curve has so many steps.
FEW_CLASSES, MOST_STEPS = 10, 200


def subsets_section(result: DifficultyResult) -> Section:
    return Section(
        "subsets",
        "Subsets",
        (_plot(result), _subsets(result), _steps(result)),
        "The most classes, from the hardest on, whose mean is as hard as the target.",
        findings=tuple(subset_sentences(result)),
    )


def subset_datasets(result: DifficultyResult) -> dict[str, Dataset | None]:
    """Those that were asked for, by the names of their files; None where no subset matches."""
    by_name = {one.name: one for one in result.inputs}
    found: dict[str, Dataset | None] = {}
    for one in result.subsets:
        if not result.choice.match or one.dataset not in by_name or not one.means.size:
            continue
        name = f"subset_{one.measure}"
        if name in found:
            name = f"{name}_{file_name(one.target_of or number(one.target))}"
        found[name] = subset_dataset(by_name[one.dataset], one) if one.reached else None
    return found


def _plot(result: DifficultyResult) -> Plot:
    known = [one for one in result.subsets if len(one.means)]
    why = "no class has the measure" if result.subsets else "no target was given"
    return Plot(
        "subsets",
        "How many classes are as hard as the target",
        "Scores on the chosen classes can be compared with scores on data of that difficulty.",
        partial(_draw, known[:MOST_PANELS]),
        legend="Line: mean of the k hardest classes. Dashed: target. Dot: the most classes that "
        f"are still as hard.{first_of(MOST_PANELS, len(known), 'subsets')}",
        about=result.datasets[0].name,
        absent="" if known else why,
    )


def _draw(subsets: list[MatchedSubset]) -> Spec:
    return grid([_panel(one) for one in subsets], 2, gap=18)


def _panel(subset: MatchedSubset) -> Spec:
    n_classes, n_chosen = len(subset.means), len(subset.classes)
    steps = [_step(at + 1, float(subset.means[at])) for at in spread_out(n_classes, MOST_STEPS)]
    small = {"colour": FIRST, "size": 14, "opacity": int(n_classes < FEW_CLASSES)}
    # No class at all may be hard enough.
    last = {**_step(n_chosen, subset.mean), "colour": SECOND, "size": 40}
    last |= {"opacity": 1} if n_chosen else {"y": subset.target, "opacity": 0}
    target = f"target {measure_text(subset.target)}"
    target += f", as {short(subset.target_of)}" if subset.target_of else ""
    # Of a few classes longer than they are, so that labels are whole numbers.
    end = 1.02 * max(n_classes, 4)
    return scatter(
        [*({**one, **small} for one in steps), {**last, "name": chosen_text(subset)}],
        Axis("k hardest classes", (0, end), ticks=4, form=COUNTS),
        Axis(
            f"mean {MEASURES[subset.measure].short}",
            around([*map(float, subset.means), subset.target], 0.18),
            ticks=4,
        ),
        lines(rows=steps, color=FIRST),
        line=((0, subset.target), (end, subset.target)),
        size=0,
        width=PANEL_PX,
        height=PLOT_PX,
        title=f"Classes of {short(subset.dataset)}\n{target}",
    )


def _step(k: int, mean: float) -> Row:
    return {"x": k, "y": mean, "tip": {"classes": count(k), "mean": measure_text(mean)}}


def chosen_text(subset: MatchedSubset) -> str:
    """How many are as hard: 12 of 80; or that the target is out of reach."""
    k, n = len(subset.classes), len(subset.means)
    if not k:
        return "none is as hard"
    return f"{k:,} of {n:,}" if subset.reached else f"all {n:,}, still harder"


def _subsets(result: DifficultyResult) -> Table[MatchedSubset]:
    return Table(
        "",
        "Subsets as hard as a target",
        result.subsets,
        [
            Column("", "data set", lambda one: one.dataset, TEXT),
            Column("", "measure", lambda one: measure_words(one.measure), TEXT),
            Column("", "target", lambda one: one.target, FINE_SCORE),
            Column("", "mean of", lambda one: one.target_of or None, TEXT),
            Column("", "classes", lambda one: len(one.means), COUNT),
            Column("", "chosen", lambda one: len(one.classes), COUNT),
            Column("", "their mean", lambda one: one.mean, FINE_SCORE),
            Column("", "as hard as the target", _reached, TEXT),
        ],
    )


def _reached(one: MatchedSubset) -> str:
    if one.reached:
        return "yes"
    return "no, all together are still harder" if one.classes else "no class is"


class _Step(NamedTuple):
    """The k hardest classes; the last of them has a name where it is chosen."""

    subset: MatchedSubset
    k: int
    mean: float
    name: str | None


def _steps(result: DifficultyResult) -> Table[_Step]:
    return Table(
        "subsets",
        "Means of the hardest classes, and which are chosen",
        [
            _Step(one, k, mean, name)
            for one in result.subsets
            for k, (mean, name) in enumerate(zip_longest(one.means.tolist(), one.classes), start=1)
        ],
        [
            Column("dataset", "data set", lambda row: row.subset.dataset, TEXT),
            Column("", "measure", lambda row: measure_words(row.subset.measure), TEXT),
            Column("measure", "", lambda row: row.subset.measure, TEXT),
            Column("target", "target", lambda row: row.subset.target, FINE_SCORE),
            Column("target_of", "", lambda row: row.subset.target_of, TEXT),
            Column("k", "k", lambda row: row.k, COUNT),
            Column("class", "class", lambda row: row.name, TEXT),
            Column("mean", "mean", lambda row: row.mean, FINE_SCORE),
            Column("chosen", "chosen", lambda row: row.name is not None, FLAG),
            Column("reached", "", lambda row: row.subset.reached, FLAG),
        ],
        folded=True,
        unprinted=True,
    )
