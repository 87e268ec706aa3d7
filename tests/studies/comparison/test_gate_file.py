"""Rules, slices and settings from a TOML file, and every mistake in one."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.errors import BoxlensError, InputError
from boxlens.studies.comparison.gating.decision import plan_gate
from boxlens.studies.comparison.gating.file import read_gate_file
from boxlens.studies.comparison.gating.mistakes import Place
from boxlens.studies.comparison.gating.slices import cut, find_slice, slice_recipe
from studies.comparison.gate_worlds import detector, world

WHOLE = """
[gate]
level = 0.9
replicates = 200
seed = 7
protocol = "voc12"

[[rule]]
rule = "mAP >= baseline - 0.01"

[[rule]]
metric = "AP"
of = "cat"
at_least = 0.1

[slices.night]
images = "night.txt"

[slices.pets]
classes = ["cat", "dog"]
"""


@pytest.fixture
def written(tmp_path):
    (tmp_path / "night.txt").write_text("3\n\n 5 \n", encoding="utf-8")

    def write(text: str):
        path = tmp_path / "rules.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_file_is_read_whole(written):
    file = read_gate_file(written(WHOLE))
    assert [str(rule) for rule in file.rules] == ["mAP >= baseline - 0.01", "AP of cat >= 0.1"]
    assert file.settings == {"level": 0.9, "replicates": 200, "seed": 7, "protocol": "voc12"}
    assert set(file.slices) == {"night", "pets"}
    assert file.slices["night"].value == ["3", "5"]


def test_arguments_win_over_the_file(written):
    path = written(WHOLE)
    plan = plan_gate(["mAP >= 0.1"], path, {}, {"level": 0.99, "seed": 0})
    assert [str(rule) for rule in plan.rules][-1] == "mAP >= 0.1"
    assert len(plan.rules) == 3
    choice = plan.resampling
    assert (choice.level, choice.seed, choice.n_replicates) == (0.99, 0, 200)
    assert plan.evaluation.protocol == "voc12"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[gate\n", "not TOML"),
        ("[gate]\nlevel = 0.9\nlevel = 0.8\n", "not TOML"),
        ("[[rules]]\nrule = 'AP >= 0'\n", "no section is called 'rules'. Did you mean 'rule'?"),
        ("level = 0.9\n", "no section is called 'level'"),
        ("[rule]\nrule = 'AP >= 0.1'\n", "Begin each with a line [[rule]]"),
        ("rule = ['AP >= 0.1']\n", "Begin each with a line [[rule]]"),
        ("[[rule]]\nrule = 'AP >= 0.1'\n[[rule]]\nrule = 'AP'\n", "rule 2: a rule compares"),
        ("[gate]\nreplicate = 5\n", "Did you mean 'replicates'?"),
        ("[gate]\nreplicates = 'many'\n", "gate: replicates is a whole number, got 'many'"),
        ("[gate]\nreplicates = 1.5\n", "replicates is a whole number"),
        ("[gate]\nseed = true\n", "seed is a whole number, got True"),
        ("[gate]\nprotocol = 1\n", "protocol is a text"),
        ("gate = 1\n", "Begin them with a line [gate]"),
        ("slices = 1\n", "Begin each with [slices.NAME]"),
        ("[slices]\nnight = 1\n", "slice night: a slice is a table"),
        ("[slices.night]\n", "exactly one of classes, supercategory, images, attribute, got 0"),
        ("[slices.a]\nclasses = ['cat']\nimages = [1]\n", "exactly one of"),
        ("[slices.a]\nclass = ['cat']\n", "Did you mean 'classes'?"),
        ("[slices.a]\nclasses = 'cat'\n", "classes is a list of names, got 'cat'"),
        ("[slices.a]\nclasses = [1]\n", "classes is a list of names"),
        ("[slices.a]\nclasses = []\n", "classes is an empty list"),
        ("[slices.a]\nimages = [1.5]\n", "images is a list of ids"),
        ("[slices.a]\nimages = []\n", "images is an empty list"),
        ("[slices.a]\nimages = 'nowhere.txt'\n", "no such file"),
        ("[slices.a]\nimages = 'empty.txt'\n", "lists no image"),
        ("[slices.a]\nsupercategory = ['x']\n", "supercategory is a text"),
        ("[slices.a]\nattribute = 'light'\n", "attribute is a table"),
        ("[slices.a]\nattribute = {name = 'light'}\n", "has a name (a text) and a value"),
        ("[slices.a]\nattribute = {name = 'light', values = 1}\n", "Did you mean 'value'?"),
        ("[slices.a]\nattribute = {name = 'light', value = [1]}\n", "a text, a number or a flag"),
    ],
)
def test_a_mistake_is_told_with_its_file(written, tmp_path, text, told):
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    path = written(text)
    with pytest.raises(InputError) as error:
        read_gate_file(path)
    assert told in str(error.value)
    assert str(tmp_path) in str(error.value)


def test_a_missing_file_and_one_that_is_no_text_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_gate_file(tmp_path / "nowhere.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_gate_file(tmp_path / "bytes.toml")


def found(fields, dataset):
    return find_slice(slice_recipe(fields, Place("slice a")), dataset)


def test_slices_of_classes_are_rows():
    dataset = world(12)
    assert found({"classes": ["dog"]}, dataset).class_rows == (1,)
    assert found({"supercategory": "animal"}, dataset).class_rows == (0, 1)


def test_a_slice_of_images_holds_their_objects_and_detections():
    dataset = world(12)
    part, (table,) = cut(
        dataset, [detector(dataset, "a", 1.0)], found({"images": [3, "7"]}, dataset)
    )
    assert part.images.id.tolist() == [3, 7]
    assert len(part.gt) == 8
    assert len(table) == 10


@pytest.mark.parametrize(
    ("name", "value", "counts"),
    [
        ("light", "night", lambda gt: gt.attributes["light"] == "night"),
        ("occluded", 1, lambda gt: gt.attributes["occluded"] == 1),
        ("occluded", True, lambda gt: gt.attributes["occluded"] == 1),
        ("occluded", "0", lambda gt: gt.attributes["occluded"] == 0),
    ],
)
def test_a_slice_by_attribute_ignores_other_objects_and_keeps_detections(name, value, counts):
    dataset = world(12)
    table = detector(dataset, "a")
    fields = {"attribute": {"name": name, "value": value}}
    part, (kept,) = cut(dataset, [table], found(fields, dataset))
    assert np.array_equal(~part.gt.difficult, counts(dataset.gt))
    assert kept is table
    assert not dataset.gt.difficult.any()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"classes": ["cot"]}, "no class is called 'cot'. Did you mean 'cat'?"),
        ({"supercategory": "plants"}, "no supercategory is called 'plants'. Known: animal"),
        ({"images": [3, 99, 100]}, "no image with the id '99' (and 1 more are unknown)"),
        ({"attribute": {"name": "lihgt", "value": 1}}, "Did you mean 'light'?"),
        ({"attribute": {"name": "light", "value": "dusk"}}, "Known: day, night"),
        ({"attribute": {"name": "occluded", "value": 3}}, "Known: 0, 1"),
        ({"attribute": {"name": "occluded", "value": "yes"}}, "Known: 0, 1"),
    ],
)
def test_names_that_the_data_does_not_have_are_refused(fields, told):
    with pytest.raises(BoxlensError) as error:
        found(fields, world(12))
    assert told in str(error.value)


def test_a_name_of_two_classes_is_refused():
    with pytest.raises(BoxlensError, match="2 classes are called 'cat'"):
        found({"classes": ["cat"]}, world(12, ("cat", "cat")))
