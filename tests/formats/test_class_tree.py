"""Class trees from files of any of the forms people keep them in, and from supercategories."""

from __future__ import annotations

import gzip
import json

import pytest

from boxlens.data import Classes, ClassTree
from boxlens.errors import InputError
from boxlens.formats.class_tree import known_tree, read_class_tree, supercategory_tree
from shared_data import shared
from studies.diagnosis.worlds import demo_dataset, demo_records

CLASSES = Classes.of([1, 2, 3, 40], ["cat", "dog", "car", "bus"])
PARENTS = {1: ("pet",), 2: ("pet",), 3: ("vehicle",), 40: ("vehicle",)}


def tree_in(tmp_path, text, classes=CLASSES, name="tree"):
    path = tmp_path / name
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return read_class_tree(path, classes)


def refused(tmp_path, text, classes=CLASSES, name="tree"):
    with pytest.raises(InputError) as caught:
        tree_in(tmp_path, text, classes, name)
    assert str(tmp_path / name) in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


def parents_of(named):
    return {node: above for node, above in named.tree.parents.items() if above}


def codes(named):
    return [notice.code for notice in named.notices]


@pytest.mark.parametrize(
    "text",
    [
        '{"cat": "pet", "dog": "pet", "car": "vehicle", "bus": "vehicle"}',
        '{"1": "pet", "2": "pet", "car": ["vehicle"], "bus": "vehicle", "pet": null}',
        '{"cat": ["pet"], "dog": ["pet"], "car": ["vehicle"], "bus": ["vehicle"]}',
        '{"pet": ["cat", "dog"], "vehicle": ["car", "bus"]}',
        "pet: [1, dog]\nvehicle:\n  - car\n  - 40\n",
        "cat: pet\ndog: pet\ncar: vehicle\nbus: vehicle\n",
        "child,parent\ncat,pet\ndog,pet\ncar,vehicle\nbus,vehicle\npet,\n",
        "Child, Parent\n\n1, pet\n2, pet\n3, vehicle\n40, vehicle\n",
        '[{"id": "pet", "children": [{"id": "cat"}, {"id": 2}]}, {"id": "vehicle", "children": [3, 40]}]',
        """[{"id": "pet", "children": ["a", "b"]}, {"id": "a", "names": ["kitten", "cat"]},
        {"id": "b", "name": "dog"}, {"name": "vehicle", "children": ["car", "bus"]}]""",
        """[{"LabelName": "pet", "Subcategory": [{"LabelName": "cat"}, {"LabelName": "dog"}]},
        {"LabelName": "vehicle", "Subcategory": [{"LabelName": "3"}, {"LabelName": "bus"}],
        "Part": [{"LabelName": "wheel"}]}]""",
    ],
    ids=range(11),
)
def test_every_form_gives_the_same_tree(tmp_path, text):
    named = tree_in(tmp_path, text)
    assert parents_of(named) == PARENTS
    assert named.notices == ()
    assert named.title(1) == "cat"
    assert named.title("pet") == "pet"
    assert named.title("unheard of") == "unheard of"


def test_groups_without_names_are_numbered(tmp_path):
    named = tree_in(tmp_path, '[["cat", "dog"], ["car", "bus"]]')
    assert named.tree.parents[40] == ("group 2",)


def test_a_csv_is_known_by_its_name_and_may_be_packed(tmp_path):
    path = tmp_path / "tree.csv.gz"
    path.write_bytes(gzip.compress(b"child,parent\n1,pet\n2,pet\n"))
    assert parents_of(read_class_tree(path, CLASSES)) == {1: ("pet",), 2: ("pet",)}
    assert "expected the header child,parent, found class,group" in refused(
        tmp_path, "class,group\ncat,pet\n", name="tree.csv"
    )
    message = refused(tmp_path, "child,parent\ncat,pet\ncar,a,b\n", name="tree.csv")
    assert "line 3" in message
    assert "no class tree" in refused(tmp_path, "child,parent\n", name="tree.csv")


def test_a_class_may_have_several_parents(tmp_path):
    named = tree_in(
        tmp_path, '{"cat": ["pet", "hunter"], "dog": "pet", "car": "thing", "bus": null}'
    )
    assert named.tree.parents[1] == ("pet", "hunter")
    assert named.tree.parents[40] == ()


