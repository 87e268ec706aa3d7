"""What must not change the recall of proposals, and what it can never be (METHODS 6.1-6.3)."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from boxlens.data.windows import Windows, joined
from boxlens.studies.proposals.blind import write_blind_windows
from boxlens.studies.proposals.detection_use.correlation import correlate_recall
from boxlens.studies.proposals.detection_use.oracles import proposal_oracles
from boxlens.studies.proposals.generators.drawn_boxes import Gaussian, Uniform
from boxlens.studies.proposals.generators.sliding_window import SlidingWindow
from boxlens.studies.proposals.recall.analysis import proposal_recall
from boxlens.studies.proposals.sources import Searching, find_proposed
from cases import random_scene
from laws.proposal_worlds import (
    CHOICE,
    SEEDS,
    equal,
    objects_by_image,
    ranked,
    studied,
    tables,
)
from oracles import proposal_recall as oracle
from oracles.convert import scene_to_tables


def numbers(result, without=()):
    """Everything that a study counts, as text; sums in another order may differ in last digits."""
    document = {key: value for key, value in result.to_json().items() if key not in without}
    return near(document)


def near(value):
    if isinstance(value, dict):
        return {key: near(one) for key, one in value.items()}
    if isinstance(value, list):
        return [near(one) for one in value]
    return f"{value:.12g}" if isinstance(value, float) else value


def test_objects_as_proposals_find_everything():
    for seed in SEEDS:
        scene = distinct_objects(seed)
        if not scene.objects:
            continue
        lists = [[obj.box for obj in here][::-1] for here in objects_by_image(scene)]
        row = studied(scene, lists=lists).methods[0].chosen[-1]
        assert set(row.curve.tolist()) == {1.0}
        assert set(row.recall.values()) == {1.0}
        # A right edge is a sum, so that boxes may differ from themselves in the last digit.
        assert [row.ar, row.coco_ar, row.best_overlap, row.best_overlap_by_class] == equal([1] * 4)


def distinct_objects(seed):
    """A scene whose objects have areas and pixels of their own."""
    scene = random_scene(seed, zero_size=0.0)
    kept = [
        obj
        for image in scene.images
        for here in [[obj for obj in scene.objects if obj.image == image and oracle.is_object(obj)]]
        for obj, first in zip(here, oracle.first_on_pixels([o.box for o in here]), strict=True)
        if first
    ]
    return replace(scene, objects=tuple(kept))


def test_order_and_names_of_images_do_not_matter():
    for seed in SEEDS:
        scene = random_scene(seed)

        def renamed(new_id, scene=scene):
            return replace(
                scene,
                images=tuple(sorted(map(new_id, scene.images))),
                objects=tuple(replace(one, image=new_id(one.image)) for one in scene.objects),
                detections=tuple(replace(one, image=new_id(one.image)) for one in scene.detections),
                negative=None,
                positive=None,
                not_exhaustive=None,
            )

        before = numbers(studied(scene))
        assert before == numbers(studied(renamed(lambda image: -image)))
        assert before == numbers(studied(renamed("{:06d}.jpg".format)))


def test_worse_proposals_beyond_the_budget_change_nothing():
    for seed in SEEDS:
        scene = random_scene(seed)
        lists = [oracle.candidates(boxes, CHOICE.largest) for boxes in ranked(scene)]
        # More only where the budget is used up: elsewhere they would be asked.
        more = [
            [*boxes, (300.0, 300.0, 40.0, 40.0)] if len(boxes) == CHOICE.largest else boxes
            for boxes in lists
        ]
        assert numbers(studied(scene, lists=lists)) == numbers(studied(scene, lists=more))


def test_duplicates_after_the_first_are_counted_and_nothing_else():
    for seed in SEEDS:
        scene = random_scene(seed)
        lists = [oracle.candidates(boxes, 1000) for boxes in ranked(scene)]
        twice = [[one for box in boxes for one in (box, on_its_pixels(box))] for boxes in lists]
        once, again = studied(scene, lists=lists), studied(scene, lists=twice)
        assert once.methods[0].n_duplicates == 0
        assert again.methods[0].n_duplicates == sum(map(len, lists))
        assert numbers(once, ["runs"]) == numbers(again, ["runs"])
        assert once.methods[0].volume == equal(again.methods[0].volume)
        assert once.methods[0].sizes.tolist() == equal(again.methods[0].sizes.tolist())


def on_its_pixels(box):
    """A smaller box that rounding makes the same, or the box itself."""
    x, y, w, h = box
    smaller = (x, y, max(w - 0.25, 0.0), h)
    return smaller if oracle.pixels(smaller) == oracle.pixels(box) else box


def test_methods_side_by_side_are_as_each_alone_and_threads_change_no_bit():
    scene = random_scene(5, n_images=12)
    backwards = [boxes[::-1] for boxes in ranked(scene)]
    dataset, first = tables(scene)
    second = replace(tables(scene, backwards)[1], name="backwards")
    results = [
        proposal_recall(dataset, [first, second], **asdict(CHOICE), threads=n) for n in (0, 1, 2, 5)
    ]
    assert len({repr(one.to_json()) for one in results}) == 1
    together = results[0].datasets[0].methods
    for method, lists in zip(together, (None, backwards), strict=True):
        alone = studied(scene, lists=lists).methods[0]
        assert method.rows(method.by_budget) == [
            {**row, "name": method.name} for row in alone.rows(alone.by_budget)
        ]


def test_images_that_were_not_searched_are_left_out_or_count_as_empty():
    for seed in SEEDS:
        scene = random_scene(seed, flood=0)
        dataset, windows = tables(scene)
        searched = np.diff(windows.offsets) > 0
        if not searched.any():
            continue
        windows = replace(windows, searched=searched)
        left_out = proposal_recall(dataset, windows, **asdict(CHOICE)).datasets[0]
        kept = [image for image, known in zip(scene.images, searched, strict=True) if known]
        part = replace(
            scene,
            images=tuple(kept),
            objects=tuple(one for one in scene.objects if one.image in kept),
        )
        assert numbers(left_out) == numbers(studied(part))
        counted = replace(CHOICE, missing_is_empty=True)
        as_empty = proposal_recall(dataset, windows, **asdict(counted)).datasets[0]
        assert numbers(as_empty) == numbers(studied(scene))


@pytest.mark.parametrize("at_once", [1, 50, 333])
def test_boxes_taken_in_parts_change_no_bit(at_once, monkeypatch, tmp_path):
    whole = in_parts(tmp_path / "whole.json")
    for place in ("boxlens.data.windows.IN_A_PART", "boxlens.studies.proposals.blind.IN_A_PART"):
        monkeypatch.setattr(place, at_once)
    assert in_parts(tmp_path / "parts.json") == whole


def in_parts(path):
    """All that is asked of proposals: drawn, in tables with duplicates, and in a file."""
    scene = random_scene(11, n_images=9)
    dataset, detections = scene_to_tables(scene)
    sizes = np.arange(9) % 4 * 20.0 + 60
    dataset = replace(dataset, images=replace(dataset.images, width_px=sizes, height_px=sizes))
    lists = [[*boxes, *map(on_its_pixels, boxes[::-1])] for boxes in ranked(scene)]
    lists[4] = []
    table = replace(tables(scene, lists)[1], name="table", searched=np.arange(9) != 4)
    methods = [table, SlidingWindow(), Uniform(), Gaussian(name="other")]
    recall = proposal_recall(dataset, methods, **asdict(CHOICE))
    oracles = proposal_oracles(dataset, detections, methods, budget=20, filter_iou=0.5)
    related = correlate_recall(dataset, methods, raw=detections, budget=20, filter_iou=0.5)
    write_blind_windows(SlidingWindow(), dataset, path, limit=30)
    found = find_proposed(dataset, methods, [20], Searching())
    documents = [one.to_json() for one in (recall, oracles, related)]
    for run in documents[0]["results"]["runs"]:
        del run["seconds_per_image"]
    boxes = [one.at(20).box.tobytes() for one in found]
    return [json.dumps(documents), path.read_text(), boxes]


def test_images_with_few_boxes_share_a_part_and_one_with_many_has_its_own(monkeypatch):
    monkeypatch.setattr("boxlens.data.windows.IN_A_PART", 4)
    counts = [1, 2, 0, 1, 9, 0, 4, 1]
    rows = np.repeat(np.arange(8), counts)
    windows = Windows.of("mine", 8, image_row=rows, box=np.arange(72).reshape(18, 4))
    parts = list(windows.parts())
    assert [part.images for part in parts] == [slice(0, 4), slice(4, 5), slice(5, 7), slice(7, 8)]
    whole = joined(parts)
    assert whole.box.tobytes() == windows.box.tobytes()
    assert whole.offsets.tolist() == windows.offsets.tolist()
    assert whole.searched.tolist() == windows.searched.tolist()
