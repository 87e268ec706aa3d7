"""Figures, page and table of a search for settings show what the result holds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from boxlens.report.described import describe
from boxlens.report.readers.frames import study_frames
from report.detection_use_results import TUNING_WORLDS, tuned
from report.drawn import plan_of, reading_of, records, spec_of


def test_every_trial_is_a_point_and_the_line_is_the_best_so_far():
    result = tuned(better=True)
    rows = records(result.figures()["trials"], "number")
    points = [row for row in rows if "kind" in row]
    # Once as a point, and the first once more as the line it is compared with.
    assert {row["number"]: row["ar"] for row in points} == {
        one.number: one.ar for one in result.trials
    }
    assert {row["number"] for row in points if row["kind"] == "best"} == {result.best}
    line = [row["ar"] for row in rows if "kind" not in row]
    assert line == [max(one.ar for one in result.trials[: at + 1]) for at in range(12)]


def test_only_settings_that_were_varied_have_a_panel():
    spec = json.dumps(tuned().figures()["settings"].to_dict())
    assert '"setting beta:Q"' in spec or '"field": "setting beta"' in spec
    assert '"field": "setting kappa"' not in spec
    assert '"type": "log"' in spec


@pytest.mark.parametrize(
    ("low", "high"), [(0.9993, 0.99995), (0.5, 0.95), (-3, 4), (50, 2000), (1e-4, 2e3), (7, 7)]
)
def test_every_tick_of_a_setting_has_room_for_its_label(low, high):
    values = [low, high, low]
    trials = [
        replace(one, settings={"eta": value, "other": row})
        for row, (one, value) in enumerate(zip(tuned(3).trials, values, strict=True))
    ]
    result = replace(tuned(3), trials=tuple(trials))
    panels = spec_of(result.figures()["settings"])
    shown = [one["layer"][0]["encoding"]["x"] for one in panels["vconcat"][-1]["concat"]]
    for axis in (one["axis"] for one in shown if one["field"] == "setting eta"):
        assert low == high or 2 <= len(axis["values"]) <= 8
        assert low <= min(axis["values"])
        assert max(axis["values"]) <= high
        assert axis["labelOverlap"] is False


def test_pictures_that_were_held_out_are_told():
    told = reading_of(tuned().figures()["trials"])
    assert "On 30 pictures held out: AR 0.280 before, 0.310 after." in told
    told = reading_of(tuned(held_out=False).figures()["trials"])
    assert "No pictures were held out." in told


@pytest.mark.parametrize("world", TUNING_WORLDS)
def test_figures_hold_nothing_undefined_and_one_trial_is_the_best(world):
    result = TUNING_WORLDS[world]()
    for figure in plan_of(result).figures:
        assert "nan" not in str(spec_of(figure.draw())["datasets"])
    (frame,) = study_frames(describe(result)).values()
    assert frame["best"].sum() == 1


def test_the_table_holds_every_trial():
    result = tuned()
    trials = study_frames(describe(result))["trials"]
    assert trials["AR"].to_list() == [one.ar for one in result.trials]
    assert trials["setting_beta"].to_list() == [one.settings["beta"] for one in result.trials]
