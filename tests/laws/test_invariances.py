"""What must not change a number, for every protocol (METHODS 10), cutting by image among them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.data import concatenate, select_images
from boxlens.matching import RULES, assign, find_overlaps
from boxlens.metrics import EXTRAS, PROTOCOLS, choose, evaluate_tables
from boxlens.metrics.average_precision import ap_area, ap_coco101, ap_voc07, curve
from cases import random_scene
from oracles import open_images
from oracles.convert import scene_to_tables
from oracles.model import Detection


def any_seed(test):
    """The law holds for the scene of every seed; hypothesis looks for one that breaks it."""
    return settings(max_examples=25)(given(seed=st.integers(0, 2**32 - 1))(test))


protocols = pytest.mark.parametrize("protocol", PROTOCOLS)


def with_distinct_scores(scene):
    """The same ranking inside every image, no two scores alike."""
    order = sorted(range(len(scene.detections)), key=lambda d: -scene.detections[d].score)
    score_of = {d: 1 - rank / (len(order) + 1) for rank, d in enumerate(order)}
    found = [replace(det, score=score_of[d]) for d, det in enumerate(scene.detections)]
    return replace(scene, detections=tuple(found))


def evaluated(scene, protocol, threads=0, **choice):
    dataset, detections = scene_to_tables(scene)
    chosen = choose(protocol, **choice)
    return evaluate_tables(dataset, [detections], chosen, threads=threads).detectors[0]


def numbers(scene, protocol, **choice):
    """Summary, band and class numbers, to the last bit."""
    result = evaluated(scene, protocol, **choice)
    rows = [(row.n_gt, row.n_detections, dict(row.metrics)) for row in result.classes]
    return repr((dict(result.metrics), result.tie_band, rows))


def renamed(scene, image, cls):
    """Images and classes under other ids."""

    def of_image(labels):
        if labels is None:
            return None
        return {image(i): frozenset(map(cls, row)) for i, row in labels.items()}

    return replace(
        scene,
        images=tuple(sorted(map(image, scene.images))),
        classes=tuple(map(cls, scene.classes)),
        objects=tuple(replace(o, image=image(o.image), cls=cls(o.cls)) for o in scene.objects),
        detections=tuple(
            replace(d, image=image(d.image), cls=cls(d.cls)) for d in scene.detections
        ),
        negative=of_image(scene.negative),
        positive=of_image(scene.positive),
        not_exhaustive=of_image(scene.not_exhaustive),
        frequency={cls(c): mark for c, mark in scene.frequency.items()},
        parents={cls(c): tuple(map(cls, above)) for c, above in scene.parents.items()},
    )


@protocols
@any_seed
def test_order_of_detections_does_not_matter_where_scores_differ(protocol, seed):
    scene = with_distinct_scores(random_scene(seed))
    shuffled = list(scene.detections)
    random.Random(seed).shuffle(shuffled)
    shuffled = replace(scene, detections=tuple(shuffled))
    assert numbers(scene, protocol) == numbers(shuffled, protocol)


@protocols
@any_seed
def test_order_of_images_does_not_matter_where_scores_differ(protocol, seed):
    scene = with_distinct_scores(random_scene(seed))
    backwards = renamed(scene, lambda image: -image, lambda cls: cls)
    assert numbers(scene, protocol) == numbers(backwards, protocol)


@protocols
@any_seed
def test_names_of_images_and_classes_do_not_matter_while_their_order_stays(protocol, seed):
    scene = random_scene(seed)
    further = renamed(scene, lambda image: 3 * image - 100, lambda cls: 10**12 + 7 * cls)
    texts = renamed(scene, "{:08d}".format, "/m/{:05d}".format)
    assert numbers(scene, protocol) == numbers(further, protocol) == numbers(texts, protocol)


@protocols
def test_any_number_of_threads_gives_identical_bits(protocol):
    several = [random_scene(seed) for seed in range(8)]
    several.append(random_scene(8, n_images=700, n_objects=3, n_detections=6))
    for scene in several:
        bits = {
            json.dumps(evaluated(scene, protocol, threads=threads, also=EXTRAS).to_json())
            for threads in (1, 2, 3, 8)
        }
        assert len(bits) == 1


@protocols
@any_seed
def test_doubling_all_boxes_with_the_area_ranges_changes_nothing(protocol, seed):
    ranges = {"all": (0.0, 1e10), "s": (0.0, 1024.0), "m": (1024.0, 9216.0), "l": (9216.0, 1e10)}
    wider = {name: (4 * low, 4 * high) for name, (low, high) in ranges.items()}
    has_areas = protocol in ("coco", "lvis")

    def doubled(item):
        return replace(item, box=tuple(2 * side for side in item.box))

    scene = random_scene(seed)
    large = replace(
        scene,
        objects=tuple(replace(doubled(o), area=4 * o.area) for o in scene.objects),
        detections=tuple(doubled(d) for d in scene.detections),
    )
    before = numbers(scene, protocol, **({"area_ranges": ranges} if has_areas else {}))
    assert before == numbers(large, protocol, **({"area_ranges": wider} if has_areas else {}))


@protocols
@pytest.mark.parametrize(
    "transform", [lambda s: s**3 + s, lambda s: s - 5, lambda s: math.exp(9 * s)]
)
@any_seed
def test_a_strictly_monotone_map_of_scores_changes_nothing(protocol, transform, seed):
    scene = random_scene(seed)
    found = tuple(replace(det, score=transform(det.score)) for det in scene.detections)
    mapped = replace(scene, detections=found)
    assert numbers(scene, protocol) == numbers(mapped, protocol)


@protocols
@any_seed
def test_adding_a_false_positive_never_raises_ap(protocol, seed):
    scene = random_scene(seed)
    rng = random.Random(seed)
    before = evaluated(scene, protocol)
    for score in (-1.0, rng.choice([0.0, *(d.score for d in scene.detections)]), 2.0):
        nowhere = (10_000.0, 10_000.0, 40.0, 40.0)
        wrong = Detection(rng.choice(scene.images), rng.choice(scene.classes), nowhere, score)
        place = rng.randint(0, len(scene.detections))
        found = (*scene.detections[:place], wrong, *scene.detections[place:])
        after = evaluated(replace(scene, detections=found), protocol)
        assert_nowhere_higher(after.metrics, before.metrics)
        for row, row_before in zip(after.classes, before.classes, strict=True):
            assert_nowhere_higher(row.metrics, row_before.metrics)


def assert_nowhere_higher(after, before):
    for name, value in before.items():
        assert math.isnan(value) == math.isnan(after[name])
        assert math.isnan(value) or after[name] <= value


def perfect_scene(seed, protocol):
    """Detections on every object that counts, and on nothing else."""
    scene = random_scene(seed, zero_size=0)
    if protocol == "openimages":
        scene = replace(open_images.expand(scene), parents=None)
    # Rules that hand over the closest object, taken or not, cannot tell two in one place apart.
    objects = tuple({(o.image, o.cls, o.box): o for o in scene.objects}.values())
    if protocol == "lvis":
        wanted = [o for o in objects if not o.difficult]
    elif protocol == "openimages":
        wanted = [o for o in objects if not o.difficult and not o.crowd]
    else:
        wanted = [o for o in objects if not o.difficult and not o.crowd and not o.group_of]
    # Single objects first, so that no detection of a group finds one of them free.
    wanted.sort(key=lambda o: o.group_of)
    found = [Detection(o.image, o.cls, o.box, 1 - 1e-3 * i) for i, o in enumerate(wanted)]
    counted = [sum(o.cls == cls for o in wanted) for cls in scene.classes]
    return replace(scene, objects=objects, detections=tuple(found)), counted


@protocols
def test_a_perfect_detector_scores_exactly_one(protocol):
    n_perfect = 0
    for seed in range(60):
        scene, counted = perfect_scene(seed, protocol)
        result = evaluated(scene, protocol)
        for n, row in zip(counted, result.classes, strict=True):
            if n == 0:
                assert math.isnan(row.metrics["AP"])
            elif n == 1 and protocol in ("coco", "lvis"):
                # pycocotools adds one spacing to every count: 1 / (1 + spacing), here as there.
                assert 1 - 2**-52 <= row.metrics["AP"] <= 1
            else:
                assert row.metrics["AP"] == 1
                n_perfect += 1
    assert n_perfect > 50


@pytest.mark.parametrize("ap", [ap_voc07, ap_coco101, ap_area])
def test_a_perfect_ranking_of_any_length_has_an_ap_of_exactly_one(ap):
    below = [n for n in range(1, 400) if ap(curve([1] * n, n)) != 1]
    assert below == []


# --- cutting and joining


COLUMNS = ("det_tp", "det_group", "det_ignored", "det_rank")


def matches_of(dataset, detections, rule):
    overlaps = find_overlaps(dataset, detections, rule, floor=0.5)
    return assign(
        dataset,
        detections,
        overlaps,
        rule,
        iou_thresholds=(0.5, 0.75),
        area_ranges=((0, 1e10), (0, 1024.0)),
        keep_hits=True,
    )


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@any_seed
def test_matches_of_image_disjoint_parts_joined_are_the_matches_of_all(rule, seed):
    dataset, detections = scene_to_tables(random_scene(seed))
    whole = matches_of(dataset, detections, rule)
    chosen = np.random.default_rng(seed).random(len(dataset.images)) < 0.5
    for images in (chosen, ~chosen):
        part = matches_of(*select_images(dataset, detections, images), rule)
        det, gt = images[detections.image_row], images[dataset.gt.image_row]
        for name in COLUMNS:
            column = getattr(whole, name)
            expected = column[det] if len(column) else column
            assert getattr(part, name).tolist() == expected.tolist(), name
        assert part.gt_hit.tolist() == whole.gt_hit[gt].tolist()
        assert part.gt_ignored.tolist() == whole.gt_ignored[gt].tolist()
        new_row = np.append(np.cumsum(gt) - 1, -1)  # -1, nobody, stays -1
        assert part.hit_row.tolist() == new_row[whole.hit_row[:, det]].tolist()


@protocols
@any_seed
def test_cutting_by_image_and_joining_changes_nothing(protocol, seed):
    dataset, detections = scene_to_tables(random_scene(seed))
    chosen = np.random.default_rng(seed).random(len(dataset.images)) < 0.5
    parts = [select_images(dataset, detections, images) for images in (~chosen, chosen)]
    joined, found = concatenate(parts)
    assert digest(joined) == digest(dataset)
    assert digest(found) == digest(detections)
    choice = choose(protocol, also=EXTRAS)
    before = evaluate_tables(dataset, [detections], choice).to_json()
    assert json.dumps(evaluate_tables(joined, [found], choice).to_json()) == json.dumps(before)


# --- inputs


def arrays_in(value):
    """Every array that a table holds, however deep."""
    if isinstance(value, np.ndarray):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from arrays_in(getattr(value, field.name))
    elif isinstance(value, dict):
        for item in value.values():
            yield from arrays_in(item)


def digest(table):
    total = hashlib.sha256()
    for array in arrays_in(table):
        content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
        total.update(f"{array.dtype}{array.shape}".encode() + content)
    return total.hexdigest()


@protocols
def test_inputs_stay_unchanged_and_frozen(protocol):
    for seed in range(6):
        dataset, detections = scene_to_tables(random_scene(seed))
        before = digest(dataset), digest(detections)
        evaluate_tables(dataset, [detections], choose(protocol, also=EXTRAS, group_of_weight=0))
        assert (digest(dataset), digest(detections)) == before
        arrays = [*arrays_in(dataset), *arrays_in(detections)]
        assert len(arrays) > 20
        assert not any(array.flags.writeable for array in arrays)
