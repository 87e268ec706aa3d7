from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Classes, Detections, GroundTruth, Notice
from boxlens.data.columns import frozen
from boxlens.errors import InputError, ParameterError
from studies.sensitivity.worlds import detections_on
from studies.upper_bound.painted_world import COLOURS, NAMES, PaintReader, painted_set

SCALES = (0.5, 1.0, 1.5)


@pytest.fixture
def painted(tmp_path):
    return painted_set(tmp_path)


def with_boxes(dataset, extra):
    """The same objects and some of class 0 in the first image."""
    gt = dataset.gt
    return replace(
        dataset,
        gt=GroundTruth.of(
            len(dataset.images),
            image_row=[*gt.image_row, *[0] * len(extra)],
            class_row=[*gt.class_row, *[0] * len(extra)],
            box=[*gt.box.tolist(), *extra],
        ),
    )


def test_a_perfect_classifier_gives_one_with_every_strategy(painted):
    dataset, files = painted
    result = boxlens.upper_bound(dataset, classifier=PaintReader(), images=files)
    assert [one.strategy for one in result.strategies] == [
        "own_box",
        "most_confident",
        "most_frequent",
    ]
    assert {one.uap for one in result.strategies} == {1.0}
    assert {one.accuracy for one in result.strategies} == {1.0}
    assert result.mistakes == ()


def test_a_classifier_that_swaps_two_classes_finds_the_third_alone(painted):
    dataset, files = painted
    result = boxlens.upper_bound(dataset, classifier=PaintReader(says=(1, 0, 2)), images=files)
    by_name = {one.name: one for one in result.bound.classes}
    assert (by_name["red"].uap, by_name["red"].accuracy) == (0, 0)
    assert (by_name["blue"].uap, by_name["blue"].accuracy) == (1, 1)
    assert result.bound.uap == pytest.approx(1 / 3)
    assert {(one.true_class, one.said) for one in result.mistakes} <= {
        ("red", "green"),
        ("green", "red"),
    }
    scores = [one.score for one in result.mistakes]
    assert scores == sorted(scores, reverse=True)


def test_what_was_noticed_of_detections_is_told(painted):
    dataset, files = painted
    noticed = Notice("unknown_image", 7, "skipped 7 detections")
    none = Detections.of("none", len(dataset.images), image_row=[], class_row=[], box=[], score=[])
    result = boxlens.upper_bound(
        dataset, [replace(none, notices=(noticed,))], classifier=PaintReader(), images=files
    )
    assert noticed in result.notices


def test_the_gap_is_the_detectors_share_of_the_bound(painted):
    dataset, files = painted
    every_second = range(0, len(dataset.gt), 2)
    half = detections_on(dataset, every_second, np.ones(len(every_second)), "half")
    result = boxlens.upper_bound(
        dataset,
        [half, replace(half, name="none").where(np.zeros(len(half), bool))],
        classifier=PaintReader(),
        images=files,
    )
    assert [one.name for one in result.detectors] == ["half", "none"]
    expected = boxlens.evaluate(dataset, half).detectors[0].metrics
    best = result.detectors[0]
    assert best.ap == best.share == expected["AP"]
    assert best.by_iou[0.5] == expected["AP50"]
    assert result.detectors[1].share == 0


def test_context_is_told_for_every_kind_of_crop(painted):
    dataset, files = painted
    result = boxlens.upper_bound(dataset, classifier=PaintReader(), images=files, context=SCALES)
    found = {(one.kind, one.scale): one.accuracy for one in result.context}
    assert found["object", 0.5] == found["object", 1.0] == 1
    assert found["object_and_context", 1.5] == 1
    # Grey is all that is left around an object that is painted over.
    assert found["context", 1.5] < 0.7
    assert result.bound.accuracy == found["object", 1.0]


def test_intervals_are_paired_on_the_same_images(tmp_path):
    dataset, files = painted_set(tmp_path, n=24)
    perfect = detections_on(dataset, range(len(dataset.gt)), np.ones(len(dataset.gt)), "all")
    result = boxlens.upper_bound(
        dataset, perfect, classifier=PaintReader(), images=files, intervals=True, replicates=200
    )
    gap = result.detectors[0].gap
    assert (gap.value, gap.low, gap.high) == (0, 0, 0)
    assert result.bound.interval.low == 1


