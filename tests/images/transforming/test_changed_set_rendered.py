"""Changed ground truth against what is really in the changed pictures of rendered scenes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.data.boxes import corners_from_xywh
from boxlens.formats.coco.mask_shapes import mask_reader
from boxlens.images.box_maps import inverted
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.transform import Step, TransformSettings
from boxlens.scenes.masks import tight_box
from rendered_set import rendered_set


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    return rendered_set(tmp_path_factory.mktemp("rendered") / "set", (1, 2, 3, 5))


def made(rendered, name, level=math.nan, **options):
    settings = TransformSettings(seed=1, **options)
    masks, _ = mask_reader(rendered.dataset)
    return changed_set(rendered.dataset, rendered.files, Step(name, level), settings, mask_of=masks)


def asked_for(one):
    """Row in the changed set, unchanged row and box of every object that counts."""
    gt = one.dataset.gt
    for row in np.flatnonzero(~gt.crowd).tolist():
        yield int(gt.image_row[row]), int(one.object_row[row]), gt.box[row]


def moved(mask, matrix, width, height):
    """What of a mask is at the centre of each pixel of a changed picture."""
    back = inverted(matrix)
    rows, columns = np.mgrid[: int(height), : int(width)] + 0.5
    places = np.stack([columns, rows], axis=-1) @ back[:, :2].T + back[:, 2]
    x, y = np.floor(places[..., 0]).astype(int), np.floor(places[..., 1]).astype(int)
    inside = (x >= 0) & (x < mask.shape[1]) & (y >= 0) & (y < mask.shape[0])
    found = np.zeros(inside.shape, bool)
    found[inside] = mask[y[inside], x[inside]]
    return found


def iou(first, second):
    a, b = corners_from_xywh([first])[0], corners_from_xywh([second])[0]
    sides = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None)
    both = sides.prod()
    return both / (np.prod(first[2:]) + np.prod(second[2:]) - both)


def test_masks_read_back_are_those_that_were_drawn(rendered):
    masks, _ = mask_reader(rendered.dataset)
    for row, mask in enumerate(rendered.masks()):
        np.testing.assert_array_equal(masks(row), mask)


def test_flipped_boxes_are_those_of_flipped_masks(rendered):
    one = made(rendered, "vertical_flip")
    masks = rendered.masks()
    for row, scene in enumerate(rendered.scenes):
        np.testing.assert_array_equal(one.read(row).pixels, scene.pixels[::-1])
    for _, object_row, box in asked_for(one):
        assert tuple(box) == tight_box(masks[object_row][::-1])


def test_crops_are_filled_by_their_object(rendered):
    one = made(rendered, "crop")
    masks = rendered.masks()
    for picture, object_row, box in asked_for(one):
        x, y, w, h = tight_box(masks[object_row])
        scene = rendered.scenes[one.source_row[picture]]
        pixels = one.read(picture).pixels
        np.testing.assert_array_equal(pixels, scene.pixels[y : y + h, x : x + w])
        assert tuple(box) == (0, 0, w, h) == tight_box(masks[object_row][y : y + h, x : x + w])


@pytest.mark.parametrize("cut", ["box", "mask"])
def test_objects_alone_are_where_their_box_is(rendered, cut):
    masks = rendered.masks()
    one = made(rendered, "white_background", cut=cut)
    for picture, object_row, box in asked_for(one):
        scene, pixels = rendered.scenes[one.source_row[picture]], one.read(picture).pixels
        np.testing.assert_array_equal(pixels[masks[object_row]], scene.pixels[masks[object_row]])
        shown = (pixels != 255).any(axis=2)
        if cut == "mask":
            assert not (shown & ~masks[object_row]).any()
        # What is seen spans the box, but for pixels of the object that are white themselves.
        assert np.abs(np.array(tight_box(shown | masks[object_row])) - box).max() == 0


@pytest.mark.parametrize("name", ["noise_background", "blurred_background", "objects_only"])
def test_backgrounds_leave_objects_as_they_are(rendered, name):
    masks = rendered.masks()
    one = made(rendered, name)
    for picture, object_row, box in asked_for(one):
        scene, pixels = rendered.scenes[one.source_row[picture]], one.read(picture).pixels
        mask = masks[object_row]
        np.testing.assert_array_equal(pixels[mask], scene.pixels[mask])
        assert tuple(box) == tight_box(mask)


def test_pasted_objects_are_at_their_places_on_the_other_scene(rendered):
    masks = rendered.masks()
    one = made(rendered, "incongruent")
    gt = rendered.dataset.gt
    for picture in range(len(one)):
        scene_row = int(one.scenes.row_of[picture])
        assert scene_row != picture
        pixels, ground = one.read(picture).pixels, rendered.scenes[scene_row].pixels
        rows = np.flatnonzero((gt.image_row == picture) & ~gt.crowd)
        pasted = np.any([masks[row] for row in rows], axis=0)
        # The soft rim reaches two pixels to either side.
        near = np.array(
            [np.roll(pasted, (y, x), (0, 1)) for y in range(-2, 3) for x in range(-2, 3)]
        )
        far, deep = ~near.any(axis=0), near.all(axis=0)
        far[:2], far[-2:], far[:, :2], far[:, -2:] = False, False, False, False
        deep[:2], deep[-2:], deep[:, :2], deep[:, -2:] = False, False, False, False
        np.testing.assert_array_equal(pixels[far], ground[far])
        np.testing.assert_array_equal(pixels[deep], rendered.scenes[picture].pixels[deep])
    for _, object_row, box in asked_for(one):
        assert tuple(box) == tight_box(masks[object_row])
    # Pictures are of one size: objects of the scene are where they were, and ignored.
    changed = one.dataset.gt
    of_scene = np.flatnonzero(one.object_row < 0)
    known = {tuple(box) for box in gt.box.tolist()}
    assert len(of_scene) > 0
    assert all(tuple(changed.box[row].tolist()) in known for row in of_scene)


def halved(mask):
    """Pixels in which anything of a mask is seen; single ones would miss what is thin."""
    height, width = mask.shape
    return mask.reshape(height // 2, 2, width // 2, 2).any(axis=(1, 3))


@pytest.mark.parametrize("level", [0.5, 1.5, 2.0])
def test_scaled_boxes_are_those_of_scaled_masks(rendered, level):
    one = made(rendered, "graded_scale", level)
    masks, images = rendered.masks(), one.dataset.images
    for picture, object_row, box in asked_for(one):
        width, height = images.width_px[picture], images.height_px[picture]
        matrix = np.array([[level, 0, 0], [0, level, 0]])
        whole = masks[object_row]
        mask = halved(whole) if level == 0.5 else moved(whole, matrix, width, height)
        assert np.abs(corners_from_xywh([tight_box(mask)]) - corners_from_xywh([box])).max() <= 1
    kept = np.flatnonzero(~one.dataset.gt.crowd)
    drawn = [masks[row].sum() * level**2 for row in one.object_row[kept]]
    np.testing.assert_allclose(one.dataset.gt.area_px[kept], drawn)


def test_scaled_boxes_are_those_of_the_scene_rendered_anew(rendered, tmp_path):
    """A pixel of the smaller picture is two of the larger one: no box is known better."""
    one = made(rendered, "graded_scale", 2.0)
    larger = rendered_set(tmp_path / "larger", (1, 2, 3, 5), 320, 240).dataset
    n_known = 0
    for picture, object_row, box in asked_for(one):
        label = rendered.dataset.gt.class_row[object_row]
        gt = larger.gt
        same = gt.box[(gt.image_row == picture) & (gt.class_row == label) & ~gt.crowd]
        n_known += bool(len(same)) and max(iou(box, other) for other in same) > 0.75
    # What hardly shows is taken out of a scene, which may uncover others.
    assert n_known >= 0.9 * int((~one.dataset.gt.crowd).sum())


@pytest.mark.parametrize(("angle", "least_mean"), [(0, 0.999), (1, 0.9), (5, 0.85), (-20, 0.6)])
def test_turned_boxes_lie_on_turned_masks(rendered, angle, least_mean):
    """The mask stays in the box around the mapped corners, whose corners the box averages.

    Overlaps have a bound on average alone: turned, a diagonal bar fills less of the averaged box,
    and a shape with corners reaches beyond it. What the crop cuts may be off by all of a part.
    """
    one = made(rendered, "graded_rotation", angle)
    masks, images = rendered.masks(), one.dataset.images
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    linear = np.array([[cos, sin], [-sin, cos]])
    overlaps = []
    for picture, object_row, box in asked_for(one):
        width, height = images.width_px[picture], images.height_px[picture]
        centre = np.array([80, 60])
        shift = np.array([width / 2, height / 2]) - linear @ centre
        mask = moved(masks[object_row], np.column_stack([linear, shift]), width, height)
        x, y, w, h = rendered.dataset.gt.box[object_row]
        corners = np.array([[x, y], [x + w, y], [x, y + h], [x + w, y + h]]) @ linear.T + shift
        if not mask.any():
            continue
        found = corners_from_xywh([tight_box(mask)])[0]
        assert (found[:2] >= corners.min(axis=0) - 1).all()
        assert (found[2:] <= corners.max(axis=0) + 1).all()
        uncut = (corners >= 0).all() and (corners <= (width, height)).all()
        if uncut:
            overlaps.append(iou(box, tight_box(mask)))
    assert len(overlaps) >= 8
    assert np.mean(overlaps) > least_mean
