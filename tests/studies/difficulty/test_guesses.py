"""The guesses of an image, best first, from detections and from files."""

from __future__ import annotations

from boxlens.data import Detections
from boxlens.formats.guess_files import read_guesses
from boxlens.studies.difficulty.guesses import guesses_from_file, guesses_of
from small_world import small_dataset
from studies.diagnosis.worlds import random_world


def detections_of(image_row, class_row, score, n_images=3):
    box = [[at, 0, 10, 10] for at in range(len(score))]
    return Detections.of(
        "toy", n_images, image_row=image_row, class_row=class_row, box=box, score=score
    )


def test_the_best_scored_come_first_and_ties_stand_in_file_order():
    table = detections_of([2, 0, 0, 0, 0], [9, 1, 2, 3, 4], [0.1, 0.5, 0.9, 0.5, 0.2])
    guesses = guesses_of(table, 3)
    assert guesses.name == "toy"
    assert guesses.class_row.tolist() == [2, 1, 3, 9]
    assert guesses.rank.tolist() == [0, 1, 2, 0]
    assert guesses.offsets.tolist() == [0, 3, 3, 4]
    assert guesses.box[0].tolist() == [2, 0, 10, 10]


def test_one_per_class_takes_the_best_of_each_class_before_the_k_best():
    table = detections_of([0] * 5, [1, 1, 1, 2, 3], [0.9, 0.8, 0.7, 0.6, 0.5], n_images=1)
    assert guesses_of(table, 2).class_row.tolist() == [1, 1]
    best = guesses_of(table, 2, one_per_class=True)
    assert best.class_row.tolist() == [1, 2]
    assert best.rank.tolist() == [0, 1]
    assert best.box[0].tolist() == [0, 0, 10, 10]


def test_taking_the_first_again_changes_nothing():
    _, detections, _ = random_world(3)
    guesses = guesses_of(detections, 4, one_per_class=True)
    assert guesses.first(4, one_per_class=True).class_row.tolist() == guesses.class_row.tolist()
    assert guesses.first(2).rank.max() == 1


def test_no_detections_are_no_guesses_and_still_tell_places():
    guesses = guesses_of(detections_of([], [], []), 5)
    assert len(guesses) == 0
    assert guesses.offsets.tolist() == [0, 0, 0, 0]
    assert guesses.tells_places
    assert len(guesses.first(1, one_per_class=True)) == 0


def test_guesses_of_a_file_keep_all_lines_and_their_empty_boxes(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("image,class,x,y,w,h\n2,bee,1,2,3,4\n1,ant,,,,\n2,ant,,,,\n")
    guesses = guesses_from_file(read_guesses(path, small_dataset()))
    assert guesses.name == "mine"
    assert guesses.image_row.tolist() == [0, 1, 1]
    assert guesses.class_row.tolist() == [0, 1, 0]
    assert guesses.boxed.tolist() == [False, True, False]
    assert guesses.tells_places


def test_classes_alone_tell_no_places(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("image,class\n2,bee\n1,ant\n")
    guesses = guesses_from_file(read_guesses(path, small_dataset()))
    assert not guesses.boxed.any()
    assert not guesses.tells_places
