"""The figure of a reconciliation shows the steps that move the number, end to end."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from boxlens.report.described import describe
from boxlens.studies.comparison.conventions.steps import reconcile
from cases import random_scene
from oracles.convert import scene_to_tables


def drawn(result):
    spec = result.figures()["convention_steps"].to_dict()
    rows = next(rows for rows in spec["datasets"].values() if "from" in rows[0])
    return spec, rows


@pytest.mark.parametrize("seed", [3, 8])
def test_bars_join_the_two_numbers(seed):
    result = reconcile(*scene_to_tables(random_scene(seed)), start="coco", end="ultralytics83")
    spec, rows = drawn(result)
    moving = [step for step in result.steps if step.moves]
    assert [row["label"][0] for row in rows[1:-1]] == [step.title for step in moving]
    ends = [row["end"] for row in rows if "end" in row]
    assert ends == [result.start.value, result.end.value]
    assert sum(row["to"] - row["from"] for row in rows) == pytest.approx(result.difference)
    assert all(row["next"] == following["row"] for row, following in pairwise(rows))
    still = [step.title for step in result.steps if not step.moves]
    assert all(title in spec["usermeta"]["reading"] for title in still)


def test_changes_too_small_for_the_digits_are_about_0_and_none_is_0():
    dataset, detections = scene_to_tables(random_scene(8))
    _, rows = drawn(reconcile(dataset, detections, start="coco", end="voc07"))
    for row in rows[1:-1]:
        change = row["to"] - row["from"]
        assert (row["change"] == "0") == (change == 0)
        assert row["change"].startswith("+") == (change >= 0.00005)


def test_an_undefined_number_has_no_figure_and_a_reason():
    dataset, detections = scene_to_tables(random_scene(8))
    result = reconcile(dataset.where(dataset.gt.area_px < 0), detections, start="coco", end="voc07")
    assert math.isnan(result.difference)
    ((_, plot),) = describe(result).plots()
    assert "undefined" in plot.absent
    assert result.figures() == {}
