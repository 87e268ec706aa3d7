"""Detections filtered by proposals, suppressed, and helped by oracles: equal to plain loops."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Detections
from boxlens.data.windows import Windows
from boxlens.detectors.suppression import suppress
from boxlens.errors import InputError, ParameterError
from boxlens.studies.proposals.detection_use import suppression
from boxlens.studies.proposals.detection_use.filtering import near_proposals, suppressed
from boxlens.studies.proposals.detection_use.oracles import proposal_oracles
from boxlens.studies.proposals.detection_use.suppression import suppress_perfectly, survivors
from boxlens.studies.proposals.detection_use.verdict import oracle_sentences
from boxlens.studies.proposals.proposed import Proposed
from cases import random_scene
from oracles import detection_use as slow
from oracles.convert import scene_to_tables
from planted_worlds import world_of

SEEDS = range(32)
WITH_DETECTIONS = [seed for seed in SEEDS if random_scene(seed).detections]


def detections_of(boxes, *, classes=None, scores=None, image_row=None, n_images=1, name="raw"):
    n = len(boxes)
    return Detections.of(
        name,
        n_images,
        image_row=[0] * n if image_row is None else image_row,
        class_row=[0] * n if classes is None else classes,
        box=boxes,
        score=np.linspace(0.9, 0.1, n) if scores is None else scores,
    )


def filtered(raw, windows, nms_iou=0.3):
    proposed = Proposed("method", "made here", baseline=False, by_budget={1000: windows})
    (near,) = near_proposals([raw], proposed, 1000).near
    return suppressed(raw.where(near), nms_iou)


def windows_of(boxes_by_image, searched=None, name="method"):
    """One list of boxes an image row."""
    rows = [row for row, boxes in enumerate(boxes_by_image) for _ in boxes]
    boxes = [box for boxes in boxes_by_image for box in boxes]
    known = [True] * len(boxes_by_image) if searched is None else searched
    return Windows.of(name, len(boxes_by_image), image_row=rows, box=boxes, searched=known)


def scene_proposals(scene, seed):
    """Boxes of some objects and detections, exact or a little aside, by image id."""
    rng = random.Random(seed)
    boxes = {image: [] for image in scene.images}
    for thing in (*scene.objects, *scene.detections):
        if rng.random() < 0.4:
            x, y, w, h = thing.box
            aside = rng.choice((0.0, 0.0, w / 10, w / 9, w / 5))
            boxes[thing.image].append((x + aside, y, w, h))
    return boxes


def listed(detections, dataset):
    """What is there, in an order that does not depend on the tables'."""
    return sorted(
        (dataset.images.id[image], dataset.classes.id[cls], tuple(box), score)
        for image, cls, box, score in zip(
            detections.image_row,
            detections.class_row,
            detections.box.tolist(),
            detections.score.tolist(),
            strict=True,
        )
    )


def listed_places(scene, places):
    chosen = [scene.detections[d] for d in places]
    return sorted((det.image, det.cls, tuple(det.box), det.score) for det in chosen)


def test_detections_stay_that_overlap_a_proposal_of_their_image_by_more_than_the_threshold():
    square = [0.0, 0.0, 100.0, 100.0]
    raw = detections_of(
        [square, [0, 0, 80, 100], [0, 0, 81, 100], [300, 0, 50, 50], square],
        classes=[0, 1, 2, 3, 4],
        image_row=[0, 0, 0, 0, 1],
        n_images=2,
    )
    kept = filtered(raw, windows_of([[square], []]))
    # An IoU of exactly .8 is not above it; the second image has no proposal.
    assert kept.class_row.tolist() == [0, 2]
    assert kept.n_images == 2


def test_what_is_left_is_suppressed_class_by_class():
    places = [[0, 0, 100, 100], [5, 0, 100, 100], [400, 0, 100, 100]]
    raw = detections_of([*places, places[1]], classes=[0, 0, 0, 1], scores=[0.5, 0.6, 0.1, 0.2])
    kept = filtered(raw, windows_of([places]))
    assert kept.score.tolist() == [0.6, 0.1, 0.2]
    everything = filtered(raw, windows_of([places]), nms_iou=1.0)
    assert len(everything) == 4


