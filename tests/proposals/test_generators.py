"""What every generator promises, and what each has of its own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from boxlens.detectors.protocols import ProposalGenerator
from boxlens.errors import InputError, MissingExtraError, ParameterError
from boxlens.proposals.edges import find_edges
from boxlens.proposals.generators.bing import MODEL_FILES
from boxlens.proposals.generators.edge_boxes import LARGEST_PX, EdgeBoxes
from boxlens.proposals.generators.opening import GENERATORS, open_generator
from boxlens.proposals.generators.protocols import Generator
from boxlens.proposals.generators.ranked import distinct
from boxlens.proposals.generators.selective_search import SelectiveSearch, in_seeded_order
from shared_data import shared

WORDS = ("selective-search", "edge-boxes", "bing", "sliding-window")
# Left, top, right and bottom of what is drawn.
SHAPES = ((20, 30, 90, 110), (120, 20, 190, 70), (110, 90, 150, 140))


def opened(word: str, **options) -> Generator:
    folder = f":{shared('models', 'bing')}" if word == "bing" else ""
    return open_generator(word + folder, **options)


def drawing(height: int = 150, width: int = 200) -> np.ndarray:
    """Rectangles of plain colours on a plain ground, with a little noise."""
    image = np.full((height, width, 3), (90, 140, 90), dtype=np.int16)
    for number, (left, top, right, bottom) in enumerate(SHAPES):
        image[top:bottom, left:right] = ((200, 40, 30), (30, 60, 220), (240, 240, 60))[number]
    noise = np.random.default_rng(0).integers(-6, 7, image.shape)
    return (image + noise).clip(0, 255).astype(np.uint8)


def best_iou(boxes: np.ndarray, shape: tuple[int, ...]) -> float:
    left, top, right, bottom = shape
    x, y, w, h = boxes.T
    wide = np.minimum(x + w, right) - np.maximum(x, left)
    high = np.minimum(y + h, bottom) - np.maximum(y, top)
    common = wide.clip(0) * high.clip(0)
    return float((common / (w * h + (right - left) * (bottom - top) - common)).max())


@pytest.mark.parametrize("word", WORDS)
def test_boxes_lie_in_the_picture_and_scores_descend(word):
    image = drawing()
    boxes, scores = opened(word).propose(image, 1000)
    assert 0 < len(boxes) == len(scores) <= 1000
    assert boxes.dtype == scores.dtype == np.float64
    assert (boxes[:, 2:] > 0).all()
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


@pytest.mark.parametrize("word", [word for word in WORDS if word != "sliding-window"])
@pytest.mark.parametrize("limit", [1, 7])
def test_fewer_boxes_are_the_first_of_more(word, limit):
    generator = opened(word)
    few, more = generator.propose(drawing(), limit)[0], generator.propose(drawing(), 500)[0]
    np.testing.assert_array_equal(few, more[:limit])


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


@pytest.mark.parametrize("word", ["selective-search", "edge-boxes"])
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


def test_edges_are_thin_and_normal_to_what_they_bound():
    image = np.zeros((40, 60, 3), dtype=np.uint8)
    image[:, 30:] = 200
    edges = find_edges(image)
    strong = edges.strength[5:-5] > 0.5
    assert (strong.sum(axis=1) <= 2).all()
    assert set(np.nonzero(strong)[1].tolist()) <= {29, 30}
    angle = edges.normal[5:-5][strong]
    assert np.minimum(angle, np.pi - angle).max() < 0.01
    turned = find_edges(image.transpose(1, 0, 2))
    np.testing.assert_allclose(turned.strength, edges.strength.T, atol=1e-5)
    assert edges.strength.max() <= 1
    assert ((edges.normal >= 0) & (edges.normal <= np.float32(np.pi))).all()


def test_a_picture_without_edges_has_no_strong_ones():
    flat = np.random.default_rng(0).integers(126, 130, (60, 80, 3), dtype=np.uint8)
    assert find_edges(flat).strength.max() < 0.5


def test_a_picture_too_large_for_opencv_is_refused():
    with pytest.raises(InputError, match="Scale the picture down"):
        EdgeBoxes().propose(np.zeros((1, LARGEST_PX, 3), np.uint8), 10)


def test_the_order_follows_from_boxes_and_seed_alone():
    chance = np.random.default_rng(3)
    boxes = chance.integers(1, 50, (300, 4)).astype(np.float64)
    shuffled = chance.permutation(np.concatenate([boxes, boxes[:40]]))
    order = in_seeded_order(boxes, 5)
    np.testing.assert_array_equal(order, in_seeded_order(shuffled, 5))
    assert order.tolist() != in_seeded_order(boxes, 6).tolist()
    assert sorted(order.tolist()) == np.unique(boxes, axis=0).tolist()
    # Large boxes come early, on the whole.
    area = order[:, 2] * order[:, 3]
    assert area[:50].mean() > 1.5 * area[-50:].mean()


def test_the_seed_changes_the_order_and_the_identity_but_not_the_boxes():
    one, other = SelectiveSearch(seed=1), SelectiveSearch(seed=2)
    assert one.identity != other.identity
    found, again = (search.propose(drawing(), 10_000)[0].tolist() for search in (one, other))
    assert found != again
    assert sorted(found) == sorted(again)


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
        "from boxlens.proposals.generators.opening import open_generator\n"
        "print('before')\n"
        f"bing = open_generator('bing:{shared('models', 'bing')}')\n"
        "bing.propose(np.zeros((99, 99, 3), np.uint8), 9)\n"
        "print('after')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "before\nafter\n"


def test_all_are_generators():
    for word in WORDS:
        generator = opened(word)
        assert isinstance(generator, Generator)
        assert isinstance(generator, ProposalGenerator)
        assert generator.name == word


@pytest.mark.parametrize("word", ["", "edgeboxes", "Bing:x", "gaussian"])
def test_an_unknown_word_is_answered_with_the_known_ones(word):
    with pytest.raises(ParameterError) as raised:
        open_generator(word)
    assert all(name in str(raised.value) for name in GENERATORS)


@pytest.mark.parametrize("word", ["bing", "bing:", "edge-boxes:folder"])
def test_a_folder_belongs_to_bing_alone(word):
    with pytest.raises(ParameterError, match="expected"):
        open_generator(word)


@pytest.mark.parametrize("word", ["edge-boxes", "selective-search", "bing:folder"])
def test_without_opencv_the_extra_is_named(monkeypatch, word):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingExtraError, match=r"boxlens\[images\]"):
        open_generator(word)
