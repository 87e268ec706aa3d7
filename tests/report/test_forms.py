"""Every form of the figures compiles, follows Vega-Lite's schema and draws nothing undefined."""

from __future__ import annotations

import json
import math
import re
from itertools import product

import pytest
from altair.vegalite.v6.schema.core import Root

from boxlens.report.charts.colours import (
    BLUE,
    GREEN,
    INK,
    NEUTRAL,
    PALE,
    SERIES,
    VERMILION,
    colours_of,
    ramp,
)
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.forms.axes import (
    COUNTS,
    SHARES,
    Axis,
    Names,
    around,
    from_zero,
    round_powers,
    round_steps,
    to_a_tenth,
)
from boxlens.report.charts.forms.cells import cell, density, matrix
from boxlens.report.charts.forms.choosing import both_ends, spread_out
from boxlens.report.charts.forms.keys import DASHED, MOST_LINES, Style, key, key_table, styles_of
from boxlens.report.charts.forms.layers import Palette
from boxlens.report.charts.forms.marks import (
    bands,
    bars,
    behind,
    by_kind,
    dots,
    hollow_dots,
    lines,
    note,
    rule_along,
    rule_at,
    spans,
    stacks,
    ticks,
    words,
)
from boxlens.report.charts.forms.panels import (
    Series,
    below,
    beside,
    grid,
    message,
    name_rows,
    plot,
)
from boxlens.report.charts.forms.pies import pie
from boxlens.report.charts.forms.scatter import least_squares, scatter
from boxlens.report.charts.forms.steps import waterfall
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.theme import themed
from boxlens.wording import change, score, share
from report.drawn import records, svg_of, texts
from report.drawn import words as all_words

NAN = math.nan
LONG = "a class whose name is much longer than there is room for"
CLASSES = {"car": 0.41, "van": NAN, LONG: 0.05}


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


def grouped_bars():
    names = ["one", "two"]
    rows = [
        {
            "row": name,
            "series": who,
            "value": value / (at + 1),
            "clean": 0.5,
            "colour": SERIES[at],
            "text": score(value),
        }
        for name, value in CLASSES.items()
        for at, who in enumerate(names)
    ]
    return name_rows(
        rows,
        Names.of(CLASSES, px=24),
        Axis("AP", to_a_tenth(row["value"] for row in rows)),
        behind(bars("clean", color=PALE)),
        bars("value"),
        ticks("clean", color=INK),
        words("text", "value", align="left", dx=3),
        width=200,
        series=Series(names, outer=0.1, inner=0.1),
    )


def ranges():
    rows = [{"row": "size", "lowest": 0.1, "highest": 0.4, "mean": 0.2, "colour": GREEN}]
    marks = (bars("highest", "lowest", height=9), ticks("mean"))
    return name_rows(rows, Names.of(["size"]), Axis("AP_N", (0, 0.5)), *marks, width=170)


def stacked_bars():
    palette = Palette("kind", {KINDS[kind].label: KINDS[kind].colour for kind in ("loc", "bg")})
    rows = [
        {"row": name, "kind": KINDS[kind].label, "share": part, "order": order}
        for name in CLASSES
        for order, (kind, part) in enumerate((("loc", 0.25), ("bg", 0.75)))
    ]
    axis = Axis("share", (0, 1), form=SHARES)
    return name_rows(rows, Names.of(CLASSES), axis, stacks("bar", "share", palette), width=110)


def stacked_areas():
    palette = Palette("kind", {"a": BLUE, "b": GREEN}, columns=2)
    rows = [
        {"x": at, "kind": kind, "share": 0.5, "order": order}
        for at in (1, 2, 4)
        for order, kind in enumerate("ab")
    ]
    x = Axis("false positives", (1, 4), values=(1, 2, 4), kind="log", form=COUNTS)
    area = stacks("area", "share", palette)
    return plot(rows, x, Axis(ends=(0, 1)), area, width=140, height=120, title="share")


def curves():
    styles = styles_of(["a", "b", "baseline"], dashed={"baseline"})
    rows = [
        {
            "x": x / 10,
            "y": NAN if x == 3 else at * x / 30,
            "low": at * x / 40,
            "high": at * x / 20,
            "series": name,
            "tip": {"method": name, "recall": score(at * x / 30)},
            **style.look,
        }
        for at, (name, style) in enumerate(styles.items())
        for x in range(10)
    ]
    panel = plot(
        rows,
        Axis("IoU", (0, 1)),
        Axis("recall", (0, 1)),
        bands(),
        lines(),
        dots(size=10),
        *rule_at(0.5, "as given", strokeDash=[4, 3]),
        rule_along(0.25),
        width=200,
        height=120,
        framed=True,
    )
    return below(*key(styles, width=200), panel)


def staircases():
    rows = [{"x": at, "y": at * at, "series": "s", "colour": BLUE} for at in range(5)]
    axes = Axis("k", (0, 5), form=COUNTS), Axis(ends=from_zero([16]))
    return plot(rows, *axes, lines(steps="after"), width=120, height=80)