@pytest.mark.parametrize("seed", SEEDS)
def test_filtering_equals_plain_loops(seed):
    scene = random_scene(seed)
    dataset, detections = scene_to_tables(scene)
    boxes = scene_proposals(scene, seed)
    kept = filtered(detections, windows_of([boxes[image] for image in scene.images]))
    expected = slow.survivors(scene, slow.near(scene, boxes, 0.8), 0.3)
    assert listed(kept, dataset) == listed_places(scene, expected)


@pytest.mark.parametrize("iou", [0.0, 0.3, 0.5, 1.0])
def test_suppression_of_all_images_at_once_equals_that_of_one_after_the_other(iou, monkeypatch):
    rng = np.random.default_rng(7)
    n, n_images = 800, 6
    raw = detections_of(
        np.hstack([rng.uniform(0, 100, (n, 2)), rng.uniform(20, 60, (n, 2))]),
        classes=rng.integers(0, 3, n),
        scores=rng.integers(0, 40, n) / 40,
        image_row=rng.integers(0, n_images, n),
        n_images=n_images,
    )
    expected = np.zeros(n, dtype=bool)
    for begin, end in zip(raw.offsets[:-1], raw.offsets[1:], strict=True):
        here = slice(begin, end)
        rows = suppress(raw.box[here], raw.score[here], iou=iou, groups=raw.class_row[here])
        expected[begin + rows] = True
    assert survivors(raw, iou=iou).tolist() == expected.tolist()
    # In several parts, as if the pairs did not fit.
    monkeypatch.setattr(suppression, "MOST_PAIRS", 5000)
    assert survivors(raw, iou=iou).tolist() == expected.tolist()


@pytest.mark.parametrize("seed", WITH_DETECTIONS)
def test_oracles_equal_plain_loops_and_perfect_suppression_never_lowers_ap50(seed):
    scene = random_scene(seed)
    dataset, detections = scene_to_tables(scene)
    boxes = scene_proposals(scene, seed)
    method = windows_of([boxes[image] for image in scene.images])
    result = proposal_oracles(dataset, [detections], [method], oracle_iou=0.6)
    found = {one.oracle: one for one in result.oracles[0].scores}
    near = slow.near(scene, boxes, 0.8)
    helped = sorted({*near, *slow.near(scene, slow.object_boxes(scene), 0.8)})
    alone, alone_helped = (slow.survivors(scene, places, 0.3) for places in (near, helped))
    expected = {
        "raw": list(range(len(scene.detections))),
        "none": alone,
        "gt": alone_helped,
        "nms": slow.perfect(scene, near, alone, 0.6),
        "gt+nms": slow.perfect(scene, helped, alone_helped, 0.6),
    }
    assert list(found) == list(expected)
    for oracle, places in expected.items():
        assert found[oracle].n_detections == len(places), oracle
        np.testing.assert_allclose(
            found[oracle].ap50, slow.ap50(scene, places), atol=1e-12, err_msg=oracle
        )
    for before, after in (("none", "nms"), ("gt", "gt+nms")):
        # Undefined where no class has objects.
        assert not found[after].ap50 < found[before].ap50 - 1e-12


@pytest.mark.parametrize("seed", range(100, 130))
def test_perfect_suppression_of_detections_as_they_are_never_lowers_the_ap50_of_a_class(seed):
    scene = random_scene(seed, n_detections=30)
    dataset, detections = scene_to_tables(scene)
    (one,) = proposal_oracles(dataset, [detections]).oracles
    raw, nms = one.scores
    assert (one.method, one.budget, raw.oracle, nms.oracle) == ("", None, "raw", "nms")
    assert nms.n_detections <= raw.n_detections
    for name, ap in raw.class_ap50.items():
        assert not nms.class_ap50[name] < ap - 1e-12


