"""Changed ground truth, changed pixels and the numbers on them against plain loops."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.data.columns import frozen
from boxlens.images.files import ImageFiles
from boxlens.images.perturbing.moving import shared_crop
from boxlens.images.transforming.catalogue import GROUPS, TRANSFORMS
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.shot import Exposure, Shot, no_mask
from boxlens.images.transforming.transform import Change, Step, TransformSettings
from oracles import changed_pictures as oracle

SETTINGS = TransformSettings(seed=3)
STUDY = GROUPS["study"]


def random_box(rng, width, height, before):
    """Inside, over the border, outside, without area, or the very box of another."""
    kind = rng.randrange(8)
    if kind == 0 and before:
        return rng.choice(before)
    x, y = rng.uniform(-0.3 * width, 1.1 * width), rng.uniform(-0.3 * height, 1.1 * height)
    w, h = rng.uniform(0.1, 0.8 * width), rng.uniform(0.1, 0.8 * height)
    if kind == 1:
        return rng.choice(((x, y, 0.0, h), (x, y, w, 0.0), (-w - 1, y, w, h)))
    return (x, y, w, h) if kind < 6 else tuple(float(int(side)) for side in (x, y, w + 1, h + 1))


def random_set(seed):
    """Pictures of several sizes, some without objects; the last class has none."""
    rng = random.Random(seed)
    sizes = [(rng.randint(3, 60), rng.randint(3, 60)) for _ in range(rng.randint(2, 4))]
    columns = {name: [] for name in ("image_row", "class_row", "box", "area_px", "flag")}
    for row, (width, height) in enumerate(sizes):
        boxes = []
        for _ in range(rng.choice((0, 1, 2, 5))):
            boxes.append(random_box(rng, width, height, boxes))
            columns["image_row"].append(row)
            columns["class_row"].append(rng.randrange(3))
            columns["area_px"].append(boxes[-1][2] * boxes[-1][3] * rng.choice((1, 0.6)))
            columns["flag"].append(rng.choice(("", "", "", "", "crowd", "group_of", "difficult")))
        columns["box"] += boxes
    flags = np.array(columns.pop("flag"), dtype=object)
    marked = {name: flags == name for name in ("crowd", "group_of", "difficult")}
    ids = list(range(7, 7 + len(sizes)))
    images, _ = Images.of(ids, *zip(*sizes, strict=True), [f"{key}.png" for key in ids])
    gt = GroundTruth.of(len(sizes), **columns, **marked)
    return Dataset("random", images, Classes.of([1, 2, 3, 9], list("abcd")), gt)


def files_of(dataset):
    """Ground truth is made before any pixel: no picture is ever read."""
    names = tuple(dataset.images.file_name)
    return ImageFiles(dataset.images.id, tuple(Path("nowhere") / name for name in names), names)


def made(dataset, name, level=math.nan):
    return changed_set(dataset, files_of(dataset), Step(name, level), SETTINGS)


def plain(dataset):
    """Sizes, and things by image."""
    gt, images = dataset.gt, dataset.images
    sizes = [
        (int(width), int(height))
        for width, height in zip(images.width_px, images.height_px, strict=True)
    ]
    things = [[] for _ in sizes]
    for row, image in enumerate(gt.image_row.tolist()):
        region = bool(gt.crowd[row] or gt.group_of[row])
        box = tuple(gt.box[row].tolist())
        things[image].append(oracle.Thing(row, box, float(gt.area_px[row]), region))
    return sizes, things


def objects_in(changed, picture):
    """Row of the unchanged data set -> box and area, of one picture; scenes' objects apart."""
    gt = changed.dataset.gt
    rows = np.flatnonzero(gt.image_row == picture)
    return {
        int(changed.object_row[row]): (gt.box[row].tolist(), float(gt.area_px[row]))
        for row in rows
        if changed.object_row[row] >= 0
    }


def assert_same_objects(found, expected, where):
    assert list(found) == list(expected), where
    for row, (box, area) in expected.items():
        np.testing.assert_allclose(found[row][0], box, rtol=0, atol=1e-9, err_msg=str(where))
        assert found[row][1] == pytest.approx(area, rel=1e-9), where


@pytest.mark.parametrize("name", ["clean", *STUDY])
def test_ground_truth_is_the_oracles_for_every_transform_of_the_study(name):
    n_pictures = 0
    for seed in range(40):
        dataset = random_set(seed)
        changed, expected = made(dataset, name), oracle.changed(name, *plain(dataset))
        n_pictures += len(expected)
        images, gt = changed.dataset.images, changed.dataset.gt
        assert changed.source_row.tolist() == [one.source for one in expected]
        assert len(images) == len(changed) == len(expected)
        for picture, one in enumerate(expected):
            where = (name, seed, picture)
            size = images.width_px[picture], images.height_px[picture]
            assert size == (one.width, one.height), where
            assert_same_objects(objects_in(changed, picture), one.seen, where)
        own = changed.object_row >= 0
        before = changed.object_row[own]
        for column in ("class_row", "crowd", "difficult", "group_of"):
            same = getattr(gt, column)[own], getattr(dataset.gt, column)[before]
            np.testing.assert_array_equal(*same)
        if name in oracle.ON_A_GROUND + oracle.CROPS + oracle.TOGETHER:
            assert not (gt.crowd | gt.group_of)[own].any()
    assert n_pictures > 40


