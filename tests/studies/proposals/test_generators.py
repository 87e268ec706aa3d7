"""What every generator promises; BING."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from boxlens.errors import InputError, ParameterError
from boxlens.studies.proposals.generators.bing import MODEL_FILES
from boxlens.studies.proposals.generators.opening import NAMES, open_generator
from boxlens.studies.proposals.generators.protocols import Generator
from boxlens.studies.proposals.generators.ranked import distinct
from shared_data import shared
from studies.proposals.generator_pictures import (
    ON_GRADIENT,
    SHAPES,
    best_iou,
    board,
    drawing,
    on_gradient,
)

# The large settings of selective search do the same for longer.
WORDS = tuple(name for name in NAMES if not name.startswith("selective-search-"))
# Those whose seed changes the order of boxes and nothing else, and those where it changes boxes.
SHUFFLED = ("selective-search", "superpixels", "rantalankila")
DRAWN = ("uniform", "gaussian", "objectness", "randomized-prim", "rahtu")
# Those with scores of their own, of which some may be equal; other scores count down to 1.
SCORED = ("edge-boxes", "objectness", "rahtu")
NARROWEST_PX = {"geodesic": 8, "rahtu": 8, "selective-search": 20}


def opened(word: str, seed: int = 0):
    """Without the large numbers that a few of them draw."""
    folder = f":{shared('models', 'bing')}" if word == "bing" else ""
    fewer = {"objectness": {"n_windows": 4000}, "rahtu": {"n_drawn": 2000}}.get(word, {})
    return replace(open_generator(word + folder, seed=seed), **fewer)


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
    assert boxes[:, 2:].min() >= NARROWEST_PX.get(word, 0)
    assert (np.diff(scores) < 0).all() or (word.startswith(SCORED) and (np.diff(scores) <= 0).all())
    assert len(np.unique(boxes, axis=0)) == len(boxes)


@pytest.mark.parametrize("word", WORDS)
def test_the_same_picture_has_the_same_boxes_from_any_generator_of_one_identity(word):
    one, other = opened(word), opened(word)
    assert isinstance(one, Generator)
    assert one == other
    assert one.identity == other.identity
    assert one.identity.startswith(f"{one.name}; ")
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
    assert [len(boxes) for boxes in few] == [1, min(7, len(more))]
    assert generator.nested == (word != "sliding-window")
    assert all(same) or not generator.nested


@pytest.mark.parametrize("word", [*SHUFFLED, *DRAWN])
def test_the_seed_changes_the_order_or_the_boxes_and_the_identity(word):
    one, other = opened(word, seed=1), opened(word, seed=2)
    assert (one.seed, other.seed) == (1, 2)
    assert one.identity != other.identity
    found, again = (each.propose(board(), 10_000)[0].tolist() for each in (one, other))
    assert found != again
    assert (sorted(found) == sorted(again)) == (word in SHUFFLED)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    "size",
    [(1, 1), (5, 3), (1, 40), (3, 200), (200, 3), (12, 12), (39, 90), (40, 40), (40, 30), (64, 48)],
)
@pytest.mark.parametrize("plain", [True, False])
def test_small_and_plain_pictures_do_no_harm(word, size, plain):
    chance = np.random.default_rng(1)
    image = chance.integers(0, 256, (*size, 3), dtype=np.uint8)
    if plain:
        image[:] = 128
    boxes, scores = opened(word).propose(image, 100)
    assert boxes.shape == (len(scores), 4)
    assert len(boxes) <= 100
    assert np.isfinite(scores).all()
    assert (boxes[:, 2:] > 0).all()
    assert (boxes[:, :2] >= (-1 if word == "sliding-window" else 0)).all()
    assert (boxes[:, :2] + boxes[:, 2:] <= size[::-1]).all()
    assert len(np.unique(boxes, axis=0)) == len(boxes)
    if word in {"randomized-prim", "superpixels", "rantalankila"}:
        assert len(boxes) >= 1
    if plain and word in {"randomized-prim", "superpixels"}:
        assert boxes.tolist() == [[0, 0, size[1], size[0]]]
        assert scores.tolist() == [1]
    if plain and word in {"geodesic", "objectness"}:
        assert len(boxes) == 0


@pytest.mark.parametrize(
    ("word", "setting"), [("geodesic", "n_seeds=300"), ("rahtu", "border_least=3.07")]
)
def test_an_approximation_says_so(word, setting):
    identity = open_generator(word).identity
    assert "approximation=" in identity
    assert setting in identity


@pytest.mark.parametrize("word", ["geodesic", "rahtu"])
def test_planted_objects_are_among_the_first(word):
    boxes, scores = open_generator(word).propose(on_gradient(), 50)
    assert len(boxes) == len(scores) <= 50
    for shape in ON_GRADIENT:
        assert best_iou(boxes, shape) >= 0.7


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


NAN = float("nan")


@pytest.mark.parametrize(
    ("word", "settings", "problem"),
    [
        ("uniform", {"x_low": 0.9, "x_high": 0.1}, "x of uniform boxes from 0.9 to 0.1"),
        ("uniform", {"area_low": -0.1}, "area of uniform boxes"),
        ("uniform", {"aspect_low": 0.0}, "aspect of uniform boxes"),
        ("uniform", {"y_high": NAN}, "y of uniform boxes"),
        ("gaussian", {"variance_x": -1.0}, "covariance matrix of Gaussian boxes"),
        ("gaussian", {"covariance_x_y": 2.0}, "covariance matrix of Gaussian boxes"),
        ("gaussian", {"variance_y": NAN}, "covariance matrix of Gaussian boxes"),
        ("gaussian", {"rule": "other"}, "released or clipped"),
        ("sliding-window", {"sizes": ()}, "distinct pairs"),
        ("sliding-window", {"sizes": ((16, 0),)}, "distinct pairs"),
        ("sliding-window", {"sizes": ((16, 16), (16, 16))}, "distinct pairs"),
        ("sliding-window", {"sizes": ((16,),)}, "distinct pairs"),
        ("superpixels", {"sigma": -1}, "sigma"),
        ("selective-search", {"strategy": "slow"}, "choose one of fast, quality, published"),
        ("selective-search", {"sigma": 0.0}, "above 0"),
        ("selective-search", {"coarseness": -1.0}, "above 0"),
        ("edge-boxes", {"alpha": 1.0}, "alpha must be above 0"),
        ("edge-boxes", {"beta": 0.0}, "alpha must be above 0"),
        ("edge-boxes", {"eta": 1.5}, "alpha must be above 0"),
        ("objectness", {"n_windows": 0}, "1 window or more"),
        ("objectness", {"max_overlap": 1.0}, "overlap by 0 up to 1"),
        ("objectness", {"ring": 0.0}, "wider than 0 %"),
        ("objectness", {"k": -1.0}, "sigma, k and min_size are above 0"),
        ("randomized-prim", {"k": -1}, "k of a segmentation"),
        ("rantalankila", {"branches": 16}, "branches"),
        ("rantalankila", {"slic_side_px": 1}, "slic_side_px"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(word, settings, problem):
    with pytest.raises(ParameterError, match=problem):
        replace(open_generator(word), **settings)


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
