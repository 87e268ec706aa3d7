"""Which characteristics a data set has, how they are read, and what is passed over or refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.columns import attribute_column
from boxlens.errors import ParameterError
from boxlens.studies.sensitivity import SensitivityChoice, object_values, sensitivity
from boxlens.studies.sensitivity.characteristics import Objects, column_of
from planted_worlds import world_of
from studies.sensitivity.worlds import analysed, codes, detections_on, named, side_by_side


def objects_with(n=6, counted=None, boxes=None, **attributes):
    columns = {name: attribute_column(values) for name, values in attributes.items()}
    dataset = world_of(boxes or side_by_side(n), names="a", attributes=columns)
    mask = np.ones(n, dtype=np.bool_) if counted is None else np.array(counted)
    return Objects.of(dataset.gt, mask, 1)


def result_with(n=24, **attributes):
    columns = {name: attribute_column(values) for name, values in attributes.items()}
    dataset = world_of(side_by_side(n), names="a", attributes=columns)
    return analysed(dataset, detections_on(dataset, range(n // 2)))


def names_of(result):
    return [row.name for row in result.characteristics]


def test_occlusion_levels_stand_in_their_order_whoever_occurs():
    column = column_of(objects_with(4, occlusion=["high", "none", None, "low"]), "occlusion")
    assert column.subset_names == ("none", "low", "medium", "high")
    assert column.code.tolist() == [[3, 0, -1, 1]]


def test_occlusion_is_read_from_a_fraction_or_a_flag_where_there_are_no_levels():
    fractions = objects_with(6, occluded_fraction=[0, 0.009, 0.01, 0.1, 0.5, None])
    column = column_of(fractions, "occlusion")
    assert column.subset_names == ("none", "low", "medium", "high")
    assert column.code.tolist() == [[0, 0, 1, 2, 3, -1]]
    column = column_of(objects_with(3, occluded=[1, 0, None]), "occlusion")
    assert column.subset_names == ("clear", "occluded")
    assert column.code.tolist() == [[1, 0, -1]]


def test_occlusion_in_other_words_or_numbers_keeps_them():
    column = column_of(objects_with(3, occlusion=["partly", "heavy", "partly"]), "occlusion")
    assert column.subset_names == ("heavy", "partly")
    column = column_of(objects_with(3, occlusion=[0, 3, 2]), "occlusion")
    assert column.subset_names == ("0", "2", "3")


def test_truncation_is_read_from_a_flag_or_a_fraction():
    column = column_of(objects_with(3, truncated=[1, 0, None]), "truncation")
    assert column.subset_names == ("whole", "truncated")
    assert column.code.tolist() == [[1, 0, -1]]
    column = column_of(objects_with(3, truncated_fraction=[0.2, 0, None]), "truncation")
    assert column.code.tolist() == [[1, 0, -1]]


def test_values_can_be_had_object_by_object():
    columns = {"pose": attribute_column(["left", None, "right"])}
    dataset = world_of(side_by_side(3), names="a", attributes=columns)
    [(name, values, code)] = object_values(dataset, np.ones(3, dtype=np.bool_), ["pose"])
    assert (name, values, code.tolist()) == ("pose", ("left", "right"), [0, -1, 1])


def test_a_box_without_width_or_height_has_no_aspect():
    boxes = [[0, 0, 0, 10], [0, 0, 10, 0], [0, 0, 10, 10]]
    column = column_of(objects_with(3, boxes=boxes), "aspect")
    assert column.code.tolist() == [[-1, -1, 2]]


def test_few_numbers_are_values_and_many_are_cut_at_percentiles():
    few = column_of(objects_with(12, depth=[1.5, 2, 10] * 4), "depth")
    assert (few.kind, few.subset_names) == ("values", ("1.5", "2", "10"))
    many = column_of(objects_with(12, depth=[place / 7 for place in range(12)]), "depth")
    assert many.kind == "bins"
    assert many.subset_names == ("0-10%", "10-30%", "30-70%", "70-90%", "90-100%")


def test_values_are_those_of_the_objects_that_count():
    objects = objects_with(3, counted=[True, True, False], pose=["left", "right", "rear"])
    column = column_of(objects, "pose")
    assert column.subset_names == ("left", "right")
    assert column.code.tolist() == [[0, 1, -1]]


def test_a_flag_that_is_more_than_yes_or_no_is_an_attribute_of_its_own():
    result = result_with(part_wheel=[0, 1] * 12, part_count=[0, 1, 2] * 8)
    assert names_of(result) == ["area", "height", "aspect", "parts", "part_count"]
    assert named(result, "parts").subset_names == ("wheel hidden", "wheel visible")


def test_by_default_everything_is_looked_at_once():
    flags, fractions = [0, 1] * 12, [0.0, 0.3, 0.7, 0.2] * 6
    result = result_with(
        occlusion=["none", "low", "medium", "high"] * 6,
        occluded=flags,
        occluded_fraction=fractions,
        visible_fraction=fractions,
        truncated=flags,
        truncated_fraction=fractions,
        side_front=flags,
        part_wheel=flags,
        pose=["left", "right"] * 12,
    )
    expected = ["area", "height", "aspect", "occlusion", "truncation", "parts", "sides", "pose"]
    assert names_of(result) == expected
    assert codes(result) == []


def test_a_visible_fraction_alone_is_looked_at():
    assert "visible_fraction" in names_of(result_with(visible_fraction=[0.2, 0.4] * 12))


def test_one_value_an_identifier_and_too_many_texts_are_passed_over_with_a_notice():
    n = 120
    result = result_with(
        n,
        camera=["front"] * n,
        track=[f"track {place}" for place in range(n)],
        number=list(range(n)),
        depth=[place + 0.5 for place in range(n)],
        plate=[f"plate {place // 2}" for place in range(n)],
        nothing=[None] * n,
    )
    assert names_of(result) == ["area", "height", "aspect", "depth"]
    found = {(one.code, one.count) for one in result.notices if one.code != "no_spread"}
    expected = {("one_value", 1), ("no_value", 1), ("identifier", n), ("too_many_values", n // 2)}
    assert found == {*expected, ("not_annotated", 4)}


def test_a_data_set_without_attributes_says_what_is_not_annotated():
    result = result_with()
    assert names_of(result) == ["area", "height", "aspect"]
    [notice] = [one for one in result.notices if one.code != "no_spread"]
    assert (notice.code, notice.count) == ("not_annotated", 4)
    assert "occlusion, truncation, parts, sides" in notice.message


def test_an_attribute_hidden_by_a_characteristic_is_named():
    assert "hidden_attribute" in codes(result_with(height=[1, 2] * 12))


def test_relative_boxes_are_mentioned():
    dataset = replace(world_of(side_by_side(6), names="a"), relative=True)
    assert "relative_boxes" in codes(analysed(dataset, detections_on(dataset, [0])))


def test_what_is_named_is_looked_at_and_nothing_else():
    dataset = world_of(
        side_by_side(6),
        names="a",
        attributes={
            "camera": attribute_column(["front"] * 6),
            "occluded_fraction": attribute_column([0.1, 0.2] * 3),
        },
    )
    asked = ["camera", "occluded_fraction", "area", "camera"]
    result = analysed(dataset, detections_on(dataset, [0, 1]), by=asked)
    assert names_of(result) == ["camera", "occluded_fraction", "area"]
    assert math.isnan(named(result, "camera").sensitivity)
    assert codes(result) == ["one_value"]
    assert analysed(dataset, detections_on(dataset, [0]), by=[]).characteristics == ()


def test_what_is_not_there_is_refused_with_what_is():
    dataset = world_of(side_by_side(6), names="a")
    detections = detections_on(dataset, [0])
    with pytest.raises(
        ParameterError, match=r"no characteristic 'colour': .* area, height, aspect"
    ):
        sensitivity(dataset, detections, by=["colour"])
    with pytest.raises(ParameterError, match="no characteristic 'occlusion'"):
        sensitivity(dataset, detections, cross=[("area", "occlusion")])
    with pytest.raises(ParameterError, match="no characteristic 'colour'"):
        sensitivity(dataset, detections, bins={"colour": [1]})


def test_bins_need_numbers_that_are_looked_at():
    columns = {"pose": attribute_column(["a", "b"] * 3), "part_x": attribute_column([0, 1] * 3)}
    dataset = world_of(side_by_side(6), names="a", attributes=columns)
    detections = detections_on(dataset, [0])
    with pytest.raises(ParameterError, match="the order of 'pose' has all of its values: a, b"):
        sensitivity(dataset, detections, bins={"pose": [1]})
    with pytest.raises(ParameterError, match="'parts' are flags"):
        sensitivity(dataset, detections, bins={"parts": [1]})
    with pytest.raises(ParameterError, match="'area', which is not looked at"):
        sensitivity(dataset, detections, by=["height"], bins={"area": [1]})


def test_texts_without_end_are_refused():
    texts = attribute_column([f"text {place}" for place in range(60)])
    dataset = world_of(side_by_side(60), names="a", attributes={"caption": texts})
    with pytest.raises(ParameterError, match="60 different texts"):
        sensitivity(dataset, detections_on(dataset, [0]), by=["caption"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bins": {"area": ()}}, "ascending thresholds"),
        ({"bins": {"area": (2.0, 1.0)}}, "ascending thresholds"),
        ({"bins": {"area": (float("nan"),)}}, "ascending thresholds"),
        ({"interactions": (("area", "area"),)}, "two characteristics"),
        ({"iou": 0.0}, "IoU"),
        ({"looser": (0.5,)}, "looser overlap"),
        ({"missed_p_n": 0.0}, "P_N"),
        ({"positives_share": 0.0}, "positives_share must be above 0"),
        ({"min_objects": 0}, "at least 1"),
        ({"n_unexpected": -1}, "at least 0"),
    ],
)
def test_choices_that_cannot_be_meant_are_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        SensitivityChoice(**wrong)
