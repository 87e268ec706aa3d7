from __future__ import annotations

import csv
import io
import json
import random

import numpy as np
import pytest
from pycocotools.coco import COCO

import boxlens
from app.random_queries import random_pairs
from app.toy_run import write_run
from boxlens.app.opening.run import open_run
from boxlens.app.selecting.exports import coco_json, csv_lines, image_list
from boxlens.app.selecting.query import QueryError, parse_query
from boxlens.app.selecting.selection import select
from boxlens.formats import coco

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@pytest.fixture(scope="module", params=[{}, {"text_ids": True}])
def world(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    content = write_run(folder, seed=4, **request.param)
    return open_run(folder), content


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return open_run(folder) if write_run(folder, seed=4) else None


def chosen(run, *pairs):
    return select(run, parse_query(pairs, run))


def lines_of(run, selection):
    text = b"".join(csv_lines(run, selection)).decode()
    return text, list(csv.reader(io.StringIO(text, newline="")))


def document_of(run, selection):
    return json.loads(b"".join(coco_json(run, selection)))


def says(cell: str, value) -> bool:
    """Whether a cell of CSV says a value of a table, by the rules alone."""
    if value is None:
        return cell == ""
    if isinstance(value, str):
        return cell == ("'" + value if value.startswith(FORMULAS) else value)
    return float(cell) == value


def test_csv_reads_back_as_the_rows_of_the_selection(world):
    run, content = world
    rng = random.Random(1)
    for _ in range(40):
        query = parse_query(random_pairs(rng, content), run)
        selection = select(run, query)
        _, (names, *lines) = lines_of(run, selection)
        assert len(lines) == selection.n_rows
        for line, row in zip(lines, selection.rows.tolist(), strict=True):
            found = dict(zip(names, line, strict=True))
            expected = dict(content[query.of][row])
            for inner in ("image_row", "object_row"):
                expected.pop(inner, None)
            if query.of != "images":
                image = content["images"][content[query.of][row]["image_row"]]
                expected["file_name"] = image["file_name"]
            assert found.keys() == expected.keys()
            assert all(says(found[name], value) for name, value in expected.items())


def test_csv_ends_its_lines_as_the_standard_has_it(world):
    run, _ = world
    selection = chosen(run, ("of", "images"))
    text, lines = lines_of(run, selection)
    assert text.endswith("\r\n")
    inside_names = sum(name.count("\r\n") for name in run.images.file_name)
    assert text.count("\r\n") == len(lines) + inside_names


def test_no_text_of_a_stranger_begins_like_a_formula_and_numbers_stay_numbers(world):
    run, _ = world
    seen = 0
    for of in ("detections", "objects", "images"):
        _, (_, *lines) = lines_of(run, chosen(run, ("of", of)))
        for line in lines:
            for value in line:
                if value.startswith(FORMULAS):
                    float(value)
                seen += value.startswith("'")
    assert seen > 0
    _, (names, *lines) = lines_of(run, chosen(run, ("of", "objects")))
    column = names.index("y")
    assert all(float(line[column]) <= 0 for line in lines)


def test_an_empty_selection_is_a_line_of_names_an_empty_list_and_no_images(world):
    run, _ = world
    nothing = chosen(run, ("find", "nowhere at all"))
    _, lines = lines_of(run, nothing)
    assert len(lines) == 1
    assert document_of(run, nothing) == []
    assert b"".join(image_list(run, nothing)) == b""
    objects = document_of(run, chosen(run, ("of", "objects"), ("find", "nowhere at all")))
    assert (objects["images"], objects["annotations"]) == ([], [])


def test_a_list_of_images_has_one_line_an_image_whatever_its_name(world):
    run, _ = world
    selection = chosen(run, ("of", "images"))
    lines = b"".join(image_list(run, selection)).decode().splitlines()
    assert len(lines) == selection.n_images
    for line, row in zip(lines, selection.image_rows.tolist(), strict=True):
        name = run.images.file_name[row]
        plain = name.replace("\r", r"\r").replace("\n", r"\n")
        assert line == (plain or str(run.images.id[row]))
    by_score = chosen(run, ("sort", "score"))
    first = b"".join(image_list(run, by_score)).decode().splitlines()[0]
    assert first == lines[by_score.image_rows[0]]


def test_coco_results_are_the_detections_in_their_order(world):
    run, content = world
    selection = chosen(run, ("detector", "1"), ("score", "0.2.."))
    classes = {one["name"]: one["id"] for one in content["about"]["dataset"]["classes"]}
    rows = [content["detections"][row] for row in selection.rows]
    assert document_of(run, selection) == [
        {
            "image_id": row["image_id"],
            "category_id": classes[row["class"]],
            "bbox": [row[side] for side in "xywh"],
            "score": row["score"],
        }
        for row in rows
    ]


def test_detections_of_several_detectors_do_not_pass_for_those_of_one(world):
    run, content = world
    if len(content["about"]["detectors"]) < 2:
        pytest.skip("a run of one detector")
    with pytest.raises(QueryError, match="one detector, and these are of several"):
        document_of(run, chosen(run))


def test_coco_objects_are_a_data_set_with_each_object_once(world):
    run, content = world
    pairs = [("of", "objects"), ("detector", "0"), ("detector", "1"), ("class", "cat")]
    document = document_of(run, chosen(run, *pairs))
    expected = [row for row in content["objects"][:40] if row["class"] == "cat"]
    assert [one["id"] for one in document["annotations"]] == [row["object_id"] for row in expected]
    for found, row in zip(document["annotations"], expected, strict=True):
        assert found["bbox"] == [row[side] for side in "xywh"]
        assert found["area"] == row["area"]
        assert found["iscrowd"] == int(row["crowd"] or row["group_of"])
        assert found.get("difficult", 0) == row["difficult"]
        assert found.get("word") == row["attribute_word"]
        assert found.get("weight.kg") == row["attribute_weight.kg"]
        assert found.get("shiny") == row["attribute_shiny"]
    images = {row["image_id"]: row for row in content["images"]}
    assert {one["id"] for one in document["images"]} == {row["image_id"] for row in expected}
    for image in document["images"]:
        assert image["file_name"] == images[image["id"]]["file_name"]
        assert image.get("width") == images[image["id"]]["width"]
    assert len(document["categories"]) == 6


def test_flags_of_exported_objects_read_back(world, tmp_path):
    run, content = world
    document = document_of(run, chosen(run, ("of", "images")))
    (tmp_path / "out.json").write_text(json.dumps(document))
    again = boxlens.read_dataset(tmp_path / "out.json").gt
    rows = {str(row["object_id"]): row for row in content["objects"][:40]}
    assert len(again) == len(rows)
    for flag in ("crowd", "difficult", "group_of"):
        expected = [bool(rows[str(key)][flag]) for key in again.id.tolist()]
        assert getattr(again, flag).tolist() == expected


def test_coco_images_come_with_all_their_objects(world):
    run, content = world
    selection = chosen(run, ("of", "images"), ("disagreement", "0.3.."))
    document = document_of(run, selection)
    shown = {row["image_id"] for row in content["images"] if (row["disagreement"] or 0) >= 0.3}
    assert {one["id"] for one in document["images"]} == shown
    expected = [row["object_id"] for row in content["objects"][:40] if row["image_id"] in shown]
    assert [one["id"] for one in document["annotations"]] == expected


def test_exports_read_back_with_boxlens_and_pycocotools(numbered, tmp_path):
    run = numbered
    truth, results = tmp_path / "truth.json", tmp_path / "results.json"
    truth.write_bytes(b"".join(coco_json(run, chosen(run, ("of", "images")))))
    results.write_bytes(b"".join(coco_json(run, chosen(run, ("detector", "0")))))
    dataset = coco.read_dataset(truth)
    detections = coco.read_detections(results, dataset)
    span = run.detections.of_detector(0)
    assert (len(dataset.images), len(dataset.gt)) == (14, 40)
    np.testing.assert_array_equal(dataset.gt.box, run.objects.box[:40])
    np.testing.assert_array_equal(np.sort(detections.score), np.sort(run.detections.score[span]))
    np.testing.assert_array_equal(dataset.gt.area_px, run.objects.numbers["area"][:40])
    reference = COCO(str(truth))
    assert len(reference.loadRes(str(results)).anns) == len(detections)
    kept = tmp_path / "objects.json"
    kept.write_bytes(b"".join(coco_json(run, chosen(run, ("of", "objects"), ("size", "small")))))
    assert len(coco.read_dataset(kept).gt) == len(COCO(str(kept)).anns) > 0


def test_fractions_become_pixels_where_sizes_are_known(tmp_path):
    content = write_run(tmp_path, seed=6, relative=True, sizes_known=1.0)
    run = open_run(tmp_path)
    images = {row["image_id"]: row for row in content["images"]}
    for found, row in zip(
        document_of(run, chosen(run, ("of", "objects")))["annotations"],
        content["objects"],
        strict=False,
    ):
        width, height = (images[row["image_id"]][side] for side in ("width", "height"))
        sides = [row["x"] * width, row["y"] * height, row["w"] * width, row["h"] * height]
        assert found["bbox"] == sides
        assert found["area"] == pytest.approx(row["area"] * width * height, rel=1e-12)
    result = document_of(run, chosen(run, ("detector", "0"), ("sort", "image")))[0]
    first = content["detections"][0]
    assert result["bbox"][0] == first["x"] * images[first["image_id"]]["width"]


def test_fractions_of_images_of_unknown_size_are_refused_before_a_byte_is_written(tmp_path):
    write_run(tmp_path, seed=6, relative=True, sizes_known=0.5)
    run = open_run(tmp_path)
    for of in ("detections", "objects", "images"):
        with pytest.raises(QueryError, match=r"of unknown size, the first of them .* Export CSV"):
            coco_json(run, chosen(run, ("of", of), ("detector", "0")))
        assert b"".join(csv_lines(run, chosen(run, ("of", of))))


def test_exports_come_in_pieces(tmp_path):
    write_run(tmp_path, seed=7, n_detections=(11_000,))
    run = open_run(tmp_path)
    for write in (csv_lines, coco_json):
        pieces = list(write(run, chosen(run)))
        assert len(pieces) >= 4
        assert max(map(len, pieces)) < 1_500_000
    assert len(document_of(run, chosen(run))) == 11_000
