"""METHODS 10: places where two evaluators read one COCO file differently, by name."""

from __future__ import annotations

import json
import math

import pytest

import boxlens
from boxlens.errors import InputError
from boxlens.formats.coco import read_spans

A, B, FAR = (0.0, 0.0, 10.0, 10.0), (4.0, 0.0, 10.0, 10.0), (500.0, 500.0, 10.0, 10.0)


def annotation(key, box, **fields):
    record = {"id": key, "image_id": 1, "category_id": 1, "bbox": list(box), "iscrowd": 0}
    return {**record, "area": box[2] * box[3], **fields}


def result(box, score=0.5, **fields):
    return {"image_id": 1, "category_id": 1, "bbox": list(box), "score": score, **fields}


@pytest.fixture
def evaluate_files(tmp_path):
    """Evaluates COCO files of these annotations and results, given as values or as text."""

    def run(annotations, results, **options):
        truth, found = tmp_path / "truth.json", tmp_path / "found.json"
        images = [{"id": i, "width": 640, "height": 480, "file_name": f"{i}.jpg"} for i in (1, 2)]
        classes = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
        world = {"images": images, "annotations": annotations, "categories": classes}
        truth.write_text(json.dumps(world))
        found.write_text(results if isinstance(results, str) else json.dumps(results))
        return boxlens.evaluate(truth, found, **options)

    return run


def ap_of(evaluation):
    return evaluation.detectors[0].metrics["AP"]


@pytest.mark.parametrize("ids", [(0, 1), (7, 7), (0, 0), (None, None)])
def test_ground_truth_id_zero_and_repeated_ids_change_nothing(evaluate_files, ids):
    objects = [annotation(key, box) for key, box in zip((1, 2), (A, FAR), strict=True)]
    found = [result(A, 0.9), result(A, 0.8), result(FAR, 0.7)]
    expected = ap_of(evaluate_files(objects, found))
    assert 0.8 < expected < 1
    other = [{**obj, "id": key} for obj, key in zip(objects, ids, strict=True)]
    if None in ids:
        other = [{key: value for key, value in obj.items() if key != "id"} for obj in objects]
    assert ap_of(evaluate_files(other, found)) == expected


def test_empty_detections_give_ap_zero(evaluate_files):
    evaluation = evaluate_files([annotation(1, A)], [])
    metrics = evaluation.detectors[0].metrics
    assert {metrics["AP"], metrics["AP50"], metrics["APs"], metrics["AR100"]} == {0.0}
    assert math.isnan(metrics["APl"])


def test_class_without_objects_is_undefined_and_counted_in_a_notice(evaluate_files):
    found = [result(A), result(A, category_id=2), result(B, 0.99, category_id=2)]
    [detector] = evaluate_files([annotation(1, A)], found).detectors
    assert detector.metrics["AP"] == pytest.approx(1)
    assert math.isnan(detector.classes[1].metrics["AP"])
    [notice] = [n for n in detector.notices if n.code == "class_without_objects"]
    assert notice.count == 2


def test_unknown_images_and_classes_are_counted_by_default(evaluate_files):
    found = [result(A), result(A, image_id=9), result(A, image_id=8), result(A, category_id=5)]
    [detector] = evaluate_files([annotation(1, A)], found).detectors
    assert {(n.code, n.count) for n in detector.notices} == {
        ("unknown_image", 2),
        ("unknown_class", 1),
    }
    assert detector.n_detections == 1


@pytest.mark.parametrize("unknown", [{"image_id": 9}, {"category_id": 5}])
def test_unknown_images_and_classes_are_an_error_if_asked(evaluate_files, unknown):
    with pytest.raises(InputError, match="record 1 "):
        evaluate_files([annotation(1, A)], [result(A), result(A, **unknown)], strict=True)


@pytest.mark.parametrize(
    "damaged",
    [
        '{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": NaN}',
        '{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": Infinity}',
        '{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 1e999}',
        '{"image_id": 1, "category_id": 1, "bbox": [0, NaN, 9, 9], "score": 0.5}',
        '{"image_id": 1, "category_id": 1, "bbox": [0, 0, -9, 9], "score": 0.5}',
        '{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9], "score": 0.5}',
        '{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9]}',
    ],
)
def test_non_finite_scores_and_boxes_and_negative_sizes_name_their_record(evaluate_files, damaged):
    good = json.dumps(result(A))
    with pytest.raises(InputError) as caught:
        evaluate_files([annotation(1, A)], f"[{good}, {good}, {damaged}]")
    assert "found.json" in str(caught.value)
    assert "record 2" in str(caught.value)


@pytest.mark.parametrize("box", [[0, 0, -1, 5], [0, 0, float("nan"), 5]])
def test_damaged_ground_truth_names_its_record(evaluate_files, box):
    with pytest.raises(InputError, match=r"truth\.json.*1"):
        evaluate_files([annotation(1, A), {**annotation(2, A), "bbox": box}], [result(A)])


def test_ignore_in_a_coco_file_is_overwritten_by_iscrowd(evaluate_files):
    # An object marked "ignore" counts; only "iscrowd" makes it a don't-care.
    ignored = annotation(1, A, ignore=1)
    assert ap_of(evaluate_files([ignored], [result(A)])) == pytest.approx(1)
    assert ap_of(evaluate_files([ignored], [])) == 0
    crowd = annotation(1, A, ignore=0, iscrowd=1)
    assert math.isnan(ap_of(evaluate_files([crowd], [result(A)])))


def test_a_missing_area_falls_back_to_width_times_height_and_says_so(evaluate_files):
    bare = annotation(1, (0, 0, 40, 40))
    del bare["area"]
    evaluation = evaluate_files([bare, annotation(2, FAR)], [result((0, 0, 40, 40))])
    assert evaluation.detectors[0].metrics["APm"] == pytest.approx(1)
    [notice] = [n for n in evaluation.notices if n.code == "missing_area"]
    assert notice.count == 1


def test_rle_and_polygons_of_every_form_are_kept_and_disturb_nothing(tmp_path, evaluate_files):
    masks = [
        {"size": [480, 640], "counts": "]Yn01O\\\\0000"},  # compressed
        {"size": [480, 640], "counts": [10, 5, 307185]},  # not compressed
        [[0, 0, 10, 0, 10, 10]],  # one ring
        [[0, 0, 10, 0, 10, 10], [20, 20, 30, 20, 30, 30]],  # many
        None,
    ]
    objects = [annotation(i + 1, (20.0 * i, 0, 10, 10)) for i in range(len(masks))]
    found = [result(obj["bbox"], 0.9 - 0.1 * i) for i, obj in enumerate(objects)]
    plain = ap_of(evaluate_files(objects, found))
    for obj, mask in zip(objects, masks, strict=True):
        if mask is not None:
            obj["segmentation"] = mask
    assert ap_of(evaluate_files(objects, found)) == plain == 1
    dataset = boxlens.read_dataset(tmp_path / "truth.json")
    assert read_spans(dataset.gt.spans["segmentation"]) == masks
