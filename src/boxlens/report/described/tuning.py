"""A search for settings of a proposal method: what was gained, whether it holds, what was tried."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from boxlens.report.charts.tuning_trials import tuning_settings_chart, tuning_trials_chart
from boxlens.report.study import (
    CHANGE,
    COUNT,
    FINE_SCORE,
    FLAG,
    MEAN_COUNT,
    NUMBER,
    SCORE,
    SECONDS,
    TEXT,
    Column,
    Plot,
    Section,
    Study,
    Table,
)
from boxlens.studies.proposals.tuning.verdict import tuning_sentences
from boxlens.wording import counted, score

if TYPE_CHECKING:
    from boxlens.studies.proposals.tuning.result import ProposalTuningResult, Trial

GUIDE = "proposals"
# Of the best trials, where there is little room.
MOST_TRIALS = 5


def study(result: ProposalTuningResult) -> Study:
    first, best = result.trials[0], result.trials[result.best]
    return Study(
        title=f"Tuning of {result.method}",
        data=counted(result.n_tuned_on, "picture"),
        facts=(
            counted(len(result.trials), "trial"),
            f"at most {counted(result.budget, 'proposal')} per picture",
            f"{counted(result.n_held_out, 'picture')} held out",
        ),
        sentences=tuple(tuning_sentences(result)),
        tiles=(
            ("AR before", first.ar, SCORE),
            ("AR of the best", best.ar, SCORE),
            ("AR before, held out", result.held_out_before, SCORE),
            ("AR after, held out", result.held_out_after, SCORE),
        ),
        sections=(
            Section(
                "trials",
                "Trials",
                (_trials_plot(result), _gains(result), _trials(result)),
                reading="The best of many trials looks better than it is because it was chosen: "
                "the pictures held out show what it is worth.",
                guide=GUIDE,
            ),
            Section(
                "settings",
                "Settings",
                (_settings_plot(result), _settings(result)),
                reading="What was varied, and where the best trial lies.",
                guide=GUIDE,
            ),
        ),
        main_table="Every trial",
    )


def _trials(result: ProposalTuningResult) -> Table[Trial]:
    best = result.trials[result.best]
    ranked = sorted(result.trials, key=lambda one: (math.isnan(one.ar), -one.ar, one.number))
    brief = dict.fromkeys([*(one.number for one in ranked[:MOST_TRIALS]), 0])
    return Table(
        "trials",
        "Every trial",
        result.trials,
        [
            Column("trial", "trial", lambda one: one.number, COUNT),
            Column("best", "", lambda one: one is best, FLAG),
            Column("AR", "AR", lambda one: one.ar, FINE_SCORE),
            Column("recall_0.5", "recall at 0.5", lambda one: one.recall_50),
            Column("n_mean", "proposals per image", lambda one: one.n_mean, MEAN_COUNT),
            Column(
                "seconds_per_image", "seconds per image", lambda one: one.seconds_per_image, SECONDS
            ),
            *(
                Column(f"setting_{name}", name, partial(_setting, name), NUMBER)
                for name in result.trials[0].settings
            ),
        ],
        brief=[result.trials[number] for number in brief],
        folded=True,
    )


def _setting(name: str, trial: Trial) -> float:
    return trial.settings.get(name, math.nan)


class _Gain(NamedTuple):
    pictures: str
    n_pictures: int
    before: float
    after: float


def _gains(result: ProposalTuningResult) -> Table[_Gain]:
    first, best = result.trials[0], result.trials[result.best]
    return Table(
        "",
        "AR gained by tuning",
        [
            _Gain("tuned on", result.n_tuned_on, first.ar, best.ar),
            _Gain("held out", result.n_held_out, result.held_out_before, result.held_out_after),
        ],
        [
            Column("", "pictures", lambda row: row.pictures, TEXT),
            Column("", "number", lambda row: row.n_pictures, COUNT),
            Column("", "AR before", lambda row: row.before),
            Column("", "AR after", lambda row: row.after),
            Column("", "gained", lambda row: row.after - row.before, CHANGE),
        ],
    )


def _settings(result: ProposalTuningResult) -> Table[str]:
    first, best = result.trials[0], result.trials[result.best]
    ranges = result.parameters.get("ranges", {})
    nowhere = (math.nan, math.nan)
    return Table(
        "",
        "Settings before and after",
        list(first.settings),
        [
            Column("", "setting", str, TEXT),
            Column("", "before", lambda name: _setting(name, first), NUMBER),
            Column("", "best", lambda name: _setting(name, best), NUMBER),
            Column("", "searched from", lambda name: ranges.get(name, nowhere)[0], NUMBER),
            Column("", "to", lambda name: ranges.get(name, nowhere)[1], NUMBER),
        ],
    )


def _trials_plot(result: ProposalTuningResult) -> Plot:
    return Plot(
        "trials",
        "Average recall of every trial",
        "If the line has been level for long, more trials would add little. If it still rises, "
        "search on.",
        partial(tuning_trials_chart, result),
        legend=f"On the pictures tuned on ({result.n_tuned_on:,}). Line: the best so far. Dashed: "
        f"the settings before. {_held_out(result)}",
        about=_about(result),
        absent="" if _has_numbers(result) else "no trial has a number",
        wide=True,
    )


def _settings_plot(result: ProposalTuningResult) -> Plot:
    first = result.trials[0].settings
    varied = [
        name
        for name in first
        if any(one.settings.get(name) != first[name] for one in result.trials)
    ]
    return Plot(
        "settings",
        "Average recall against each setting",
        "A peak: the setting matters, and the peak is where to be. Points at one height: it does "
        "not matter.",
        partial(tuning_settings_chart, result, varied),
        legend="One point per trial. All settings vary at once, so points scatter even where a "
        f"setting matters. {_held_out(result)}",
        about=_about(result),
        absent="" if varied and _has_numbers(result) else "no setting was varied",
        wide=True,
    )


def _has_numbers(result: ProposalTuningResult) -> bool:
    return not all(math.isnan(one.ar) for one in result.trials)


def _about(result: ProposalTuningResult) -> str:
    n_trials, n_boxes = counted(len(result.trials), "trial"), counted(result.budget, "proposal")
    return f"{result.method}, {n_trials}, at most {n_boxes}"


def _held_out(result: ProposalTuningResult) -> str:
    before, after = result.held_out_before, result.held_out_after
    if math.isnan(before) or math.isnan(after):
        return "No pictures were held out."
    pictures = counted(result.n_held_out, "picture")
    return f"On {pictures} held out: AR {score(before)} before, {score(after)} after."
