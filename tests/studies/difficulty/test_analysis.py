"""`difficulty()`: mistakes are told before long work, names are apart, windows are kept."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.errors import ParameterError
from boxlens.studies.comparison.together.joint_bound import joint_bound
from boxlens.studies.difficulty import DifficultyChoice, check_asked, know_classes
from studies.diagnosis.worlds import random_world
from studies.difficulty.made_classes import made_properties


def a_world():
    """Two images with a cat and two dogs, and a detector."""
    images, _ = Images.of([1, 2], [64.0, 64.0], [48.0, 48.0], ["1.png", "2.png"])
    classes = Classes.of([1, 2], ["cat", "dog"], supercategory=["pet", "pet"])
    box = [[0, 0, 20, 20], [30, 10, 20, 20], [5, 5, 40, 40]]
    gt = GroundTruth.of(2, image_row=[0, 0, 1], class_row=[0, 1, 1], box=box)
    table = Detections.of(
        "it", 2, image_row=[0, 1], class_row=[0, 1], box=box[::2], score=[0.9, 0.8]
    )
    return Dataset("pets", images, classes, gt), table


@pytest.mark.parametrize(
    ("choice", "given", "told"),
    [
        ({"nodes": ("animal",)}, {}, "no node 'animal'"),
        ({"nodes": ("pet",)}, {"tree": "none"}, "--tree"),
        ({"nest": (("kind", "size"),)}, {}, "--properties"),
        ({"nest": (("kind", "hue"),)}, {"properties": "class,kind\ncat,a\ndog,b\n"}, "--nest,"),
        ({"nest": (("kind", "kind"),)}, {"properties": "class,kind\ncat,a\ndog,b\n"}, "twice"),
        ({"match": (("cpl", None),)}, {}, "needs a target"),
    ],
)
def test_what_the_classes_cannot_answer_is_refused_before_windows_are_looked_for(
    tmp_path, choice, given, told
):
    if "properties" in given:
        path = tmp_path / "table.csv"
        path.write_text(given["properties"], encoding="utf-8")
        given = {"properties": path}
    dataset, table = a_world()
    with pytest.raises(ParameterError, match=told):
        boxlens.difficulty(
            dataset,
            [table],
            windows="sliding-window",
            images=tmp_path / "nowhere",
            **choice,
            **given,
        )


def test_quantities_called_like_measures_are_refused():
    dataset, _ = a_world()
    properties = made_properties(cpl=range(20))
    knowledge = replace(know_classes(dataset), properties=properties)
    with pytest.raises(ParameterError, match="name of a measure, 'cpl'"):
        check_asked(dataset, knowledge, DifficultyChoice(), 1)


def test_what_the_classes_can_answer_is_not_refused():
    dataset, _ = a_world()
    choice = DifficultyChoice(
        nodes=("pet", "dog"), nest=(("kind", "size"),), match=(("cpl", 0.1), ("scale", None))
    )
    properties = made_properties(kind=["a", "b"], size=["S", "S"])
    check_asked(dataset, replace(know_classes(dataset), properties=properties), choice, 2)


def test_data_sets_and_systems_of_one_name_are_told_apart(tmp_path):
    dataset, table = a_world()
    for name in ("it.csv", "it (2).csv"):
        (tmp_path / name).write_text("image,class\n1,cat\n", encoding="utf-8")
    guesses = [tmp_path / "it.csv", tmp_path / "it (2).csv"]
    result = boxlens.difficulty([dataset, dataset], [table, table], guesses=guesses)
    assert [one.name for one in result.datasets] == ["pets", "pets (2)"]
    names = ["it", "it (2)", "it (3)", "it (2) (2)"]
    assert [one.name for one in result.systems] == names
    assert list(dict.fromkeys(row.system for row in result.levels)) == names


def test_windows_of_a_method_stay_and_are_used_again(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="needs the extra images")
    dataset, _ = a_world()
    (tmp_path / "pictures").mkdir()
    for name in dataset.images.file_name:
        image.new("RGB", (64, 48)).save(tmp_path / "pictures" / name)
    steps = []

    def run():
        steps.clear()
        return boxlens.difficulty(
            dataset,
            windows="sliding-window",
            images=tmp_path / "pictures",
            keep=str(tmp_path / "kept"),
            progress=lambda step, done, total: steps.append(step),
        )

    first = run()
    searching = set(steps)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}
    assert times
    second = run()
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()} == times
    assert searching - set(steps)
    assert first.to_json() == second.to_json()


@pytest.mark.parametrize("seed", range(20))
def test_a_group_of_all_classes_and_a_node_of_all_have_the_systems_own_means(seed, tmp_path):
    dataset, table, _ = random_world(seed, n_classes=5)
    names = dataset.classes.name
    (tmp_path / "table.csv").write_text("".join(["class,kind\n", *(f"{n},a\n" for n in names)]))
    (tmp_path / "tree.csv").write_text("".join(["child,parent\n", *(f"{n},top\n" for n in names)]))
    result = boxlens.difficulty(
        dataset,
        [table],
        tree=tmp_path / "tree.csv",
        properties=tmp_path / "table.csv",
        nodes=("top",),
    )
    (system,), (node,) = result.systems, result.nodes
    np.testing.assert_equal(dict(node.exact_scores), dict(system.scores))
    np.testing.assert_equal(dict(result.levels[0].scores), dict(system.scores))
    for row in result.properties:
        assert row.groups[0].mean == system.scores[row.score]


@pytest.mark.slow
def test_many_classes_without_a_tree_need_no_table_of_pairs():
    n = 20_000
    dataset, table = a_world()
    classes = Classes.of(range(n), [f"class {at}" for at in range(n)])
    tracemalloc.start()
    result = boxlens.difficulty(replace(dataset, classes=classes), [table])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.systems[0].scores["cls"] == 0.75
    assert peak < n * n / 4


@pytest.mark.parametrize(
    "wrong", [{"match": ["cpl=0.1"]}, {"match": ("cpl", 0.1)}, {"nest": ("a", "b")}]
)
def test_pairs_are_asked_for_in_lists(wrong):
    with pytest.raises(ParameterError, match="list of pairs"):
        boxlens.difficulty(a_world()[0], **wrong)


def test_one_of_a_kind_needs_no_list():
    dataset, table = a_world()
    alone = boxlens.difficulty(dataset, table, nodes="pet")
    listed = boxlens.difficulty([dataset], [table], nodes=["pet"])
    assert alone.to_json() == listed.to_json()
    assert alone.nodes


def test_one_data_set_is_in_the_envelope_and_several_are_in_the_results():
    dataset, _ = a_world()
    alone = boxlens.difficulty(dataset).to_json()
    assert list(alone) == ["schema", "provenance", "parameters", "dataset", "notices", "results"]
    assert list(alone["dataset"]) == ["name", "n_images", "n_objects", "n_classes"]
    both = boxlens.difficulty([dataset, dataset]).to_json()
    assert both["dataset"] is None
    assert len(both["results"]["datasets"]) == 2


@pytest.mark.parametrize("seed", range(20))
def test_a_comparison_counts_guesses_alike(seed):
    """Its joint bound and the upper bound here are the same number, counted in two rooms."""
    dataset, first, _ = random_world(seed)
    second = replace(first, name="other", score=first.score[::-1].copy())
    result = boxlens.difficulty(dataset, [first, second])
    scores = np.zeros((2, len(dataset.images)))
    bound = joint_bound(dataset, [first, second], image_scores=scores)
    for system, guesses in zip(result.systems, bound.guesses, strict=True):
        found = [one.scores["cls_loc"] for one in system.classes]
        np.testing.assert_array_equal(found, guesses.classes)
    together = [one.scores["cls_loc"] for one in result.upper_bound.classes]
    np.testing.assert_array_equal(together, bound.joint_guesses.classes)


def test_what_is_not_measured_cannot_be_matched():
    dataset, _ = a_world()
    with pytest.raises(ParameterError, match=r"clutter of pets is undefined.*windows"):
        boxlens.difficulty(dataset, match=(("clutter", 3.0),))
    with pytest.raises(ParameterError, match="at least one data set"):
        boxlens.difficulty([])
    with pytest.raises(ParameterError, match="number"):
        DifficultyChoice(match=(("cpl", "8.7%"),))


def test_the_bound_has_a_name_of_its_own():
    dataset, table = a_world()
    result = boxlens.difficulty(dataset, [table, replace(table, name="upper bound")])
    assert [one.name for one in result.systems] == ["it", "upper bound"]
    assert result.upper_bound.name == "upper bound of all"
