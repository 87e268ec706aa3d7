"""Which classes are hardest, and the most that are together as hard as a target."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Final, NamedTuple

from boxlens.report.charts.colours import FIRST, NEUTRAL, SECOND
from boxlens.report.charts.forms.axes import COUNTS, Axis, Names, around
from boxlens.report.charts.forms.choosing import GAP_LABEL, both_ends, first_of, spread_out
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, lines, rule_at
from boxlens.report.charts.forms.panels import grid, name_rows
from boxlens.report.charts.forms.scatter import scatter
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.charts.selecting import picks
from boxlens.report.described.difficulty.datasets import NO_OBJECTS, measure_columns
from boxlens.report.study import (
    COUNT,
    FINE_SCORE,
    FLAG,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    columns_of,
)
from boxlens.studies.difficulty.accuracy import SystemAccuracy
from boxlens.studies.difficulty.class_measures import ClassDifficulty, defined_measures
from boxlens.studies.difficulty.matched_subset import MatchedSubset
from boxlens.studies.difficulty.measures import MEASURES, MeasureName, measure_text, measure_words
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import class_sentences, subset_sentences
from boxlens.wording import count, short

# Classes are ranked by these; by another only where neither is known.
RANKED_BY: Final[tuple[MeasureName, ...]] = ("cpl", "clutter")
# Of each end, in a figure and in a terminal.
MOST_RANKED, MOST_BRIEF = 15, 5
# Of subsets.
MOST_PANELS, PANEL_PX, PLOT_PX = 6, 138, 110


def classes_section(result: DifficultyResult) -> Section:
    first, table = result.datasets[0], _classes(result)
    measures = defined_measures([first])
    ranked_by = [name for name in RANKED_BY if name in measures] or measures[:1] or RANKED_BY[:1]
    return Section(
        "classes",
        "Classes",
        (*(_ranking_plot(result, table, name) for name in ranked_by), table),
        "Sort by a measure to see which classes are hard by it.",
        findings=tuple(class_sentences(first)),
    )


def _ranking_plot(
    result: DifficultyResult, table: Table[ClassDifficulty], measure: MeasureName
) -> Plot:
    first, of = result.datasets[0], MEASURES[measure]
    ranked = first.hardest_first(measure)
    shown = replace(table, rows=ranked)
    legend = "Line: mean over classes. The hardest class comes first."
    if of.crowded:
        legend += " The axis shows square roots."
    if len(ranked) > 2 * MOST_RANKED + 1:
        legend += f" The {MOST_RANKED} hardest and easiest of {len(ranked):,} classes."
    if n_undefined := len(first.classes) - len(ranked):
        legend += f" Undefined for {n_undefined:,} more."
    return Plot(
        f"classes_by_{measure}",
        f"The hardest and easiest classes by {of.short}",
        "Classes at the top are hard for any system: expect low scores there.",
        partial(_draw_ranking, shown, measure, first.means[measure], linked=result.has_detectors),
        legend=legend,
        about=first.name,
        absent="" if ranked else NO_OBJECTS,
    )


def _draw_ranking(
    table: Table[ClassDifficulty], measure: MeasureName, mean: float, *, linked: bool
) -> Spec:
    """`linked`: in the app a click on a class shows its objects."""
    of = MEASURES[measure]
    tips = {"class": "class", of.short: measure, "objects": "n_objects", "images": "n_images"}
    shown = both_ends(table_rows(table, tips, value=measure), MOST_RANKED)
    cut, labels = None in shown.values(), dict.fromkeys(shown, GAP_LABEL)
    rows: list[Row] = []
    for at, (place, row) in enumerate(shown.items()):
        if row is not None:
            name = labels[place] = row["tip"]["class"]
            colour = (SECOND if at < MOST_RANKED else FIRST) if cut else NEUTRAL
            links = picks(name, None, of="objects", terms={"class": name}) if linked else {}
            rows.append({"row": place, "colour": colour, **row, **links})
    columns = {name: {row["row"]: row["tip"][name] for row in rows} for name in list(tips)[1:3]}
    return name_rows(
        rows,
        Names(labels, px=13, grid=True),
        Axis(of.title, ticks=4, kind="sqrt" if of.crowded else "linear"),
        *rule_at(mean),
        dots("value", size=32),
        width=130,
        columns=columns,
    )


def _classes(result: DifficultyResult) -> Table[ClassDifficulty]:
    """Of the first data set with the main score of every system."""
    first, *others = result.datasets
    # By itself: classes may be called alike.
    home = {id(of): (one, row) for one in result.datasets for row, of in enumerate(one.classes)}

    def main_score(one: ClassDifficulty, system: SystemAccuracy) -> float | None:
        """Systems were given the first data set alone."""
        (dataset, row), name = home[id(one)], system.main_score
        return system.classes[row].scores.get(name) if name and dataset is first else None

    data_set = "data set" if others else ""
    searched = "images searched" if any(one.searched_in_part for one in result.datasets) else ""
    return Table(
        "classes",
        "Every class",
        [of for one in result.datasets for of in one.classes],
        [
            Column("class", "class", lambda one: one.name, TEXT),
            Column("dataset", data_set, lambda one: home[id(one)][0].name, TEXT),
            Column("n_images", "images", lambda one: one.n_images, COUNT),
            Column("n_objects", "objects", lambda one: one.n_objects, COUNT),
            *measure_columns(ClassDifficulty.value, defined_measures(result.datasets)),
            Column("n_images_searched", searched, lambda one: one.n_images_searched, COUNT),
            *columns_of(
                result.systems,
                main_score,
                heading=lambda of: (
                    f"{result.label(of.main_score)}, {of.name}" if of.main_score else ""
                ),
                # Others at a click.
                most=2,
            ),
        ],
        brief=_ends(first.hardest_first("cpl")),
        brief_caption=f"Hardest and easiest classes of {first.name} by CPL",
        wide=True,
    )


def _ends(ranked: list[ClassDifficulty]) -> list[ClassDifficulty]:
    """The hardest and easiest by CPL; none where no class is harder than another."""
    if not ranked or ranked[0].cpl == ranked[-1].cpl:
        return []
    return ranked if len(ranked) <= 2 * MOST_BRIEF else ranked[:MOST_BRIEF] + ranked[-MOST_BRIEF:]


def subsets_section(result: DifficultyResult) -> Section:
    known = [one for one in result.subsets if len(one.means)]
    why = "no class has the measure" if result.subsets else "no target was given"
    figure = Plot(
        "subsets",
        "How many classes are as hard as the target",
        "Scores on the chosen classes can be compared with scores on data of that difficulty.",
        lambda: grid([_subset_panel(one) for one in known[:MOST_PANELS]], 2, gap=18),
        legend="Line: mean of the k hardest classes. Dashed: target. Dot: the most classes that "
        f"are still as hard.{first_of(MOST_PANELS, len(known), 'subsets')}",
        about=result.datasets[0].name,
        absent="" if known else why,
    )
    return Section(
        "subsets",
        "Subsets",
        (figure, _subsets(result), _steps(result)),
        "The most classes, from the hardest on, whose mean is as hard as the target.",
        findings=tuple(subset_sentences(result)),
    )


def _subset_panel(subset: MatchedSubset) -> Spec:
    n_classes, n_chosen = len(subset.means), len(subset.classes)
    steps = [_step(at + 1, float(subset.means[at])) for at in spread_out(n_classes, 200)]
    # Of a few classes each is a dot.
    small = {"colour": FIRST, "size": 14, "opacity": int(n_classes < 10)}
    # No class at all may be hard enough.
    last = {**_step(n_chosen, subset.mean), "colour": SECOND, "size": 40}
    last |= {"opacity": 1} if n_chosen else {"y": subset.target, "opacity": 0}
    target = f"target {measure_text(subset.target)}"
    target += f", as {short(subset.target_of)}" if subset.target_of else ""
    # Of a few classes longer than they are, so that labels are whole numbers.
    end = 1.02 * max(n_classes, 4)
    heights = around([*map(float, subset.means), subset.target], 0.18)
    return scatter(
        [*({**one, **small} for one in steps), {**last, "name": chosen_text(subset)}],
        Axis("k hardest classes", (0, end), ticks=4, form=COUNTS),
        Axis(f"mean {MEASURES[subset.measure].short}", heights, ticks=4),
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