def points():
    rows = [{"x": 0.1, "y": 0.2, "name": "edge boxes"}, {"x": 0.3, "y": 0.25, "name": LONG}]
    rows += [{"x": 0.2, "y": 0.9}, {"x": NAN, "y": 0.5}]
    known = [(row["x"], row["y"]) for row in rows[:3]]
    axes = (Axis("AR", around(row["x"] for row in rows)), Axis("mAP", (0, 1)))
    return scatter(rows[:3], *axes, width=300, height=200, line=least_squares(known), color=NEUTRAL)


def heat_map():
    sides = ["car", "van"]
    cells = [
        cell(level, ["12", share(level)], column=said, row=true, tip={"true class": true})
        for (true, said), level in zip(product(sides, sides), (0.9, 0.1, NAN, 0.5), strict=True)
        if not math.isnan(level)
    ]
    across = Names.of(sides, px=60, gap=0.04, title="detected as")
    return matrix(cells, across, Names.of(sides, px=28, gap=0.04, title="true class"))


def changes():
    cells = [cell(-0.9, change(-0.9, 2), diverging=True, column="bg", row="fog")]
    names = (Names.of(["bg"], px=30, gap=0.04), Names.of(["fog"], px=15, gap=0.04))
    return matrix(cells, *names, diverging=True, letters_px=8, title="window")


def places():
    cells = [
        {"x": x, "x2": x + 1, "y": y, "y2": y + 1, "n": x * y} for x in range(4) for y in range(4)
    ]
    sides = Axis(ends=(0, 4)), Axis(ends=(4, 0), hidden=True)
    legend = {"title": "boxes", "orient": "right", "format": ","}
    found = density(cells, *sides, level="n", highest=9, legend=legend, width=90, height=90)
    # Colours along a scale beside colours of the rows' own.
    return below(*key({"a": BLUE, "b": GREEN}, width=90), beside(found, ranges()))


def steps(*, upright=False):
    found = {"AP now": (0, 0.4, 0.4), "background": (0.4, 0.45, 0.05), "misses": (0.45, 1, 0.55)}
    rows = [
        {"row": name, "from": start, "to": end, "text": change(gain), "colour": NEUTRAL}
        for name, (start, end, gain) in found.items()
    ]
    names = Names({name: [name, "done"] for name in found}, px=90 if upright else 30)
    return waterfall(rows, names, Axis("AP", (0, 1.1)), width=150, upright=upright)


def round_shares():
    slices = [(KINDS[kind], n, {"tip": {"n": str(n)}}) for kind, n in (("loc", 9), ("bg", 1))]
    return beside(
        pie(slices, legend=True), message("no false positives", width=90, height=90, title="false")
    )


def numbered_key():
    styles = styles_of(["edge boxes", LONG])
    return key_table(styles, {"AR": dict.fromkeys(styles, "0.412"), "(mean #)": {LONG: "(991)"}})


def picked_areas():
    palette = Palette("kind", {"C75": GREEN, "Loc": BLUE}, orient="right")
    rows = [
        {"x": x, "kind": kind, "from": low, "to": low + 0.4}
        for kind, low in (("C75", 0.0), ("Loc", 0.4))
        for x in (0, 1)
    ]
    area = by_kind(bands("from", "to", opacity=1), palette)
    return plot(rows, Axis("recall", (0, 1)), Axis("precision", (0, 1)), area, width=90, height=90)


def small_multiples():
    panels = [
        plot(
            [{"x": 0, "y": 0.1 * at}],
            Axis(ends=(-1, 1)),
            Axis("AP" * (at % 3 == 0), (0, 1), labels=at % 3 == 0),
            dots(),
            width=90,
            height=60,
            title=f"panel {at}\nsecond line",
        )
        for at in range(5)
    ]
    return grid(panels, 3, above=key(colours_of(["one", "two", LONG]), width=300))


FORMS = {
    one.__name__: one
    for one in (
        forest, grouped_bars, ranges, stacked_bars, stacked_areas, curves, staircases, points,
        heat_map, changes, places, steps, round_shares, numbered_key, picked_areas,
        small_multiples,
    )
} | {"upright_steps": lambda: steps(upright=True)}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_a_form_follows_the_schema_and_compiles(name):
    spec = chart_json(themed(FORMS[name](), title=name))
    Root.validate(spec)
    svg = svg_of(themed(FORMS[name](), title=name))
    assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", all_words(svg))
    json.dumps(spec, allow_nan=False)


@pytest.mark.parametrize("name", FORMS)
def test_numbers_along_axes_have_a_leading_zero_and_names_are_not_cut_by_the_renderer(name):
    read = texts(svg_of(themed(FORMS[name](), title=name)))
    assert not [text for text in read if re.match(r"[-\u2212+]?\.\d", text)]
    # The renderer cuts with one sign, `short` with three dots in the middle.
    assert not [text for text in read if text.endswith("…")]


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
    assert 'aria-label="of: car; difference: +0.410"' in svg_of(themed(forest(), title=""))


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
    read = texts(svg_of(themed(forest(), title="")))
    shown = [text for text in read if text in CLASSES or text.startswith("a class w")]
    assert shown[:2] == ["car", "van"]
    assert shown[2].endswith("is room for"[-11:])
    assert "..." in shown[2]


def test_bars_of_a_stack_begin_where_the_one_before_ends():
    svg = svg_of(themed(stacked_bars(), title=""))
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