def test_lists_that_could_be_children_or_parents_are_refused(tmp_path):
    message = refused(tmp_path, '{"cat": ["dog"]}')
    assert "are the lists children or parents?" in message


def test_a_group_may_be_called_like_a_class_in_it(tmp_path):
    for text in (
        '{"cat": ["cat", "dog"], "vehicle": ["car", "bus"]}',
        '{"cat": "cat", "dog": "cat", "car": "vehicle", "bus": "vehicle"}',
    ):
        named = tree_in(tmp_path, text)
        assert named.tree.parents[1] == named.tree.parents[2] == ("any cat",)
        assert named.title("any cat") == "cat"
        assert named.notices == ()


def test_an_inner_node_may_be_a_class(tmp_path):
    named = tree_in(tmp_path, '{"id": "any", "children": [{"id": "cat", "children": [2, 3]}, 40]}')
    assert parents_of(named) == {1: ("any",), 2: (1,), 3: (1,), 40: ("any",)}


def test_a_node_under_two_parents_is_one_node(tmp_path):
    text = [
        {"id": "a", "children": [{"id": "x", "names": ["cat"], "children": []}]},
        {"id": "b", "children": [{"id": "x", "names": ["cat"], "children": []}, {"id": "dog"}]},
    ]
    named = tree_in(tmp_path, text)
    assert named.tree.parents[1] == ("a", "b")
    assert codes(named) == ["class_not_in_tree"]
    assert "classes that are not in the tree (2)" in named.notices[0].message
    assert "car, bus" in named.notices[0].message


def test_only_lists_made_for_a_data_set_tell_which_names_are_no_class(tmp_path):
    named = tree_in(tmp_path, '{"pet": ["cat", "dog", "ferret"], "vehicle": ["car", "bus"]}')
    assert codes(named) == ["unknown_class_in_tree"]
    assert "ferret" in named.notices[0].message
    tree = {"id": "any", "children": ["cat", "dog", "car", "bus", "ferret"]}
    assert tree_in(tmp_path, tree).notices == ()


def test_inner_nodes_do_not_take_the_id_of_a_class(tmp_path):
    # "b" is the name of class "a", so that the node "a" is no class, only called like one.
    classes = Classes.of(["a", "c"], ["b", "c"])
    named = tree_in(tmp_path, '{"b": "a", "c": "a"}', classes)
    assert parents_of(named) == {"a": ("any a",), "c": ("any a",)}
    assert named.title("any a") == "a"


def test_a_name_of_several_nodes_is_the_only_leaf_or_the_first_and_said(tmp_path):
    text = [
        {"id": "n1", "names": ["cat"], "children": [{"id": "n2", "names": ["cat"]}]},
        {"id": "n3", "names": ["dog"]},
        {"id": "n4", "names": ["dog"]},
        {"id": "n5", "names": ["car", "bus"]},
        {"id": "n6", "names": ["bus"]},
    ]
    named = tree_in(tmp_path, text)
    assert named.tree.parents[1] == ("n1",)
    assert "n4" in named.tree.parents
    assert "n3" not in named.tree.parents
    # A first name goes before further names.
    assert named.names[40] == ("bus", "n6")
    assert codes(named) == ["several_nodes_for_class"]
    assert "'dog': n3, n4" in named.notices[0].message


def test_a_node_for_two_classes_is_refused(tmp_path):
    message = refused(tmp_path, '[{"id": "n1", "names": ["cat", "dog"]}]')
    assert "node n1 means two classes, 'cat' and 'dog'" in message


def test_a_tree_of_other_classes_is_refused_with_samples_of_both(tmp_path):
    message = refused(tmp_path, '{"cutlery": ["fork", "spoon"]}')
    assert "fork, spoon" in message
    assert "cat, dog, car, bus" in message