def test_of_a_scene_what_is_seen_beside_pasted_boxes_is_ignored():
    n_seen = 0
    for seed in range(60):
        dataset = random_set(seed)
        changed, (sizes, things) = made(dataset, "incongruent"), plain(dataset)
        assert len(changed) == len(sizes)
        for row, one in enumerate(oracle.changed("incongruent", sizes, things)):
            scene = int(changed.scenes.row_of[row])
            assert scene != row
            pasted = [box for box, _ in one.seen.values()]
            left = oracle.left_of_scene(sizes[row], pasted, sizes[scene], things[scene])
            gt = changed.dataset.gt
            found = np.flatnonzero((gt.image_row == row) & (changed.object_row < 0))
            n_seen += len(found)
            assert gt.crowd[found].all()
            np.testing.assert_allclose(
                gt.box[found].reshape(-1, 4), np.reshape(list(left.values()), (-1, 4)), atol=1e-9
            )
            assert gt.class_row[found].tolist() == dataset.gt.class_row[list(left)].tolist()
    assert n_seen > 50


def test_scenes_share_no_class_with_a_picture_where_there_is_such_a_scene():
    for seed in range(60):
        dataset = random_set(seed)
        gt = dataset.gt
        of_image = [
            set(gt.class_row[gt.image_row == row].tolist()) for row in range(len(dataset.images))
        ]
        for row, scene in enumerate(made(dataset, "incongruent").scenes.row_of.tolist()):
            strange = [
                other
                for other, classes in enumerate(of_image)
                if other != row and not classes & of_image[row]
            ]
            assert scene in strange or not strange


@pytest.mark.parametrize("angle", [0.0, -15.0, 20.0])
def test_rotations_keep_ignore_and_lose_what_the_oracle_does(angle):
    counts = [0, 0]
    for seed in range(30):
        dataset = random_set(seed)
        changed, (sizes, things) = made(dataset, "graded_rotation", angle), plain(dataset)
        for row, (size, here) in enumerate(zip(sizes, things, strict=True)):
            crop = shared_crop(*size)
            survivors, ignored = oracle.rotated(angle, size, tuple(crop), here)
            counts = [counts[0] + len(survivors), counts[1] + len(ignored)]
            found = objects_in(changed, row)
            assert sorted(found) == sorted([*survivors, *ignored])
            for key, box in (survivors | ignored).items():
                np.testing.assert_allclose(found[key][0], box, rtol=0, atol=1e-9)
            gt = changed.dataset.gt
            crowds = changed.object_row[(gt.image_row == row) & gt.crowd].tolist()
            were = [one.row for one in here if dataset.gt.crowd[one.row] and one.row in found]
            assert sorted(crowds) == sorted({*ignored, *were})
    assert min(counts) > 10


def speckled(seed, width=19, height=16, n=5):
    """A picture of which no two pixels are alike, with objects and a crowd."""
    rng = random.Random(seed)
    boxes = []
    for _ in range(n):
        boxes.append(random_box(rng, width, height, boxes))
    crowd = [place == 1 for place in range(n)]
    shot = Shot("7", width, height, frozen(boxes, np.float64), frozen(crowd, np.bool_))
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Exposure(shot, frozen(pixels, np.uint8), no_mask), boxes


def drawn(name, exposure):
    """Every picture that a transform makes, with its layout."""
    transform, change = TRANSFORMS[name], Change(math.nan, SETTINGS)
    layouts = transform.plan(exposure.shot, change)
    return [(one, transform.draw(exposure, one, change)) for one in layouts]


@pytest.mark.parametrize("seed", range(12))
def test_pixels_of_the_study_are_the_oracles(seed):
    exposure, boxes = speckled(seed)
    pixels = exposure.pixels
    for layout, found in drawn("white_background", exposure):
        np.testing.assert_array_equal(found, oracle.on_white(pixels, [boxes[layout.subject]]))
    for layout, found in drawn("one_object", exposure):
        others = [box for row, box in enumerate(boxes) if row != layout.subject]
        expected = oracle.others_whitened(pixels, boxes[layout.subject], others)
        np.testing.assert_array_equal(found, expected)
    ((_, found),) = drawn("objects_only", exposure)
    np.testing.assert_array_equal(found, oracle.on_white(pixels, boxes[:1] + boxes[2:]))
    ((_, found),) = drawn("vertical_flip", exposure)
    np.testing.assert_array_equal(found, oracle.turned(pixels))
    for layout, found in drawn("crop", exposure):
        rows, columns = oracle.rows_and_columns(boxes[layout.subject], 19, 16)
        np.testing.assert_array_equal(found, pixels[rows][:, columns])
    for layout, found in drawn("crop_resized", exposure):
        assert found.shape == (layout.height_px, layout.width_px, 3)
        assert min(found.shape[:2]) == 300
        assert layout.box.tolist() == [[0, 0, layout.width_px, layout.height_px]]


@pytest.mark.parametrize("seed", range(6))
def test_noise_and_blur_leave_the_box_and_nothing_else(seed):
    exposure, boxes = speckled(seed, width=61, height=47)
    for name in ("noise_background", "blurred_background"):
        for layout, found in drawn(name, exposure):
            inside = np.zeros(found.shape[:2], dtype=bool)
            for place in oracle.covered(boxes[layout.subject], 61, 47):
                inside[place] = True
            np.testing.assert_array_equal(found[inside], exposure.pixels[inside])
            outside = found[~inside].astype(float)
            if name == "noise_background" and len(outside) > 1000:
                # Uniform from 0 to 254: mean 127, standard deviation 73.6.
                assert outside.max() <= 254
                assert abs(outside.mean() - 127) < 6
                assert abs(outside.std() - 73.6) < 4


@pytest.mark.parametrize(("width", "height"), [(17, 13), (3, 4), (1, 1)])
def test_the_gaussian_is_eleven_wide_with_sigma_four_and_a_mirrored_border(width, height):
    exposure, _ = speckled(0, width=width, height=height, n=0)
    ((_, found),) = drawn("gaussian_blur", exposure)
    assert np.abs(found - oracle.blurred(exposure.pixels)).max() <= 1
