"""Figures of recall show what the results hold, and say what they leave out."""

from __future__ import annotations

import re
from dataclasses import replace

from boxlens.report.charts.colours import MANY_SERIES
from boxlens.report.charts.forms.axes import to_a_tenth
from boxlens.report.charts.forms.keys import MOST_LINES, key
from boxlens.report.charts.proposal_methods import method_styles
from boxlens.report.described.recall.methods import best_first
from boxlens.studies.proposals.recall.average_recall import CURVE_IOUS
from report.drawn import plan_of, reading_of, records, spec_of
from report.proposal_results import (
    METHODS,
    every_method,
    method_of,
    nasty,
    no_objects,
    no_proposals,
    one_method,
)

FIGURES = ("recall_by_iou", "recall_by_number", "by_class", "by_size", "proposal_sizes")


def drawn(result, name):
    """One of the figures; where there are several data sets, of the first."""
    prefix = "coco_177_" if len(result.datasets) > 1 and name != "datasets" else ""
    return result.figures()[prefix + name]


def with_methods(methods, result=None):
    """The first data set alone, with other methods."""
    result = result or one_method()
    return replace(result, datasets=(replace(result.datasets[0], methods=tuple(methods)),))


def many_methods(n):
    """Of one data set, half of them baselines."""
    first = one_method().datasets[0]
    made = [replace(first.methods[0], name=f"method {at}", baseline=at % 2 == 0) for at in range(n)]
    return with_methods(made)


def test_specifications_hold_no_undefined_number():
    for figure in plan_of(every_method()).figures[4:6]:
        assert "nan" not in str(spec_of(figure.draw())["datasets"]), figure.name


def test_figures_come_by_section_and_data_set_and_then_compare_them():
    names = [one.name for one in plan_of(one_method()).figures]
    assert tuple(names) == FIGURES
    names = [one.name for one in plan_of(every_method()).figures]
    assert names[0] == "coco_177_recall_by_iou"
    assert "voc2007_test_by_truncated" in names
    assert names[-1] == "datasets"


def test_what_cannot_be_drawn_is_told_with_its_reason():
    for world, why in (
        (no_objects, "there are no objects to find"),
        (no_proposals, "there are no proposals"),
    ):
        plan = plan_of(world())
        assert not plan.figures
        reasons = [one.why for one in plan.left_out]
        assert reasons == [why] * 4


def test_curves_are_those_of_the_result_with_ar_and_number_beside_them():
    result = every_method()
    method = result.datasets[0].methods[4]
    chart = drawn(result, "recall_by_iou")
    lines = [row for row in records(chart, "series") if row["series"] == method.name]
    assert len(lines) == len(CURVE_IOUS) * len(result.choice.budgets)
    assert [row["y"] for row in lines[:51]] == [round(v, 4) for v in method.chosen[0].curve]
    assert lines[50]["tip"] == {"method": method.name, "IoU": "1", "recall": "0.000"}
    columns = [row["text"] for row in records(chart, "text") if row.get("row") == method.name]
    for one in method.chosen:
        assert {f"{one.ar:.3f}", f"({one.n_mean:,.0f})"} <= set(columns)
    written = [row["text"] for row in records(chart, "text")]
    best = [text for text in written if re.fullmatch(r"0\.\d{3}", text)][: len(METHODS)]
    assert best == sorted(best, reverse=True)


def test_numbers_along_x_are_those_really_produced():
    result = one_method()
    scant = method_of("scant", False, 0.5, result.choice, reach=40)
    rows = records(drawn(with_methods([scant]), "recall_by_number"), "series")
    assert max(row["x"] for row in rows) < 40
    budgets = {f"{budget:,}" for budget in result.choice.curve_budgets()}
    assert {row["tip"]["budget"] for row in rows} == budgets
    assert {row["y"] for row in rows} >= {one.ar for one in scant.by_budget}
    assert {row["y"] for row in rows} >= {one.recall[0.75] for one in scant.by_budget}


def test_bands_are_drawn_where_they_do_not_cover_each_other():
    few, many = one_method(), many_methods(5)
    told = "Bands: 95% intervals"
    assert told in reading_of(drawn(few, "recall_by_number"))
    assert told not in reading_of(drawn(many, "recall_by_number"))
    without = replace(few.datasets[0].methods[0].by_budget[0], ar_low=float("nan"))
    method = replace(few.datasets[0].methods[0], by_budget=(without,))
    assert told not in reading_of(drawn(with_methods([method]), "recall_by_number"))


