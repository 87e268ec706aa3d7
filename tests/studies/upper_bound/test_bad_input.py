"""What is wrong with pictures, boxes, answers and labels is told by picture, with its number."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from PIL import Image

import boxlens
from boxlens.data import Classes, GroundTruth
from boxlens.data.columns import id_column
from boxlens.errors import InputError, ParameterError
from boxlens.studies.upper_bound import classifying
from boxlens.studies.upper_bound.label_source import LabelSource
from boxlens.studies.upper_bound.learning import Training
from studies.upper_bound.painted_world import COLOURS, NAMES, PaintReader, painted_set

RED, GREEN, BLUE = range(3)
WITH_UNICORN = Classes.of([1, 2, 3, 4], (*NAMES, "unicorn"))


@pytest.fixture
def painted(tmp_path):
    return painted_set(tmp_path)


def with_objects(dataset, boxes, **columns):
    """Ground truth of some boxes of class 0 in the first two images, and nothing else."""
    n = len(boxes)
    rows = {"image_row": [0] * (n - 1) + [1], "class_row": [0] * n, "box": boxes, **columns}
    return replace(dataset, gt=GroundTruth.of(len(dataset.images), **rows))


def notices(result):
    return {one.code: (one.count, one.message) for one in result.notices}


def failures(result):
    return [(one.file, one.reason) for one in result.failed]


def test_objects_without_a_pixel_and_boxes_beyond_are_told_by_picture(painted):
    dataset, files = painted
    boxes = [[10, 10, 0, 5], [500, 0, 9, 9], [-9, 5, 30, 30], [0, 0, 120.4, 90], [0, 70, 9, 30]]
    odd = with_objects(dataset, boxes)
    result = boxlens.upper_bound(odd, classifier=PaintReader(), images=files)
    assert failures(result) == [("1.png", "2 objects lie outside the picture")]
    told = notices(result)
    assert told["object_without_crop"][0] == 2
    # Less than half a pixel beyond is none.
    assert told["box_beyond_picture"] == (2, "2 boxes extend beyond their pictures and are clipped")


def test_one_of_a_kind_is_told_as_one(painted):
    dataset, files = painted
    odd = with_objects(dataset, [[5, 5, 9, 9], [0, 0, 9, 9], [-5, 0, 9, 0]], crowd=[1, 0, 0])
    result = boxlens.upper_bound(odd, classifier=PaintReader(), images=files)
    assert failures(result) == [("2.png", "1 object lies outside the picture")]
    told = notices(result)
    assert told["object_without_crop"][1].startswith("1 object lies outside its picture: it")
    assert told["crowds"] == (1, "1 crowd or group is not a single object and is not classified")


@dataclass(frozen=True)
class Strange:
    """Of red no numbers, of green a class that the ground truth lacks, of blue no shares."""

    name: str = "strange"
    classes: Classes = WITH_UNICORN

    def classify(self, crops):
        answers = np.zeros((len(crops), 4))
        for row, crop in enumerate(crops):
            seen = int(np.argmax([(crop == colour).all(axis=2).sum() for colour in COLOURS]))
            answers[row] = [np.nan] * 4 if seen == RED else [0, 0, 0, 1]
            if seen == BLUE:
                answers[row] = [0, 0, 5, 0]
        return answers


def test_answers_are_judged_by_picture_and_shares_need_not_sum_to_one(painted):
    dataset, files = painted
    result = boxlens.upper_bound(dataset, classifier=Strange(), images=files, sampled_iou=None)
    image_row, class_row = dataset.gt.image_row, dataset.gt.class_row
    n_of = {
        (row, kind): int(np.sum((image_row == row) & (class_row == kind)))
        for row in range(len(dataset.images))
        for kind in (RED, GREEN)
    }
    words = {RED: "{}: the answer is not a number", GREEN: "{}: unknown class 'unicorn'"}
    expected = {
        (f"{row + 1}.png", words[kind].format(f"{n} object{'s' * (n > 1)}"))
        for (row, kind), n in n_of.items()
        if n
    }
    assert set(failures(result)) == expected
    assert len(result.failed) == len(expected)
    told = notices(result)
    n_red, n_green, n_blue = np.bincount(class_row, minlength=3).tolist()
    assert told["no_answer"][0] == n_red
    assert told["unknown_label"][0] == n_green
    assert told["scores_without_sum"] == (
        n_blue,
        f"scores of {n_blue} crops do not sum to 1 and are used as they are",
    )


def test_unknown_labels_of_a_function_are_wrong_answers_with_their_scores(painted):
    dataset, files = painted

    def name(crop):
        label = NAMES[int(crop.reshape(-1, 3).mean(axis=0).argmax())]
        return ("unicorn" if label == "green" else label), 0.5

    result = boxlens.upper_bound(dataset, classifier=name, images=files)
    assert result.bound.n_labelled == len(dataset.gt)
    assert {one.said for one in result.mistakes} == {"a class that the data set lacks"}
    assert {one.reason.partition(": ")[2] for one in result.failed} == {"unknown class 'unicorn'"}
    assert notices(result)["unknown_label"][0] == int((dataset.gt.class_row == GREEN).sum())


def test_shares_that_sum_to_one_are_not_spoken_of(painted):
    dataset, files = painted
    result = boxlens.upper_bound(dataset, classifier=PaintReader(), images=files)
    assert result.failed == ()
    assert result.notices == ()


def test_what_reading_changed_is_told(painted):
    dataset, files = painted
    grey = Image.open(files.paths[0]).convert("L")
    grey.save(files.paths[0])
    Image.fromarray(np.asarray(grey).astype(np.uint16) * 257).save(files.paths[1])
    result = boxlens.upper_bound(dataset, classifier=PaintReader(), images=files)
    told = {one.message for one in result.notices if one.code == "changed_picture"}
    assert told == {"2 pictures: greyscale to RGB", "1 picture: 16 bits to 8"}


def test_a_view_that_fails_costs_the_context_study_its_object_and_that_is_told(painted):
    dataset, files = painted

    class NoWholePictures(PaintReader):
        def classify(self, crops):
            answers = super().classify(crops)
            whole = [crop.shape == (90, 120, 3) and (crop == 0).all(axis=2).any() for crop in crops]
            answers[whole] = np.nan
            return answers

    result = boxlens.upper_bound(
        dataset, classifier=NoWholePictures(), images=files, sampled_iou=None, context=(1.0, 2.0)
    )
    n = len(dataset.gt)
    assert {one.n_objects for one in result.context} == {0}
    assert notices(result)["object_without_context"] == (
        n,
        f"{n} of {n} objects are skipped in the context study: not all of their crops have a label",
    )
    assert result.bound.uap == 1


def test_pictures_of_one_name_in_both_sets_are_told_apart(tmp_path):
    (tmp_path / "train").mkdir()
    train, train_files = painted_set(tmp_path / "train", n=8, seed=5)
    dataset, files = painted_set(tmp_path, n=6)
    for one in (files, train_files):
        one.paths[0].write_bytes(b"no picture")
    result = boxlens.upper_bound(dataset, images=files, train_gt=train, train_images=train_files)
    assert [one.file for one in result.failed] == ["training set: 1.png", "1.png"]


def test_a_broken_picture_is_told_once_where_the_classifier_learns_from_the_same(tmp_path):
    dataset, files = painted_set(tmp_path, n=8)
    files.paths[0].write_bytes(b"no picture")
    result = boxlens.upper_bound(dataset, images=files, folds=2)
    assert [one.file for one in result.failed] == ["1.png"]


def test_crops_are_named_before_many_wait(painted, monkeypatch):
    dataset, files = painted
    sizes = []

    class Weighing(PaintReader):
        def classify(self, crops):
            sizes.append([crop.nbytes for crop in crops])
            return super().classify(crops)

    limit = 100_000
    monkeypatch.setattr(classifying, "MOST_BYTES", limit)
    full = with_objects(dataset, [[10, 10, 40, 40]] * 30)
    boxlens.upper_bound(
        full, classifier=Weighing(), images=files, sampled_iou=None, context=(1.0, 2.0)
    )
    assert len(sizes) > 10
    assert max(sum(batch[:-1]) for batch in sizes) < limit


def test_crops_are_the_classifiers_own(painted):
    """Overlapping objects: what is written into the crop of one is not seen in the other's."""
    dataset, files = painted
    overlapping = with_objects(dataset, [[10, 10, 60, 60], [12, 12, 60, 60], [5, 5, 40, 40]])

    class Writing(PaintReader):
        def classify(self, crops):
            answers = super().classify(crops)
            for crop in crops:
                crop[...] = 0
            return answers

    plain, written = (
        boxlens.upper_bound(overlapping, classifier=one, images=files, context=(1.0, 2.0))
        for one in (PaintReader(), Writing())
    )
    assert written.to_json()["results"] == plain.to_json()["results"]


