"""Forms of figures: what they draw, where axes begin and end, and how lines are told apart."""

from __future__ import annotations

import json
import math
import re

import pytest

from boxlens.report.charts.colours import BLUE, GREEN, VERMILION, ramp
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.forms.axes import (
    SHARES,
    Axis,
    Names,
    round_powers,
    round_steps,
    to_a_tenth,
)
from boxlens.report.charts.forms.choosing import both_ends, spread_out
from boxlens.report.charts.forms.keys import DASHED, MOST_LINES, Style, key, styles_of
from boxlens.report.charts.forms.layers import Palette
from boxlens.report.charts.forms.marks import dots, hollow_dots, note, rule_at, spans, stacks
from boxlens.report.charts.forms.panels import beside, name_rows, plot
from boxlens.report.charts.forms.tables import told_rows
from boxlens.report.charts.kinds import KINDS
from boxlens.report.readers.figures import titled
from boxlens.report.study import SCORE, TEXT, Plot
from boxlens.wording import change, score
from report.drawn import records, svg_of, texts

NAN = math.nan
LONG = "a class whose name is much longer than there is room for"
CLASSES = {"car": 0.41, "van": NAN, LONG: 0.05}


def drawn(chart) -> str:
    return svg_of(titled(Plot("", "", "", chart)))


def forest():
    rows = [
        {
            "row": name,
            "value": value,
            "low": value - 0.1,
            "high": NAN if name == LONG else value + 0.1,
            "colour": BLUE,
            "tip": {"of": name, "difference": change(value)},
        }
        for name, value in CLASSES.items()
    ]
    sides = (note("b better", 60, 90, align="right", color=VERMILION),)
    return name_rows(
        rows,
        Names.of(CLASSES),
        Axis("difference", (-0.3, 0.6)),
        *rule_at(0),
        spans(),
        dots("value"),
        hollow_dots("low"),
        *sides,
        width=148,
        columns={"differ.": {name: change(value) for name, value in CLASSES.items()}},
    )


def stacked_bars():
    palette = Palette("kind", {KINDS[kind].label: KINDS[kind].colour for kind in ("loc", "bg")})
    rows = [
        {"row": name, "kind": KINDS[kind].label, "share": part, "order": order}
        for name in CLASSES
        for order, (kind, part) in enumerate((("loc", 0.25), ("bg", 0.75)))
    ]
    axis = Axis("share", (0, 1), form=SHARES)
    return name_rows(rows, Names.of(CLASSES), axis, stacks("bar", "share", palette), width=110)


def test_undefined_values_are_not_drawn():
    spec = chart_json(forest())
    drawn = {
        layer["mark"]["type"]: spec["datasets"][layer["data"]["name"]]
        for layer in spec["layer"]
        if "data" in layer and "row" in spec["datasets"][layer["data"]["name"]][0]
    }
    assert [row["row"] for row in drawn["rule"]] == ["car"]
    assert [row["row"] for row in drawn["point"]] == ["car", LONG]


def test_a_mark_without_any_value_has_no_layer():
    rows = [{"row": "car", "value": None, "low": NAN, "high": NAN}]
    assert not name_rows(rows, Names.of(["car"]), Axis(), spans(), dots("value"), width=90)["layer"]


def test_tips_are_texts_by_their_headings():
    (tip,) = {json.dumps(row["tip"]) for row in records(forest(), "tip") if row["row"] == "car"}
    assert json.loads(tip) == {"of": "car", "difference": "+0.410"}
    layers = forest()["layer"]
    assert {"expr": "datum.tip"} in [layer["mark"].get("tooltip") for layer in layers]
    # The same is read out to those who cannot see it.
    assert 'aria-label="of: car; difference: +0.410"' in drawn(forest)


def test_rows_of_plain_values_tell_them_in_their_forms():
    found = [("car", 0.41, {"colour": GREEN}), ("van", math.nan, {})]
    first, second = told_rows({"class": TEXT, "AP": SCORE}, found, row="class", value="AP")
    assert first == {
        "row": "car",
        "value": 0.41,
        "colour": GREEN,
        "tip": {"class": "car", "AP": score(0.41)},
    }
    assert second["tip"] == {"class": "van", "AP": "-"}