def test_the_default_classifier_learns_from_the_other_images(tmp_path):
    dataset, files = painted_set(tmp_path, n=30)
    result = boxlens.upper_bound(dataset, images=files, folds=3)
    assert result.classifier == "hog"
    assert result.bound.accuracy > 0.9
    assert "3 folds" in result.learnt_from


def test_the_default_classifier_learns_from_a_training_set(tmp_path):
    (tmp_path / "train").mkdir()
    train, train_files = painted_set(tmp_path / "train", n=20, seed=5)
    dataset, files = painted_set(tmp_path, n=10)
    result = boxlens.upper_bound(dataset, images=files, train_gt=train, train_images=train_files)
    assert result.bound.accuracy > 0.9
    assert "20 images" in result.learnt_from


def test_a_box_that_leaves_its_picture_is_named_by_what_is_inside(painted):
    dataset, files = painted
    leaving = with_boxes(dataset, [[-30, -30, 36, 300]])
    result = boxlens.upper_bound(leaving, classifier=PaintReader(), images=files)
    assert result.bound.n_labelled == len(leaving.gt)


def test_a_picture_that_cannot_be_read_is_left_out_and_told(painted):
    dataset, files = painted
    files.paths[3].write_bytes(b"no picture")
    result = boxlens.upper_bound(dataset, classifier=PaintReader(), images=files)
    assert [one.file for one in result.failed] == ["4.png"]
    assert result.n_images == len(dataset.images) - 1
    assert result.bound.uap == 1


def test_a_picture_of_another_size_fails(painted):
    dataset, files = painted
    wide = replace(dataset, images=replace(dataset.images, width_px=dataset.images.width_px + 1))
    with pytest.raises(InputError, match="ground truth says 121 x 90"):
        boxlens.upper_bound(wide, classifier=PaintReader(), images=files)


MOODY_CLASSES = Classes.of([1, 2, 3, 4], (*NAMES, "unheard-of"))


@dataclass(frozen=True)
class Moody:
    """Raises over crops of one colour; says nothing, or the unheard-of, about another."""

    name: str = "moody"
    classes: Classes = MOODY_CLASSES
    raises: bool = False

    def classify(self, crops):
        answers = np.hstack([PaintReader().classify(crops), np.zeros((len(crops), 1))])
        for row, crop in enumerate(crops):
            if (crop == COLOURS[0]).all(axis=2).mean() > 0.5:
                if self.raises:
                    raise RuntimeError("no red, please")
                answers[row] = np.nan
            elif (crop == COLOURS[1]).all(axis=2).mean() > 0.5:
                answers[row, 3] = 7.0
        return answers


def test_a_classifier_that_raises_over_some_crops_goes_on_with_the_others(painted):
    dataset, files = painted
    result = boxlens.upper_bound(dataset, classifier=Moody(raises=True), images=files)
    reasons = [one.reason for one in result.failed if "unheard-of" not in one.reason]
    assert reasons
    assert {one.partition(": ")[2] for one in reasons} == {
        "the classifier failed: RuntimeError: no red, please"
    }
    assert {one.name: one.accuracy for one in result.bound.classes}["blue"] == 1
    assert result.n_images == len(dataset.images)


def test_a_classifier_that_never_works_is_an_error(painted):
    dataset, files = painted

    class Broken(PaintReader):
        def classify(self, crops):
            raise RuntimeError("always")

    with pytest.raises(InputError, match="always"):
        boxlens.upper_bound(dataset, classifier=Broken(), images=files)


def test_images_without_a_picture_are_left_out_of_detectors_too(painted, tmp_path):
    dataset, files = painted
    gt = dataset.gt
    table = Detections.of(
        "all",
        len(dataset.images),
        image_row=gt.image_row,
        class_row=gt.class_row,
        box=gt.box,
        score=np.ones(len(gt)),
    )
    files.paths[0].unlink()
    result = boxlens.upper_bound(dataset, table, classifier=PaintReader(), images=tmp_path)
    assert result.n_images == len(dataset.images) - 1
    assert result.detectors[0].ap == 1
    assert any(one.code == "image_without_file" for one in result.notices)
    assert [one.message for one in result.notices if one.code == "images_left_out"] == [
        "1 of 12 images has no picture and is skipped, for the bound and the detectors: 1.png"
    ]


