"""The oracles of the error schemes against hand-worked cases."""

from __future__ import annotations

import math

import pytest

from oracles import borji, coco_analyze, hoiem_diagnosis, tide
from oracles.one_image import at, gt, tables

# Class 0 and 1 look alike, 2 is like neither.
SIMILAR = [[False, True, False], [True, False, False], [False, False, False]]


# --- Hoiem


def test_hoiem_types_impact_and_trends_of_one_class():
    objects = [gt(at(0)), gt(at(400)), gt(at(500)), gt(at(100), 1), gt(at(200), 2)]
    places = (0, 0, 100, 200, 300, 505, 400)
    result = hoiem_diagnosis.diagnose(*tables(objects, [(at(x), 0) for x in places]), SIMILAR)
    assert result["types"] == ["tp", "loc", "sim", "oth", "bg", "loc", "tp"]
    first = result["classes"][0]
    start = (1 + 2 / 7) / 3
    assert first["ap"] == pytest.approx(start)
    # Without Loc and without Oth and BG: + - - - +. Corrected, the repeat goes: + - - - + +.
    assert first["impact"] == pytest.approx(
        {
            "loc_removed": (1 + 2 / 5) / 3 - start,
            "loc_corrected": (1 + 3 / 6 + 3 / 6) / 3 - start,
            "sim_removed": (1 + 2 / 6) / 3 - start,
            "bg_removed": (1 + 2 / 5) / 3 - start,
        }
    )
    assert first["top"] == {"correct": 1, "ignored": 0, "loc": 1, "sim": 1, "oth": 0, "bg": 0}
    # 3/8 rounds to none, of which one is taken; 3/2 rounds up to two; 12 are not there.
    eighth, quarter, half, once, twice, four, eight = first["detection_trend"]
    assert [point["tp"] + point["loc"] for point in (eighth, quarter, half)] == [1, 1, 2]
    assert once["recall"] == 1 / 3
    counts = {"tp": 1, "loc": 2, "sim": 1, "oth": 1, "bg": 1, "ignored": 0}
    assert twice == counts | {"recall": 1 / 3, "recall_weak": 2 / 3}
    assert all(math.isnan(value) for point in (four, eight) for value in point.values())
    assert all(math.isnan(share) for share in first["false_positive_trend"][0].values())


def test_hoiem_impact_of_similar_classes_is_undefined_where_there_are_none():
    result = hoiem_diagnosis.diagnose(*tables([gt(at(0), 2)], [(at(50), 2), (at(0), 2)]), SIMILAR)
    impact = result["classes"][2]["impact"]
    assert math.isnan(impact["sim_removed"])
    assert impact["bg_removed"] == 0.5
    # Class 1 has no objects.
    assert all(math.isnan(value) for value in result["classes"][1]["impact"].values())
    assert math.isnan(result["classes"][1]["ap"])


def test_hoiem_false_positive_trend_counts_errors_only():
    # A hit first, then 20 on a similar object and 10 on nothing.
    found = [(at(0), 0), *[(at(100), 0)] * 20, *[(at(300), 0)] * 10]
    result = hoiem_diagnosis.diagnose(*tables([gt(at(0)), gt(at(100), 1)], found), SIMILAR)
    first, second, *_ = result["classes"][0]["false_positive_trend"]
    assert first == {"loc": 0, "sim": 20 / 25, "oth": 0, "bg": 5 / 25}
    assert math.isnan(second["sim"])


@pytest.mark.parametrize(
    ("objects", "kind"),
    [
        ([gt(at(5), 1), gt(at(3), 2)], "oth"),
        ([gt(at(3), 1), gt(at(5), 2)], "sim"),
        ([gt(at(5), 1), gt(at(5), 2)], "oth"),
        ([gt(at(5), 2), gt(at(5), 1)], "sim"),
        ([gt(at(9), 0), gt(at(0), 2)], "oth"),
        ([gt(at(8), 0, difficult=True), gt(at(0), 2)], "loc"),
    ],
)
def test_hoiem_largest_iou_decides_where_it_is_asked_to(objects, kind):
    world = tables(objects, [(at(0), 0)])
    assert hoiem_diagnosis.diagnose(*world, SIMILAR, assign="argmax_iou")["types"] == [kind]
    if kind != "loc" and objects[0].cls != 0:
        assert hoiem_diagnosis.diagnose(*world, SIMILAR)["types"] == ["sim"]


# --- TIDE


def tide_world(first, second):
    """A hit, a repeat, two that could fix the object of class 1, a Both error and background."""
    objects = [gt(at(0)), gt(at(100), 1), gt(at(200))]
    found = [(at(0), 0), (at(0), 0), first, second, (at(300), 0), (at(105), 0)]
    return tables(objects, found, classes=(0, 1))