@pytest.mark.parametrize(
    ("text", "ring"),
    [
        ('{"cat": "pet", "pet": "animal", "animal": "pet"}', {"pet", "animal"}),
        ("child,parent\ncat,dog\ndog,cat\n", {"cat", "dog"}),
        ('{"id": "x", "children": [{"id": "cat", "children": ["x"]}]}', {"x", "cat"}),
        ("&node {id: cat, children: [*node]}", {"cat"}),
    ],
)
def test_a_ring_is_refused_and_its_nodes_are_named(tmp_path, text, ring):
    message = refused(tmp_path, text)
    assert "is its own ancestor" in message
    shown = message.partition("ancestor: ")[2].partition(".")[0].split(" < ")
    assert set(shown) == ring
    assert shown[0] == shown[-1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "3",
        "[]",
        "{}",
        '{"pet": [["cat"]]}',
        '{"pet": [null]}',
        '{"pet": {"small": ["cat"]}}',
        '{"cat": 1.5}',
        '{"children": [{"id": "cat"}]}',
        '{"id": 1, "children": 5}',
        '{"id": 1, "children": [{"names": null}]}',
        '[{"id": "cat"}, ["dog"]]',
        "[" * 100_000,
        "pets: [cat, dog",
        "pets: !!python/object/apply:os.getcwd []",
        "\x00\x01",
    ],
    ids=range(17),
)
def test_garbage_is_refused_with_a_remedy(tmp_path, text):
    refused(tmp_path, text)


# --- Known trees


def test_the_demos_tree_holds_all_its_classes(tmp_path):
    named = tree_in(tmp_path, demo_records("class_tree"), demo_dataset().classes)
    assert named.notices == ()
    key = dict(zip(demo_dataset().classes.name, demo_dataset().classes.id.tolist(), strict=True))
    assert named.tree.parents[key["car"]] == ("light vehicle",)
    assert named.tree.ancestors(key["van"]) == {"light vehicle", "vehicle", "thing"}


def test_supercategories_may_be_called_like_classes():
    classes = Classes.of(
        [1, 2, 3, 4],
        ["person", "cat", "dog", "any class"],
        supercategory=["person", "pet", "pet", None],
    )
    named = supercategory_tree(classes)
    assert parents_of(named) == {
        1: ("any person",),
        2: ("pet",),
        3: ("pet",),
        4: ("any any any class",),
        "any person": ("any any class",),
        "pet": ("any any class",),
        "any any any class": ("any any class",),
    }
    assert named.title("any person") == "person"
    assert named.title("any any class") == "any class"
    assert named.tree.cycle() == ()


def test_supercategories_called_like_text_ids_are_nodes_of_their_own():
    classes = Classes.of(["person", "pet"], ["person", "cat"], supercategory=["person", "pet"])
    assert parents_of(supercategory_tree(classes)) == {
        "person": ("any person",),
        "pet": ("any pet",),
        "any person": ("any class",),
        "any pet": ("any class",),
    }


def test_what_classes_tell_themselves():
    assert known_tree(CLASSES) is None
    own = ClassTree({1: ("x",)})
    both = Classes.of([1], ["cat"], supercategory=["pet"], tree=own)
    assert known_tree(both).tree is own
    assert known_tree(both).title(1) == "cat"
    assert known_tree(Classes.of([1], ["cat"], supercategory=["pet"])).tree.parents[1] == ("pet",)


def test_the_tree_of_open_images_knows_labels_and_leaves_parts_without_parent():
    path = shared("trees", "openimages_600.json")
    labels = ["/m/0bl9f", "/m/0242l", "/m/0138tl", "/m/0167gd"]
    named = read_class_tree(
        path, Classes.of(labels, ["entity", "coin", "toy", "balloon"], sort=True)
    )
    assert named.tree.parents["/m/0167gd"] == ("/m/0138tl",)
    assert named.title("/m/0138tl") == "toy"
    assert len(named.tree.parents) == 602
    assert named.notices == ()


def test_the_tree_of_wordnet_matches_by_name_and_says_what_is_unclear():
    path = shared("trees", "ilsvrc1000.json")
    names = ["tabby", "crane", "harp", "no such thing"]
    named = read_class_tree(path, Classes.of([6, 7, 8, 9], names))
    assert "n02121808" in named.tree.ancestors(6)
    assert named.title("n02121808") == "domestic cat"
    assert "house cat" in named.names["n02121808"]
    # The musical instrument is called harp first, the mouth harp only besides.
    assert "n03495258" in named.names[8]
    assert codes(named) == ["class_not_in_tree", "several_nodes_for_class"]
    assert "crane" in named.notices[1].message
