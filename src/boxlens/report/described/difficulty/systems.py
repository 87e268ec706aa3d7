"""What systems reach: accuracy, and mean scores of classes up to a difficulty (METHODS 3.7).

Here are also the colours, scores and words of systems in every table and figure of difficulty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from boxlens.report.charts.colours import GROUPS, LINE, SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.choosing import first_of, spread_out
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import lines
from boxlens.report.charts.forms.panels import grid, message, plot
from boxlens.report.study import COUNT, TEXT, Column, Plot, Section, Table, columns_of, file_name
from boxlens.studies.difficulty.accuracy import (
    SCORE_MEANINGS,
    SCORES,
    ClassAccuracy,
    ScoreName,
    SystemAccuracy,
)
from boxlens.studies.difficulty.cumulative import CONTROLS, SCORES_OF_GROUPS, CumulativeCurve
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES, measure_text
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import accuracy_sentences
from boxlens.wording import count, listed, score, short

Of = TypeVar("Of")
# Curves by the title of their panel, and by what they are of.
_Panels = dict[str, dict[str, CumulativeCurve]]

NO_SYSTEMS: Final = "no detections and no guesses were given"
# A mean over fewer classes is drawn paler.
FEW_CLASSES: Final = 5
# Sides of a panel and letters of its title, by how many panels stand in a line.
SIZES: Final = {2: (130, 25), 3: (88, 19)}
# Of a figure of groups.
MOST_SYSTEMS, MOST_VALUES = 3, 3


def accuracy_section(result: DifficultyResult) -> Section:
    k, bound = result.choice.top_k, result.upper_bound
    guesses = "the best guess" if k == 1 else f"one of the best {k:,} guesses"
    everyone = result.systems if bound is None else (*result.systems, bound)
    means: Table[SystemAccuracy] = Table(
        "",
        "Accuracy of every system: means over classes",
        everyone,
        [
            Column("", "system", lambda one: one.name, TEXT),
            *score_columns(result, lambda one: one.scores),
        ],
    )
    classes: Table[tuple[SystemAccuracy, ClassAccuracy]] = Table(
        "systems_classes",
        "Accuracy of every system on every class",
        [(system, one) for system in everyone for one in system.classes],
        [
            Column("of", "", lambda row: "together" if row[0] is bound else "system", TEXT),
            Column("class", "class", lambda row: row[1].name, TEXT),
            Column("system", "system", lambda row: row[0].name, TEXT),
            Column("n_images", "images", lambda row: row[1].n_images, COUNT),
            *score_columns(result, lambda row: row[1].scores),
        ],
        folded=True,
        unprinted=True,
    )
    return Section(
        "accuracy",
        "Accuracy",
        (means, classes),
        f"cls: fraction of the images of a class in which {guesses} has the right class; "
        "cls+loc: and its box is on an object of the class; loc|cls: fraction localized of the "
        "images with the right class. Means over classes. Upper bound: right where any system is.",
        findings=tuple(accuracy_sentences(result)),
    )


def score_columns(
    result: DifficultyResult,
    scores: Callable[[Of], Mapping[str, float]],
    shown: Collection[str] = SCORES,
    *,
    prefix: str = "",
) -> list[Column[Of]]:
    """Every score in files, those of `shown` for readers; with a prefix, at a click."""
    return columns_of(
        SCORES,
        lambda row, name: scores(row).get(name),
        key=lambda name: prefix + name,
        heading=lambda name: prefix.replace("_", " ") + result.label(name) if name in shown else "",
        further=bool(prefix),
    )


def titled_score(result: DifficultyResult, name: ScoreName) -> str:
    """Its short name, and what that means."""
    words = result.label(name)
    return words if name == "ap" else f"{words} ({SCORE_MEANINGS[name]})"


def who_is_shown(result: DifficultyResult, name: ScoreName) -> str:
    """Sentences about systems without a colour, and those without the score; empty: none."""
    names = [one.name for one in result.systems if not one.has(name)]
    without = f" Without {result.label(name)}: {listed(names)}." if names else ""
    return first_of(len(SERIES), len(result.systems), "systems") + without


def system_colours(result: DifficultyResult, *, bound_by: str = "") -> dict[str, str]:
    """`bound_by`: with what they reach together, where it has that score."""
    colours, bound = colours_of([one.name for one in result.systems]), result.upper_bound
    if bound is not None and bound.has(bound_by):
        colours[bound.name] = LINE
    return colours


def system_key(colours: Mapping[str, str], drawn: Iterable[str] | None = None) -> list[Spec]:
    """Of those that are drawn; None: all."""
    kept = colours.keys() if drawn is None else set(drawn)
    return key({name: colour for name, colour in colours.items() if name in kept}, width=300)


class By(NamedTuple):
    """A property, or one within the values of another (`within`; empty: of all classes)."""

    name: str
    within: str

    @property
    def words(self) -> str:
        return f"{self.name} within {self.within}" if self.within else self.name

    @property
    def file(self) -> str:
        inside = f"_within_{file_name(self.within)}" if self.within else ""
        return f"{file_name(self.name)}{inside}"


def cumulative_plot(result: DifficultyResult, name: ScoreName) -> Plot:
    """One curve per system and measure."""
    colours = system_colours(result, bound_by=name)
    panels: _Panels = {}
    for measure in MEASURE_NAMES:
        for one in result.cumulative:
            of_all = (one.score, one.measure, one.property) == (name, measure, "")
            if of_all and one.system in colours and len(one.x):
                panels.setdefault(MEASURES[measure].short, {})[one.system] = one
    drawn = {system for curves in panels.values() for system in curves}
    shown = {system: colour for system, colour in colours.items() if system in drawn}
    return Plot(
        f"cumulative_{name}",
        f"Mean {titled_score(result, name)} of classes up to a difficulty",
        "Along scale and CPL curves begin with the hardest classes, along the others with the "
        "easiest; all end with every class. Systems that are apart where hard classes weigh most, "
        "and close where they weigh least, differ mostly on hard classes.",
        partial(_draw, panels, shown, result.label(name), 2 if len(panels) == 4 else 3),
        legend="At x: mean over all classes whose measure is at most x; pale: fewer than "
        f"{FEW_CLASSES} classes. The right end has all of them. Scale and CPL have square-root "
        f"axes.{who_is_shown(result, name)}",
    )


def control_plots(result: DifficultyResult, by: By, name: ScoreName) -> Iterator[Plot]:
    """One curve per group; nested groups have a figure per measure."""
    found = [
        one
        for one in result.cumulative
        if (one.property, one.within_property, one.score) == (*by, name)
        and one.measure in CONTROLS
        and len(one.x)
    ]
    # Of both measures, so that a group has one colour.
    groups = list(dict.fromkeys(one.group for one in found))
    colours = colours_of(groups, GROUPS)
    curves = [one for one in found if one.group in colours]
    more = first_of(len(GROUPS), len(groups), "groups")
    more += first_of(MOST_SYSTEMS, len({one.system for one in curves}), "systems")
    unmoved = "the difficulty of localization does not matter to classification"
    few = "no two classes of a group have a score and CPL or clutter"
    words = result.label(name)
    for measure in CONTROLS if by.within and curves else ("",):
        panels, columns, cut = _panels(by, [one for one in curves if measure in ("", one.measure)])
        if measure and not panels:
            continue
        up_to = f"a value of {MEASURES[measure].short}" if measure else "a difficulty"
        yield Plot(
            f"{name}_controlled_{by.file}" + f"_{measure}" * bool(measure),
            f"{words} up to {up_to}, by {by.words}",
            "Curves that stay apart all along: the groups differ also among equally hard classes. "
            "Curves that fall together: one group only has the harder objects.",
            partial(_draw, panels, colours, words, columns),
            legend="At x: mean over the classes of a group whose measure is at most x; pale: fewer "
            f"than {FEW_CLASSES} classes. CPL has a square-root axis.{more}{cut}",
            absent="" if panels else few if name in SCORES_OF_GROUPS else unmoved,
        )


def _panels(by: By, curves: Sequence[CumulativeCurve]) -> tuple[_Panels, int, str]:
    """One per system and measure, or of nested groups per value and system, a line for each value.

    With how many stand in a line, and a sentence about those without room.
    """
    systems = list(dict.fromkeys(one.system for one in curves))[:MOST_SYSTEMS]
    panels: _Panels = {}
    if not by.within:
        for one in curves:
            if one.system in systems:
                title = f"{one.system}, {MEASURES[one.measure].short}"
                panels.setdefault(title, {})[one.group] = one
        return panels, 2, ""
    values = list(dict.fromkeys(one.within_value for one in curves))
    most = MOST_VALUES * (2 if len(systems) == 1 else 1)
    for value in values[:most]:
        for system in systems:
            of_it = (one for one in curves if (one.within_value, one.system) == (value, system))
            panels[f"within {value}\n{system}"] = {one.group: one for one in of_it}
    return panels, max(2, len(systems)), first_of(most, len(values), f"values of {by.within}")


def _draw(panels: _Panels, colours: Mapping[str, str], y_title: str, columns: int) -> Spec:
    """Panels beside each other share an axis; only the first of a line has labels."""
    side, most = SIZES[columns]
    every = [one for curves in panels.values() for one in curves.values()]
    # Means over a few classes aside.
    many = [one.mean[one.n_classes >= FEW_CLASSES] for one in every]
    means = [part for part in many if len(part)] or [one.mean for one in every]
    highest = max(float(part.max()) for part in means) or 1.0
    drawn = []
    for at, (words, curves) in enumerate(panels.items()):
        title = "\n".join(short(line, most) for line in words.split("\n"))
        look: Row = {"width": side, "height": side, "title": title}
        first = at % columns == 0
        if curves:
            up = Axis(y_title * first, (0, 1.04 * highest), ticks=4, labels=first)
            drawn.append(_panel(curves, colours, up, **look))
        else:
            drawn.append(message("no group has two classes", **look))
    return grid(drawn, columns, above=system_key(colours), gap=16)


def _panel(
    curves: Mapping[str, CumulativeCurve], colours: Mapping[str, str], up: Axis, **look: Any
) -> Spec:
    rows = [row for name, one in curves.items() for row in _steps(name, one, colours[name])]
    crowded = any(MEASURES[one.measure].crowded for one in curves.values())
    low, high = min(row["x"] for row in rows), max(row["x"] for row in rows)
    ends = (low, high if high > low else low + 1)
    pale = [row for row in rows if row["n"] <= FEW_CLASSES]
    many = [row for row in rows if row["n"] >= FEW_CLASSES]
    return plot(
        (),
        Axis(ends=ends, ticks=3, kind="sqrt" if crowded else "linear"),
        up,
        lines(steps="after", rows=pale, opacity=0.3, clip=True),
        lines(steps="after", rows=many, clip=True),
        **look,
    )


def _steps(name: str, curve: CumulativeCurve, colour: str) -> Iterator[Row]:
    """All of the pale beginning, and enough of the rest."""
    begin = int((curve.n_classes < FEW_CLASSES).sum())
    rest = spread_out(len(curve.x) - begin, 120)
    for at in (*range(begin), *(begin + step for step in rest)):
        x, mean, n = float(curve.x[at]), float(curve.mean[at]), int(curve.n_classes[at])
        tip = {"of": name, "up to": measure_text(x), "mean": score(mean), "classes": count(n)}
        yield {"x": x, "y": mean, "n": n, "series": name, "colour": colour, "tip": tip}