def test_crops_that_wait_keep_no_picture_alive(painted):
    dataset, files = painted
    kept = []

    class Holding(PaintReader):
        def classify(self, crops):
            kept.extend(crop if crop.base is None else crop.base for crop in crops)
            return super().classify(crops)

    few = with_objects(dataset, [[10, 10, 20, 20], [50, 40, 10, 10]])
    boxlens.upper_bound(few, classifier=Holding(), images=files)
    assert max(one.nbytes for one in kept) <= 20 * 20 * 3


LABELS = """id,label,score
1,red,0.9
1,red,0.8
2,unicorn,0.9
3,gnome,0.9
4,green,high
99,red,0.5
98,red,0.5
"""


def test_misfits_of_a_file_of_labels_are_told_by_picture(painted, tmp_path):
    dataset, _ = painted
    four = with_objects(dataset, [[0, 0, 9, 9]] * 4)
    four = replace(four, gt=replace(four.gt, id=id_column([1, 2, 3, 4])))
    (tmp_path / "labels.csv").write_text(LABELS)
    result = boxlens.upper_bound(four, classifier=tmp_path / "labels.csv")
    assert sorted(failures(result)) == [
        ("1.png", "1 duplicate label of an object"),
        ("1.png", "2 objects: unknown classes 'unicorn', 'gnome'"),
        ("2.png", "1 object: the score is not a number"),
        ("labels.csv", "2 labels of unknown objects"),
    ]
    told = notices(result)
    assert {code: count for code, (count, _) in told.items()} == {
        "unknown_object": 2,
        "repeated_object": 1,
        "unknown_label": 2,
        "no_score": 1,
    }
    assert "1 of 7 labels has a score that is not a number" in told["no_score"][1]
    assert result.to_json()["parameters"]["sampled_iou"] is None


