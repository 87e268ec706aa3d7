"""Changed sets: laws over all transforms, bad pictures, and scenes to paste on."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from boxlens.data import Dataset, GroundTruth, Images
from boxlens.data.columns import frozen
from boxlens.errors import InputError, ParameterError
from boxlens.formats.coco.mask_shapes import mask_reader
from boxlens.images import ImageError, find_images, read_picture
from boxlens.images.transforming.catalogue import CLEAN, TRANSFORMS
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.pictured import with_pictures
from boxlens.images.transforming.scene_choice import given_pictures, other_pictures
from boxlens.images.transforming.shot import no_mask
from boxlens.images.transforming.transform import Step, TransformSettings
from pictures import CLASSES, write_pictures
from rendered_set import rendered_set

SETTINGS = TransformSettings(seed=5)
ONE_OF_EACH = [
    Step(name, one.levels[0] if one.levels else math.nan) for name, one in TRANSFORMS.items()
]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    return rendered_set(tmp_path_factory.mktemp("rendered") / "set")


@pytest.fixture(scope="module")
def masked(rendered):
    return mask_reader(rendered.dataset)[0]


def made(rendered, step, settings=SETTINGS, **options):
    return changed_set(rendered.dataset, rendered.files, step, settings, **options)


def test_the_unchanged_set_is_the_data_set(rendered):
    clean = made(rendered, CLEAN)
    assert clean.dataset is rendered.dataset
    np.testing.assert_array_equal(clean.source_row, np.arange(3))
    np.testing.assert_array_equal(clean.object_row, np.arange(len(rendered.dataset.gt)))
    for row, scene in enumerate(rendered.scenes):
        np.testing.assert_array_equal(clean.read(row).pixels, scene.pixels)


@pytest.mark.parametrize("name", [name for name, one in TRANSFORMS.items() if one.unchanged])
def test_a_level_that_changes_nothing_changes_nothing(rendered, name):
    for level in TRANSFORMS[name].unchanged:
        same = made(rendered, Step(name, level))
        if name == "graded_rotation":
            assert len(same) == 3  # the crop that all rotations share is left
            continue
        assert same.dataset is rendered.dataset
        np.testing.assert_array_equal(same.read(1).pixels, rendered.scenes[1].pixels)


@pytest.mark.parametrize("step", ONE_OF_EACH, ids=lambda step: step.slug)
def test_pictures_and_ground_truth_belong_together(rendered, masked, step):
    one = made(rendered, step, mask_of=masked)
    dataset, source = one.dataset, rendered.dataset
    gt = dataset.gt
    per_object = TRANSFORMS[step.name].per_object
    assert len(one) == len(dataset.images) == len(one.names) == len(one.source_row)
    assert len(one) == (int((~source.gt.crowd).sum()) if per_object else 3)
    assert len(one.object_row) == len(gt)
    known = one.object_row >= 0
    np.testing.assert_array_equal(gt.class_row[known], source.gt.class_row[one.object_row[known]])
    np.testing.assert_array_equal(
        one.source_row[gt.image_row[known]], source.gt.image_row[one.object_row[known]]
    )
    # Ignored are crowds, and objects of scenes are ignored.
    assert gt.crowd[~known].all()
    assert (gt.crowd[known] | ~source.gt.crowd[one.object_row[known]]).all()
    assert len(set(gt.id.tolist())) == len(gt)
    assert set(gt.attributes) == set(source.gt.attributes)
    limits = np.stack([dataset.images.width_px, dataset.images.height_px], axis=1)[gt.image_row]
    assert (gt.box[:, :2] > -1e-9).all()
    assert (gt.box[:, :2] + gt.box[:, 2:] < limits + 1e-9).all()
    for row in (0, len(one) - 1):
        pixels = one.read(row).pixels
        assert pixels.dtype == np.uint8
        height, width = dataset.images.height_px[row], dataset.images.width_px[row]
        assert pixels.shape == (height, width, 3)
        np.testing.assert_array_equal(pixels, pickle.loads(pickle.dumps(one)).read(row).pixels)


def test_pictures_of_single_objects_are_numbered_and_named_after_them(rendered):
    one = made(rendered, Step("crop", math.nan))
    gt = rendered.dataset.gt
    singles = np.flatnonzero(~gt.crowd)
    np.testing.assert_array_equal(one.object_row, singles)
    np.testing.assert_array_equal(one.ids, np.arange(1, len(singles) + 1))
    wanted = [f"{gt.image_row[row] + 1:06}-{gt.id[row]}.png" for row in singles]
    assert list(one.dataset.images.file_name) == list(one.names) == wanted


def test_objects_that_share_an_id_get_pictures_of_their_own(rendered):
    gt = rendered.dataset.gt
    same = replace(rendered.dataset, gt=replace(gt, id=frozen(np.zeros(len(gt)), np.int64)))
    one = changed_set(same, rendered.files, Step("crop", math.nan), SETTINGS)
    assert one.names[:2] == ("000001.png", "000002.png")


def test_areas_follow_the_map_and_what_is_left_of_the_box(rendered):
    half = made(rendered, Step("graded_scale", 0.5)).dataset.gt
    np.testing.assert_allclose(half.area_px, rendered.dataset.gt.area_px / 4)
    crop = made(rendered, Step("crop", math.nan))
    np.testing.assert_array_equal(
        crop.dataset.gt.area_px, rendered.dataset.gt.area_px[crop.object_row]
    )
    wide = rendered.dataset.gt.box.copy()
    wide[0] = [-10, 20, 20, 10]
    gt = replace(rendered.dataset.gt, box=frozen(wide, np.float64))
    cut = changed_set(
        replace(rendered.dataset, gt=gt), rendered.files, Step("crop", math.nan), SETTINGS
    )
    assert cut.dataset.gt.box[0].tolist() == [0, 0, 10, 10]
    assert cut.dataset.gt.area_px[0] == rendered.dataset.gt.area_px[0] / 2


def test_what_a_set_is_made_from_tells_sets_apart(rendered, masked):
    step = Step("white_background", math.nan)
    base = made(rendered, step).made_from()
    assert made(rendered, step).made_from() == base
    by_mask = TransformSettings(seed=5, cut="mask")
    gt = replace(rendered.dataset.gt, box=frozen(rendered.dataset.gt.box + 1, np.float64))
    moved = replace(rendered.dataset, gt=gt)
    renamed = replace(rendered.files, names=("a", "b", "c"))
    others = [
        made(rendered, Step("noise_background", math.nan)),
        made(rendered, step, TransformSettings(seed=6)),
        made(rendered, step, by_mask),
        made(rendered, step, by_mask, mask_of=masked),
        changed_set(moved, rendered.files, step, SETTINGS),
        changed_set(rendered.dataset, renamed, step, SETTINGS),
        made(rendered, Step("incongruent", math.nan)),
    ]
    hashes = [repr(base), *(repr(one.made_from()) for one in others)]
    assert len(set(hashes)) == len(hashes)
    # Masks that are not looked at do not matter.
    assert made(rendered, step, mask_of=masked).made_from() == base


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Step("sharpen", math.nan), "unknown transform 'sharpen'"),
        (Step("gaussian_noise", 9.0), "levels of gaussian_noise"),
        (Step("gaussian_noise", math.nan), "gaussian_noise needs a level"),
        (Step("crop", 2.0), "levels of crop"),
    ],
)
def test_steps_that_do_not_exist_are_refused(rendered, step, told):
    with pytest.raises(ParameterError, match=told):
        made(rendered, step)


def test_a_picture_of_another_size_is_at_fault_alone(rendered):
    images = rendered.dataset.images
    other = replace(images, width_px=frozen([160, 161, 160], np.float64))
    one = changed_set(replace(rendered.dataset, images=other), rendered.files, CLEAN, SETTINGS)
    assert one.read(0).pixels.shape == (120, 160, 3)
    with pytest.raises(ImageError, match=r"160 x 120 pixels, where the ground truth says 161 x"):
        one.read(1)


def test_a_picture_that_cannot_be_changed_is_at_fault_alone(rendered):
    def mask_of(row):
        return no_mask(row) if row else 1 / 0

    settings = TransformSettings(cut="mask")
    one = made(rendered, Step("objects_only", math.nan), settings, mask_of=mask_of)
    with pytest.raises(ImageError, match=r"000001\.png: could not be changed \(ZeroDivisionError"):
        one.read(0)
    assert one.read(1).pixels.shape == (120, 160, 3)


def bare(folder, sizes, *, relative=False):
    """Pictures 1.png, 2.png ... with one object each, and sizes as stated."""
    n = len(sizes)
    names = [f"{number}.png" for number in range(1, n + 1)]
    files, _ = find_images(write_pictures(folder, names))
    width, height = zip(*sizes, strict=True)
    images, _ = Images.of(list(range(1, n + 1)), width, height, names)
    box = [[0.25, 0.25, 0.5, 0.5] if relative else [2, 3, 4, 5]] * n
    gt = GroundTruth.of(n, image_row=np.arange(n), class_row=np.arange(n) % 2, box=box)
    return Dataset("bare", images, CLASSES, gt, relative=relative), files


def test_sizes_that_are_not_stated_are_read(tmp_path):
    dataset, files = bare(tmp_path, [(20, 12), (math.nan, math.nan), (0, 0), (math.nan, math.nan)])
    files.paths[3].write_bytes(b"no picture")
    sized, kept, notices = with_pictures(dataset, files)
    shapes = [read_picture(path).pixels.shape for path in files.paths[:3]]
    assert sized.images.width_px.tolist() == [shape[1] for shape in shapes]
    assert sized.images.height_px.tolist() == [shape[0] for shape in shapes]
    assert kept.names == ("1.png", "2.png", "3.png")
    assert len(sized.gt) == 3
    assert [(one.code, one.count) for one in notices] == [("unknown_size", 1)]


def test_images_without_a_picture_are_left_out_and_rows_agree(tmp_path):
    dataset, _ = bare(tmp_path, [(20, 12), (21, 13), (22, 14)])
    (tmp_path / "2.png").unlink()
    files, _ = find_images(tmp_path, dataset=dataset)
    kept, aligned, _ = with_pictures(dataset, files)
    assert kept.images.id.tolist() == aligned.ids.tolist() == [1, 3]
    assert kept.gt.image_row.tolist() == [0, 1]
    with pytest.raises(ParameterError, match="with_pictures"):
        changed_set(dataset, files, CLEAN, SETTINGS)


def test_boxes_that_are_fractions_become_pixels(tmp_path):
    dataset, files = bare(tmp_path, [(math.nan, math.nan)], relative=True)
    sized, _, _ = with_pictures(dataset, files)
    assert not sized.relative
    assert sized.gt.box.tolist() == [[5, 3, 10, 6]]
    assert sized.gt.area_px.tolist() == [60]


def test_other_scenes_share_no_class_where_there_are_such(tmp_path):
    dataset, files = bare(tmp_path, [(20 + row % 5, 12 + row % 3) for row in range(8)])
    scenes = other_pictures(dataset, files, 0)
    assert (scenes.row_of % 2 != np.arange(8) % 2).all()
    np.testing.assert_array_equal(scenes.row_of, other_pictures(dataset, files, 0).row_of)
    assert (scenes.row_of != other_pictures(dataset, files, 1).row_of).any()
    alike = replace(dataset, gt=replace(dataset.gt, class_row=frozen(np.zeros(8), np.int32)))
    assert (other_pictures(alike, files, 0).row_of != np.arange(8)).all()


def test_one_picture_has_no_other_scene(tmp_path):
    dataset, files = bare(tmp_path, [(20, 12)])
    with pytest.raises(InputError, match="there are no others"):
        changed_set(dataset, files, Step("incongruent", math.nan), SETTINGS)


def test_given_scenes_are_pasted_on_and_ask_for_nothing(rendered, tmp_path):
    grey = np.full((50, 70, 3), 90, np.uint8)
    Image.fromarray(grey).save(tmp_path / "grey.png")
    scene_files, _ = find_images(tmp_path)
    scenes, notices = given_pictures(rendered.dataset, scene_files, 0)
    assert notices == ()
    one = made(rendered, Step("incongruent", math.nan), scenes=scenes)
    assert (one.object_row >= 0).all()
    pixels = one.read(0).pixels
    gt = rendered.dataset.gt
    covered = np.zeros(pixels.shape[:2], bool)
    for x, y, w, h in gt.box[gt.image_row == 0].astype(int).tolist():
        covered[y : y + h, x : x + w] = True
    assert (pixels[~covered] == 90).all()