def test_tide_kinds_and_the_repairs_of_each():
    world = tide_world((at(100), 0), (at(105), 1))
    result = tide.tide(*world)
    assert result["kind"] == ["tp", "dupe", "cls", "loc", "bkg", "both"]
    assert result["object_of"] == [0, -1, 1, 1, -1, -1]
    # The Cls error has the higher score: it alone could fix the object, so Loc brings nothing.
    assert result["candidate"] == {1: 2}
    assert result["missed"] == [2]
    # Class 0: one of two found at precision 1: the recalls 0 to .5 of the grid.
    assert result["classes"] == pytest.approx([51 / 101, 0])
    half = 51 / 202
    assert result["ap"] == pytest.approx(half)
    gains = {"cls": 0.5, "loc": 0, "both": 0, "dupe": 0, "bkg": 0, "miss": 0.5 - half}
    assert result["dap"] == pytest.approx(gains | {"fp": 0, "fn": 0.5 - half})


def test_tide_a_candidate_is_repaired_only_together_with_its_kind():
    errors = tide.find_errors(*tide_world((at(105), 1), (at(100), 0)))
    assert errors.candidate == {1: 2}
    after = {kinds: tide.repaired(errors, kinds)["classes"][1] for kinds in tide.subsets()}
    assert len(after) == 64
    for kinds, ap in after.items():
        assert ap == (1 if "loc" in kinds else 0)


def test_tide_ignores_what_lies_in_crowds_or_on_difficult_objects():
    crowd = gt((0.0, 0.0, 40.0, 10.0), crowd=True)
    objects = [crowd, gt(at(100), difficult=True), gt(at(200))]
    # Half inside is not more than half; a difficult object serves one detection.
    found = [(at(34), 0), (at(35), 0), (at(100), 0), (at(100), 0)]
    result = tide.tide(*tables(objects, found))
    assert result["kind"] == ["ignored", "bkg", "ignored", "bkg"]
    assert result["missed"] == [2]


def test_tide_keeps_the_best_of_an_image_over_all_classes():
    result = tide.tide(*tables([gt(at(0))], [(at(50), 1), (at(0), 0)]), max_dets=1)
    assert result["kind"] == ["bkg", "beyond"]
    assert result["missed"] == [0]


def test_tide_classes_of_the_mean_stay_when_their_last_detection_goes():
    result = tide.tide(*tables([gt(at(0))], [(at(0), 0), (at(50), 1)]))
    assert result["ap"] == 0.5
    assert result["dap"]["bkg"] == 0
    assert math.isnan(result["classes"][2])


# --- COCO analyze


def test_coco_analyze_curves_of_one_class():
    objects = [gt(at(0)), gt(at(400)), gt(at(100), 1), gt(at(200), 2)]
    objects += [gt((600.0, 0.0, 40.0, 10.0), crowd=True)]
    # IoU .8 on the first; two on the similar object, of which it excuses one; the other class;
    # background; a part of the crowd; the second object at 1/3.
    found = [((0.0, 0.0, 8.0, 10.0), 0)]
    found += [(at(x), 0) for x in (100, 100, 200, 300, 620, 405)]
    result = coco_analyze.analyze(*tables(objects, found), SIMILAR)
    assert result["det_curve"] == [0, 3, 5, 4, 5, -1, 2]
    assert result["gt_curve"] == [0, 2, 6, 6, -1]
    at_low, at_high = ([curve[r][0][0] for curve in result["precision"]] for r in (50, 51))
    assert at_low == pytest.approx([1] * 7)
    # The second object is the sixth that counts, then one excused, then two.
    assert at_high == pytest.approx([0, 0, 2 / 6, 2 / 5, 2 / 4, 1, 1])
    # All are small; class 2 has nothing like it.
    assert result["precision"][2][51][0][1] == pytest.approx(2 / 6)
    assert math.isnan(result["precision"][2][51][0][3])
    assert math.isnan(result["precision"][3][51][2][0])
    assert result["precision"][4][51][2][0] == 0


# --- Borji


def test_borji_steps_of_one_class():
    found = [(at(x), 0) for x in (300, 105, 0, 0)]
    result = borji.sequence(*tables([gt(at(0)), gt(at(100)), gt(at(200))], found))
    assert result["det_step"] == [1, 2, 0, 3]
    assert result["gt_step"] == [0, 0, 4]
    # One of three found is 34 points of the grid, two are 67.
    steps = [34 / 101 / 3, 34 / 101 / 2, 67 / 101, 67 / 101, 1]
    assert result["class_ap"][0] == pytest.approx(steps)
    assert result["ap"] == result["class_ap"][0]
    assert all(math.isnan(value) for value in result["class_ap"][1])
