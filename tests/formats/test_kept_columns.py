"""COCO files that Boxlens writes keep what COCO does not know, and read back as the same columns."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Detections, GroundTruth
from boxlens.data.columns import attribute_column
from boxlens.errors import BoxlensError, InputError
from boxlens.formats.files import SMALL_BYTES
from boxlens.metrics.protocols import PROTOCOLS
from formats import open_images_sets, voc_sets, yolo_sets
from running import boxlens_here
from small_world import assert_same_tables, small_dataset


def voc(folder):
    more = "<truncated>1</truncated><occluded>0</occluded><pose>Left</pose>"
    part = f"<part><name>head</name>{voc_sets.bndbox(1, 1, 5, 5)}</part>"
    hard = "<difficult>1</difficult><area>7</area><difficulty>x</difficulty>"
    return voc_sets.folder_of(
        folder,
        a=voc_sets.xml(
            voc_sets.obj("dog", (1, 1, 10, 10), more + part),
            voc_sets.obj("cat", (20.5, 3, 60, 44), hard),
        ),
        b=voc_sets.xml(voc_sets.obj("dog", (100, 50, 180, 200)), voc_sets.obj("cat", (5, 5, 9, 9))),
    )


def open_images(folder, **more):
    return open_images_sets.folder_of(
        folder,
        boxes=open_images_sets.BOXES,
        labels=open_images_sets.LABELS,
        classes=open_images_sets.CLASSES,
        hierarchy='{"LabelName":"/m/thing","Subcategory":[{"LabelName":"/m/cat"},'
        '{"LabelName":"/m/pet","Subcategory":[{"LabelName":"/m/dog"},{"LabelName":"/m/cat"}]}]}',
        **more,
    )


def open_images_with_sizes(folder):
    return open_images(folder, sizes=open_images_sets.SIZES)


def lvis(folder):
    dataset = small_dataset(rich=True)
    images = replace(dataset.images, positive=None)
    gt = replace(dataset.gt, difficult=~dataset.gt.image_row.astype(bool) & False)
    classes = replace(dataset.classes, tree=None)
    plain = replace(dataset, images=images, classes=classes, gt=replace(gt, group_of=gt.difficult))
    boxlens.write_dataset(plain, folder / "lvis.json", "lvis")
    document = json.loads((folder / "lvis.json").read_text())
    del document["boxlens"]
    (folder / "lvis.json").write_text(json.dumps(document))
    return folder / "lvis.json"


SOURCES = {
    "voc": voc,
    "openimages": open_images,
    "openimages-sized": open_images_with_sizes,
    "lvis": lvis,
    "yolo": yolo_sets.set_of,
}


def everything():
    """Names that fields have, columns without a value, and boxes that are crowds and groups."""
    dataset = small_dataset(text_ids=True, rich=True)
    gt = dataset.gt
    attributes = {
        **gt.attributes,
        **{
            name: attribute_column([0.5, None, "x", None] if name == "id" else [1, 2, None, -0.0])
            for name in ("id", "bbox", "difficult", "crowd", "attributes", "attributes.area")
        },
        "difficult_1": attribute_column([3, 1, 0, None]),
        "nothing": attribute_column([None] * 4),
        "no text": np.full(4, None),
    }
    both = np.array([False, False, True, True])
    changed = replace(gt, attributes=attributes, crowd=both, group_of=both[::-1] | both)
    return replace(dataset, gt=changed, relative=True)


def assert_same_columns(first, second):
    for table in ("images", "classes", "gt"):
        assert_same_tables(getattr(first, table), getattr(second, table))
    assert first.relative == second.relative


def detections_on(dataset):
    gt = dataset.gt
    rng = np.random.default_rng(3)
    box = np.concatenate([gt.box * (1 + rng.uniform(-0.2, 0.2, gt.box.shape)), gt.box])
    return Detections.of(
        "detector",
        len(dataset.images),
        image_row=np.tile(gt.image_row, 2),
        class_row=np.concatenate([gt.class_row, gt.class_row[::-1]]),
        box=np.abs(box),
        score=rng.random(len(box)),
    )


@pytest.mark.parametrize("name", SOURCES)
def test_every_column_survives_coco_and_so_does_every_protocol(name, tmp_path):
    source = SOURCES[name](tmp_path)
    dataset = boxlens.read_dataset(source)
    boxlens.convert(source, tmp_path / "out.json", "coco")
    detections = detections_on(dataset)
    for format_name in (None, "coco"):
        again = boxlens.read_dataset(tmp_path / "out.json", format=format_name)
        assert_same_columns(dataset, again)
    for protocol in PROTOCOLS:
        before, after = (
            boxlens.evaluate(one, detections, protocol=protocol).detectors[0]
            for one in (dataset, again)
        )
        assert str(before.metrics) == str(after.metrics)


@pytest.mark.parametrize(
    ("format_name", "read_as"), [("coco", None), ("coco", "coco"), ("lvis", None)]
)
def test_awkward_columns_survive(format_name, read_as, tmp_path):
    dataset = everything()
    boxlens.write_dataset(dataset, tmp_path / "out.json", format_name)
    again = boxlens.read_dataset(tmp_path / "out.json", format=read_as)
    assert_same_columns(dataset, again)


def test_a_set_without_objects_keeps_its_columns(tmp_path):
    dataset = everything()
    dataset = replace(dataset, gt=dataset.gt.where(np.zeros(4, dtype=bool)))
    boxlens.write_dataset(dataset, tmp_path / "out.json", "coco")
    again = boxlens.read_dataset(tmp_path / "out.json")
    assert again.gt.attributes.keys() == dataset.gt.attributes.keys()


def test_what_coco_can_say_is_written_as_plain_coco(tmp_path):
    boxlens.write_dataset(small_dataset(), tmp_path / "out.json", "coco")
    assert "boxlens" not in json.loads((tmp_path / "out.json").read_text())


def test_difficult_in_the_file_of_another_stays_an_attribute(tmp_path):
    dataset = replace(small_dataset(rich=True))
    boxlens.write_dataset(dataset, tmp_path / "ours.json", "coco")
    document = json.loads((tmp_path / "ours.json").read_text())
    del document["boxlens"]
    (tmp_path / "theirs.json").write_text(json.dumps(document))
    theirs = boxlens.read_dataset(tmp_path / "theirs.json")
    assert theirs.gt.attributes["difficult"].tolist() == [0, 1, 0, 0]
    assert not theirs.gt.difficult.any()


def test_the_protocol_ignores_difficult_objects_as_before(tmp_path):
    """A missed difficult object costs nothing, in the VOC folder as in the COCO file."""
    dataset = boxlens.read_dataset(voc(tmp_path))
    boxlens.convert(tmp_path / "xml", tmp_path / "out.json", "coco")
    again = boxlens.read_dataset(tmp_path / "out.json")
    found = detections_on(dataset).where(lambda table: table.score < 0)
    easy = ~dataset.gt.difficult
    perfect = Detections.of(
        "perfect",
        len(dataset.images),
        image_row=dataset.gt.image_row[easy],
        class_row=dataset.gt.class_row[easy],
        box=dataset.gt.box[easy],
        score=np.ones(easy.sum()),
    )
    assert len(found) == 0
    for one in (dataset, again):
        assert boxlens.evaluate(one, perfect).detectors[0].metrics["AP"] == 1


def test_the_strict_form_has_the_fields_of_coco_alone(tmp_path):
    dataset = replace(everything(), relative=False)
    notices = boxlens.write_dataset(dataset, tmp_path / "out.json", "coco", strict_coco=True)
    document = json.loads((tmp_path / "out.json").read_text())
    assert document.keys() == {"images", "annotations", "categories"}
    keys = {array: {key for one in document[array] for key in one} for array in document}
    assert keys["images"] == {"id", "file_name", "width", "height"}
    own = {"id", "image_id", "category_id", "bbox", "area", "iscrowd"}
    assert keys["annotations"] == own
    assert keys["categories"] == {"id", "name", "supercategory"}
    codes = {notice.code: notice.count for notice in notices}
    assert codes.keys() >= {
        "lost_difficult", "lost_group_of", "lost_tree", "lost_attributes", "lost_negative",
        "lost_positive", "lost_not_exhaustive", "lost_frequency", "lost_class_synset",
    }  # fmt: skip
    assert codes["lost_difficult"] == 1
    again = boxlens.read_dataset(tmp_path / "out.json")
    assert again.gt.crowd.tolist() == (dataset.gt.crowd | dataset.gt.group_of).tolist()


@pytest.mark.parametrize("strict", [True, False])
def test_pycocotools_reads_both_forms(strict, tmp_path):
    coco = pytest.importorskip("pycocotools.coco", reason="needs pycocotools")
    dataset = replace(small_dataset(rich=True))
    boxlens.write_dataset(dataset, tmp_path / "out.json", "coco", strict_coco=strict)
    loaded = coco.COCO(str(tmp_path / "out.json"))
    assert len(loaded.getAnnIds()) == len(dataset.gt)
    assert len(loaded.getAnnIds(iscrowd=True)) == int(
        (dataset.gt.crowd | dataset.gt.group_of).sum()
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": 2}, "schema 2"),
        ({"schema": None}, "schema None"),
        ({"flags": ["easy"]}, "'easy'"),
        ({"flags": 3}, "TypeError"),
        ({"attributes": [{"name": "a"}]}, "missing"),
        ({"class_tree": [["a"]]}, "unpack"),
        ({"lists": [[]]}, "unhashable|neither"),
    ],
    ids=["schema", "no-schema", "flag", "flags", "attributes", "tree", "lists"],
)
def test_a_damaged_block_is_named(change, told, tmp_path):
    boxlens.write_dataset(everything(), tmp_path / "out.json", "coco")
    document = json.loads((tmp_path / "out.json").read_text())
    document["boxlens"].update(change)
    (tmp_path / "out.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=told):
        boxlens.read_dataset(tmp_path / "out.json")


@pytest.mark.parametrize("value", ["2", '"yes"'], ids=["number", "text"])
def test_a_flag_is_0_or_1(value, tmp_path):
    boxlens.write_dataset(small_dataset(rich=True), tmp_path / "out.json", "coco")
    text = (tmp_path / "out.json").read_text().replace('"difficult":1', f'"difficult":{value}')
    (tmp_path / "out.json").write_text(text)
    with pytest.raises(InputError, match="record 1, field difficult"):
        boxlens.read_dataset(tmp_path / "out.json")


def test_the_strict_form_is_that_of_coco(tmp_path):
    boxlens.write_dataset(small_dataset(rich=True), tmp_path / "in.json", "coco")
    done = boxlens_here(
        "convert", "in.json", "out.json", "--to", "coco", "--strict-coco", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "COCO cannot hold difficult flags (1 written as objects that count)" in done.stderr
    refused = boxlens_here(
        "convert", "in.json", "out", "--to", "voc", "--strict-coco", cwd=tmp_path
    )
    assert refused.returncode == 2
    assert "--strict-coco" in refused.stderr
    with pytest.raises(BoxlensError, match="strict"):
        boxlens.write_dataset(small_dataset(), tmp_path / "v", "voc", strict_coco=True)


def difficult_voc(folder):
    """Classes whose chance localization is another one without their difficult objects."""
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(20), 6)
    classes = np.tile(np.arange(3), 40)
    images, _ = boxlens.data.Images.of(
        [f"{row:02}" for row in range(20)],
        [100.0] * 20,
        [80.0] * 20,
        [f"{r}.jpg" for r in range(20)],
    )
    difficult = rng.random(120) < 0.4
    size = np.where(difficult, 4, 8 + 10 * classes)
    box = np.stack([rng.integers(0, 60, 120), rng.integers(0, 30, 120), size, size], axis=1)
    gt = GroundTruth.of(20, image_row=rows, class_row=classes, box=box, difficult=difficult)
    names = ["ant", "bee", "cow"]
    dataset = boxlens.data.Dataset("set", images, boxlens.data.Classes.of(names, names), gt)
    boxlens.write_dataset(dataset, folder / "voc", "voc")
    return folder / "voc"


def test_a_matched_subset_measures_what_was_chosen(tmp_path):
    source = difficult_voc(tmp_path)
    means = boxlens.difficulty(source).datasets[0].means
    wanted = f"cpl={means['cpl'] * 0.8}"
    asked = ("voc", "--match", wanted, "-o", "out", "--figures", "none")
    done = boxlens_here("difficulty", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (chosen,) = json.loads((tmp_path / "out" / "results.json").read_text())["results"]["subsets"]
    written = tmp_path / "out" / "subset_cpl.json"
    assert 0 < len(chosen["classes"]) < 3
    assert boxlens.difficulty(written).datasets[0].means["cpl"] == chosen["mean"]
    assert "subset_cpl.json (2 classes, 20 images; difficult objects" in done.stderr
    assert ".boxlens" not in done.stderr
    strict = boxlens_here("difficulty", *asked, "--strict-coco", cwd=tmp_path)
    assert "difficult flags" in strict.stderr
    assert boxlens.difficulty(written).datasets[0].means["cpl"] != chosen["mean"]
    lone = boxlens_here("difficulty", "voc", "--strict-coco", cwd=tmp_path)
    assert lone.returncode == 2


@pytest.mark.parametrize("name", ["large.json", "large.json.gz"])
def test_file_larger_than_what_people_write_by_hand_is_read_back(tmp_path, name):
    """Its flags are a few bytes of it: of a plain file only they are read again."""
    dataset = boxlens.read_dataset(voc(tmp_path))
    boxlens.write_dataset(dataset, tmp_path / "small.json", "coco")
    text = (tmp_path / "small.json").read_text()
    large = text.replace('"categories":', '"categories":' + " " * SMALL_BYTES).encode()
    (tmp_path / name).write_bytes(gzip.compress(large, 1) if name.endswith("gz") else large)
    found = boxlens.read_dataset(tmp_path / name)
    assert found.gt.difficult.tolist() == dataset.gt.difficult.tolist()
    assert found.gt.difficult.any()
