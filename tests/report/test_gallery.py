"""Crops show the boxes they speak of, and pictures that are missing are counted."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from html import escape

import numpy as np
import pytest
from PIL import Image, ImageColor

from boxlens.errors import InputError, MissingExtraError, ParameterError
from boxlens.report.charts.kinds import KINDS
from boxlens.report.described.examples import (
    check_megabytes,
    diagnosis_examples,
    fit_pictures,
    n_crops,
)
from boxlens.report.pictures.exhibits import OBJECT_COLOUR, caption, example_groups
from boxlens.report.pictures.gallery import MARGIN_PX, TILE_PX, contact_sheet, crop_examples
from boxlens.report.study import Markup
from report.toy_diagnosis import toy_diagnosis, write_pictures


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    return write_pictures(tmp_path_factory.mktemp("toys") / "pictures")


def cropped(folder):
    result = toy_diagnosis()
    return crop_examples(example_groups(result), result.dataset, folder)


@pytest.fixture(scope="module")
def gallery(pictures):
    return cropped(pictures)


@pytest.fixture(scope="module")
def written(pictures, tmp_path_factory):
    """The folder of a run with pictures, and what was told of it."""
    folder = tmp_path_factory.mktemp("run")
    return folder, toy_diagnosis().save(folder, figures="none", images=pictures)


def has_colour(image, colour) -> bool:
    distance = np.abs(np.asarray(image).astype(int) - ImageColor.getrgb(colour)).sum(axis=-1)
    return bool((distance == 0).any())


def test_every_example_has_a_crop_in_its_order(gallery):
    assert gallery.notices == ()
    assert [cropped.group for cropped in gallery.groups] == list(example_groups(toy_diagnosis()))
    for cropped in gallery.groups:
        assert tuple(crop.shown for crop in cropped.crops) == cropped.group.shown
        assert all(max(crop.image.size) <= TILE_PX for crop in cropped.crops)


def test_boxes_are_drawn_in_the_colours_of_their_kind(gallery):
    kinds = {cropped.group.name: cropped for cropped in gallery.groups}
    assert {"loc", "sim", "oth", "bg"} <= kinds.keys()
    for kind in ("loc", "sim", "oth", "bg"):
        for crop in kinds[kind].crops:
            assert has_colour(crop.image, KINDS[kind].colour)
    for kind in ("loc", "easy"):
        for crop in kinds[kind].crops:
            assert has_colour(crop.image, OBJECT_COLOUR)


def test_captions_tell_class_score_overlap_and_recall():
    result = toy_diagnosis()
    similar = next(group for group in example_groups(result) if group.name == "sim")
    first = next(one for one in result.gallery if one.kind == "sim")
    said, numbers = similar.shown[0].caption
    assert said == f"{first.class_name} {first.score:.3f}, is {first.object_class}"
    assert numbers.startswith("IoU 1.000, 1-recall ")


def test_a_second_box_on_an_object_is_called_a_duplicate():
    exhibit = next(one for one in toy_diagnosis().gallery if one.kind == "loc")
    assert exhibit.iou < 0.5
    assert "duplicate" not in caption(exhibit, 0.5)[0]
    assert caption(replace(exhibit, iou=0.5), 0.5)[0].endswith(", duplicate")
    similar = next(one for one in toy_diagnosis().gallery if one.kind == "sim")
    assert "duplicate" not in caption(similar, 0.5)[0]


def test_examples_name_their_image_and_its_file(written, gallery):
    page = (written[0] / "report.html").read_text()
    images = toy_diagnosis().dataset.images
    name_of = dict(zip(images.id.tolist(), images.file_name, strict=True))
    for shown in (crop.shown for cropped in gallery.groups for crop in cropped.crops):
        told = f"image {shown.image_id} ({name_of[shown.image_id]})"
        assert shown.alternative.endswith(told)
        assert f'alt="{escape(shown.alternative)}"' in page
        assert f"<span>image {shown.image_id}</span>" in page


def test_smaller_copies_have_their_boxes_scaled(gallery, tmp_path):
    half = cropped(write_pictures(tmp_path / "half", scale=0.5))
    (notice,) = half.notices
    assert notice.code == "example_of_other_size"
    first, second = gallery.groups[0].crops[0].image, half.groups[0].crops[0].image
    ratios = [image.width / image.height for image in (first, second)]
    assert ratios[0] == pytest.approx(ratios[1], rel=0.25)


def test_missing_and_damaged_pictures_are_counted(pictures, tmp_path):
    folder = write_pictures(tmp_path / "some")
    names = sorted(folder.iterdir())
    names[0].unlink()
    names[1].write_bytes(b"no picture")
    some = cropped(folder)
    assert {notice.code: notice.count for notice in some.notices} == {
        "example_without_picture": 1,
        "example_unreadable": 1,
    }
    told = toy_diagnosis().save(tmp_path / "out", figures="none", images=folder)
    page = (tmp_path / "out" / "report.html").read_text()
    for notice in some.notices:
        assert notice.message in told
        assert notice.message in page
    assert "The most confident false positives of each kind" in page


def test_contact_sheets_and_crops_are_written(written, gallery):
    folder, told = written
    assert f"{len(gallery.groups)} contact sheets" in told
    for cropped in gallery.groups:
        with Image.open(folder / "figures" / f"gallery_{cropped.group.name}.jpg") as sheet:
            assert sheet.format == "JPEG"
            assert sheet.width >= TILE_PX
    page = (folder / "report.html").read_text()
    n_crops = sum(len(cropped.crops) for cropped in gallery.groups)
    assert page.count('src="data:image/jpeg;base64,') == n_crops


def test_a_long_caption_does_not_run_into_its_neighbour(gallery):
    cropped = gallery.groups[0]
    crops = [
        replace(crop, shown=replace(crop.shown, caption=("ring" * 90, "")))
        for crop in cropped.crops[:2]
    ]
    sheet = np.asarray(Image.open(io.BytesIO(contact_sheet(replace(cropped, crops=tuple(crops))))))
    between = sheet[TILE_PX + MARGIN_PX + 2 :, TILE_PX + MARGIN_PX + 2 : TILE_PX + 2 * MARGIN_PX]
    below = sheet[TILE_PX + MARGIN_PX + 2 :, :TILE_PX]
    assert between.min() > 200
    assert below.min() < 100


def test_a_sheet_of_one_crop_is_a_picture(gallery):
    cropped = gallery.groups[0]
    sheet = Image.open(io.BytesIO(contact_sheet(replace(cropped, crops=cropped.crops[:1]))))
    assert sheet.width < 2 * TILE_PX


def test_a_page_has_a_limit_and_says_what_it_leaves_out(gallery):
    pictures = fit_pictures(gallery, megabytes=0.06)
    parts = diagnosis_examples(toy_diagnosis(), pictures)
    text = "".join(one.html for one in parts if isinstance(one, Markup))
    assert len(text) < 100_000
    n_left_out = n_crops(gallery.groups) - n_crops(pictures.groups)
    (remark,) = pictures.remarks
    assert f"{n_left_out} more examples are in the contact sheets" in remark
    assert "at most 0.06 MB" in remark
    # Every kind shows its first example before any shows its second.
    shown = [len(one.crops) for one in pictures.groups]
    assert min(shown) >= 1
    assert text.count("<img") == sum(shown)


def test_what_does_not_fit_is_left_out_of_all_kinds_alike(gallery):
    for megabytes in (0, 0.03, 0.1, 0.3):
        pictures = fit_pictures(gallery, megabytes)
        uris = [crop.uri for one in pictures.groups for crop in one.crops]
        assert sum(map(len, uris)) <= 1_000_000 * megabytes
        most = max(len(one.crops) for one in pictures.groups)
        for one, whole in zip(pictures.groups, gallery.groups, strict=True):
            assert len(one.crops) >= min(most - 1, len(whole.crops))


@pytest.mark.parametrize("megabytes", [-1, float("nan"), float("inf")])
def test_a_limit_is_a_number_of_megabytes(megabytes):
    with pytest.raises(ParameterError, match="0 megabytes or more"):
        check_megabytes(megabytes)


def test_without_pictures_there_is_a_table(tmp_path):
    toy_diagnosis().save(tmp_path, figures="none")
    page = (tmp_path / "report.html").read_text()
    assert "<figure><img" not in page
    assert "The most confident false positives of each kind" in page


def test_pictures_of_another_set_are_refused_before_anything_is_written(tmp_path):
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (8, 8)).save(tmp_path / "pictures" / "elsewhere.png")
    with pytest.raises(InputError, match="none of the 1 pictures is in the ground truth"):
        toy_diagnosis().save(tmp_path / "out", figures="none", images=tmp_path / "pictures")
    assert not (tmp_path / "out").exists()


def test_without_pillow_the_extra_is_named(pictures, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingExtraError, match="boxlens\\[images\\]"):
        cropped(pictures)
