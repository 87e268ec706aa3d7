"""The figure for a paper: all of it in a quarter of a page, in letters that can be read."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from boxlens.report.charts.kinds import KINDS
from boxlens.report.described import describe
from boxlens.report.described.diagnosis.class_sets import quarter_page
from boxlens.wording import score
from report.drawn import WORLDS, chart_of, colours, drawn, size, svg_of, words, world
from report.toy_diagnosis import toy_diagnosis

POINTS_A_CM = 72 / 2.54
COLUMN_CM, HIGHEST_CM = 8.6, 12.0
SMALLEST_POINTS = 6.0


@pytest.mark.parametrize("name", WORLDS[:-1])
def test_it_fits_in_a_quarter_of_a_page_and_no_letters_are_too_small_there(name):
    svg = drawn("quarter_page", name)
    width, height = size(svg)
    assert height / width * COLUMN_CM <= HIGHEST_CM
    smallest = min(float(px) for px in re.findall(r'font-size="([\d.]+)px"', svg))
    assert smallest * COLUMN_CM * POINTS_A_CM / width >= SMALLEST_POINTS


def test_kinds_gains_and_spreads_are_all_in_it():
    of, svg = world("demo"), drawn("quarter_page", "demo")
    shown = words(svg)
    every = of.hoiem.sets[0]
    for kind in every.top_fp:
        assert KINDS[kind].label in shown
        assert KINDS[kind].colour in colours(svg)
    for gain in every.impact.values():
        assert f"+{score(gain)}" in shown
    assert f"AP {score(every.ap)}, AP_N {score(every.ap_n)}" in shown
    for row in of.sensitivity.characteristics:
        assert row.name in shown
        assert score(row.impact) in shown
        assert f"{score(row.sensitivity)} ({score(row.chance)})" in shown


def test_of_a_set_of_classes_only_their_objects_are_told():
    of = world("demo")
    some = of.hoiem.sets[1]
    shown = words(svg_of(chart_of(quarter_page(some, of.sensitivity))))
    area = next(row for row in of.sensitivity.characteristics if row.name == "area")
    kept = [one for one in area.classes if one.name in some.classes]
    highest = math.fsum(one.highest for one in kept) / len(kept)
    lowest = math.fsum(one.lowest for one in kept) / len(kept)
    assert f"{some.name} ({len(some.classes)})" in shown
    assert score(highest - lowest) in shown
    # What chance would give is known for all classes together only.
    assert "chance" not in shown


def test_of_many_characteristics_the_widest_are_shown():
    of = world("demo")
    rows = of.sensitivity.characteristics
    copies = tuple(replace(row, name=f"{row.name} {at}") for at in range(3) for row in rows)
    many = replace(of.sensitivity, characteristics=copies)
    chart = chart_of(quarter_page(of.hoiem.sets[0], many))
    assert f"The widest 9 of {len(copies)}." in words(svg_of(chart))


def test_without_similar_classes_it_says_so():
    assert "no similar classes known" in words(
        drawn("quarter_page", "no similar classes, no attributes")
    )


def test_without_objects_it_says_why_it_is_absent():
    of = world("no objects, no detections")
    assert "AP is undefined" in quarter_page(of.hoiem.sets[0], of.sensitivity).absent


def test_a_diagnosis_has_it_first():
    _, first = next(describe(toy_diagnosis()).plots())
    assert first.name == "quarter_page"
