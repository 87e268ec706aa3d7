"""Pictures are found by their endings and known by numbers, stems or the data set's ids."""

from __future__ import annotations

import pytest

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.errors import InputError
from boxlens.images import ImageError, find_images, read_picture


def touch(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return folder


def dataset(ids, file_names) -> Dataset:
    sizes = [10.0] * len(ids)
    images, _ = Images.of(ids, sizes, sizes, file_names, sort=True)
    gt = GroundTruth.of(len(ids), image_row=[], class_row=[], box=[])
    return Dataset("d", images, Classes.of([1], ["thing"]), gt)


def codes(notices):
    return {notice.code: notice.count for notice in notices}


def test_a_folder_is_searched_to_the_bottom_whatever_the_case_of_endings(tmp_path):
    touch(tmp_path, "10.JPG", "9.jpeg", "in/8.Png", "in/deep/7.tiff", ".hidden.jpg", ".git/1.jpg")
    files, notices = find_images(tmp_path)
    assert files.ids.tolist() == [7, 8, 9, 10]
    assert files.names == ("in/deep/7.tiff", "in/8.Png", "9.jpeg", "10.JPG")
    assert [path.name for path in files.paths] == ["7.tiff", "8.Png", "9.jpeg", "10.JPG"]
    assert notices == ()


def test_other_files_are_left_out_and_counted(tmp_path):
    touch(tmp_path, "1.jpg", "notes.txt", "labels.json")
    files, notices = find_images(tmp_path)
    assert len(files) == 1
    assert codes(notices) == {"other_file": 2}


def test_padded_numbers_are_numbers(tmp_path):
    files, _ = find_images(touch(tmp_path, "000000005001.jpg", "000000000139.jpg"))
    assert files.ids.tolist() == [139, 5001]


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["a.jpg", "1.jpg"], ["1", "a"]),
        (["01.jpg", "1.jpg"], ["01", "1"]),
        (["left/a.jpg", "right/a.jpg"], ["left/a", "right/a"]),
        (["a.jpg", "a.png"], ["a.jpg", "a.png"]),
        (["99999999999999999999.jpg"], ["99999999999999999999"]),
        (["²³.jpg"], ["²³"]),
    ],
)
def test_other_names_become_text_ids_and_a_note_says_so(tmp_path, names, ids):
    files, notices = find_images(touch(tmp_path, *names))
    assert files.ids.tolist() == ids
    assert codes(notices) == {"text_image_ids": len(ids)}


def test_single_files_are_taken_whatever_their_ending(tmp_path):
    touch(tmp_path, "3.photo", "4.jpg")
    files, _ = find_images([tmp_path / "4.jpg", tmp_path / "3.photo"])
    assert files.ids.tolist() == [3, 4]


def test_a_picture_given_twice_is_read_once(tmp_path):
    touch(tmp_path, "1.jpg", "2.jpg")
    files, notices = find_images([tmp_path, tmp_path / "1.jpg"])
    assert len(files) == 2
    assert codes(notices) == {"repeated_file": 1}


def test_folders_that_share_names_are_told_apart(tmp_path):
    touch(tmp_path, "one/a.jpg", "two/a.jpg")
    files, _ = find_images([tmp_path / "one", tmp_path / "two"])
    assert len(set(files.ids.tolist())) == 2


def test_linked_folders_are_followed_and_circles_end(tmp_path):
    touch(tmp_path, "real/1.jpg", "set/2.jpg")
    (tmp_path / "set" / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "set" / "circle").symlink_to(tmp_path / "set")
    files, _ = find_images(tmp_path / "set")
    assert files.ids.tolist() == [1, 2]


@pytest.mark.parametrize("made", [True, False])
def test_where_no_picture_is_the_endings_are_told(tmp_path, made):
    folder = tmp_path / "empty"
    if made:
        touch(folder, "notes.txt")
    with pytest.raises(InputError, match="empty") as caught:
        find_images(folder)
    if made:
        assert ".jpg .jpeg .png" in str(caught.value)


