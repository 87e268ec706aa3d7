"""Kernel matching equals the slow oracles: every rule, many cells at once, any number of threads."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.matching import RULES, assign, find_overlaps
from boxlens.metrics import prepare, prepare_dataset
from cases import random_scene, scenes
from oracles import coco, hoiem, lvis, open_images, voc
from oracles.convert import scene_to_tables, table_order
from oracles.model import NOBODY, area_of, inside

ALL = (0.0, 1e10)
AREAS = (ALL, (0.0, 1024.0), (1024.0, 9216.0), (9216.0, 1e10))
THRESHOLDS = (0.5, 0.75, 0.95)
PROTOCOL_OF = {
    "coco": "coco",
    "voc": "voc12",
    "hoiem": "voc12",
    "lvis": "lvis",
    "open_images": "openimages",
}


@dataclass(frozen=True)
class Case:
    """A scene as a rule sees it, and where the table rows stand in the scene's lists."""

    rule: str
    scene: object
    prepared: object
    object_at: list[int]
    detection_at: list[int]

    @classmethod
    def of(cls, scene, rule):
        dataset, detections = scene_to_tables(scene)
        protocol = PROTOCOL_OF[rule]
        prepared = prepare(prepare_dataset(dataset, protocol), detections, protocol)
        if rule == "open_images":
            scene = open_images.expand(scene)
        objects = table_order(scene, scene.objects)
        if rule == "lvis":
            objects = [g for g in objects if lvis.takes_part(scene.objects[g].area)]
        return cls(rule, scene, prepared, objects, table_order(scene, scene.detections))

    def matches(self, thresholds, areas, max_dets, threads):
        rule = RULES[self.rule]
        dataset, detections = self.prepared.dataset, self.prepared.detections
        floor = min(thresholds[0], 1 - 1e-10)
        overlaps = find_overlaps(dataset, detections, rule, floor=floor, threads=threads)
        return assign(
            dataset,
            detections,
            overlaps,
            rule,
            iou_thresholds=thresholds,
            area_ranges=areas,
            max_dets=max_dets,
            det_dropped=self.prepared.det_dropped,
            det_unmatched_ignored=self.prepared.det_unmatched_ignored,
            keep_hits=True,
            threads=threads,
        )


def oracle(case, threshold, area, max_dets):
    if case.rule == "coco":
        return coco.match(case.scene, threshold, area, max_dets or 100)
    if case.rule == "lvis":
        return lvis.match(case.scene, threshold, area, max_dets or 300)
    if case.rule == "open_images":
        # Expanded already: a tree would expand it twice.
        return open_images.match(replace(case.scene, parents=None), threshold).matching
    return with_area({"voc": voc, "hoiem": hoiem}[case.rule], case.scene, threshold, area)


def with_area(rule, scene, threshold, area):
    """VOC and Hoiem know no area ranges: outside one an object is difficult, a miss is excused."""
    objects = [replace(o, difficult=o.difficult or not inside(o.area, area)) for o in scene.objects]
    matching = rule.match(replace(scene, objects=tuple(objects)), threshold)
    for d, found in enumerate(scene.detections):
        if matching.label[d] == -1 and not inside(area_of(found.box), area):
            matching.label[d] = 0
    return matching


def expected_ranks(case):
    """Places by score within image and class (LVIS: within the image); -1 takes no part."""
    ranks, seen = {}, {}
    found = case.scene.detections
    for d in sorted(range(len(found)), key=lambda d: -found[d].score):
        group = found[d].image, None if case.rule == "lvis" else found[d].cls
        ranks[d] = seen[group] = seen.get(group, -1) + 1
    return [ranks[d] for d in case.detection_at]


