"""All errors under all schemes: counts add up, matrices agree with them, nothing is left out."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from boxlens.matching import COCO, HOIEM, assign, find_overlaps
from boxlens.studies.diagnosis.borji import borji
from boxlens.studies.diagnosis.coco_analyze import coco_analyze
from boxlens.studies.diagnosis.crosswalk import (
    DET_LABELS,
    GT_LABELS,
    OUTSIDE,
    RIGHT,
    SCHEMES,
    crosswalk,
)
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.hoiem import hoiem
from boxlens.studies.diagnosis.tide import tide
from oracles import tide as tide_oracle
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of, random_world

SEEDS = range(64)


def walk(dataset, detections, groups=None):
    evidence = gather(dataset, detections, similar=groups)
    return crosswalk(hoiem(evidence), tide(evidence), coco_analyze(evidence), borji(evidence))


def demo():
    dataset, detections = demo_dataset(), demo_detections()
    # Difficult objects and crowds, which the demo has none of.
    gt = dataset.gt
    rows = np.arange(len(gt))
    dataset = replace(dataset, gt=replace(gt, difficult=rows % 11 == 0, crowd=rows % 13 == 0))
    return dataset, detections, None


def world_of_seed(seed):
    return demo() if seed == "demo" else random_world(seed)


def expected_counts(dataset, detections):
    """By scheme, from matching alone: wrong and right detections, missed and found objects.

    Hoiem's false positives have label -1 under his rule at IoU .5, whatever their rank. COCO's
    and Borji's are those of COCO's rule among the best 100 of a class and image, TIDE's those
    among the best 100 of an image. Objects count unless they are difficult or crowds.
    """
    counts = {}
    for scheme, rule in (("hoiem", HOIEM), ("coco_analyze", COCO), ("borji", COCO)):
        overlaps = find_overlaps(dataset, detections, rule, floor=0.5)
        matches = assign(dataset, detections, overlaps, rule, iou_thresholds=(0.5,))
        labels = matches.labels()[matches.det_counted()]
        found = (matches.gt_hit != 0) & matches.positives()
        n_missed = int(matches.positives().sum() - found.sum())
        counts[scheme] = ((labels < 0).sum(), (labels > 0).sum(), n_missed, found.sum())
    errors = tide_oracle.find_errors(dataset, detections)
    wrong = sum(kind in tide_oracle.KINDS for kind in errors.kind)
    n_found = len(errors.regular) - len(errors.free)
    counts["tide"] = (wrong, errors.kind.count("tp"), len(errors.free), n_found)
    return {scheme: tuple(map(int, values)) for scheme, values in counts.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_add_up_to_false_positives_and_missed_objects(seed):
    dataset, detections, groups = world_of_seed(seed)
    counts = walk(dataset, detections, groups).counts()
    expected = expected_counts(dataset, detections)
    for scheme in SCHEMES:
        of_detections, of_objects = counts[scheme]["detections"], counts[scheme]["objects"]
        assert tuple(of_detections) == DET_LABELS[scheme]
        assert tuple(of_objects) == GT_LABELS[scheme]
        assert sum(of_detections.values()) == len(detections)
        assert sum(of_objects.values()) == len(dataset.gt)
        outside = (of_detections.pop(OUTSIDE), of_objects.pop(OUTSIDE))
        right = (of_detections.pop(RIGHT), of_objects.pop(RIGHT))
        n_wrong, n_right, n_missed, n_found = expected[scheme]
        assert sum(of_detections.values()) == n_wrong
        assert sum(of_objects.values()) == n_missed
        assert right == (n_right, n_found)
        assert outside[1] == int(COCO.ignored(dataset.gt).sum())


@pytest.mark.parametrize("seed", [*SEEDS[::2], "demo"])
def test_labels_are_those_the_schemes_give(seed):
    dataset, detections, groups = world_of_seed(seed)
    evidence = gather(dataset, detections, similar=groups)
    by_hoiem, by_tide = hoiem(evidence), tide(evidence)
    table = walk(dataset, detections, groups).counts()
    whole = {
        kind: sum(row.whole[kind] for row in by_hoiem.classes)
        for kind in ("loc", "sim", "oth", "bg")
    }
    assert {kind: table["hoiem"]["detections"][kind] for kind in whole} == whole
    for kind in ("cls", "loc", "both", "dupe", "bkg"):
        assert table["tide"]["detections"][kind] == by_tide.n[kind]
    of_objects = table["tide"]["objects"]
    assert of_objects["miss"] == by_tide.n["miss"]
    assert of_objects["miss"] + of_objects["repairable"] == by_tide.n["fn"]


@pytest.mark.parametrize("seed", [*SEEDS, "demo"])
def test_margins_of_the_matrices_agree_with_the_counts(seed):
    table = walk(*world_of_seed(seed))
    counts = table.counts()
    pairs = [(m.what, m.first, m.second) for m in table.disagreements]
    assert pairs == [
        (what, *pair) for what in ("detections", "objects") for pair in combinations(SCHEMES, 2)
    ]
    for matrix in table.disagreements:
        rows = dict(zip(matrix.rows, matrix.counts.sum(axis=1).tolist(), strict=True))
        columns = dict(zip(matrix.columns, matrix.counts.sum(axis=0).tolist(), strict=True))
        for scheme, margin in ((matrix.first, rows), (matrix.second, columns)):
            for label, n in margin.items():
                # What is right or takes no part is in the matrix only where the other sees an error.
                if label in (OUTSIDE, RIGHT):
                    assert n <= counts[scheme][matrix.what][label]
                else:
                    assert n == counts[scheme][matrix.what][label]
        assert not matrix.counts[:2, :2].any()


@pytest.mark.parametrize("seed", [*SEEDS[::2], "demo"])
def test_every_error_of_any_scheme_is_listed_and_nothing_else(seed):
    table = walk(*world_of_seed(seed))
    for listed, labels in (
        (table.wrong_detections(), table.det),
        (table.missed_objects(), table.gt),
    ):
        assert list(labels) == list(SCHEMES)
        by_row = zip(*(labels[scheme].tolist() for scheme in SCHEMES), strict=True)
        expected = [row for row, codes in enumerate(by_row) if any(code > 1 for code in codes)]
        assert listed.tolist() == expected


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_cocos_two_readings_agree_on_what_is_right(seed):
    """COCO analyze and Borji's sequence start from the same matching."""
    table = walk(*random_world(seed))
    for labels in (table.det, table.gt):
        np.testing.assert_array_equal(
            np.minimum(labels["coco_analyze"], 2), np.minimum(labels["borji"], 2)
        )


def test_an_empty_world_has_an_empty_crosswalk():
    dataset, detections, _ = random_world(3)
    table = walk(nothing_of(dataset), nothing_of(detections))
    told = json.loads(json.dumps(table.to_json()))
    assert (told["n_wrong_detections"], told["n_missed_objects"]) == (0, 0)
    assert not any(np.any(matrix["counts"]) for matrix in told["disagreements"])