def test_rows_that_panels_share_stand_once_in_a_figure():
    rows = [{"x": 1, "y": 1}]
    panels = [name_rows(rows, Names.of(["a"]), Axis(), width=width) for width in (8, 9)]
    spec = chart_json(beside(*panels))
    assert len(spec["datasets"]) == 1
    assert {part["data"]["name"] for part in spec["hconcat"]} == set(spec["datasets"])


@pytest.mark.parametrize("values", [(0, 0.25, 0.5, 0.75, 1), (0.125, 0.9995), (0, 1500)])
def test_labels_of_an_axis_are_not_rounded(values):
    axis = Axis(ends=(min(values), max(values)), values=values)
    read = texts(svg_of(plot([{"x": 0.5, "y": 1}], axis, Axis(), dots(), width=300, height=50)))
    assert {f"{value:g}" for value in values} <= set(read)


def test_names_are_cut_in_the_middle_and_stand_in_their_order():
    read = texts(drawn(forest))
    shown = [text for text in read if text in CLASSES or text.startswith("a class w")]
    assert shown[:2] == ["car", "van"]
    assert shown[2].endswith("is room for"[-11:])
    assert "..." in shown[2]


def test_bars_of_a_stack_begin_where_the_one_before_ends():
    svg = drawn(stacked_bars)
    starts = {float(x) for x in re.findall(r'd="M([\d.]+),[\d.]+h', svg)}
    assert {0.0, 27.5} <= starts


@pytest.mark.parametrize(
    ("values", "ends"),
    [([0.31, 0.6], 0.6), ([0.61], 0.7), ([0.11, NAN], 0.15), ([NAN], 1.0), ([1.2], 1.2)],
)
def test_an_axis_ends_at_the_next_tenth(values, ends):
    assert to_a_tenth(values) == (0.0, ends)


@pytest.mark.parametrize(("low", "high"), [(0.9993, 0.99995), (0.5, 0.95), (-3, 4), (7, 7)])
def test_steps_are_few_and_within_both_ends(low, high):
    found = round_steps(low, high)
    assert 1 <= len(found) <= 4
    assert all(low <= value <= high for value in found)


@pytest.mark.parametrize(("low", "high"), [(50, 2000), (1e-4, 2e3)])
def test_powers_are_few_and_within_both_ends(low, high):
    found = round_powers(low, high)
    assert 2 <= len(found) <= 8
    assert all(low <= value <= high for value in found)


def test_lines_can_be_told_apart_and_baselines_are_dashed():
    names = [f"method {at}" for at in range(MOST_LINES + 3)]
    styles = styles_of(names, dashed=set(names[::4]))
    assert len(styles) == len(set(styles.values())) == MOST_LINES
    assert list(styles) == names[:MOST_LINES]
    assert {name for name, style in styles.items() if style.dash in DASHED} == set(
        names[:MOST_LINES:4]
    )


def test_a_key_has_every_name_in_its_colour_and_none_where_there_is_one():
    (found,) = key({"a": BLUE, "b": GREEN}, width=100)
    assert {row["text"]: row["colour"] for row in found["data"]["values"]} == {
        "a": BLUE,
        "b": GREEN,
    }
    assert not key({"a": BLUE}, width=100)
    assert key({"objects": Style(BLUE)}, width=100, always=True)


def test_a_key_is_never_wider_than_its_figure():
    (found,) = key({f"{at} {LONG}": BLUE for at in range(5)}, width=340)
    assert found["width"] <= 340
    assert found["height"] == 12 * 3


def test_of_many_rows_both_ends_are_drawn_with_a_gap_between():
    assert both_ends("abc", 1) == {"0": "a", "1": "b", "2": "c"}
    assert both_ends("abcd", 1) == {"0": "a", "gap": None, "3": "d"}


@pytest.mark.parametrize(("n", "most"), [(0, 3), (1, 3), (3, 3), (10, 3), (1000, 250)])
def test_a_thinned_curve_keeps_both_ends(n, most):
    found = spread_out(n, most)
    assert len(found) == min(n, most)
    assert found == sorted(set(found))
    assert not n or (found[0], found[-1]) == (0, n - 1)


def test_a_ramp_goes_from_pale_to_dark():
    assert ramp(3)[0] == "#9ecae1"
    assert ramp(3)[-1] == "#08306b"