def assert_equal(case, *, thresholds=THRESHOLDS, areas=AREAS, max_dets=None, threads=1):
    matches = case.matches(thresholds, areas, max_dets, threads)
    row_of = {g: row for row, g in enumerate(case.object_at)} | {NOBODY: -1}
    assert matches.hit_row.shape == (len(thresholds) * len(areas), len(case.detection_at))
    assert (len(matches.det_group) > 0) == (case.rule == "open_images" and bool(case.detection_at))
    for a, area in enumerate(areas):
        for t, threshold in enumerate(thresholds):
            truth = oracle(case, threshold, area, max_dets)
            labels = [truth.label[d] for d in case.detection_at]
            assert matches.labels(t, a).tolist() == [label or 0 for label in labels]
            assert matches.det_counted().tolist() == [label is not None for label in labels]
            hits = [row_of[truth.object_of[d]] for d in case.detection_at]
            assert matches.hit_row[a * len(thresholds) + t].tolist() == hits
            found = {truth.object_of[d] for d, label in enumerate(truth.label) if label == 1}
            hit = (matches.gt_hit & matches.bit(t, a)) != 0
            assert hit.tolist() == [g in found for g in case.object_at]
            positive = [
                not truth.ignored[g] or (case.rule == "open_images" and is_plain_group(case, g))
                for g in case.object_at
            ]
            assert matches.positives(t, a).tolist() == positive


def is_plain_group(case, g):
    # The oracle counts groups apart, with their weight; the table lets them be positives.
    obj = case.scene.objects[g]
    return obj.group_of and not obj.difficult and not obj.crowd


def areas_of(rule):
    # Open Images has no area ranges, and what a group outside one would be nobody says.
    return (ALL,) if rule == "open_images" else AREAS


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("first_seed", range(0, 400, 100))
def test_random_scenes(rule, first_seed):
    for seed in range(first_seed, first_seed + 100):
        case = Case.of(random_scene(seed), rule)
        assert_equal(case, areas=areas_of(rule), threads=1 if seed % 2 else 3)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60)
@given(scene=scenes(), threads=st.sampled_from((1, 3)))
def test_any_scene(rule, scene, threads):
    assert_equal(Case.of(scene, rule), areas=areas_of(rule), threads=threads)


@pytest.mark.parametrize("rule", ["coco", "lvis"])
@pytest.mark.parametrize("max_dets", [1, 3, 7])
def test_a_limit_cuts_before_matching(rule, max_dets):
    for seed in range(40):
        case = Case.of(random_scene(seed), rule)
        assert_equal(case, thresholds=(0.5, 0.75), areas=AREAS[:2], max_dets=max_dets)


@pytest.mark.parametrize("rule", ["coco", "voc", "hoiem", "lvis"])
def test_sixty_four_cells_fill_one_word(rule):
    thresholds = tuple((np.arange(1, 17) / 16).tolist())
    for seed in range(300, 306):
        case = Case.of(random_scene(seed, n_images=3), rule)
        assert_equal(case, thresholds=thresholds, threads=3)


@pytest.mark.parametrize("rule", RULES)
def test_ranks_go_by_score_then_file_order(rule):
    for seed in range(60):
        case = Case.of(random_scene(seed), rule)
        ranks = case.matches((0.5,), (ALL,), None, 1).det_rank
        dropped = case.prepared.det_dropped
        expected = np.array(expected_ranks(case))
        # A dropped detection uses up its place and has none itself.
        assert (
            ranks.tolist()
            == (expected if dropped is None else np.where(dropped, -1, expected)).tolist()
        )


@pytest.mark.parametrize("rule", RULES)
def test_many_images_on_several_threads_match_as_each_alone(rule):
    # More images than one task holds, so that threads really share the work.
    scene = random_scene(11, n_images=600, n_objects=3, n_detections=5, flood=0)
    case = Case.of(scene, rule)
    one, many = (case.matches(THRESHOLDS, areas_of(rule), None, threads) for threads in (1, 3))
    for name in (
        "det_tp",
        "det_group",
        "det_ignored",
        "det_rank",
        "gt_hit",
        "gt_ignored",
        "hit_row",
    ):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes(), name
