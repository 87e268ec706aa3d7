"""VOC result files, and round trips of everything."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxlens.data import Images
from boxlens.errors import InputError
from boxlens.formats import voc
from formats.voc_sets import codes, dataset_of, detections_of, folder_of, obj, xml


def results_of(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def test_results_are_read_by_class_with_inclusive_boxes(tmp_path):
    folder = results_of(
        tmp_path,
        comp4_det_test_dog="000001 0.9 1 1 10 10\n\n000000 0.25 2.5 3 4.5 5\n",
        comp4_det_test_cat="000001 .125 1 6 10 15\n",
    )
    found = voc.read_detections(folder, dataset_of())
    assert found.name == "mine"
    assert found.image_row.tolist() == [0, 1, 1]
    assert found.class_row.tolist() == [1, 0, 1]
    assert found.score.tolist() == [0.25, 0.125, 0.9]
    assert found.box.tolist() == [[1.5, 2, 3, 3], [0, 5, 10, 10], [0, 0, 10, 10]]
    assert found.notices == ()
    one = voc.read_detections(folder / "comp4_det_test_dog.txt", dataset_of(), name="x")
    assert (one.name, len(one)) == ("x", 2)


def test_the_class_is_the_longest_name_that_ends_the_file_name(tmp_path):
    names = ("dog", "hot_dog", "test_dog")
    dataset = dataset_of(names=names)
    line = "000000 0.5 1 1 2 2\n"
    folder = results_of(tmp_path, comp4_det_test_dog=line, comp3_det_val_2_hot_dog=line * 2)
    found = voc.read_detections(folder, dataset)
    assert [names[row] for row in found.class_row] == ["hot_dog", "hot_dog", "dog"]


def test_unknown_images_and_classes_are_counted_or_refused(tmp_path):
    folder = results_of(
        tmp_path,
        comp4_det_test_dog="000000 0.9 1 1 10 10\nnone 0.9 1 1 10 10\n",
        comp4_det_test_horse="000000 0.9 1 1 10 10\n" * 2,
        notes="not a result",
    )
    found = voc.read_detections(folder, dataset_of())
    assert len(found) == 1
    assert codes(found.notices) == {
        "unknown_image": 1,
        "unknown_class": 2,
        "class_not_known": 1,
        "other_file": 1,
    }
    with pytest.raises(InputError, match=r"comp4_det_test_dog.txt line 2, image none"):
        voc.read_detections(folder, dataset_of(), strict=True)


def test_image_ids_may_hold_blanks_and_may_be_numbers(tmp_path):
    images, _ = Images.of([7, 12], [9, 9], [9, 9], ["", ""])
    folder = results_of(tmp_path, comp4_det_test_dog="12 0.9 1 1 10 10\n")
    assert voc.read_detections(folder, replace(dataset_of(), images=images)).image_row.tolist() == [
        1
    ]
    images, _ = Images.of(["my cat", "x"], [9, 9], [9, 9], ["", ""])
    folder = results_of(tmp_path, comp4_det_test_dog="my cat 0.9 1 1 10 10\n")
    assert voc.read_detections(folder, replace(dataset_of(), images=images)).image_row.tolist() == [
        0
    ]


def test_packed_results_are_read(tmp_path):
    folder = tmp_path / "packed"
    folder.mkdir()
    packed = gzip.compress(b"000000 0.9 1 1 10 10\n")
    (folder / "comp4_det_test_dog.txt.gz").write_bytes(packed)
    assert len(voc.read_detections(folder, dataset_of())) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("000000 0.9 1 1 10", "comp4_det_test_dog.txt, line 2: expected 6 fields, found 5"),
        ("000000 high 1 1 10 10", "line 2: not a number .*'high'"),
        ("000000 nan 1 1 10 10", "line 2: expected finite numbers"),
        ("000000 0.5 1 1 inf 10", "line 2: expected finite numbers"),
        ("000000 0.5 10 1 5 10", "comp4_det_test_dog.txt line 2.*negative width or height"),
    ],
)
def test_bad_result_lines_are_refused_by_file_and_line(tmp_path, line, message):
    folder = results_of(tmp_path, comp4_det_test_dog=f"000000 0.5 1 1 9 9\n{line}\n")
    with pytest.raises(InputError, match=message):
        voc.read_detections(folder, dataset_of())


def test_folders_without_results_and_with_two_sets_of_them_are_refused(tmp_path):
    folder = results_of(tmp_path, notes="")
    with pytest.raises(InputError, match="no VOC results found"):
        voc.read_detections(folder, dataset_of())
    folder = results_of(tmp_path, comp3_det_test_dog="", comp4_det_test_dog="")
    with pytest.raises(InputError, match="both results of class 'dog'"):
        voc.read_detections(folder, dataset_of())


def test_every_class_gets_a_result_file(tmp_path):
    dataset = dataset_of(names=("cat", "hot_dog"))
    voc.write_detections(detections_of(dataset), dataset, tmp_path / "out")
    files = {file.name: file.read_text() for file in (tmp_path / "out").iterdir()}
    assert files == {
        "comp4_det_test_cat.txt": "000000 0.5 1 1 10 10\n",
        "comp4_det_test_hot_dog.txt": "",
    }


def test_reading_results_reports_progress(tmp_path):
    folder = results_of(tmp_path, comp4_det_test_dog="")
    calls = []
    voc.read_detections(folder, dataset_of(), progress=lambda *call: calls.append(call))
    assert calls == [("reading results", 0, 1), ("reading results", 1, 1)]


# Laws


quick = settings(max_examples=60, suppress_health_check=list(HealthCheck))


@quick
@given(data=st.data())
def test_any_content_is_read_or_refused(tmp_path_factory, data):
    good = xml(obj(more="<pose>Left</pose><difficult>1</difficult>"), obj("cat")).encode()
    begin = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(begin, min(begin + 30, len(good))))
    content = good[:begin] + data.draw(st.binary(max_size=8)) + good[end:]
    parent = tmp_path_factory.mktemp("any")
    folder = folder_of(parent)
    (folder / "a.xml").write_bytes(content)
    results = results_of(parent)
    (results / "comp4_det_test_dog.txt").write_bytes(data.draw(st.binary(max_size=40)))
    for read in (
        lambda: voc.read_dataset(folder),
        lambda: voc.read_detections(results, dataset_of()),
    ):
        told = str(parent)
        try:
            read()
        except InputError as refusal:
            told = str(refusal)
        assert str(parent) in told


def test_a_detector_knows_the_classes_it_has_files_for(tmp_path):
    folder = results_of(tmp_path, comp4_det_test_dog="000000 0.9 1 1 10 10\n")
    found = voc.read_detections(folder, dataset_of())
    assert found.known_classes.tolist() == [1]
    (notice,) = found.notices
    told = "no result file for 1 of 1 class with objects: cat; AP is 0 there unless these classes are skipped"
    assert notice.message == f"{found.name}: {told}"
    one = voc.read_detections(folder / "comp4_det_test_dog.txt", dataset_of())
    assert one.known_classes.tolist() == [1]
    results_of(tmp_path, comp4_det_test_cat="")
    both = voc.read_detections(folder, dataset_of())
    assert (both.known_classes.tolist(), both.notices) == ([0, 1], ())


def test_files_are_written_of_the_classes_a_detector_knows(tmp_path):
    dataset = dataset_of()
    told = replace(detections_of(dataset, classes=(1,)), known_classes=np.array([1], np.int32))
    voc.write_detections(told, dataset, tmp_path / "told")
    assert [file.name for file in (tmp_path / "told").iterdir()] == ["comp4_det_test_dog.txt"]
    assert voc.read_detections(tmp_path / "told", dataset).known_classes.tolist() == [1]
    voc.write_detections(detections_of(dataset), dataset, tmp_path / "untold")
    assert voc.read_detections(tmp_path / "untold", dataset).known_classes.tolist() == [0, 1]
