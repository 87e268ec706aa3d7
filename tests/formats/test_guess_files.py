"""Ranked guesses from CSV files: what they mean, and what is wrong with them."""

from __future__ import annotations

import gzip
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Classes
from boxlens.errors import InputError
from boxlens.formats.guess_files import read_guesses
from small_world import small_dataset

SMALL = small_dataset()


def guesses_in(tmp_path, text, dataset=SMALL, **options):
    path = tmp_path / "guesses.csv"
    path.write_text(text, encoding="utf-8")
    return read_guesses(path, dataset, **options)


def refused(tmp_path, text, dataset=SMALL, **options):
    with pytest.raises(InputError) as caught:
        guesses_in(tmp_path, text, dataset, **options)
    assert str(tmp_path / "guesses.csv") in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


def test_lines_are_ranked_in_their_order_and_grouped_by_image(tmp_path):
    found = guesses_in(tmp_path, "image,class\n10,cat\n1,bee\n10,ant\n1,ant\n")
    assert found.name == "guesses"
    assert found.n_images == 3
    assert found.image_row.tolist() == [0, 0, 2, 2]
    assert found.class_row.tolist() == [1, 0, 2, 0]
    assert np.isnan(found.box).all()
    assert found.notices == ()


def test_a_score_ranks_and_ties_stand_in_file_order(tmp_path):
    text = "image,class,score\n1,ant,0.5\n1,bee,0.9\n2,ant,-3\n1,cat,0.5\n"
    found = guesses_in(tmp_path, text, name="mine")
    assert found.name == "mine"
    assert found.class_row.tolist() == [1, 0, 2, 0]


def test_images_are_ids_or_file_names_and_classes_names_or_ids(tmp_path):
    found = guesses_in(
        tmp_path, "Image, CLASS \n".replace(" ", "") + "1,ant\n2.jpg,1\n10.jpg, cat\n"
    )
    assert found.image_row.tolist() == [0, 1, 2]
    assert found.class_row.tolist() == [0, 1, 2]
    texts = small_dataset(text_ids=True)
    found = guesses_in(tmp_path, "image,class\na01,ant\nb10.jpg,bee\n", texts)
    assert found.image_row.tolist() == [0, 2]


def test_a_guess_may_lack_a_box(tmp_path):
    found = guesses_in(tmp_path, "image,class,x,y,w,h\n1,ant,1,2,3,4\n1,bee,,,,\n")
    assert found.box[0].tolist() == [1, 2, 3, 4]
    assert np.isnan(found.box[1]).all()
    found = guesses_in(tmp_path, "image,class,x,y,w,h\n1,ant,,,,\n")
    assert np.isnan(found.box).all()


def test_a_packed_file_is_read_as_it_is(tmp_path):
    path = tmp_path / "mine.csv.gz"
    path.write_bytes(gzip.compress(b"image,class\n1,ant\n"))
    assert read_guesses(str(path), SMALL).name == "mine"


def test_unknown_images_and_classes_are_counted(tmp_path):
    found = guesses_in(tmp_path, "image,class\n1,ant\n99,ant\n1,wasp\n98,wasp\n")
    assert found.class_row.tolist() == [0]
    assert [(one.code, one.count) for one in found.notices] == [
        ("unknown_image", 2),
        ("unknown_class", 1),
    ]
    assert "skipped 2 of 4 guesses" in found.notices[0].message
    assert "line 3, '99'" in found.notices[0].message


def test_strict_makes_them_errors(tmp_path):
    assert "line 3: image '99' is not in" in refused(
        tmp_path, "image,class\n1,ant\n99,ant\n", strict=True
    )
    assert "line 2: class 'wasp' is not in" in refused(
        tmp_path, "image,class\n1,wasp\n", strict=True
    )


def test_a_file_of_another_data_set_is_said(tmp_path):
    found = guesses_in(tmp_path, "image,class\n77,ant\n")
    assert [one.code for one in found.notices] == ["unknown_image", "nothing_fits"]
    assert "images are 1.jpg, 2.jpg, 10.jpg" in found.notices[1].message
    found = guesses_in(tmp_path, "image,class\n1,wasp\n")
    assert "classes are ant, bee, cat" in found.notices[1].message
    found = guesses_in(tmp_path, "image,class\n")
    assert [one.code for one in found.notices] == ["no_guesses"]
    assert len(found.image_row) == 0


def test_a_name_of_two_classes_must_be_an_id(tmp_path):
    cranes = replace(SMALL, classes=Classes.of([0, 1, 2], ["crane", "crane", "cat"]))
    message = refused(tmp_path, "image,class\n1,cat\n1,crane\n", cranes)
    assert "line 3, column class: the name 'crane' is not unique" in message
    assert guesses_in(tmp_path, "image,class\n1,1\n1,cat\n", cranes).class_row.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("image,label\n1,ant\n", "missing column class"),
        ("image,class,x,y\n1,ant,1,2\n", "missing column w, h"),
        ("image,class,x,y,w,h\n1,ant,1,2,3,4\n1,ant,1,,3,4\n", "line 3: a box lacks some"),
        ("image,class,x,y,w,h\n1,ant,,,,\n1,ant,1,2,-3,4\n", "line 3: box"),
        ("image,class,x,y,w,h\n1,ant,nan,2,3,4\n", "line 2: box"),
        ("image,class,x,y,w,h\n1,ant,one,2,3,4\n", "line 2, column x: 'one' is not a number"),
        ("image,class,score\n1,ant,\n", "line 2: score is empty"),
        ("image,class,score\n1,ant,inf\n", "line 2, column score"),
        ("image,class\n1,ant,3\n", "line 2"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_remedy(tmp_path, text, words):
    assert words in refused(tmp_path, text)


def test_an_empty_cell_is_named(tmp_path):
    with pytest.raises(InputError, match="line 3: class is empty"):
        guesses_in(tmp_path, "image,class\n1,ant\n1,\n")


def test_corners_and_spaces_after_commas_are_understood(tmp_path):
    sizes = guesses_in(tmp_path, "image,class,x,y,w,h\n1,ant,1,2,3,4\n")
    corners = guesses_in(tmp_path, "image, class, x1, y1, x2, y2\n1, ant, 1, 2, 4, 6\n")
    assert corners.box.tolist() == sizes.box.tolist() == [[1, 2, 3, 4]]
    assert corners.class_row.tolist() == sizes.class_row.tolist()
    assert "x1, y1, x2, y2" in refused(tmp_path, "image,class,x1,y1\n1,ant,1,2\n")
