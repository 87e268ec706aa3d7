"""What systems do on hard classes: accuracy, and correlations with difficulty."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import Any, Final

from boxlens.report.charts.difficulty_scores import (
    FEW_CLASSES,
    cumulative_scores_chart,
    score_by_measure_chart,
)
from boxlens.report.described.difficulty.columns import (
    HARD_END,
    LEVEL,
    NO_SYSTEMS,
    score_columns,
    titled_score,
    who_is_shown,
)
from boxlens.report.study import (
    COUNT,
    SCORE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    interval_columns,
    table_of,
)
from boxlens.studies.difficulty.accuracy import (
    MAIN_SCORES,
    ClassAccuracy,
    ScoreName,
    SystemAccuracy,
    defined_scores,
)
from boxlens.studies.difficulty.correlations import Correlation
from boxlens.studies.difficulty.measures import measure_words
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import accuracy_sentences

ACCUMULATED: Final[tuple[ScoreName, ...]] = ("ap", "cls_loc", "loc_given_cls")
# Fewer make no line.
FEWEST_CLASSES: Final = 3


def accuracy_section(result: DifficultyResult) -> Section:
    k = result.choice.top_k
    guesses = "the best guess" if k == 1 else f"one of the best {k:,} guesses"
    return Section(
        "accuracy",
        "Accuracy",
        (_accuracy(result), _class_accuracy(result)),
        f"cls: fraction of the images of a class in which {guesses} has the right class; "
        "cls+loc: and its box is on an object of the class; loc|cls: fraction localized of the "
        "images with the right class. Means over classes. Upper bound: right where any system is.",
        findings=tuple(accuracy_sentences(result)),
    )


def _everyone(result: DifficultyResult) -> tuple[SystemAccuracy, ...]:
    """Systems, and what they reach together."""
    bound = result.upper_bound
    return result.systems if bound is None else (*result.systems, bound)


def _accuracy(result: DifficultyResult) -> Table[SystemAccuracy]:
    return Table(
        "",
        "Accuracy of every system: means over classes",
        _everyone(result),
        [
            Column("", "system", lambda one: one.name, TEXT),
            *score_columns(result, lambda one: one.scores),
        ],
    )


def _class_accuracy(result: DifficultyResult) -> Table[tuple[SystemAccuracy, ClassAccuracy]]:
    bound = result.upper_bound
    return Table(
        "systems_classes",
        "Accuracy of every system on every class",
        [(system, one) for system in _everyone(result) for one in system.classes],
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


def correlations_section(result: DifficultyResult) -> Section:
    scores = defined_scores(result.systems)
    n_most = max((one.n_classes for one in result.correlations), default=0)
    few = f"fewer than {FEWEST_CLASSES} classes have a score and a measure"
    absent = NO_SYSTEMS if not result.systems else few if n_most < FEWEST_CLASSES else ""
    plots = [_scatter_plot(result, score, absent) for score in scores or MAIN_SCORES[:1]]
    plots += [_cumulative_plot(result, score) for score in ACCUMULATED if score in scores]
    return Section(
        "correlations",
        "Correlations",
        (*(plots[:1] if absent else plots), _correlations(result), _cumulative(result)),
        "Which difficulty goes with low scores. r is Pearson's correlation over classes; "
        f"if its {LEVEL} interval includes 0, it may be chance.",
    )


def _scatter_plot(result: DifficultyResult, score: ScoreName, absent: str) -> Plot:
    words = "Scores" if absent else titled_score(result, score)
    return Plot(
        f"{score}_by_measure",
        f"{words} of classes against each measure of difficulty",
        "A steep line: the system depends on this difficulty. Of two lines the flatter one belongs "
        "to the more robust system.",
        partial(score_by_measure_chart, result, score),
        legend="One dot per class. Line: least squares. Above each panel: Pearson's r of every "
        f"system, in its colour. {HARD_END}{who_is_shown(result, score)}",
        absent=absent,
    )


def _cumulative_plot(result: DifficultyResult, score: ScoreName) -> Plot:
    return Plot(
        f"cumulative_{score}",
        f"Mean {titled_score(result, score)} of classes up to a difficulty",
        "Along scale and CPL curves begin with the hardest classes, along the others with the "
        "easiest; all end with every class. Systems that are apart where hard classes weigh most, "
        "and close where they weigh least, differ mostly on hard classes.",
        partial(cumulative_scores_chart, result, score),
        legend="At x: mean over all classes whose measure is at most x; pale: fewer than "
        f"{FEW_CLASSES} classes. The right end has all of them. Scale and CPL have square-root "
        f"axes.{who_is_shown(result, score)}",
    )


def _correlations(result: DifficultyResult) -> Table[Correlation]:
    main = {one.name: one.main_score for one in result.systems}
    return Table(
        "correlations",
        "Correlations of class scores with each measure",
        result.correlations,
        [
            Column("", "measure", lambda one: measure_words(one.measure), TEXT),
            Column("measure", "", lambda one: one.measure, TEXT),
            Column("", "score", lambda one: result.label(one.score), TEXT),
            Column("score", "", lambda one: one.score, TEXT),
            Column("system", "system", lambda one: one.system, TEXT),
            Column("n_classes", "classes", lambda one: one.n_classes, COUNT),
            Column("pearson", "r", lambda one: one.pearson),
            *interval_columns(
                attrgetter("pearson_low", "pearson_high"), LEVEL, ("pearson_low", "pearson_high")
            ),
            Column("spearman", "Spearman", lambda one: one.spearman),
            Column("slope", "slope", lambda one: one.slope, further=True),
            Column("intercept", "intercept", lambda one: one.intercept, further=True),
        ],
        brief=[one for one in result.correlations if one.score == main.get(one.system)],
        brief_caption="Correlations of main class scores with each measure",
        wide=True,
    )


def _cumulative(result: DifficultyResult) -> Table[Any]:
    texts = ("system", "score", "measure", "property", "group", "within_property", "within_value")
    forms = {**dict.fromkeys(texts, TEXT), "x": SCORE, "mean": SCORE, "n_classes": COUNT}
    rows = (
        (*attrgetter(*texts)(one), x, mean, int(n))
        for one in result.cumulative
        for x, mean, n in zip(one.x.tolist(), one.mean.tolist(), one.n_classes, strict=True)
    )
    return table_of("cumulative", "", forms, rows)
