"""Generators as files: what is written is what is read; what is wrong is told."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from boxlens.errors import InputError, ParameterError
from boxlens.studies.proposals.generators.bing import MODEL_FILES
from boxlens.studies.proposals.generators.generator_files import (
    SCHEMA,
    read_generator,
    write_generator,
)
from boxlens.studies.proposals.generators.opening import GENERATORS, open_generator
from boxlens.studies.proposals.generators.sliding_window import SlidingWindow
from shared_data import shared

CHANGED = {
    "uniform": {"x_low": 0.25},
    "gaussian": {"rule": "clipped", "mean_x": 0.4},
    "sliding-window": {"sizes": ((64, 32), (16, 16))},
    "selective-search": {"strategy": "published", "min_side_px": 7},
    "edge-boxes-ar": {"beta": 0.85, "max_boxes": 77},
}


def written(path, **fields):
    document = {"schema": SCHEMA, "generator": "edge-boxes", "settings": {}} | fields
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("word", [word for word in GENERATORS if ":" not in word])
def test_every_generator_survives_its_file(tmp_path, word):
    generator = replace(open_generator(word), **CHANGED.get(word, {}))
    path = tmp_path / "g.json"
    write_generator(generator, path, made_from={"dataset": "d", "n_images": 7})
    again = read_generator(path)
    assert again == generator
    assert again.identity == generator.identity
    assert open_generator(f"{word}:{path}") == generator
    assert json.loads(path.read_text())["made_from"] == {"dataset": "d", "n_images": 7}


def test_who_reads_chooses_the_seed(tmp_path):
    write_generator(open_generator("uniform", seed=5), tmp_path / "g.json.gz", made_from={})
    assert read_generator(tmp_path / "g.json.gz").seed == 0
    assert open_generator(f"uniform:{tmp_path / 'g.json.gz'}", seed=9).seed == 9


def test_settings_that_are_not_named_are_the_usual_ones(tmp_path):
    made = read_generator(written(tmp_path / "g.json", settings={"beta": 1}))
    assert (made.beta, made.alpha, type(made.beta)) == (1.0, 0.65, float)
    assert read_generator(written(tmp_path / "g.json", generator="edge-boxes-90")).beta == 0.95


def test_bing_is_the_same_files_again(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    for name in MODEL_FILES:
        (folder / name).write_bytes((shared("models", "bing") / name).read_bytes())
    bing = open_generator(f"bing:{folder}")
    write_generator(bing, tmp_path / "g.json", made_from={})
    assert read_generator(tmp_path / "g.json") == bing
    written(tmp_path / "h.json", generator="bing", settings={"folder": str(folder), "digest": "0"})
    with pytest.raises(InputError, match="not those that it was made with"):
        read_generator(tmp_path / "h.json")
    with pytest.raises(InputError, match="folder of BING's model files"):
        read_generator(written(tmp_path / "h.json", generator="bing"))
    written(tmp_path / "h.json", generator="bing", settings={"folder": str(tmp_path)})
    with pytest.raises(InputError, match="9 of 9 model files"):
        read_generator(tmp_path / "h.json")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"schema": "other/1"}, "expected the schema 'boxlens/generator/1', found 'other/1'"),
        ({"generator": "edges"}, "generator: unknown generator 'edges'; known are uniform"),
        ({"generator": ["edges"]}, "unknown generator"),
        ({"settings": [1]}, "settings: expected an object"),
        ({"settings": {"zeta": 1}}, r"settings\.zeta: unknown setting; known are alpha, beta"),
        ({"settings": {"name": "x"}}, r"settings\.name: unknown setting"),
        ({"settings": {"beta": "1"}}, r"settings\.beta: expected a value of type number, got '1'"),
        ({"settings": {"beta": True}}, r"settings\.beta: expected a value of type number"),
        ({"settings": {"beta": None}}, r"settings\.beta: expected a value of type number"),
        ({"settings": {"max_boxes": 1.5}}, r"settings\.max_boxes: expected .* type int, got 1.5"),
        ({"settings": {"alpha": 7}}, "alpha must be above 0 and below 1"),
        ({"learned": {"weights": []}}, "learned: edge-boxes has nothing to learn"),
        ({"more": 1}, "unknown field 'more'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place_and_a_remedy(tmp_path, fields, problem):
    with pytest.raises(InputError, match=rf"g\.json.*{problem}.*Give a file that"):
        read_generator(written(tmp_path / "g.json", **fields))


@pytest.mark.parametrize("text", ["", "{", "[1]", "7", '{"schema": 1}', "[" * 100_000])
def test_what_is_no_generator_file_is_refused(tmp_path, text):
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(InputError, match=r"g\.json.*(not JSON|no generator file).*Give a file"):
        read_generator(tmp_path / "g.json")


@pytest.mark.parametrize("sizes", [[], [[16]], [[16, 0]], [[16, 16], [16, 16]], [7], [["a", "b"]]])
def test_wrong_sizes_of_windows_are_refused(tmp_path, sizes):
    path = written(tmp_path / "g.json", generator="sliding-window", settings={"sizes": sizes})
    with pytest.raises(InputError, match=r"g\.json"):
        read_generator(path)


def test_a_wrong_table_is_refused(tmp_path):
    path = written(tmp_path / "g.json", generator="randomized-prim", learned={"weights": 7})
    with pytest.raises(InputError, match=r"g\.json.*weights"):
        read_generator(path)


def test_a_file_of_another_generator_is_not_taken(tmp_path):
    write_generator(SlidingWindow(), tmp_path / "g.json", made_from={})
    with pytest.raises(
        InputError, match=r"a file of the generator 'sliding-window', not of 'bing'"
    ):
        open_generator(f"bing:{tmp_path / 'g.json'}")


def test_a_missing_model_is_named(tmp_path):
    path = written(tmp_path / "g.json", settings={"model": str(tmp_path / "none.yml.gz")})
    with pytest.raises(InputError, match=r"none\.yml\.gz: no such file"):
        read_generator(path)


def test_a_generator_of_a_users_own_has_no_file(tmp_path):
    @dataclass(frozen=True)
    class Own:
        name: str = "own"

    with pytest.raises(ParameterError, match="no generator of Boxlens is named 'own'"):
        write_generator(Own(), tmp_path / "g.json", made_from={})
