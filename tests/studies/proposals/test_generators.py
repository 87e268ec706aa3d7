"""What every generator promises; BING."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from boxlens.errors import InputError
from boxlens.studies.proposals.generators.bing import MODEL_FILES
from boxlens.studies.proposals.generators.opening import open_generator
from boxlens.studies.proposals.generators.ranked import distinct
from shared_data import shared
from studies.proposals.generator_pictures import SHAPES, best_iou, drawing

WORDS = (
    "selective-search",
    "edge-boxes",
    "edge-boxes-ar",
    "bing",
    "sliding-window",
    "uniform",
    "gaussian",
)


def opened(word: str):
    folder = f":{shared('models', 'bing')}" if word == "bing" else ""
    return open_generator(word + folder)


@pytest.mark.parametrize("word", WORDS)
def test_boxes_lie_in_the_picture_and_scores_descend(word):
    image = drawing()
    boxes, scores = opened(word).propose(image, 1000)
    assert 0 < len(boxes) == len(scores) <= 1000
    assert boxes.dtype == scores.dtype == np.float64
    assert (boxes[:, 2:] > 0).all()
    if word == "sliding-window":
        # The whole image and, as published, one more pixel to the left and above.
        assert boxes[0].tolist() == [-1, -1, 201, 151]
        boxes, scores = boxes[1:], scores[1:]
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, :2] + boxes[:, 2:] <= (200, 150)).all()
    assert (np.diff(scores) <= 0).all()
    assert len(np.unique(boxes, axis=0)) == len(boxes)


@pytest.mark.parametrize("word", WORDS)
def test_the_same_picture_has_the_same_boxes_from_any_generator_of_one_identity(word):
    one, other = opened(word), opened(word)
    assert one.identity == other.identity
    assert one.identity.startswith(one.name)
    first = one.propose(drawing(), 300)
    other.propose(drawing(80, 120), 300)
    for column, again in zip(first, other.propose(drawing(), 300), strict=True):
        np.testing.assert_array_equal(column, again)


@pytest.mark.parametrize("word", WORDS)
def test_of_a_nested_generator_fewer_boxes_are_the_first_of_more(word):
    generator = opened(word)
    more = generator.propose(drawing(), 500)[0]
    few = [generator.propose(drawing(), limit)[0] for limit in (1, 7)]
    same = [np.array_equal(boxes, more[: len(boxes)]) for boxes in few]
    assert [len(boxes) for boxes in few] == [1, 7]
    assert generator.nested == (word != "sliding-window")
    assert all(same) or not generator.nested


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("size", [(1, 1), (5, 3), (1, 40), (12, 12), (40, 30)])
@pytest.mark.parametrize("plain", [True, False])
def test_small_and_plain_pictures_do_no_harm(word, size, plain):
    chance = np.random.default_rng(1)
    image = chance.integers(0, 256, (*size, 3), dtype=np.uint8)
    if plain:
        image[:] = 128
    boxes, scores = opened(word).propose(image, 100)
    assert boxes.shape == (len(scores), 4)
    assert (boxes[:, 2:] > 0).all()
    assert (boxes[:, :2] + boxes[:, 2:] <= size[::-1]).all()


@pytest.mark.parametrize("word", ["selective-search", "edge-boxes", "edge-boxes-ar"])
def test_things_that_stand_out_are_found(word):
    boxes, _ = opened(word).propose(drawing(), 200)
    for shape in SHAPES:
        assert best_iou(boxes, shape) > 0.8


@pytest.mark.parametrize("word", ["selective-search", "bing"])
def test_red_and_blue_are_told_apart(word):
    generator = opened(word)
    found, exchanged = (
        generator.propose(image, 10_000)[0].tolist() for image in (drawing(), drawing()[..., ::-1])
    )
    assert sorted(found) != sorted(exchanged)


def test_repeated_boxes_stay_where_they_stood_first():
    boxes = np.array([[2, 2, 1, 1], [1, 1, 1, 1], [2, 2, 1, 1], [3, 3, 1, 1]], dtype=np.float64)
    np.testing.assert_array_equal(distinct(boxes), boxes[[0, 1, 3]])


def test_bing_needs_its_model_files(tmp_path):
    folder = shared("models", "bing")
    with pytest.raises(InputError, match="9 of 9 model files"):
        open_generator(f"bing:{tmp_path}")
    with pytest.raises(InputError, match="no such file or folder"):
        open_generator(f"bing:{tmp_path / 'none'}")
    for name in MODEL_FILES[1:]:
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with pytest.raises(InputError, match=f"1 of 9 .*{MODEL_FILES[0]}"):
        open_generator(f"bing:{tmp_path}")
    (tmp_path / MODEL_FILES[0]).write_bytes(b"not a model")
    with pytest.raises(InputError, match="cannot use these model files"):
        open_generator(f"bing:{tmp_path}")


def test_nothing_but_results_goes_to_standard_output():
    code = (
        "import numpy as np\n"
        "from boxlens.studies.proposals.generators.opening import open_generator\n"
        "print('before')\n"
        f"bing = open_generator('bing:{shared('models', 'bing')}')\n"
        "bing.propose(np.zeros((99, 99, 3), np.uint8), 9)\n"
        "print('after')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "before\nafter\n"
