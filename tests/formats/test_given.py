"""Files or tables as every verb takes them: names, formats, and the classes that are asked for."""

from __future__ import annotations

import numpy as np
import pytest

import boxlens
from boxlens.data.selection import named_classes, select_classes
from boxlens.errors import ParameterError
from boxlens.formats.given import Reading, pairs_of
from cases import random_scene
from oracles.convert import scene_to_tables
from running import write_demo
from small_world import assert_same_tables


@pytest.fixture
def demo(tmp_path, monkeypatch):
    monkeypatch.chdir(write_demo(tmp_path))


def test_files_and_tables_are_taken_alike(demo):
    told = []
    reading = Reading(names=["a", "b"], progress=lambda *words: told.append(words))
    dataset, tables = reading.used("ground_truth.json", ["window.json", "region.json"])
    again, same = Reading().used(dataset, tables)
    assert again is dataset
    assert [one.name for one in same] == ["a", "b"]
    assert [words for words in told if words[0] == "reading files"] == [
        ("reading files", done, 3) for done in range(3)
    ]
    renamed = Reading(names="c").detections(tables[0], dataset)
    assert [one.name for one in renamed] == ["c"]


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"]])
def test_every_detector_is_named_or_none(demo, names):
    with pytest.raises(ParameterError, match=r"one name per detector: 2 detectors, . name"):
        Reading(names=names).used("ground_truth.json", ["window.json", "region.json"])


@pytest.mark.parametrize("seed", range(4))
def test_chosen_classes_are_those_of_their_rows(seed):
    dataset, detections = scene_to_tables(random_scene(seed, tree=False))
    names = dataset.classes.name[1:3]
    part, (found,) = named_classes(dataset, [detections], names[::-1])
    other, expected = select_classes(dataset, detections, [1, 2])
    assert part.classes.name == names
    assert_same_tables(found, expected)
    assert_same_tables(part.gt, other.gt)
    assert part.notices[-1].code == "classes_chosen"
    assert Reading(classes=names).dataset(dataset).classes.name == names
    assert named_classes(dataset, [detections], ()) == (dataset, [detections])


def test_scores_of_a_class_do_not_depend_on_the_others(demo):
    whole, some = (
        boxlens.evaluate("ground_truth.json", "window.json", classes=classes).detectors[0]
        for classes in ((), ("dog", "cat"))
    )
    every = {row.name: row.metrics for row in whole.classes}
    np.testing.assert_equal(
        {row.name: row.metrics for row in some.classes},
        {name: every[name] for name in ("cat", "dog")},
    )
    assert some.metrics["AP"] == pytest.approx(np.mean([every[n]["AP"] for n in ("cat", "dog")]))


def test_a_name_that_is_no_class_is_told():
    dataset, _ = scene_to_tables(random_scene(1))
    with pytest.raises(ParameterError, match="unknown class 'zebra': there are "):
        named_classes(dataset, [], ["zebra"])


@pytest.mark.parametrize("verb", ["diagnose", "sensitivity", "reconcile"])
def test_verbs_of_one_detector_refuse_several(verb, demo):
    with pytest.raises(ParameterError, match="expected one detector, got 2 detectors"):
        getattr(boxlens, verb)("ground_truth.json", ["window.json", "region.json"])


def test_a_single_name_is_not_a_list_of_letters(demo):
    found = boxlens.evaluate("ground_truth.json", "window.json", also="confidence", classes="dog")
    assert found.detectors[0].extras.confidence is not None
    found = boxlens.sensitivity("ground_truth.json", "window.json", by="area")
    assert [one.name for one in found.characteristics] == ["area"]


@pytest.mark.parametrize("cross", ["area:aspect", ["area:aspect"], [("area", "aspect")]])
def test_pairs_are_two_names_or_one_text(cross):
    assert pairs_of(cross, "cross") == (("area", "aspect"),)


@pytest.mark.parametrize("cross", ["area", ["a:b:c"], [("area",)], ("area", "aspect")])
def test_what_is_no_pair_is_refused(cross):
    with pytest.raises(ParameterError, match="cross is a list of pairs such as"):
        pairs_of(cross, "cross")