def test_sizes_stand_beside_those_of_the_objects():
    first = one_method().datasets[0]
    rows = records(drawn(one_method(), "proposal_sizes"), "objects")
    bins = rows[:10]
    assert [row["y"] for row in bins] == first.methods[0].sizes.tolist()
    assert [row["objects"] for row in bins] == first.sizes.tolist()
    # The last step goes on to the end.
    assert (rows[10]["x"], rows[10]["y"]) == (1, rows[9]["y"])


def test_classes_stand_from_the_hardest_on_and_many_are_cut():
    result = every_method()
    chart = drawn(result, "by_class")
    assert "The first and last 12 of 80." in reading_of(chart)
    rows = records(chart, "level")
    assert len(rows) == 24 * len(METHODS)
    order = list(dict.fromkeys(row["tip"]["group"] for row in rows))
    means = {
        name: sum(
            one.ar
            for method in result.datasets[0].methods
            for one in method.groups
            if (one.by, one.value) == ("class", name)
        )
        for name in order
    }
    assert order == sorted(order, key=means.__getitem__)


def test_sizes_of_objects_stand_in_their_own_order():
    result = every_method()
    turned = [
        replace(one, groups=tuple(reversed(one.groups))) for one in result.datasets[0].methods
    ]
    rows = records(drawn(with_methods(turned, result), "by_size"), "level")
    assert list(dict.fromkeys(row["tip"]["group"] for row in rows)) == ["small", "medium", "large"]


def test_every_data_set_has_a_dot_for_each_of_its_methods():
    rows = records(drawn(every_method(), "datasets"), "series")
    assert len(rows) == 12 + 8
    found = every_method().datasets[1].methods[0].chosen[-1]
    row = next(r for r in rows if (r["series"], r["row"]) == ("VOC2007_test", "uniform"))
    assert (row["value"], row["low"], row["high"]) == (found.ar, found.ar_low, found.ar_high)


def test_methods_look_different_and_only_baselines_are_dashed():
    styles = method_styles(every_method().datasets[0].methods)
    assert len(set(styles.values())) == len(METHODS)
    solid = {
        one.dash for name, one in styles.items() if name in {m[0] for m in METHODS if not m[1]}
    }
    assert solid == {(1, 0)}
    # As long as there are colours, nobody shares one.
    few = method_styles(every_method().datasets[0].methods[: len(MANY_SERIES)])
    assert {one.colour for one in few.values()} == set(MANY_SERIES)
    many = method_styles(many_methods(20).datasets[0].methods)
    assert len(set(many.values())) == len(many) == MOST_LINES == 2 * len(MANY_SERIES)


def test_more_methods_than_can_be_told_apart_are_cut_and_that_is_said():
    result = many_methods(20)
    assert "The first 16 of 20 methods." in reading_of(drawn(result, "recall_by_iou"))
    assert "The best 16 of 20 methods." in reading_of(drawn(result, "by_size"))


def test_one_method_alone_has_no_key():
    assert key(method_styles(one_method().datasets[0].methods), width=640) == []
    assert len(key(method_styles(many_methods(5).datasets[0].methods), width=640)) == 1


def test_other_overlaps_are_named_with_average_recall():
    chart = nasty().figures()["b_set_0_recall_by_iou"]
    assert "AR 0.5 to 0.7" in [row["text"] for row in records(chart, "text")]


def test_every_overlap_has_an_axis_of_its_own():
    result = every_method()
    first = result.datasets[0]
    panels = spec_of(drawn(result, "recall_by_number"))["vconcat"][-1]["concat"]
    ends = [panel["layer"][0]["encoding"]["y"]["scale"]["domain"][1] for panel in panels]
    highest = [
        max(one.recall[iou] for method in first.methods for one in method.by_budget)
        for iou in result.choice.ious
    ]
    assert ends[1:] == [to_a_tenth([value])[1] for value in highest]


def test_keys_panels_and_columns_begin_with_the_best_method():
    result = every_method()
    first = result.datasets[0]
    best = [one.name for one in best_first(first.methods)]
    assert [one.chosen[-1].ar for one in best_first(first.methods)] == sorted(
        (one.chosen[-1].ar for one in first.methods), reverse=True
    )
    panels = records(drawn(result, "proposal_sizes"), "objects")
    assert list(dict.fromkeys(row["tip"]["method"] for row in panels)) == best
    lines = records(drawn(result, "recall_by_number"), "series")
    assert list(dict.fromkeys(row["series"] for row in lines)) == best
    cells = spec_of(drawn(result, "by_size"))["layer"][0]["encoding"]
    assert cells["x"]["scale"]["domain"] == best
    # Looks stay, whichever is best.
    styles = method_styles(first.methods)
    assert all(row["colour"] == styles[row["series"]].colour for row in lines)
