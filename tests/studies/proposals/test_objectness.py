"""Objectness: its cues against plain loops, and what it finds and learns where the truth is known."""

from __future__ import annotations

import cmath
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from boxlens.detectors.suppression import suppress
from boxlens.errors import InputError
from boxlens.formats import read_dataset
from boxlens.images import find_images
from boxlens.studies.proposals.generators.generator_files import read_generator, write_generator
from boxlens.studies.proposals.generators.objectness import (
    CUES,
    CueTable,
    Objectness,
    ObjectnessTables,
)
from boxlens.studies.proposals.generators.objectness_cues import (
    SCALES,
    STEPS,
    colour_contrast,
    draw_windows,
    saliency_map,
    straddling,
    window_scores,
)
from boxlens.studies.proposals.generators.objectness_training import on_objects, train_objectness

THRESHOLDS = (0.43, 0.32, 0.34, 0.35, 0.26)
GROUND = (90, 140, 90)


def drawing(seed: int, n_objects: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Plain rectangles on a plain ground with a little noise, and their boxes."""
    chance = np.random.default_rng(seed)
    image = np.full((90, 120, 3), GROUND, dtype=np.int16)
    boxes = []
    for number in range(n_objects):
        w, h = chance.integers(22, 40, 2)
        x, y = chance.integers(4, 58 - w // 2) + 60 * number % 120, chance.integers(4, 86 - h)
        x = min(x, 119 - w)
        image[y : y + h, x : x + w] = ((210, 50, 40), (40, 70, 220))[(seed + number) % 2]
        boxes.append([x, y, w, h])
    noise = chance.integers(-5, 6, image.shape)
    return (image + noise).clip(0, 255).astype(np.uint8), np.array(boxes, dtype=np.float64)


def ious(boxes: np.ndarray, box: np.ndarray) -> np.ndarray:
    low = np.maximum(boxes[:, :2], box[:2])
    high = np.minimum(boxes[:, :2] + boxes[:, 2:], box[:2] + box[2:])
    common = np.maximum(high - low, 0).prod(axis=1)
    return common / (boxes[:, 2:].prod(axis=1) + box[2:].prod() - common)


@pytest.fixture(scope="module")
def shipped() -> Objectness:
    return Objectness()


@pytest.fixture(scope="module")
def learnt(tmp_path_factory) -> Objectness:
    folder = tmp_path_factory.mktemp("drawn")
    records = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "thing"}]}
    for seed in range(4):
        image, boxes = drawing(seed, 2)
        Image.fromarray(image).save(folder / f"{seed}.png")
        records["images"].append(
            {"id": seed, "file_name": f"{seed}.png", "width": 120, "height": 90}
        )
        for box in boxes.tolist():
            number = len(records["annotations"]) + 1
            record = {"id": number, "image_id": seed, "category_id": 1, "bbox": box, "iscrowd": 0}
            records["annotations"].append(record | {"area": box[2] * box[3]})
    (folder / "gt.json").write_text(json.dumps(records))
    dataset = read_dataset(folder / "gt.json")
    files, _ = find_images(folder, dataset=dataset)
    steps = []
    made = train_objectness(
        dataset, files, seed=3, progress=lambda _, done, total: steps.append((done, total))
    )
    assert steps[-1] == (4, 4)
    return made


def test_the_saliency_map_is_the_spectral_residual_of_plain_loops():
    channel = np.random.default_rng(1).integers(0, 256, (16, 16), dtype=np.uint8)
    spectrum = np.fft.fft2(channel / 255)
    log_amplitude = np.log(np.abs(spectrum))
    changed = np.zeros((16, 16), dtype=complex)
    for y in range(16):
        for x in range(16):
            # Beyond the border the nearest value counts again.
            around = [
                log_amplitude[min(max(y + dy, 0), 15), min(max(x + dx, 0), 15)]
                for dy in (-1, 0, 1)
                for dx in (-1, 0, 1)
            ]
            residual = log_amplitude[y, x] - sum(around) / 9
            changed[y, x] = cmath.exp(complex(residual, cmath.phase(spectrum[y, x])))
    raw = np.abs(np.fft.ifft2(changed)) ** 2
    fine = [(i + 0.5) / 40 - 3.5 for i in range(280)]
    disk = np.zeros((7, 7))
    for i, y in enumerate(fine):
        for j, x in enumerate(fine):
            disk[i // 40, j // 40] += x * x + y * y <= 9
    padded = np.pad(raw, 3)
    smooth = np.array(
        [[(padded[y : y + 7, x : x + 7] * disk).sum() for x in range(16)] for y in range(16)]
    )
    expected = (smooth - smooth.min()) / (smooth.max() - smooth.min())
    np.testing.assert_allclose(saliency_map(channel, 16), expected, atol=2e-3)


def test_scores_of_windows_equal_plain_loops():
    saliency = np.random.default_rng(2).random((6, 6))
    columns, rows = np.triu_indices(7, k=2), np.triu_indices(7, k=3)
    scores = window_scores(saliency, 0.6, columns, rows)
    for i, (left, right) in enumerate(zip(*columns, strict=True)):
        for j, (top, bottom) in enumerate(zip(*rows, strict=True)):
            cells = saliency[top:bottom, left:right].ravel()
            salient = [value for value in cells if value >= 0.6]
            expected = sum(salient) * len(salient) / len(cells)
            assert scores[i, j] == pytest.approx(expected, abs=1e-12)


def test_windows_are_drawn_as_often_as_their_saliency_says():
    image, _ = drawing(5)
    drawn = draw_windows(image, THRESHOLDS, 30_000, np.random.default_rng(0))
    assert len(drawn.steps) == len(drawn.saliency) == 30_000
    # As many from every scale and channel; the first are of the coarsest scale's red.
    share = 30_000 // (3 * len(SCALES))
    columns, rows = np.triu_indices(17, k=2), np.triu_indices(17, k=2)
    scores = window_scores(saliency_map(image[..., 0], 16), THRESHOLDS[0], columns, rows)
    assert drawn.saliency[:share].mean() == pytest.approx(
        (scores**2).sum() / scores.sum(), rel=0.03
    )
    assert (drawn.saliency > 0).all()
    assert (drawn.steps[:share] % (STEPS // 16) == 0).all()
    sides = drawn.corners_px(120, 90)[:, 2:] - drawn.corners_px(120, 90)[:, :2]
    assert (sides >= 10 - 120 / 16).all()


def test_colour_contrast_equals_plain_loops():
    chance = np.random.default_rng(3)
    image = chance.integers(0, 256, (9, 12, 3), dtype=np.uint8)
    image[2:6, 3:8] = (250, 20, 20)
    corners = np.array([[3, 2, 8, 6], [0, 0, 12, 9], [1.4, 0.6, 6.3, 4.2], [9, 6, 12, 9.0]])
    contrast = colour_contrast(image, corners, 100.0)
    for found, (left, top, right, bottom) in zip(contrast, corners, strict=True):
        half_w, half_h = (right - left) / 2, (bottom - top) / 2
        inner = [math.floor(side + 0.5) for side in (left, top, right, bottom)]
        ring = [max(left - half_w, 0), max(top - half_h, 0)]
        ring += [min(right + half_w, 12), min(bottom + half_h, 9)]
        outer = [math.floor(side + 0.5) for side in ring]
        inside, outside = {}, {}
        for y in range(outer[1], outer[3]):
            for x in range(outer[0], outer[2]):
                within = inner[0] <= x < inner[2] and inner[1] <= y < inner[3]
                counts = inside if within else outside
                colour = lab_bin(image[y, x])
                counts[colour] = counts.get(colour, 0) + 1
        assert found == pytest.approx(chi_square(inside, outside), abs=1e-12)


def lab_bin(pixel: np.ndarray) -> tuple[int, int, int]:
    """CIE Lab of sRGB under D65, in 4 x 8 x 8 bins."""
    linear = [
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
        for v in pixel.astype(float) / 255
    ]
    weights = (
        (0.412453, 0.357580, 0.180423),
        (0.212671, 0.715160, 0.072169),
        (0.019334, 0.119193, 0.950227),
    )
    white = (0.950456, 1.0, 1.088754)
    x, y, z = (
        sum(w * v for w, v in zip(row, linear, strict=True)) / of
        for row, of in zip(weights, white, strict=True)
    )
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    values = (116 * fy - 16) / 25, (500 * (fx - fy) + 120) / 30, (200 * (fy - fz) + 120) / 30
    most = (3, 7, 7)
    return tuple(min(max(int(v // 1), 0), n) for v, n in zip(values, most, strict=True))


def chi_square(one: dict, other: dict) -> float:
    if not one or not other:
        return 0.0
    n_one, n_other = sum(one.values()), sum(other.values())
    total = 0.0
    for colour in one.keys() | other.keys():
        p, q = one.get(colour, 0) / n_one, other.get(colour, 0) / n_other
        total += (p - q) ** 2 / (p + q)
    return total


# More labels than are counted at a time, and few.
@pytest.mark.parametrize("n_labels", [5, 700])
def test_straddling_equals_plain_loops(n_labels):
    chance = np.random.default_rng(4)
    labels = chance.integers(0, n_labels, (30, 40)).astype(np.int32)
    low = chance.uniform(0, [20, 15], (6, 2))
    corners = np.hstack([low, low + chance.uniform(3, 14, (6, 2))])
    found = straddling(labels, corners)
    for value, corner in zip(found, corners, strict=True):
        left, top, right, bottom = (math.floor(side + 0.5) for side in corner)
        cut = 0
        for label in range(n_labels):
            whole = int((labels == label).sum())
            inside = int((labels[top:bottom, left:right] == label).sum())
            cut += min(inside, whole - inside)
        assert value == pytest.approx(1 - cut / ((right - left) * (bottom - top)))


def test_naive_bayes_multiplies_likelihoods():
    table = CueTable((0.5,), (0.2, 0.8), (0.6, 0.4))
    other = CueTable((1.0, 2.0), (0.5, 0.3, 0.2), (0.1, 0.1, 0.8))
    tables = ObjectnessTables(0.25, (table, other, table))
    values = {"saliency": [0.7], "contrast": [1.0], "straddling": [0.1]}
    on, off = 0.25 * 0.8 * 0.3 * 0.2, 0.75 * 0.4 * 0.1 * 0.6
    found = tables.posterior({name: np.array(value) for name, value in values.items()})
    assert found == pytest.approx([on / (on + off)])


@pytest.mark.parametrize("seed", [11, 12])
def test_a_drawn_object_is_among_the_first_ten_windows(shipped, seed):
    image, boxes = drawing(seed)
    found, _ = shipped.propose(image, 10)
    assert ious(found, boxes[0]).max() >= 0.5


def test_windows_are_apart_and_scores_are_chances(shipped):
    image, _ = drawing(13, 2)
    boxes, scores = replace(shipped, n_windows=4000).propose(image, 300)
    assert len(boxes) > 20
    assert ((scores > 0) & (scores < 1)).all()
    for row, box in enumerate(boxes):
        assert (ious(boxes[:row], box) <= 0.5).all()


def test_suppression_equals_that_of_detectors(shipped):
    image, _ = drawing(14)
    few = replace(shipped, n_windows=3000)
    found = few.measured(image)
    rows = suppress(found.box, few.tables.posterior(found.cues), iou=0.5)
    np.testing.assert_array_equal(few.propose(image, 10_000)[0], found.box[rows])


def test_what_is_learnt_tells_objects_from_background(learnt):
    image, boxes = drawing(21)
    found = replace(learnt, n_windows=5000).measured(image)
    posterior = learnt.tables.posterior(found.cues)
    on = on_objects(found.box, boxes)
    np.testing.assert_array_equal(on, ious(found.box, boxes[0]) >= 0.5)
    assert posterior[on].mean() > 2 * posterior[~on].mean()
    best = replace(learnt, n_windows=5000).propose(image, 10)[0]
    assert ious(best, boxes[0]).max() >= 0.5


def test_tables_are_distributions_and_survive_a_file(learnt, tmp_path):
    assert 0 < learnt.tables.prior < 0.5
    assert learnt.tables.trained_on.endswith("4 pictures with 8 boxes")
    for cue in learnt.tables.cues:
        assert sum(cue.on_objects) == pytest.approx(1)
        assert sum(cue.elsewhere) == pytest.approx(1)
        assert min(*cue.on_objects, *cue.elsewhere) > 0
    document = json.loads(json.dumps(learnt.tables.to_json()))
    back = ObjectnessTables.of_json(document)
    assert back.to_json() == document
    write_generator(learnt, tmp_path / "generator.json", made_from={})
    opened = read_generator(tmp_path / "generator.json", seed=7)
    assert (opened.seed, opened.tables) == (7, back)


def test_the_tables_that_are_shipped_say_what_they_were_trained_on(shipped):
    assert "LVIS" in shipped.tables.trained_on
    assert 0.01 < shipped.tables.prior < 0.2
    assert len(shipped.tables.cues) == len(CUES)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prior": 1.5}, "prior"),
        ({"thresholds": [0.5]}, "5 scales"),
        ({"cues": {}}, "edges"),
        ({"cues": None}, "no tables"),
    ],
)
def test_files_of_another_kind_are_refused(shipped, tmp_path, change, message):
    path = tmp_path / "generator.json"
    write_generator(shipped, path, made_from={})
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"learned": document["learned"] | change}))
    with pytest.raises(InputError, match=message) as problem:
        read_generator(path)
    assert problem.value.path == str(path)