def test_a_broken_picture_without_objects_stays_in_for_detectors(painted):
    dataset, files = painted
    empty = dataset.where(dataset.gt.image_row != 3)
    files.paths[3].write_bytes(b"no picture")
    gt = empty.gt
    # All objects, and before them a false alarm in the image without any.
    table = Detections.of(
        "all",
        len(empty.images),
        image_row=[3, *gt.image_row],
        class_row=[0, *gt.class_row],
        box=[[0, 0, 9, 9], *gt.box.tolist()],
        score=[1, *np.full(len(gt), 0.5)],
    )
    result = boxlens.upper_bound(empty, table, classifier=PaintReader(), images=files)
    assert result.n_images == len(dataset.images)
    assert result.failed == ()
    assert result.bound.uap == 1
    assert result.detectors[0].ap < 1


def test_an_ignored_neighbour_costs_a_perfect_classifier(painted):
    """Its box takes the object that it overlaps, that one's the next, and the last is left over."""
    dataset, files = painted
    boxes = [[0, 0, 40, 40], [10, 0, 40, 40], [20, 0, 40, 40], [80, 50, 30, 30]]
    gt = GroundTruth.of(
        len(dataset.images),
        image_row=[0] * 4,
        class_row=[0] * 4,
        box=boxes,
        difficult=[True, False, False, False],
    )

    def surest_first(crops):
        return [[1.0 - 0.1 * row, 0, 0] for row in range(len(crops))]

    surest_first.batched = True
    results = [
        boxlens.upper_bound(
            replace(dataset, gt=one), classifier=surest_first, images=files, sampled_iou=None
        )
        for one in (gt, replace(gt, difficult=np.zeros(4, dtype=np.bool_)))
    ]
    assert [one.bound.accuracy for one in results] == [1, 1]
    assert results[0].bound.uap < results[1].bound.uap == 1


def test_what_cannot_be_meant_is_refused(painted):
    dataset, files = painted
    with pytest.raises(ParameterError, match="name their folder"):
        boxlens.upper_bound(dataset)
    with pytest.raises(ParameterError, match="is ready"):
        boxlens.upper_bound(
            dataset, classifier=PaintReader(), images=files, train_gt=dataset, train_images=files
        )
    with pytest.raises(ParameterError, match="both"):
        boxlens.upper_bound(dataset, images=files, train_gt=dataset)


def test_a_file_of_labels_says_whether_boxes_are_fractions(painted, tmp_path):
    dataset, files = painted
    labels = tmp_path / "labels.json"
    keys = dataset.gt.id.tolist()
    labels.write_text(json.dumps([{"id": key, "label": "red", "score": 1} for key in keys]))
    sides = np.tile(dataset.images.known_sizes(), 2)[dataset.gt.image_row]
    gt = replace(dataset.gt, box=frozen(dataset.gt.box / sides, np.float64))
    relative = replace(dataset, gt=gt, relative=True)
    result = boxlens.upper_bound(relative, classifier=labels)
    assert result.relative
    assert all(one.box.max() <= 1 for one in result.mistakes)
    # In pixels, where pictures are looked at.
    seen = boxlens.upper_bound(relative, classifier=PaintReader(says=(1, 2, 0)), images=files)
    assert not seen.relative
    assert seen.mistakes[0].box[2] >= 12


def test_the_json_has_the_numbers_by_their_names(painted):
    dataset, files = painted
    result = boxlens.upper_bound(dataset, classifier=PaintReader(), images=files, context=SCALES)
    found = result.to_json()["results"]
    assert found["uap"] == 1
    assert next(iter(found["uap_by_iou"])) == "0.50"
    assert len(found["uap_by_iou"]) == 10
    assert found["accuracy"] == 1
    assert {"class", "uap", "accuracy", "n_objects"} <= set(found["classes"][0])