def test_a_data_set_gives_its_ids_by_file_name(tmp_path):
    touch(tmp_path, "val/b.jpg", "val/a.jpg", "extra.jpg")
    files, notices = find_images(
        tmp_path, dataset=dataset([11, 12, 13], ["val/a.jpg", "val/b.jpg", "c.jpg"])
    )
    assert files.ids.tolist() == [11, 12]
    assert files.names == ("val/a.jpg", "val/b.jpg")
    assert codes(notices) == {"file_without_image": 1, "image_without_file": 1}


def test_a_data_set_gives_its_ids_by_the_name_without_folders(tmp_path):
    touch(tmp_path, "a.jpg", "b.jpg")
    files, notices = find_images(
        tmp_path, dataset=dataset([5, 4], ["val2017/a.jpg", "val2017\\b.jpg"])
    )
    assert dict(zip(files.ids.tolist(), files.names, strict=True)) == {5: "a.jpg", 4: "b.jpg"}
    assert notices == ()


@pytest.mark.parametrize(
    ("ids", "name"),
    [([5001], "000000005001.jpg"), (["2007_000032"], "2007_000032.png"), (["007"], "007.jpg")],
)
def test_a_data_set_without_file_names_is_joined_by_stem(tmp_path, ids, name):
    files, _ = find_images(touch(tmp_path, name), dataset=dataset(ids, [""]))
    assert files.ids.tolist() == ids


def test_a_name_that_could_be_two_images_is_joined_to_neither(tmp_path):
    touch(tmp_path, "x/a.jpg", "y/a.jpg", "b.jpg")
    files, notices = find_images(tmp_path, dataset=dataset([1, 2], ["a.jpg", "b.jpg"]))
    assert files.ids.tolist() == [2]
    assert codes(notices) == {"file_without_image": 2, "image_without_file": 1}


def test_pictures_of_another_data_set_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"none of the 1 pictures.*'b\.jpg'.*'a\.jpg'"):
        find_images(touch(tmp_path, "b.jpg"), dataset=dataset([1], ["a.jpg"]))


def test_links_that_lead_out_of_the_folder_are_left_out_where_that_is_asked_for(tmp_path):
    touch(tmp_path, "real/1.jpg", "set/2.jpg", "set/deep/3.jpg", "4.jpg")
    (tmp_path / "set" / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "set" / "4.jpg").symlink_to(tmp_path / "4.jpg")
    (tmp_path / "set" / "5.jpg").symlink_to("deep/3.jpg")
    files, notices = find_images(tmp_path / "set", inside=True)
    assert [path.name for path in files.paths] == ["2.jpg", "5.jpg"]
    assert codes(notices) == {"link_outside": 2, "repeated_file": 1}


def test_a_folder_of_links_alone_says_where_to_look(tmp_path):
    touch(tmp_path, "real/1.jpg", "set/notes.txt")
    (tmp_path / "set" / "1.jpg").symlink_to(tmp_path / "real" / "1.jpg")
    with pytest.raises(InputError, match="give the folder they point to"):
        find_images(tmp_path / "set", inside=True)


def test_links_in_a_ring_are_found_as_pictures_that_cannot_be_read(tmp_path):
    touch(tmp_path, "1.png")
    for name, target in {"2.png": "3.png", "3.png": "2.png", "ring": "ring"}.items():
        (tmp_path / name).symlink_to(target)
    files, notices = find_images(tmp_path)
    assert files.names == ("1.png", "2.png", "3.png")
    assert [(one.code, one.count) for one in notices] == [("other_file", 1)]
    for path in files.paths[1:]:
        with pytest.raises(ImageError, match="Too many levels of symbolic links"):
            read_picture(path)
    with pytest.raises(InputError, match="Too many levels of symbolic links"):
        find_images(tmp_path / "ring")
