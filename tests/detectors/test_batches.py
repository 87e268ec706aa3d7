"""The size of a batch does not matter, and a detector is held to its protocol."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boxlens.data import Classes, Detections
from boxlens.detectors import Detector
from boxlens.detectors.batches import detect_all
from boxlens.detectors.from_callable import CallableDetector
from boxlens.errors import ParameterError
from pictures import CLASSES, quadrant_detector, quadrants, scene
from small_world import assert_same_tables


def some_quadrants(pixels):
    """From none to four boxes a picture."""
    n = int(pixels[0, 0, 0]) % 5
    return tuple(column[:n] for column in quadrants(pixels))


@pytest.mark.parametrize("batch", [2, 3, 7, 8, 100])
def test_any_size_of_batch_gives_the_same_detections(batch):
    detector = CallableDetector(some_quadrants, CLASSES, "some")
    pictures = [scene(seed, 20 + seed, 15) for seed in range(17)]
    one_by_one = detect_all(detector, pictures, 17, batch=1)
    assert 0 < len(one_by_one) < 4 * 17
    assert_same_tables(detect_all(detector, iter(pictures), 17, batch=batch), one_by_one)


def test_no_pictures_give_no_detections():
    found = detect_all(quadrant_detector(), [], 0)
    assert len(found) == 0
    assert found.n_images == 0


def test_progress_reaches_the_end():
    told = []
    detect_all(
        quadrant_detector(), [scene(0)] * 5, 5, batch=2, progress=lambda *step: told.append(step)
    )
    assert told == [("detecting", 2, 5), ("detecting", 4, 5), ("detecting", 5, 5)]


@pytest.mark.parametrize(("n", "batch"), [(2, 8), (4, 8), (3, 0)])
def test_a_wrong_number_or_an_empty_batch_is_refused(n, batch):
    with pytest.raises(ParameterError):
        detect_all(quadrant_detector(), [scene(0)] * 3, n, batch=batch)


class Answering:
    """A detector that gives the same answer whatever it sees."""

    name = "stubborn"
    classes = Classes.of([1], ["thing"])

    def __init__(self, answer: Detections) -> None:
        self.answer = answer

    def detect(self, images):
        return self.answer


def test_a_detector_that_breaks_its_promise_is_named():
    answer = Detections.of("x", 1, image_row=[0], class_row=[1], box=[[0, 0, 1, 1]], score=[1])
    assert isinstance(Answering(answer), Detector)
    with pytest.raises(ParameterError, match=r"stubborn.*class rows 1 to 1"):
        detect_all(Answering(answer), [scene(0)], 1)
    with pytest.raises(ParameterError, match=r"stubborn.*2 pictures.*answered for 1"):
        detect_all(Answering(replace(answer)), [scene(0)] * 2, 2)
