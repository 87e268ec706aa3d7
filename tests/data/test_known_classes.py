"""Which classes a detector knows: what tables carry, and over which classes is counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import ClassTree, Detections, concatenate, select_classes, select_images
from boxlens.data.known_classes import expected_classes, known_classes
from boxlens.data.selection import shared_classes
from boxlens.errors import ParameterError
from studies.comparison.gate_worlds import detector, world

NAMES = ("bird", "cat", "cow", "dog")


def told(dataset, known, *, name="told", seed=0):
    """A detector that is known not to know the other classes."""
    found = detector(dataset, name, seed=seed)
    kept = found.where(np.isin(found.class_row, known))
    return Detections.of(
        name,
        len(dataset.images),
        image_row=kept.image_row,
        class_row=kept.class_row,
        box=kept.box,
        score=kept.score,
        known_classes=known,
    )


@pytest.fixture(scope="module")
def dataset():
    return world(12, NAMES)


def names_of(dataset):
    return list(dataset.classes.name)


def test_known_classes_survive_cutting_renumbering_and_joining(dataset):
    found = told(dataset, [1, 3])
    assert found.known_classes.tolist() == [1, 3]
    assert not found.known_classes.flags.writeable
    assert found.where(found.score > 2).known_classes.tolist() == [1, 3]
    part, cut = select_classes(dataset, found, [0, 3])
    assert (names_of(part), cut.known_classes.tolist()) == (["bird", "dog"], [1])
    halves = [select_images(dataset, found, rows) for rows in (range(6), range(6, 12))]
    assert [half.known_classes.tolist() for _, half in halves] == [[1, 3]] * 2
    assert concatenate(halves)[1].known_classes.tolist() == [1, 3]
    other = replace(halves[1][1], known_classes=np.array([0, 1, 3], dtype=np.int32))
    assert concatenate([halves[0], (halves[1][0], other)])[1].known_classes.tolist() == [0, 1, 3]
    silent = replace(halves[1][1], known_classes=None)
    assert concatenate([halves[0], (halves[1][0], silent)])[1].known_classes is None


def test_a_class_with_a_detection_is_known(dataset):
    found = Detections.of(
        "x", 12, image_row=[0], class_row=[2], box=[[0, 0, 1, 1]], score=[1], known_classes=[3]
    )
    assert found.known_classes.tolist() == [2, 3]


def test_what_a_file_does_not_say_is_all_or_what_was_detected(dataset):
    everything = detector(dataset, "x")
    some = everything.where(everything.class_row == 2)
    assert known_classes(dataset, some, by_detections=False).tolist() == [True] * 4
    assert known_classes(dataset, some, by_detections=True).tolist() == [False, False, True, False]
    assert known_classes(dataset, told(dataset, [0]), by_detections=False).tolist() == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("choice", ["check", "all", "known"])
def test_nothing_changes_where_all_classes_are_known(dataset, choice):
    tables = [detector(dataset, "x"), told(dataset, [0, 1, 2, 3])]
    taken, found = shared_classes(dataset, tables, choice)
    assert taken is dataset
    assert [id(one) for one in found] == [id(one) for one in tables]


def test_classes_are_those_that_all_detectors_know(dataset):
    tables = [told(dataset, [0, 1, 3]), told(dataset, [0, 2, 3]), detector(dataset, "x")]
    taken, found = shared_classes(dataset, tables, "check")
    assert names_of(taken) == ["bird", "dog"]
    assert [len(one) for one in found] == [
        int(np.isin(one.class_row, [0, 3]).sum()) for one in tables
    ]
    (notice,) = taken.notices
    assert (notice.code, notice.count) == ("classes_left_out", 2)
    assert notice.message == (
        "compared over the 2 of 4 classes known to all detectors; skipped: cat, cow (48 objects)"
    )
    assert shared_classes(dataset, tables, "all")[0] is dataset


def test_classes_without_a_detection_are_skipped_only_if_asked(dataset):
    everything = detector(dataset, "x")
    some = everything.where(everything.class_row != 1)
    assert shared_classes(dataset, [some], "check")[0] is dataset
    taken, _ = shared_classes(dataset, [some], "known")
    assert names_of(taken) == ["bird", "cow", "dog"]
    assert taken.notices[0].message.startswith("evaluated over the 3 of 4 classes known to x; ")


def test_classes_that_matter_to_nobody_stay(dataset):
    fewer = dataset.where(dataset.gt.class_row != 2)
    assert expected_classes(fewer).tolist() == [True, True, False, True]
    assert shared_classes(fewer, [told(dataset, [0, 1, 3])], "known")[0] is fewer
    # Another detector has false positives of it.
    taken, _ = shared_classes(
        fewer, [told(dataset, [0, 1, 3]), told(dataset, [0, 1, 2, 3])], "known"
    )
    assert names_of(taken) == ["bird", "cat", "dog"]
    assert "(" not in taken.notices[0].message


def test_classes_below_a_known_one_stay(dataset):
    """Open Images counts their objects under it."""
    ids = dataset.classes.id.tolist()
    tree = ClassTree({ids[1]: ("animal",), ids[2]: (ids[1],), ids[3]: ("animal",)})
    above = replace(dataset, classes=replace(dataset.classes, tree=tree))
    taken, _ = shared_classes(above, [told(dataset, [0, 1])], "check")
    assert names_of(taken) == ["bird", "cat", "cow"]


@pytest.mark.parametrize("n", [1, 2])
def test_a_detector_that_knows_nothing_is_refused(dataset, n):
    silent = detector(dataset, "silent").where(np.zeros(len(detector(dataset, "silent")), bool))
    whom = "silent" if n == 1 else "all detectors"
    with pytest.raises(ParameterError, match=f"known to {whom}: nothing can be evaluated"):
        shared_classes(dataset, [silent, told(dataset, [0])][:n], "known")


def test_an_unknown_choice_is_refused(dataset):
    with pytest.raises(
        ParameterError, match="classes_used must be one of check, all, known, got 'some'"
    ):
        shared_classes(dataset, [detector(dataset, "x")], "some")