def test_labels_of_other_classes_are_refused(painted, tmp_path):
    dataset, _ = painted
    two = with_objects(dataset, [[0, 0, 9, 9]] * 2)
    two = replace(two, gt=replace(two.gt, id=id_column([1, 2])))
    path = tmp_path / "labels.csv"
    path.write_text("id,label,score\n1,Red,0.9\n2,unicorn,0.5\n")
    with pytest.raises(InputError, match="it names 'Red', 'unicorn', the ground truth has 'red',"):
        boxlens.upper_bound(two, classifier=path)
    (tmp_path / "labels.json").write_text('[{"id": 1, "score": 0.5}]')
    with pytest.raises(InputError, match="it names nothing, the ground truth has 'red', 'green'"):
        boxlens.upper_bound(two, classifier=tmp_path / "labels.json")
    path.write_text("id,label,score\n1,red,0.9\n2,unicorn,0.5\n")
    assert boxlens.upper_bound(two, classifier=path).bound.accuracy == 0.5


def test_labels_without_scores_are_told_by_picture(painted, tmp_path):
    dataset, _ = painted
    two = with_objects(dataset, [[0, 0, 9, 9]] * 2)
    two = replace(two, gt=replace(two.gt, id=id_column([1, 2])))
    path = tmp_path / "labels.json"
    path.write_text('[{"id": 1, "scores": {"red": 1}}, {"id": 2, "scores": {}}]')
    assert failures(boxlens.upper_bound(two, classifier=path)) == [("2.png", "1 object: no scores")]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"spec": "a.yaml"}, "a spec belongs to an .onnx model, not to 'hog'"),
        ({"training": Training(restart=True)}, "of torch:... alone, not of 'hog'"),
        ({"classifier": PaintReader(), "spec": "a.yaml"}, "not to this one"),
        ({"classifier": "torch:small", "training": Training(restart=True)}, "say where they are"),
    ],
)
def test_options_that_cannot_mean_anything_are_refused(given, told):
    with pytest.raises(ParameterError, match=told):
        LabelSource(**given)


def test_a_file_of_labels_learns_nothing(painted):
    dataset, files = painted
    with pytest.raises(ParameterError, match=r"'labels\.csv' holds labels"):
        boxlens.upper_bound(dataset, classifier="labels.csv", train_gt=dataset, train_images=files)
