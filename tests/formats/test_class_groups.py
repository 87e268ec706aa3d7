"""Groups of similar classes from files of any of the forms people keep them in."""

from __future__ import annotations

import gzip
import json

import pytest

from boxlens.data import Classes
from boxlens.data.similarity import similar_classes
from boxlens.errors import InputError
from boxlens.formats.class_groups import read_class_groups
from shared_data import shared
from studies.diagnosis.worlds import demo_dataset, demo_records

CLASSES = Classes.of([1, 2, 3, 40], ["cat", "dog", "car", "bus"])
PAIRS = [["cat", "dog"], ["car", "bus"]]


def groups_in(tmp_path, text, classes=CLASSES):
    path = tmp_path / "groups"
    path.write_text(text, encoding="utf-8")
    return read_class_groups(path, classes)


def refused(tmp_path, text, classes=CLASSES):
    with pytest.raises(InputError) as caught:
        groups_in(tmp_path, text, classes)
    assert caught.value.path is not None
    assert str(tmp_path / "groups") in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"pets": ["cat", "dog"], "vehicles": ["car", "bus"]}',
        '[["cat", "dog"], ["car", "bus"]]',
        "[[1, 2], [3, 40]]",
        '[["1", "dog"], [3, "bus"]]',
        "pets: [cat, dog]\nvehicles:\n  - car\n  - 40\n",
        "- [cat, dog]\n- [car, bus]\n",
        "# by hand\npets: &pets [cat, dog]\nvehicles: [car, bus]\n",
    ],
)
def test_groups_are_mappings_or_lists_of_names_or_ids_in_json_or_yaml(tmp_path, text):
    assert groups_in(tmp_path, text) == PAIRS


def test_a_packed_file_is_read_as_it_is(tmp_path):
    path = tmp_path / "groups.json.gz"
    path.write_bytes(gzip.compress(json.dumps(PAIRS).encode()))
    assert read_class_groups(path, CLASSES) == PAIRS
    assert read_class_groups(str(path), CLASSES) == PAIRS


def test_groups_may_share_classes(tmp_path):
    groups = groups_in(tmp_path, "- [cat, dog]\n- [dog, car]\n")
    similar = similar_classes(CLASSES, groups)
    assert similar.sum() == 4
    assert similar[0, 1]
    assert similar[1, 2]
    assert not similar[0, 2]


def test_text_ids_stand_for_their_names(tmp_path):
    classes = Classes.of(["/m/01", "/m/02"], ["cat", "dog"])
    assert groups_in(tmp_path, '{"pets": ["/m/01", "dog"]}', classes) == [["cat", "dog"]]


def test_where_a_name_is_the_id_of_another_class_the_name_counts(tmp_path):
    classes = Classes.of([1, 2, 3], ["2", "1", "three"])
    assert groups_in(tmp_path, "[[1, 3]]", classes) == [["1", "three"]]


# --- Trees


def test_sisters_of_the_demos_class_tree_are_groups(tmp_path):
    groups = groups_in(tmp_path, json.dumps(demo_records("class_tree")), demo_dataset().classes)
    assert ["car", "van"] in groups
    assert ["bus", "truck"] in groups
    assert ["dog", "cat"] in groups
    similar = similar_classes(demo_dataset().classes, groups)
    rows = demo_dataset().classes.row_of_name()
    assert not similar[rows["car"], rows["bus"]]
    assert similar.any(axis=1).sum() == len({name for group in groups for name in group})


@pytest.mark.parametrize(
    "text",
    [
        '{"LabelName": "any", "Subcategory": [{"LabelName": "cat"}, {"LabelName": "dog"}]}',
        '{"id": "any", "children": [{"id": 1}, {"id": "2"}]}',
        '{"name": "any", "children": [{"name": "cat"}, {"name": "dog"}]}',
        '{"id": "any", "children": ["cat", 2]}',
        '[{"id": "any", "children": ["x", 2]}, {"id": "x", "names": ["kitten", "cat"]}]',
        "name: any\nchildren:\n  - name: cat\n  - name: dog\n",
        '[{"id": "other", "children": []}, {"id": "any", "children": [{"id": 1}, {"id": 2}]}]',
    ],
)
def test_sisters_are_told_by_label_id_or_any_name(tmp_path, text):
    assert groups_in(tmp_path, text) == [["cat", "dog"]]


def test_cousins_and_parts_are_no_sisters(tmp_path):
    tree = {
        "LabelName": "any",
        "Subcategory": [
            {"LabelName": "pet", "Subcategory": [{"LabelName": "cat"}, {"LabelName": "dog"}]},
            {
                "LabelName": "vehicle",
                "Subcategory": [{"LabelName": "car"}],
                "Part": [{"LabelName": "bus"}],
            },
        ],
    }
    assert groups_in(tmp_path, json.dumps(tree)) == [["cat", "dog"]]