def test_perfect_suppression_takes_duplicates_and_leaves_what_lies_on_the_background():
    dataset = world_of([[0, 0, 100, 100]])
    found, duplicate, other_class, background, beside = (
        [0, 0, 100, 100],
        [0, 0, 90, 100],
        [0, 0, 95, 100],
        [300, 200, 50, 50],
        [60, 0, 100, 100],
    )
    raw = detections_of(
        [found, duplicate, other_class, background, beside], classes=[0, 0, 1, 0, 0]
    )
    kept = suppress_perfectly(dataset, raw, np.ones(5, dtype=bool))
    assert kept.box.tolist() == [found, other_class, background, beside]


def test_perfect_suppression_brings_back_what_suppression_took_away():
    """Two objects close together: the better box hides the other's."""
    dataset = world_of([[0, 0, 100, 100], [40, 0, 100, 100]])
    raw = detections_of([[0, 0, 100, 100], [40, 0, 100, 100]])
    method = windows_of([raw.box.tolist()])
    scores = {
        one.oracle: one for one in proposal_oracles(dataset, [raw], [method]).oracles[0].scores
    }
    assert scores["none"].n_detections == 1
    assert scores["nms"].n_detections == 2
    assert scores["nms"].ap50 == pytest.approx(1.0)
    assert scores["none"].ap50 < 0.6


def test_perfect_proposals_are_all_objects_but_no_crowds():
    boxes = [[0, 0, 50, 50], [100, 0, 50, 50], [200, 0, 50, 50], [300, 0, 50, 50]]
    dataset = world_of(
        boxes,
        crowd=[False, True, False, False],
        difficult=[False, False, True, False],
        group_of=[False, False, False, True],
    )
    raw = detections_of(boxes)
    elsewhere = windows_of([[[0, 200, 50, 50]]])
    scores = {
        one.oracle: one for one in proposal_oracles(dataset, [raw], [elsewhere]).oracles[0].scores
    }
    assert {name: one.n_detections for name, one in scores.items()} == {
        "raw": 4,
        "none": 0,
        "gt": 2,
        "nms": 0,
        "gt+nms": 2,
    }
    assert scores["none"].ap50 == 0.0
    assert scores["gt"].ap50 == pytest.approx(1.0)


def test_images_without_known_proposals_are_left_out_and_counted():
    box = [10.0, 10.0, 50.0, 50.0]
    dataset = world_of([box, box], image_row=[0, 1], n_images=2)
    raw = detections_of([box], image_row=[0], n_images=2)
    method = windows_of([[box], []], searched=[True, False])
    result = proposal_oracles(dataset, [raw], [method])
    # The second image would count as a miss.
    assert [one.ap50 for one in result.oracles[0].scores] == pytest.approx([1.0] * 5)
    assert [(one.code, one.count) for one in result.notices if "searched" in one.code] == [
        ("not_searched_by_all", 1)
    ]


def test_every_detector_meets_every_method_and_all_is_told():
    dataset = world_of([[0, 0, 100, 100], [200, 0, 50, 80]], classes=[0, 1])
    tables = [detections_of(dataset.gt.box, classes=[0, 1]) for _ in range(2)]
    methods = [windows_of([dataset.gt.box[:n]], name=f"best {n}") for n in (1, 2)]
    steps = []
    result = proposal_oracles(
        dataset, tables, methods, budget=10, progress=lambda *step: steps.append(step)
    )
    named = [(one.detector, one.method, one.budget) for one in result.oracles]
    assert named == [
        ("raw", "best 1", 10),
        ("raw", "best 2", 10),
        ("raw (2)", "best 1", 10),
        ("raw (2)", "best 2", 10),
    ]
    assert [done for what, done, _ in steps if what == "asking oracles"] == [0, 1, 2, 3]
    document = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert document["parameters"] == {
        "budget": 10,
        "filter_iou": 0.8,
        "nms_iou": 0.3,
        "oracle_iou": 0.5,
    }
    sentences = oracle_sentences(result)
    assert len(sentences) == 4
    assert sentences[:2] == [
        (
            "raw on 10 proposals of best 2: AP50 1.000 (1.000 unfiltered), with perfect proposals "
            "1.000 (0.000), with perfect suppression 1.000 (0.000), with both 1.000 (0.000). Neither "
            "better proposals nor better suppression would help raw."
        ),
        (
            "best 2 is the best of 2 methods; over all of them perfect proposals change AP50 by "
            "0.000 to +0.500, perfect suppression by 0.000."
        ),
    ]


