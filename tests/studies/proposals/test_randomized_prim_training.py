"""What RandomizedPrim's learns from drawn pictures, and its files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data.columns import frozen
from boxlens.errors import InputError
from boxlens.images import find_images
from boxlens.studies.proposals.generators.generator_files import read_generator, write_generator
from boxlens.studies.proposals.generators.randomized_prim import RandomizedPrim
from boxlens.studies.proposals.generators.randomized_prim_tables import PrimTables, PrimWeights
from boxlens.studies.proposals.generators.randomized_prim_training import train_randomized_prim

SIDE = 128


@pytest.fixture(scope="module")
def lessons(tmp_path_factory):
    """Objects of similar colours on a ground of similar colours."""
    from PIL import Image

    folder = tmp_path_factory.mktemp("lessons")
    chance = np.random.default_rng(0)
    rows = []
    for number in range(1, 5):
        pixels, box = lesson(chance)
        Image.fromarray(pixels).save(folder / f"{number}.png")
        rows.append((number - 1, box))
    images, _ = boxlens.Images.of(
        range(1, 5), [SIDE] * 4, [SIDE] * 4, [f"{n}.png" for n in range(1, 5)]
    )
    gt = boxlens.GroundTruth.of(
        4, image_row=[row for row, _ in rows], class_row=[0] * 4, box=[box for _, box in rows]
    )
    dataset = boxlens.Dataset("lessons", images, boxlens.Classes.of([1], ["thing"]), gt)
    return dataset, find_images(folder, dataset=dataset)[0]


def lesson(chance: np.random.Generator) -> tuple[np.ndarray, list[float]]:
    """Tiles of 16 pixels; those of the object have its colours, so have those of the ground."""
    ground, thing = np.array([60, 120, 60]), np.array([200, 60, 50])
    pixels = np.empty((SIDE, SIDE, 3), dtype=np.uint8)
    left, top = 16 * chance.integers(1, 4, 2)
    side = 16 * int(chance.integers(2, 5))
    for y in range(0, SIDE, 16):
        for x in range(0, SIDE, 16):
            inside = left <= x < left + side and top <= y < top + side
            shade = (thing if inside else ground) + 22 * ((x + y) // 16 % 2)
            tile = shade + chance.integers(-9, 10, (16, 16, 3))
            pixels[y : y + 16, x : x + 16] = tile.clip(0, 255)
    return pixels, [float(left), float(top), float(side), float(side)]


@pytest.fixture(scope="module")
def trained(lessons):
    """A generator that learnt, and what was told meanwhile."""
    told = []
    generator = train_randomized_prim(*lessons, seed=7, progress=lambda *step: told.append(step))
    return generator, told


def test_neighbours_of_like_colours_are_learnt_to_be_of_one_object(trained):
    generator, told = trained
    assert generator.seed == 7
    assert generator.tables.weights.colour > 0
    alike, unlike = generator.tables.similarity(np.array([[0.9, 0.25, 0.9], [0.0, 0.25, 0.9]]))
    assert alike > 0.5 > unlike
    assert "4 pictures with 4 boxes" in generator.tables.trained_on
    assert told[-1] == ("learning from pictures", 4, 4)


def test_the_table_of_sizes_is_the_distribution_of_objects(lessons, trained):
    sizes = trained[0].tables.sizes
    roots = np.sort(lessons[0].gt.box[:, 2] / SIDE)
    for step, share in enumerate(sizes):
        assert share == np.mean(roots <= step / (len(sizes) - 1))


def test_training_is_the_same_each_time_and_its_generator_works(lessons, trained):
    assert train_randomized_prim(*lessons, seed=7) == trained[0]
    boxes, _ = trained[0].propose(lesson(np.random.default_rng(9))[0], 50)
    assert len(boxes) > 0


def test_crowds_and_groups_are_no_objects(lessons):
    dataset, files = lessons
    for column in ("crowd", "group_of"):
        marked = replace(dataset.gt, **{column: frozen([True] * 4, np.bool_)})
        with pytest.raises(InputError, match="no objects"):
            train_randomized_prim(replace(dataset, gt=marked), files)


def test_objects_that_are_the_whole_picture_teach_nothing(lessons):
    dataset, files = lessons
    whole = replace(dataset.gt, box=frozen([[0, 0, SIDE, SIDE]] * 4, np.float64))
    with pytest.raises(InputError, match="no superpixels"):
        train_randomized_prim(replace(dataset, gt=whole), files)


def test_shipped_tables_prefer_neighbours_of_one_colour_and_a_long_border():
    tables = RandomizedPrim().tables
    similarity = tables.similarity(np.array([[0.0, 0.1, 0.99], [0.8, 0.1, 0.99], [0.8, 0.6, 0.99]]))
    assert (np.diff(similarity) > 0).all()
    assert tables.size_stop()[0] == 0
    assert tables.size_stop()[-1] == 1
    assert (np.diff(tables.size_stop()) >= 0).all()
    assert "LVIS" in tables.trained_on


def test_tables_survive_a_file(tmp_path):
    tables = PrimTables(PrimWeights(-1.5, 2.25, 0.125, 3), (0.0, 0.25, 1.0), "two pictures")
    path = tmp_path / "generator.json"
    write_generator(RandomizedPrim(tables=tables), path, made_from={})
    opened = read_generator(path, seed=5)
    assert opened.tables == tables
    assert opened.identity != RandomizedPrim(seed=5).identity


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "expected an object"),
        ("{}", "weights: expected the numbers bias, colour, border, size"),
        ('{"weights": {"bias": 1, "colour": 1, "border": 1, "size": NaN}}', "weights"),
        ('{"weights": {"bias": true, "colour": 1, "border": 1, "size": 1}}', "weights"),
        ('{"weights": {"bias": 1, "colour": 1, "border": 1, "size": 1}}', "sizes"),
        (
            '{"weights": {"bias": 1, "colour": 1, "border": 1, "size": 1}, "sizes": [0, 0.5, 0.4, 1]}',
            "ascend",
        ),
    ],
)
def test_damaged_tables_are_refused_with_their_file(tmp_path, text, problem):
    path = tmp_path / "generator.json"
    write_generator(RandomizedPrim(), path, made_from={})
    path.write_text(json.dumps(json.loads(path.read_text()) | {"learned": json.loads(text)}))
    with pytest.raises(InputError, match=problem) as told:
        read_generator(path)
    assert told.value.path == str(path)


def test_extreme_weights_do_no_harm():
    tables = PrimTables(PrimWeights(-1e9, 1e9, 0, 0), (0.0, 1.0))
    similarity = tables.similarity(np.array([[0.0, 0.5, 1.0], [1.0, 0.5, 1.0], [0.5, 0.5, 1.0]]))
    assert (similarity > 0).all()
    assert (similarity <= 1).all()
    boxes, _ = RandomizedPrim(tables=tables).propose(lesson(np.random.default_rng(9))[0], 100)
    assert len(boxes) > 0
