"""Open Images detections in both of their forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from boxlens.errors import InputError
from boxlens.formats import open_images
from small_world import small_dataset


@pytest.mark.parametrize("score", ["Score", "Conf", "confidence"])
def test_scores_go_by_three_names(tmp_path: Path, score: str) -> None:
    path = tmp_path / "d.csv"
    path.write_text(f"ImageID,LabelName,{score},XMin,XMax,YMin,YMax\n1,0,0.5,0,0.5,0,1\n")
    found = open_images.read_detections(path, small_dataset())
    assert found.score.tolist() == [0.5]
    assert found.box.tolist() == [[0, 0, 320, 480]]


def test_the_challenge_form_holds_an_image_a_line(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(
        "ImageId,PredictionString\n"
        "2,1 0.5 0.25 0.5 0.75 1.0  0 0.4 0 0 1 1\n"
        "10,\n"
        "1,2 0.125 0 0 0.5 0.5\n"
    )
    found = open_images.read_detections(path, small_dataset())
    assert found.image_row.tolist() == [0, 1, 1]
    assert found.class_row.tolist() == [2, 1, 0]
    assert found.score.tolist() == [0.125, 0.5, 0.4]
    assert found.box[1].tolist() == [80, 120, 160, 120]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,0 0.5 0 0 1", r"line 2: 5 words in PredictionString"),
        ("1,0 0.5 0 0 1 1 0 x 0 0 1 1", r"line 2, Score: 'x' is not a number"),
        ("10,\n1,0 0.5 0.9 0 0.1 1", r"line 3: XMax 0\.1 is below XMin 0\.9"),
        ("10,\n1,0 nan 0 0 1 1", r"line 3, column Score: nan is not a finite"),
    ],
)
def test_bad_submissions_are_named_by_line(tmp_path: Path, text, message) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(f"ImageId,PredictionString\n{text}\n")
    with pytest.raises(InputError, match=message):
        open_images.read_detections(path, small_dataset())


def test_detections_without_a_score_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("ImageID,LabelName,XMin,XMax,YMin,YMax\n1,0,0,0.5,0,1\n")
    with pytest.raises(InputError, match="missing column Score"):
        open_images.read_detections(path, small_dataset())


def test_detections_may_overshoot_but_not_be_pixels(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    header = "ImageID,LabelName,Score,XMin,XMax,YMin,YMax\n"
    path.write_text(header + "1,0,0.5,-0.5,2.5,0,1\n1,0,0.5,0,1,0,1\n")
    assert open_images.read_detections(path, small_dataset()).box[0].tolist() == [
        -320,
        0,
        1920,
        480,
    ]
    path.write_text(header + "1,0,0.5,0,1,0,1\n1,0,0.5,10,90,5,60\n1,0,0.5,10,90,5,60\n")
    with pytest.raises(
        InputError, match=r"line 3, column XMin: 10\.0 is not a fraction.*divide pixels"
    ):
        open_images.read_detections(path, small_dataset())


def test_unknown_labels_are_counted_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("ImageID,LabelName,Score,XMin,XMax,YMin,YMax\n1,wolf,0.5,0,1,0,1\n")
    found = open_images.read_detections(path, small_dataset())
    assert [notice.code for notice in found.notices] == ["unknown_class", "nothing_fits"]
    with pytest.raises(InputError, match=r"line 2 \(image 1, class wolf\)"):
        open_images.read_detections(path, small_dataset(), strict=True)


def test_header_only_files_hold_nothing(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("ImageID,LabelName,Score,XMin,XMax,YMin,YMax\n")
    assert len(open_images.read_detections(path, small_dataset())) == 0
    path.write_text("ImageId,PredictionString\n1,\n")
    assert len(open_images.read_detections(path, small_dataset())) == 0