def test_an_inner_node_that_is_a_class_is_a_sister_too(tmp_path):
    tree = {"id": "any", "children": [{"id": 1, "children": [{"id": 2}, {"id": 3}]}, {"id": 40}]}
    assert sorted(groups_in(tmp_path, json.dumps(tree))) == [["cat", "bus"], ["dog", "car"]]


def test_groups_of_which_one_is_called_children_are_groups(tmp_path):
    text = '{"children": ["cat", "dog"], "vehicles": ["car", "bus"]}'
    assert groups_in(tmp_path, text) == PAIRS


def nodes_below(node, key):
    yield node
    for child in node.get(key, []):
        yield from nodes_below(child, key)


def assert_sisters(found, families):
    """Every family of two or more classes is a group, and every group a family."""
    expected = {frozenset(family) for family in families if len(set(family)) > 1}
    assert {frozenset(group) for group in found} == expected
    assert len(expected) > 50


def test_the_tree_of_imagenet_groups_its_leaves():
    path = shared("trees", "ilsvrc1000.json")
    roots = json.loads(path.read_text(encoding="utf-8"))
    nodes = [node for root in roots for node in nodes_below(root, "children")]
    name_of = {node["id"]: node["names"][0] for node in nodes if not node["children"]}
    by_id = Classes.of(list(name_of), [f"class {key}" for key in name_of], sort=True)
    families = [
        [f"class {child['id']}" for child in node["children"] if child["id"] in name_of]
        for node in nodes
    ]
    assert_sisters(read_class_groups(path, by_id), families)
    # By name as well, where no two leaves share one; further names are those of no other class.
    names = list(name_of.values())
    by_name = Classes.of(range(5000, 5000 + len(set(names))), list(dict.fromkeys(names)))
    groups = {frozenset(group) for group in read_class_groups(path, by_name)}
    assert any({"tabby", "tiger cat"} <= group for group in groups)


def test_the_tree_of_open_images_groups_its_classes():
    path = shared("trees", "openimages_600.json")
    nodes = list(nodes_below(json.loads(path.read_text(encoding="utf-8")), "Subcategory"))
    labels = sorted({node["LabelName"] for node in nodes})
    classes = Classes.of(labels, [f"class {label}" for label in labels], sort=True)
    families = [
        [f"class {child['LabelName']}" for child in node.get("Subcategory", [])] for node in nodes
    ]
    assert_sisters(read_class_groups(path, classes), families)


# --- What is wrong


def test_an_unknown_class_is_named_with_file_group_and_what_there_is(tmp_path):
    message = refused(tmp_path, '{"pets": ["cat", "dog"], "vehicles": ["car", "lorry"]}')
    assert "group 2" in message
    assert "'lorry'" in message
    assert "cat, dog, car, bus" in message


def test_of_many_classes_some_are_named_as_remedy(tmp_path):
    classes = Classes.of(range(30), [f"c{row}" for row in range(30)])
    assert "c11 and 18 more" in refused(tmp_path, "[[lorry]]", classes)


def test_a_tree_of_other_classes_is_refused(tmp_path):
    message = refused(tmp_path, '{"id": "any", "children": [{"id": "fork"}, {"id": "cat"}]}')
    assert "no two classes of the data set share a parent" in message
    assert "'cat'" in message


@pytest.mark.parametrize("text", ["", "null", "3", '"cat"', "[]", "{}", "# nothing\n"])
def test_a_file_without_groups_says_what_was_expected(tmp_path, text):
    assert "contains no groups of classes. Give lists of class names" in refused(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "- cat\n- dog\n",
        '{"pets": "cat"}',
        '{"pets": {"small": ["cat", "dog"]}}',
        "[[null]]",
        "[[{}]]",
        "[1, 2]",
        '[{"id": 1, "children": [{"id": 2}]}, 5]',
        '{"id": 1, "children": 5}',
        '{"id": 1, "children": "cat"}',
        '{"id": 1, "children": [{"names": null}, {"names": 3}]}',
        "&node {id: 1, children: [*node]}",
        "&group [*group]",
        "[" * 100_000,
        '{"a": ' * 50_000,
        "pets: [cat, dog",
        "pets: !!python/object/apply:os.getcwd []",
        "\x00\x01",
    ],
    ids=range(17),
)
def test_garbage_is_refused_with_a_remedy_and_runs_no_code(tmp_path, text):
    message = refused(tmp_path, text)
    assert message.count(". ") >= 1


def test_broken_yaml_names_the_line(tmp_path):
    assert "line 2" in refused(tmp_path, "pets: [cat, dog]\nvehicles: ]\n")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "groups"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_class_groups(path, CLASSES)
