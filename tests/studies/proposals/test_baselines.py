"""Uniform and Gaussian boxes have the moments that METHODS 7.1 and 7.2 give them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.studies.proposals.generators.drawn_boxes import Gaussian, Uniform

N = 20_000
WIDTH, HEIGHT = 500, 375


def rounded(value: float) -> int:
    return math.floor(value + 0.5)


def slow_corners(shape, width: int, height: int, least: float) -> list[int]:
    """One box of the rule in whole pixels from 1, before it is brought into the image."""
    log_aspect, root_area, x, y = shape
    area = root_area**2 * width * height
    h = max(math.sqrt(area / 2**log_aspect), least)
    w = max(area / math.sqrt(area / 2**log_aspect), least)
    x1, y1 = rounded(x * width - w / 2), rounded(y * height - h / 2)
    return [x1, y1, rounded(x1 + w - 1), rounded(y1 + h - 1)]


def slow_uniform(shapes, width: int, height: int) -> list[list[int]]:
    found = []
    for shape in shapes:
        x1, y1, x2, y2 = slow_corners(shape, width, height, 0)
        found.append([max(x1, 1), max(y1, 1), min(x2, width), min(y2, height)])
    return found


def slow_released(shapes, width: int, height: int) -> list[list[int]]:
    found = []
    for shape in shapes:
        if not (0 < shape[1] <= 1 and 0 <= shape[2] <= 1 and 0 <= shape[3] <= 1):
            continue
        x1, y1, x2, y2 = slow_corners(shape, width, height, 5)
        right, down = max(0, 1 - x1), max(0, 1 - y1)
        found.append([x1 + right, y1 + down, min(x2 + right, width), min(y2 + down, height)])
    return found


def as_boxes(corners: list[list[int]]) -> list[list[float]]:
    """Distinct boxes with an area, x, y, w, h from 0."""
    boxes = [(x1 - 1, y1 - 1, x2 - x1 + 1, y2 - y1 + 1) for x1, y1, x2, y2 in corners]
    return [list(box) for box in dict.fromkeys(boxes) if box[2] > 0 and box[3] > 0]


def stream(seed: int, key: str) -> np.random.Generator:
    import zlib

    return np.random.default_rng([seed, zlib.crc32(key.encode())])


@pytest.mark.parametrize("size", [(WIDTH, HEIGHT), (60, 40), (7, 90)])
@pytest.mark.parametrize(
    ("generator", "slow"),
    [
        (Uniform(seed=4), slow_uniform),
        (Gaussian(seed=4), slow_released),
        (Gaussian(seed=4, rule="clipped"), slow_uniform),
    ],
)
def test_boxes_are_those_of_the_rule_one_by_one(generator, slow, size):
    boxes, _ = generator.propose_for(*size, 600, "a.jpg")
    shapes = generator.shapes(stream(4, "a.jpg"), 4000)
    expected = as_boxes(slow(shapes.tolist(), *size))[:600]
    np.testing.assert_array_equal(boxes, expected[: len(boxes)])
    assert len(boxes) == min(len(expected), 600)


def test_uniform_shapes_fill_their_ranges_evenly():
    shapes = Uniform().shapes(np.random.default_rng(0), N)
    low = np.array([math.log2(0.1905), math.sqrt(0.00096), 0.031, 0.065])
    high = np.array([math.log2(4.667), math.sqrt(0.98233), 0.974, 0.9347])
    assert (shapes >= low).all()
    assert (shapes <= high).all()
    span = high - low
    error = span / math.sqrt(12 * N)
    assert (np.abs(shapes.mean(axis=0) - (low + high) / 2) < 4 * error).all()
    # The variance of a uniform variable's sample variance is span^4 / 180 n.
    assert (np.abs(shapes.var(axis=0) - span**2 / 12) < 4 * span**2 / math.sqrt(180 * N)).all()
    correlation = np.corrcoef(shapes, rowvar=False) - np.eye(4)
    assert np.abs(correlation).max() < 4 / math.sqrt(N)


def test_gaussian_shapes_have_the_published_mean_and_covariance():
    mean = [-0.2205, 0.3297, 0.5036, 0.5370]
    covariance = np.diag([0.8549, 0.0596, 0.0551, 0.0324])
    others = {(0, 1): 0.0532, (0, 2): -0.0028, (0, 3): 0.0087}
    others |= {(1, 2): -0.0002, (1, 3): 0.0040, (2, 3): -0.0006}
    for (row, column), value in others.items():
        covariance[row, column] = covariance[column, row] = value
    shapes = Gaussian().shapes(np.random.default_rng(0), N)
    variance = np.diag(covariance)
    assert (np.abs(shapes.mean(axis=0) - mean) < 4 * np.sqrt(variance / N)).all()
    error = np.sqrt((np.outer(variance, variance) + covariance**2) / N)
    assert (np.abs(np.cov(shapes, rowvar=False) - covariance) < 4 * error).all()


def test_the_released_rule_rejects_what_makes_no_sense_and_keeps_sides_of_5_pixels():
    boxes, _ = Gaussian().propose_for(WIDTH, HEIGHT, 3000, 1)
    inside = (boxes[:, :2] + boxes[:, 2:] < (WIDTH, HEIGHT)).all(axis=1)
    assert boxes[inside, 2:].min() == 5
    assert (boxes[:, 2] * boxes[:, 3]).max() <= WIDTH * HEIGHT
    # Without rejection and clipped at all sides, some boxes are cut to slivers.
    clipped, _ = Gaussian(rule="clipped").propose_for(WIDTH, HEIGHT, 3000, 1)
    assert clipped[:, 2:].min() < 5


@pytest.mark.parametrize("kind", [Uniform, Gaussian])
def test_boxes_follow_from_seed_and_key_alone(kind):
    def first(seed: int, key: int | str) -> list[float]:
        return kind(seed=seed).propose_for(WIDTH, HEIGHT, 1, key)[0][0].tolist()

    assert first(0, 7) == first(0, "7")
    assert len({tuple(first(seed, key)) for seed in (0, 1) for key in (7, 8)}) == 4
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    other = image + np.uint8(1)
    found = [kind().propose(one, 5)[0].tolist() for one in (image, other, image)]
    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize("kind", [Uniform, Gaussian])
def test_a_picture_that_has_few_boxes_gives_what_it_has(kind):
    assert kind().propose_for(1, 1, 1000, "")[0].tolist() == [[0, 0, 1, 1]]


def test_a_constant_variable_stays_constant():
    zero = {"variance_x": 0.0, "covariance_aspect_x": 0.0, "covariance_size_x": 0.0}
    shapes = Gaussian(**zero, covariance_x_y=0.0).shapes(np.random.default_rng(0), 50)
    assert (shapes[:, 2] == 0.5036).all()
    assert len(set(shapes[:, 3])) == 50