def test_detections_that_were_suppressed_before_are_told():
    apart = [[20.0 * place, 0.0, 10.0, 10.0] for place in range(1000)]
    dataset = world_of([[0, 0, 10, 10]])
    method = windows_of([apart])
    result = proposal_oracles(dataset, [detections_of(apart)], [method])
    assert ("not_raw", 1000) in [(one.code, one.count) for one in result.notices]
    assert result.suppressed == ("raw",)
    assert "suppressed before: this file cannot show" in oracle_sentences(result)[0]
    assert "hold" not in oracle_sentences(result)[0].partition("cannot show")[0]
    # Whatever the notices say.
    (said, *_) = oracle_sentences(replace(result, notices=()))
    assert said == oracle_sentences(result)[0]
    close = detections_of([*apart, [0.0, 0.0, 9.0, 10.0]])
    notices = proposal_oracles(dataset, [close], [method]).notices
    assert "not_raw" not in [one.code for one in notices]


def test_perfect_proposals_that_stay_below_the_unfiltered_detections_are_explained():
    dataset = world_of([[0, 0, 100, 100]])
    loose = detections_of([[0, 0, 70, 100]])
    method = windows_of([[[200, 0, 50, 50]]])
    said = oracle_sentences(proposal_oracles(dataset, [loose], [method], filter_iou=0.75))
    assert said[1] == (
        "Even with perfect proposals raw stays below its unfiltered detections (0.000, not 1.000): "
        "the filter at IoU 0.75 and suppression remove detections, and perfect proposals only bring "
        "back those that overlap an object by more than 0.75."
    )
    close = windows_of([[[0, 0, 70, 100]]])
    said = oracle_sentences(proposal_oracles(dataset, [loose], [close]))
    assert not any("stays below" in sentence for sentence in said)


def test_without_detections_or_proposals_there_is_nothing_to_ask():
    box = [10.0, 10.0, 50.0, 50.0]
    dataset = world_of([box, box], image_row=[0, 1], n_images=2)
    raw = detections_of([box], image_row=[1], n_images=2)
    nothing = detections_of([], n_images=2)
    with pytest.raises(InputError, match=r"no detections of raw\. Give detections"):
        proposal_oracles(dataset, [nothing])
    first_only = windows_of([[box], []], searched=[True, False])
    with pytest.raises(InputError, match="no detections of raw in the images that were searched"):
        proposal_oracles(dataset, [raw], [first_only])
    with pytest.raises(InputError, match=r"no proposals of method\. Give proposals"):
        proposal_oracles(dataset, [raw], [windows_of([[], []])])


def test_without_objects_nothing_is_defined_and_said_so():
    dataset = world_of([])
    result = proposal_oracles(dataset, [detections_of([[0, 0, 10, 10]])])
    assert all(math.isnan(one.ap50) for one in result.oracles[0].scores)
    assert oracle_sentences(result) == ["raw: no class has objects, so oracles cannot be scored."]
    json.dumps(result.to_json(), allow_nan=False)


def test_what_cannot_be_meant_is_refused():
    dataset = world_of([[0, 0, 10, 10]])
    raw = detections_of([[0, 0, 10, 10]])
    method = windows_of([[[0, 0, 10, 10]]])
    for settings in ({"budget": 0}, {"filter_iou": 1.0}, {"nms_iou": -0.1}, {"oracle_iou": 0.0}):
        with pytest.raises(ParameterError):
            proposal_oracles(dataset, [raw], [method], **settings)
    with pytest.raises(ParameterError, match="at least one"):
        proposal_oracles(dataset, [])
    with pytest.raises(ParameterError, match="same data set"):
        filtered(raw, windows_of([[], []]))
    with pytest.raises(ParameterError, match="this data set"):
        proposal_oracles(dataset, [raw], [windows_of([[], []])])
    with pytest.raises(ParameterError, match="no image"):
        proposal_oracles(dataset, [raw], [windows_of([[]], searched=[False])])
